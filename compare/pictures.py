"""Reads and writes the picture files that are compared."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..engine_core.assets.image_io import decode_bytes, encode_png
from ..engine_core.atomic_files import write_atomically
from ..engine_core.errors import LevelError, UsageError


def read_picture(path: Path) -> np.ndarray:
    """Read a PNG, JPEG or WebP as (H, W, 4) uint8, top row first.

    Raises UsageError when the file is missing, no picture, damaged or too large.
    """
    try:
        return decode_bytes(path.read_bytes(), str(path))
    except FileNotFoundError:
        raise UsageError(f"there is no picture {path}") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    except LevelError as error:
        raise UsageError(str(error)) from None


def write_png(path: Path, picture: np.ndarray) -> None:
    """Write (H, W, 3 | 4) uint8, or floats where 1 is white, as PNG; the file is replaced whole."""
    write_atomically(path, encode_png(as_bytes(picture)))


def as_bytes(picture: np.ndarray) -> np.ndarray:
    """The picture as uint8; floats are clipped to 0..1 and rounded, NaN becomes 0."""
    if picture.dtype == np.uint8:
        return picture
    finite = np.nan_to_num(picture, nan=0.0, posinf=1.0, neginf=0.0)
    return np.rint(np.clip(finite, 0.0, 1.0) * 255.0).astype(np.uint8)
