"""Image files: PNG, JPEG and WebP bytes to pixels that every host agrees on, and pixels to PNG.

Only those three formats are opened, each by its own Pillow class, so that no other decoder of
Pillow ever sees a byte of a level. Embedded colour profiles, gamma chunks and EXIF orientation are
ignored, as Blender ignores them; a web page has to decode with `colorSpaceConversion: "none"`,
`premultiplyAlpha: "none"` and `imageOrientation: "none"` for the same pixels.
"""

from __future__ import annotations

import io
import threading
import weakref
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageFile, JpegImagePlugin, PngImagePlugin, WebPImagePlugin

from ..errors import LevelError, UsageError
from .image import ImageData

MAX_SIDE = 16384
"""Pixels a side; no desktop GPU promises more."""
MAX_PIXELS = 1 << 27
"""Pixels in all (16384 x 8192, 512 MiB decoded); more is taken for a decompression bomb."""
CACHE_BYTES = 256 << 20
"""Decoded pixels kept for the next call; pictures beyond it are decoded anew."""

EXTENSIONS = {"png": ".png", "jpeg": ".jpg", "webp": ".webp"}
"""File name extension by format, as `image_format` names it."""

_MISSING_COLOR = (255, 0, 255, 255)


@dataclass(frozen=True)
class ImageHeader:
    """What the first bytes of an image file say: format ("png", "jpeg", "webp") and size."""

    format: str
    width: int
    height: int


def decode(image: ImageData) -> np.ndarray:
    """Return the pixels of `image`: (H, W, 4) uint8 or float32, top row first, read-only.

    uint8 is straight alpha, sRGB-encoded if `image.color_space` is "srgb"; float32 is linear.
    The file counts where there is one, because it is what an exported level holds; `pixels` only
    stand in for a file that cannot be read.
    Raises LevelError, naming the image, if its bytes are damaged, of another format or too large.
    """
    if image.encoded is None:
        if image.pixels is None:
            raise LevelError(f"Image '{image.name}' has neither pixels nor a file; load it again.")
        return _checked_pixels(image.name, image.pixels)
    cached = _decoded.get(image)
    if cached is None:
        try:
            cached = decode_bytes(image.encoded, image.name)
        except LevelError:
            if image.pixels is None:
                raise
            cached = _checked_pixels(image.name, image.pixels)
        _decoded.put(image, cached)
    return cached


def decode_bytes(encoded: bytes, name: str) -> np.ndarray:
    """Return the pixels of a PNG, JPEG or WebP file: (H, W, 4) uint8, top row first, read-only.

    Raises LevelError naming `name` if it cannot be decoded.
    """
    picture = _open(encoded, name)
    try:
        if picture.mode.startswith("I"):
            rgba = _from_16_bit_grey(picture)
        else:
            rgba = np.asarray(picture.convert("RGBA"))
    except (Exception, MemoryError) as reason:  # decoders raise anything on damaged data
        raise _unreadable(name, reason) from reason
    rgba.flags.writeable = False
    return rgba


def read_header(encoded: bytes, name: str) -> ImageHeader:
    """Return format and size of an image file without decoding its pixels.

    Raises LevelError naming `name` if it is no PNG, JPEG or WebP, or larger than the limits.
    """
    picture = _open(encoded, name)
    return ImageHeader(image_format(encoded) or "", picture.width, picture.height)


def image_format(encoded: bytes) -> str | None:
    """Return "png", "jpeg" or "webp" by the file's first bytes, None for anything else."""
    if encoded.startswith(b"\x89PNG\r\n\x1a\n"):
        return "png"
    if encoded.startswith(b"\xff\xd8\xff"):
        return "jpeg"
    if encoded[:4] == b"RIFF" and encoded[8:12] == b"WEBP":
        return "webp"
    return None


def encode_png(pixels: np.ndarray) -> bytes:
    """Return a PNG file of (H, W, 4) or (H, W, 3) uint8 pixels, top row first.

    The same pixels give the same bytes; an alpha of 255 everywhere is left out.
    Raises UsageError for other shapes and types.
    """
    if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] not in (3, 4):
        raise UsageError(
            f"A PNG is made of (H, W, 3 or 4) uint8 pixels, not {pixels.shape} {pixels.dtype}."
        )
    if 0 in pixels.shape:
        raise UsageError("A PNG needs at least one pixel.")
    if pixels.shape[2] == 4 and bool((pixels[..., 3] == 255).all()):
        pixels = pixels[..., :3]
    out = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(out, "PNG", compress_level=6)
    return out.getvalue()


def missing_image(name: str) -> ImageData:
    """Return the pink picture that stands in for an image that cannot be read."""
    pixels = np.full((4, 4, 4), _MISSING_COLOR, np.uint8)
    pixels.flags.writeable = False
    return ImageData(name=name, pixels=pixels, missing=True)


def check_size(width: int, height: int, name: str) -> None:
    """Raise LevelError naming `name` if a picture is empty or beyond MAX_SIDE or MAX_PIXELS."""
    if width < 1 or height < 1:
        raise LevelError(f"Image '{name}' has no pixels ({width} x {height}).")
    if width > MAX_SIDE or height > MAX_SIDE or width * height > MAX_PIXELS:
        raise LevelError(
            f"Image '{name}' is {width} x {height} pixels; at most {MAX_SIDE} a side and "
            f"{MAX_PIXELS} in all are read. Save it smaller."
        )


def _open(encoded: bytes, name: str) -> ImageFile.ImageFile:
    """Open by class rather than by `Image.open`, which would try every decoder there is."""
    kind = image_format(encoded)
    if kind is None:
        raise LevelError(f"Image '{name}' is no PNG, JPEG or WebP file; save it as one of those.")
    stream = io.BytesIO(encoded)
    try:
        if kind == "png":
            picture = PngImagePlugin.PngImageFile(stream)
        elif kind == "jpeg":
            picture = JpegImagePlugin.JpegImageFile(stream)
        else:
            picture = WebPImagePlugin.WebPImageFile(stream)
    except (Exception, MemoryError) as reason:
        raise _unreadable(name, reason) from reason
    check_size(picture.width, picture.height, name)
    return picture


def _from_16_bit_grey(picture: ImageFile.ImageFile) -> np.ndarray:
    """Keep the high byte, as libpng and Pillow do for 16-bit colour; `convert` would clip."""
    grey = (np.asarray(picture).astype(np.uint32) >> 8).astype(np.uint8)
    rgba = np.full((*grey.shape, 4), 255, np.uint8)
    rgba[..., :3] = grey[..., None]
    return rgba


def _unreadable(name: str, reason: BaseException) -> LevelError:
    words = str(reason) or type(reason).__name__
    return LevelError(f"Image '{name}' cannot be read ({words}); the file is damaged.")


def _checked_pixels(name: str, pixels: np.ndarray) -> np.ndarray:
    if pixels.ndim != 3 or pixels.shape[2] != 4 or pixels.dtype not in (np.uint8, np.float32):
        raise LevelError(
            f"Image '{name}' has pixels of {pixels.shape} {pixels.dtype}; (H, W, 4) uint8 or "
            "float32 is meant."
        )
    check_size(pixels.shape[1], pixels.shape[0], name)
    return pixels


class _DecodedImages:
    """The pictures decoded last, up to CACHE_BYTES; forgets those whose ImageData is gone.

    The main thread exports while the render thread uploads, hence the lock.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.RLock()
        self._entries: OrderedDict[int, tuple[weakref.ref[ImageData], np.ndarray]] = OrderedDict()
        self._bytes = 0

    def get(self, image: ImageData) -> np.ndarray | None:
        with self._lock:
            entry = self._entries.get(id(image))
            if entry is None or entry[0]() is not image:
                return None
            self._entries.move_to_end(id(image))
            return entry[1]

    def put(self, image: ImageData, pixels: np.ndarray) -> None:
        key = id(image)
        with self._lock:
            self._drop(key)
            if pixels.nbytes > self._limit:
                return
            while self._entries and self._bytes + pixels.nbytes > self._limit:
                self._drop(next(iter(self._entries)))
            self._entries[key] = (weakref.ref(image, lambda _: self._drop(key)), pixels)
            self._bytes += pixels.nbytes

    def _drop(self, key: int) -> None:
        with self._lock:
            entry = self._entries.pop(key, None)
            if entry is not None:
                self._bytes -= entry[1].nbytes


_decoded = _DecodedImages(CACHE_BYTES)
