"""Pixels of bare floats in a `.bin` file, for pictures brighter than 1: lossless, and read by all.

height x width x RGBA, top row first, little-endian, nothing else; the level says size and encoding.
A web page makes a Float32Array (or, for halves, a Uint16Array that WebGL takes as HALF_FLOAT) of
it without decoding anything.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..errors import LevelError
from .image_io import check_size

Encoding = Literal["rgba16f", "rgba32f"]

_DTYPES: dict[Encoding, str] = {"rgba16f": "<f2", "rgba32f": "<f4"}


def encode_floats(pixels: np.ndarray) -> tuple[Encoding, bytes]:
    """Return (encoding, bytes) of (H, W, 4) float32 pixels; halves only where they are exact."""
    with np.errstate(over="ignore"):
        halves = pixels.astype("<f2")
    if np.array_equal(halves.astype(np.float32), pixels):
        return "rgba16f", halves.tobytes()
    return "rgba32f", pixels.astype("<f4").tobytes()


def decode_floats(data: bytes, encoding: Encoding, width: int, height: int) -> np.ndarray:
    """Return (H, W, 4) float32 pixels, read-only.

    Raises LevelError if `data` has not exactly the length that the size asks for, the size is
    beyond the limits of images, or a number is not finite.
    """
    check_size(width, height, "of floats")
    dtype = np.dtype(_DTYPES[encoding])
    expected = width * height * 4 * dtype.itemsize
    if len(data) != expected:
        raise LevelError(
            f"{width} x {height} pixels of {encoding} take {expected} bytes, the file has "
            f"{len(data)}."
        )
    pixels = np.frombuffer(data, dtype).reshape(height, width, 4).astype(np.float32, copy=False)
    if not np.isfinite(pixels).all():
        raise LevelError("the file holds something that is no finite number.")
    pixels.flags.writeable = False
    return pixels
