"""Reads and writes the picture files that are compared."""

from __future__ import annotations

import io
import uuid
from pathlib import Path

import numpy as np
from PIL import Image, UnidentifiedImageError

from ..engine_core.errors import UsageError


def read_picture(path: Path) -> np.ndarray:
    """Read a picture file as (H, W, 3 | 4) uint8, top row first.

    Sixteen-bit greys are rounded to eight; palettes and greys become RGB. Raises UsageError when
    the file is missing or is no picture.
    """
    try:
        with Image.open(path) as image:
            if image.mode.startswith("I"):  # 16-bit grey: Pillow's own conversion would clip it
                grey = np.asarray(image).astype(np.float64) / 257.0
                return np.repeat(np.rint(grey).clip(0, 255).astype(np.uint8)[:, :, None], 3, axis=2)
            has_alpha = "A" in image.getbands() or "transparency" in image.info
            return np.asarray(image.convert("RGBA" if has_alpha else "RGB"))
    except FileNotFoundError:
        raise UsageError(f"there is no picture {path}") from None
    except UnidentifiedImageError:
        raise UsageError(f"{path} is not a picture that can be read (PNG, JPEG, WebP)") from None
    except Image.DecompressionBombError:
        raise UsageError(f"{path} holds too many pixels to be compared") from None
    except (OSError, SyntaxError, ValueError) as error:  # Pillow reports damaged PNG as SyntaxError
        raise UsageError(f"{path} cannot be read: {error}") from None


def write_png(path: Path, picture: np.ndarray) -> None:
    """Write (H, W, 3 | 4) uint8, or floats where 1 is white, as PNG; the file is replaced whole."""
    buffer = io.BytesIO()
    Image.fromarray(as_bytes(picture)).save(buffer, format="PNG", compress_level=6)
    write_atomically(path, buffer.getvalue())


def as_bytes(picture: np.ndarray) -> np.ndarray:
    """The picture as uint8; floats are clipped to 0..1 and rounded, NaN becomes 0."""
    if picture.dtype == np.uint8:
        return picture
    finite = np.nan_to_num(picture, nan=0.0, posinf=1.0, neginf=0.0)
    return np.rint(np.clip(finite, 0.0, 1.0) * 255.0).astype(np.uint8)


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that a reader (or a crash) sees the old content or the new, nothing between.

    Folders on the way are made. Raises OSError when the place cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.parent / f".fyn-{uuid.uuid4().hex}.tmp"
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
