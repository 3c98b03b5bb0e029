"""An ImageData as the file that a level holds: the artist's own where there is one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..engine_core.assets.float_image import Encoding, encode_floats
from ..engine_core.assets.image import ImageData
from ..engine_core.assets.image_io import (
    EXTENSIONS,
    decode,
    decode_bytes,
    encode_png,
    image_format,
    missing_image,
)
from ..engine_core.errors import LevelError


@dataclass(frozen=True)
class ImageFile:
    """The bytes of an image file and what a level has to say about them."""

    data: bytes
    extension: str
    color_space: Literal["srgb", "linear"]
    encoding: Encoding | None = None
    size: tuple[int, int] | None = None
    missing: bool = False
    notes: tuple[str, ...] = ()


def image_file(image: ImageData) -> ImageFile:
    """Return the file of an image: its own PNG, JPEG or WebP, a PNG of its pixels, or floats.

    A file that does not decode gives way to the pixels, and without any to the pink stand-in; both
    are told in `notes`.
    """
    notes: tuple[str, ...] = ()
    if image.encoded is not None:
        try:
            decode_bytes(image.encoded, image.name)
        except LevelError as error:
            notes = (str(error),)
        else:
            extension = EXTENSIONS[image_format(image.encoded) or "png"]
            return ImageFile(image.encoded, extension, image.color_space, missing=image.missing)
    try:
        pixels = decode(image)
    except LevelError as error:
        image = missing_image(image.name)
        pixels = decode(image)
        notes = (f"{error} It is pink in the level.",)
    return _file_of_pixels(image, pixels, notes)


def _file_of_pixels(image: ImageData, pixels: np.ndarray, notes: tuple[str, ...]) -> ImageFile:
    if pixels.dtype == np.uint8:
        data = encode_png(pixels)
        return ImageFile(data, ".png", image.color_space, missing=image.missing, notes=notes)
    if not np.isfinite(pixels).all():
        pixels = np.where(np.isfinite(pixels), pixels, np.float32(0.0))
        notes = (*notes, "Pixels that are no numbers are black in the level.")
    encoding, data = encode_floats(pixels)
    size = (pixels.shape[1], pixels.shape[0])
    return ImageFile(data, ".bin", image.color_space, encoding, size, image.missing, notes)
