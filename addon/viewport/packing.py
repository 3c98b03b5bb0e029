"""Packs an 8-bit frame into floats that any driver hands to a shader unchanged.

Blender's `GPUTexture` takes 32-bit floats only. Four floats a pixel are four times the bytes and a
conversion in Blender; one float a pixel can carry the same colours. Not as raw bits: those include
NaNs and denormals, which a driver may quieten or flush. So a float holds the *integer*
r + 256 g + 65536 b (< 2**24, where every integer is exact), and a second one, only when some pixel
is transparent, holds 255 - alpha. A missing second channel reads as 0, which is opaque.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class PackedFrame:
    """`data`: (H*W*channels,) float32, top row first; `channels` is 1, or 2 with transparency."""

    size: tuple[int, int]
    channels: int
    data: np.ndarray


def pack(pixels: np.ndarray) -> PackedFrame:
    """Pack `pixels` (H, W, 4) uint8, straight alpha, any row order (it is kept)."""
    height, width = pixels.shape[:2]
    words = np.ascontiguousarray(pixels).view("<u4").reshape(-1)
    colors = (words & np.uint32(0xFFFFFF)).astype(np.float32)
    if pixels[..., 3].min(initial=255) == 255:
        return PackedFrame((width, height), 1, colors)
    data = np.empty((words.size, 2), np.float32)
    data[:, 0] = colors
    data[:, 1] = 255 - (words >> np.uint32(24))
    return PackedFrame((width, height), 2, data.reshape(-1))
