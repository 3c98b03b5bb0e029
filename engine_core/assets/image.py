"""ImageData: one image asset, kept as the bytes of its file and/or as pixels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

ColorSpace = Literal["srgb", "linear"]


@dataclass(frozen=True, eq=False)
class ImageData:
    """A picture. At least one of `encoded` and `pixels` is given.

    `pixels` is (H, W, 4), top row first, straight alpha: uint8 (sRGB-encoded if `color_space` is
    "srgb") or float32 (always linear). `encoded` holds the bytes of a PNG, JPEG or WebP file as
    the artist saved it; when present it is what gets exported and drawn, and `decode()` of
    assets/image_io gives its pixels to every host. `missing` marks the pink stand-in of an
    unreadable image. Immutable by convention, like everything in a WorldDelta.
    """

    name: str
    color_space: ColorSpace = "srgb"
    encoded: bytes | None = None
    pixels: np.ndarray | None = None
    missing: bool = False
