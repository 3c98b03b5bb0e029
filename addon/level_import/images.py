"""ImageData to Blender images, packed into the file."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ...engine_core.assets.image import ImageData


def make_image(image_id: str, data: ImageData) -> Any:
    """Make a `bpy.types.Image`; the artist's own file is packed as it is."""
    if data.missing:
        # The pink stand-in is made anew, and the loss told again, while the file is not there.
        image: Any = bpy.data.images.new(image_id, 1, 1)
        image.source = "FILE"
        image.filepath = f"//{data.name or image_id}"
        image.colorspace_settings.name = "sRGB"
        return image
    if data.encoded is not None:
        image = bpy.data.images.new(image_id, 1, 1)
        image.source = "FILE"
        image.pack(data=data.encoded, data_len=len(data.encoded))
        image.alpha_mode = "STRAIGHT"
    else:
        image = _of_pixels(image_id, data)
    image.colorspace_settings.name = "sRGB" if data.color_space == "srgb" else "Non-Color"
    return image


def _of_pixels(image_id: str, data: ImageData) -> Any:
    pixels = data.pixels
    assert pixels is not None, "an image has a file or pixels"
    is_float = pixels.dtype != np.uint8
    height, width = pixels.shape[:2]
    image: Any = bpy.data.images.new(image_id, width, height, alpha=True, float_buffer=is_float)
    # Blender would keep straight floats premultiplied, which loses colours where alpha is 0.
    image.alpha_mode = "CHANNEL_PACKED" if is_float else "STRAIGHT"
    values = pixels.astype(np.float32) if is_float else pixels.astype(np.float32) / 255
    image.pixels.foreach_set(np.ascontiguousarray(values[::-1]).ravel())
    image.update()
    image.pack()
    return image
