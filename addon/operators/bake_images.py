"""Pictures of a bake: the gaps between UV islands filled, encoded, packed into the file."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ..sync.derived_images import srgb_from_linear

UNTOUCHED = -1.0
"""What a picture holds before the bake; no channel is ever baked to less than 0."""
SAME = 1.5 / 255
"""A channel that differs by no more than this is a constant."""


def bake_target(name: str, side: int) -> Any:
    """Return a new float image of `side` x `side` pixels that a bake has not touched yet."""
    images: Any = bpy.data.images
    image = images.new(name, side, side, alpha=True, float_buffer=True, is_data=True)
    clear(image)
    return image


def clear(image: Any) -> None:
    """Make every pixel untouched."""
    width, height = image.size
    image.pixels.foreach_set(np.full(width * height * 4, UNTOUCHED, np.float32))


def baked_pixels(image: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return what was baked, (H, W, 3) float32 with row 0 at the bottom, and where, (H, W) bool."""
    width, height = image.size
    flat = np.empty(width * height * 4, np.float32)
    image.pixels.foreach_get(flat)
    pixels = flat.reshape(height, width, 4)[..., :3]
    return pixels, pixels[..., 0] > UNTOUCHED / 2


def filled(pixels: np.ndarray, covered: np.ndarray) -> np.ndarray:
    """Return (H, W, C) `pixels` with everything outside `covered` (H, W) taken from what is near.

    Pull and push (Gortler et al., "The Lumigraph", 1996): means of what is covered go down a
    pyramid, and gaps are filled on the way back up; so neither bilinear lookups nor smaller mip
    levels ever meet a background. Sides must be powers of two.
    """
    if covered.all() or not covered.any():
        return pixels
    weights = covered.astype(np.float32)[..., None]
    levels = [(pixels * weights, weights)]
    while min(levels[-1][0].shape[:2]) > 1:
        color, weight = levels[-1]
        color, weight = _halved(color), _halved(weight)
        full = np.maximum(weight, 1e-6)
        share = np.minimum(weight, 1.0)
        levels.append((color / full * share, share))
    above = levels[-1][0] / np.maximum(levels[-1][1], 1e-6)
    for color, weight in reversed(levels[:-1]):
        above = color + np.repeat(np.repeat(above, 2, 0), 2, 1) * (1 - weight)
    return above.astype(np.float32)


def _halved(values: np.ndarray) -> np.ndarray:
    """Return the sums of 2 x 2 pixels."""
    return values[0::2, 0::2] + values[1::2, 0::2] + values[0::2, 1::2] + values[1::2, 1::2]


def constant_of(pixels: np.ndarray, covered: np.ndarray) -> np.ndarray | None:
    """Return the mean (C,) of what is covered, if it hardly varies; zeros if nothing is."""
    seen = pixels[covered]
    if len(seen) == 0:
        return np.zeros(pixels.shape[-1], np.float32)
    low, high = seen.min(axis=0), seen.max(axis=0)
    limit = SAME * max(1.0, float(high.max()))
    return seen.mean(axis=0) if bool((high - low <= limit).all()) else None


def packed_image(name: str, pixels: np.ndarray, is_color: bool) -> Any:
    """Return a new 8-bit image, saved within the .blend.

    `pixels` (H, W, 3 or 4) are linear 0..1 with row 0 at the bottom; colours are encoded as sRGB.
    """
    height, width, channels = pixels.shape
    out = np.ones((height, width, 4), np.float32)
    out[..., :channels] = np.clip(pixels, 0, 1)
    if is_color:
        out[..., :3] = srgb_from_linear(out[..., :3])
    images: Any = bpy.data.images
    image = images.new(name, width, height, alpha=channels == 4, is_data=not is_color)
    image.colorspace_settings.name = "sRGB" if is_color else "Non-Color"
    image.alpha_mode = "CHANNEL_PACKED" if channels == 4 else "NONE"
    image.pixels.foreach_set(out.ravel())
    image.update()
    image.pack()
    return image
