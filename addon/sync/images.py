"""Blender images to ImageData, kept as the artist's own file where there is one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...engine_core.assets.image import ImageData
from .warnings import SyncWarning

PINK = (255, 0, 255, 255)
"""sRGB colour of the stand-in for a picture that cannot be read, as in Blender."""

ENCODED_FORMATS = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg", b"RIFF": "webp"}
"""First bytes of the files that are kept as they are."""


@dataclass(frozen=True)
class ImageReading:
    """A picture and what was approximated of it."""

    data: ImageData
    warnings: tuple[SyncWarning, ...] = ()


def read_image(image: Any, name: str) -> ImageReading:
    """Turn a `bpy.types.Image` into ImageData called `name`; unreadable ones become pink."""
    color_space = "linear" if image.colorspace_settings.is_data else "srgb"
    encoded = _encoded_bytes(image)
    if encoded is not None:
        return ImageReading(ImageData(name, color_space, encoded=encoded))
    width, height = image.size
    if width == 0 or height == 0:
        return _missing(image, name)
    pixels = np.empty(width * height * 4, np.float32)
    image.pixels.foreach_get(pixels)
    pixels = pixels.reshape(height, width, 4)[::-1]
    if not image.is_float:
        pixels = np.clip(pixels * 255 + 0.5, 0, 255).astype(np.uint8)
    return ImageReading(ImageData(name, color_space, pixels=np.ascontiguousarray(pixels)))


def _missing(image: Any, name: str) -> ImageReading:
    pink = np.empty((2, 2, 4), np.uint8)
    pink[:] = PINK
    where = image.filepath or "no file"
    return ImageReading(
        ImageData(name, "srgb", pixels=pink, missing=True),
        (
            SyncWarning(
                "image",
                name,
                f"Its picture cannot be read ({where}); it is drawn pink.",
                "Use File > External Data > Find Missing Files, or choose another picture.",
                left_out=True,
            ),
        ),
    )


def _encoded_bytes(image: Any) -> bytes | None:
    if image.source != "FILE" or image.is_dirty:
        return None
    data: bytes | None = None
    if image.packed_file is not None:
        data = bytes(image.packed_file.data)
    elif image.filepath:
        path = Path(bpy.path.abspath(image.filepath, library=image.library))
        try:
            data = path.read_bytes()
        except OSError:
            return None
    if data is None or not any(data.startswith(magic) for magic in ENCODED_FORMATS):
        return None
    return data
