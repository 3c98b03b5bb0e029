"""Blender images to ImageData, kept as the artist's own file where there is one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import bpy
import numpy as np

from ...engine_core.assets.image import ColorSpace, ImageData
from ...engine_core.assets.image_io import decode, image_format, missing_image, read_header
from ...engine_core.errors import LevelError
from .image_tiles import Tile, atlas
from .scene_causes import SceneCause
from .warnings import SyncWarning, warn_about

PINK = (255, 0, 255, 255)
"""What stands for a tile that is not there."""
LINEAR_SPACES = frozenset({"Linear Rec.709", "Working Space", "Linear", "scene_linear"})
"""Names under which Blender's colour configurations keep linear Rec.709."""


@dataclass(frozen=True, eq=False)
class ImageReading:
    """A picture, the grid of UV tiles it covers, and what was approximated of it."""

    data: ImageData
    tile_grid: tuple[int, int] = (1, 1)
    warnings: tuple[SyncWarning, ...] = ()


def read_image(image: Any, name: str, user: Any | None = None) -> ImageReading:
    """Turn a `bpy.types.Image` into ImageData called `name`; an unreadable one becomes pink.

    `user` is the evaluated `ImageUser` of a sequence or movie, which says the frame.
    """
    color_space, warnings = _color_space(image)
    try:
        if image.source == "TILED":
            reading = _tiled(image, name, color_space)
        else:
            reading = ImageReading(_single(image, name, color_space, user))
    except (LevelError, OSError, RuntimeError) as reason:
        return _missing(image, name, str(reason))
    if image.source == "MOVIE":
        warnings += (warn_about(image, SceneCause.IMAGE_MOVIE),)
    return replace(reading, warnings=(*reading.warnings, *warnings))


def _single(image: Any, name: str, color_space: ColorSpace, user: Any | None) -> ImageData:
    """Read one picture. Raises LevelError or OSError if it cannot be read."""
    encoded = _file_bytes(image, user)
    if encoded is not None and _keeps_file(image, encoded):
        read_header(encoded, name)
        return ImageData(name, color_space, encoded=encoded)
    if image.source == "SEQUENCE":
        return ImageData(name, color_space, pixels=_load_pixels(_frame_path(image, user)))
    return ImageData(name, color_space, pixels=read_pixels(image))


def _keeps_file(image: Any, encoded: bytes) -> bool:
    """Tell whether the file's bytes decode to what Blender shows."""
    if image_format(encoded) is None or image.is_dirty:
        return False
    return image.alpha_mode != "PREMUL"


def read_pixels(image: Any) -> np.ndarray:
    """Return what Blender holds of an image: (H, W, 4), top row first, straight alpha.

    uint8 in the image's own colour space, or float32, linear. Raises LevelError if it holds none.
    """
    width, height = image.size
    count = width * height
    channels = image.channels if count else 0
    if count == 0 or channels == 0 or len(image.pixels) != count * channels:
        raise LevelError(f"Image '{image.name}' has no pixels; check its file.")
    flat = np.empty(count * channels, np.float32)
    image.pixels.foreach_get(flat)
    pixels = _as_rgba(flat.reshape(height, width, channels))[::-1]
    if not image.is_float:
        return np.ascontiguousarray((np.clip(pixels, 0, 1) * 255 + 0.5).astype(np.uint8))
    if image.alpha_mode in {"STRAIGHT", "PREMUL"}:  # Blender keeps float pixels premultiplied
        alpha = pixels[..., 3:]
        pixels = np.concatenate([pixels[..., :3] / np.where(alpha > 0, alpha, 1), alpha], axis=-1)
    return np.ascontiguousarray(pixels)


def _as_rgba(pixels: np.ndarray) -> np.ndarray:
    """Widen (H, W, 1..4) to (H, W, 4): grey is repeated, a missing alpha is 1."""
    height, width, channels = pixels.shape
    if channels == 4:
        return pixels
    out = np.ones((height, width, 4), np.float32)
    out[..., :3] = pixels[..., :3] if channels == 3 else pixels[..., :1]
    if channels == 2:
        out[..., 3] = pixels[..., 1]
    return out


def _file_bytes(image: Any, user: Any | None) -> bytes | None:
    """Return the bytes of the image's file, packed or on disk; None if it has none."""
    if image.source == "SEQUENCE":
        return _frame_path(image, user).read_bytes()
    if image.source != "FILE":
        return None
    if image.packed_file is not None:
        return bytes(image.packed_file.data)
    if not image.filepath:
        return None
    path = _absolute(image, image.filepath)
    if path.is_file():
        return path.read_bytes()
    if image.has_data:
        return None
    raise LevelError(f"there is no file '{path}'")


def _frame_path(image: Any, user: Any | None) -> Path:
    if user is None:
        return _absolute(image, image.filepath)
    return _absolute(image, image.filepath_from_user(image_user=user))


def _absolute(image: Any, path: str) -> Path:
    return Path(bpy.path.abspath(path, library=image.library))


def _load_pixels(path: Path) -> np.ndarray:
    """Read a picture file of any format that Blender knows. Raises RuntimeError if it cannot."""
    loaded = bpy.data.images.load(str(path))
    try:
        return read_pixels(loaded)
    finally:
        bpy.data.images.remove(loaded)


def _tiled(image: Any, name: str, color_space: ColorSpace) -> ImageReading:
    """Put the UDIM tiles into one picture; those that cannot be read are pink in it.

    Raises LevelError if none of them can.
    """
    tiles: list[Tile] = []
    warnings: list[SyncWarning] = []
    with _tile_files(image) as template:
        for number in [tile.number for tile in image.tiles]:
            try:
                tiles.append(Tile(number, _tile_pixels(image, name, number, template)))
            except (LevelError, OSError, RuntimeError) as error:
                tiles.append(Tile(number, np.array([[PINK]], np.uint8)))
                reason = str(error).rstrip(".")
                values: dict[str, object] = {"number": number, "reason": reason}
                warnings.append(warn_about(image, SceneCause.IMAGE_TILE_MISSING, **values))
    if len(warnings) == len(tiles):
        raise LevelError("none of its tiles can be read")
    pixels, grid = atlas(tiles)
    return ImageReading(ImageData(name, color_space, pixels=pixels), grid, tuple(warnings))


@contextmanager
def _tile_files(image: Any) -> Iterator[str]:
    """Give the path of an image's tiles, with the token that stands for their numbers.

    Painted tiles are saved as copies first, because Blender shows Python the first tile only.
    """
    if not image.is_dirty:
        yield image.filepath
        return
    with TemporaryDirectory() as folder:
        copies = str(Path(folder) / f"tile.<UDIM>{Path(image.filepath).suffix}")
        try:
            image.save(filepath=copies, save_copy=True)
        except RuntimeError:
            copies = image.filepath
        yield copies


def _tile_pixels(image: Any, name: str, number: int, template: str) -> np.ndarray:
    column, row = (number - 1001) % 10, (number - 1001) // 10
    tokens = {"<UDIM>": str(number), "<UVTILE>": f"u{column + 1}_v{row + 1}"}
    filled = template
    for token, text in tokens.items():
        filled = filled.replace(token, text)
    encoded: bytes | None = None
    if template == image.filepath:
        for packed in image.packed_files:
            if Path(packed.filepath.replace("\\", "/")).name == _file_name(filled):
                encoded = bytes(packed.data)
    path = _absolute(image, filled)
    if encoded is None:
        encoded = path.read_bytes()
    if image_format(encoded) is not None:
        return decode(ImageData(name, encoded=encoded))
    if path.is_file():
        return _load_pixels(path)
    with TemporaryDirectory() as folder:
        unpacked = Path(folder) / _file_name(filled)
        unpacked.write_bytes(encoded)
        return _load_pixels(unpacked)


def _file_name(path: str) -> str:
    return Path(path.replace("\\", "/")).name


def _color_space(image: Any) -> tuple[ColorSpace, tuple[SyncWarning, ...]]:
    settings = image.colorspace_settings
    if settings.is_data or settings.name in LINEAR_SPACES:
        return "linear", ()
    if settings.name == "sRGB" or image.is_float:
        return "srgb", ()
    return "srgb", (warn_about(image, SceneCause.IMAGE_COLOR_SPACE, space=settings.name),)


def _missing(image: Any, name: str, reason: str) -> ImageReading:
    where = image.filepath or "it has no file"
    warning = warn_about(image, SceneCause.IMAGE_MISSING, reason=f"{where}: {reason.rstrip('.')}")
    return ImageReading(missing_image(name), warnings=(warning,))
