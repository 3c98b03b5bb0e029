"""Pictures computed from others: channels packed, inverted, multiplied, sent through a table.

Knows no bpy.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .image_tiles import resized
from .materials.pictures import AlphaKind, BumpImage, DerivedImage, samples_of
from .materials.samples import ChannelSource, CheckerSample, ImageSample, Sample
from .materials.values import LUMINANCE, Scalar

MAX_SIDE = 4096
"""Pixels a side of a computed picture."""
CHECKER_SIDE = 256
"""Pixels a side of the picture of a checkerboard, which holds two by two squares."""
CUTOUT_SHARE = 0.15
"""A picture whose alpha is between 0.1 and 0.9 in fewer of its pixels is a cut-out."""

Pixels = Callable[[ImageSample], np.ndarray]
"""Gives an image's pixels (H, W, 4) float32, linear."""


def compute(recipe: DerivedImage, pixels_of: Pixels) -> np.ndarray:
    """Return the picture (H, W, 4) uint8 that `recipe` describes."""
    sized = _sized(recipe.samples(), pixels_of)
    height, width = next(iter(sized.values())).shape[:2]
    out = np.empty((height, width, 4), np.uint8)
    for index, number in enumerate(recipe.channels):
        values = np.clip(evaluate(number, sized), 0, 1)
        if recipe.is_color and index < 3:
            values = srgb_from_linear(values)
        out[..., index] = np.rint(values * 255).astype(np.uint8)
    return out


def _sized(samples: list[Sample], pixels_of: Pixels) -> dict[Sample, np.ndarray]:
    """Return the pixels of lookups, all as large as the largest of them."""
    sources = {sample: sample_pixels(sample, pixels_of) for sample in samples}
    width = min(max(p.shape[1] for p in sources.values()), MAX_SIDE)
    height = min(max(p.shape[0] for p in sources.values()), MAX_SIDE)
    return {sample: resized(pixels, (width, height)) for sample, pixels in sources.items()}


def bump_pixels(recipe: BumpImage, pixels_of: Pixels) -> tuple[np.ndarray, float]:
    """Return the picture (H, W, 4) uint8 of a bump, and the slope that an x / z of 1 stands for.

    Slopes are central differences a unit of UV. That slope is the one that hardly any pixel
    exceeds, so that the 8 bits are spent on what there is.
    """
    sized = _sized(recipe.samples(), pixels_of)
    height = evaluate(recipe.height, sized)
    rows, columns = height.shape
    across = _difference(height, 1, recipe.wrap_u == "repeat") * (columns / 2)
    down = _difference(height, 0, recipe.wrap_v == "repeat") * (rows / 2)
    steep = np.hypot(across, down)
    unit = max(float(np.percentile(steep, 99)), float(steep.max()) * 0.05, 1e-6)
    upright = 1 / np.sqrt(1 + (steep / unit) ** 2)
    out = np.empty((rows, columns, 4), np.uint8)
    out[..., :2] = 128
    for index, number in enumerate(recipe.normal or ()):
        out[..., index] = np.rint(np.clip(evaluate(number, sized), 0, 1) * 255)
    for index, slope in ((2, across), (3, down)):
        out[..., index] = np.rint((slope / unit * upright) * 127.5 + 127.5)
    return out, unit


def _difference(values: np.ndarray, axis: int, repeats: bool) -> np.ndarray:
    """Return what lies after each pixel minus what lies before it."""
    pad = [(1, 1) if axis == a else (0, 0) for a in range(2)]
    steps = np.diff(np.pad(values, pad, mode="wrap" if repeats else "edge"), axis=axis)
    return steps[1:] + steps[:-1] if axis == 0 else steps[:, 1:] + steps[:, :-1]


def sample_pixels(sample: Sample, pixels_of: Pixels) -> np.ndarray:
    """Return the pixels (H, W, 4) float32, linear, that a lookup reads."""
    if isinstance(sample, CheckerSample):
        return checker_pixels()
    if isinstance(sample, ImageSample):
        return pixels_of(sample)
    raise TypeError("a colour attribute is no picture")


def border_of(side: int) -> int:
    """Return how many clear pixels a clipped picture of `side` pixels gets at each end.

    One would do for the picture itself; its smaller mip levels would mix it with what lies within.
    """
    return max(side // 8, 1)


def with_border(pixels: np.ndarray) -> np.ndarray:
    """Return (H, W, 4) pixels with transparent black all round."""
    height, width = pixels.shape[:2]
    across, down = border_of(width), border_of(height)
    return np.pad(pixels, ((down, down), (across, across), (0, 0)))


def checker_pixels() -> np.ndarray:
    """Return two by two squares: 1 where just one of column and row (from below) is odd."""
    odd = np.arange(CHECKER_SIDE) >= CHECKER_SIDE // 2
    values = (odd[None, :] != odd[::-1, None]).astype(np.float32)
    return np.repeat(values[..., None], 4, axis=2)


def evaluate(number: Scalar, sized: dict[Sample, np.ndarray]) -> np.ndarray:
    """Return `number` for every pixel, (H, W) float32; all pictures in `sized` have one size."""
    shape = next(iter(sized.values())).shape[:2]
    if number.source is None:
        return np.full(shape, number.offset, np.float32)
    values = _channel(number.source, sized)
    if number.table is not None:
        values = np.interp(values, np.linspace(0, 1, len(number.table)), number.table)
    values = values * np.float32(number.scale) + np.float32(number.offset)
    for source in number.times:
        values = values * _channel(source, sized)
    if number.cutoff is not None:
        values = values > number.cutoff
    return values.astype(np.float32)


def _channel(source: ChannelSource, sized: dict[Sample, np.ndarray]) -> np.ndarray:
    pixels = sized[source.sample]
    if source.channel == "luminance":
        return pixels[..., :3] @ np.array(LUMINANCE, np.float32)
    return pixels[..., "rgba".index(source.channel)]


def alpha_kind(alpha: Scalar, pixels_of: Pixels) -> AlphaKind:
    """Tell what a varying alpha looks like over its pictures; see `ImageSource.alpha_kind`."""
    sources = {sample: sample_pixels(sample, pixels_of) for sample in samples_of(alpha)}
    height, width = next(iter(sources.values())).shape[:2]
    values = evaluate(alpha, {s: resized(p, (width, height)) for s, p in sources.items()})
    if values.min() > 0.998:
        return "opaque"
    between = np.count_nonzero((values > 0.1) & (values < 0.9)) / values.size
    return "cutout" if between < CUTOUT_SHARE else "smooth"


def linear_from_srgb(values: np.ndarray) -> np.ndarray:
    """Decode sRGB (IEC 61966-2-1), float32 0..1."""
    low = values / np.float32(12.92)
    high = ((values + np.float32(0.055)) / np.float32(1.055)) ** np.float32(2.4)
    return np.where(values <= 0.04045, low, high)


def srgb_from_linear(values: np.ndarray) -> np.ndarray:
    """Encode sRGB (IEC 61966-2-1), float32 0..1."""
    high = np.float32(1.055) * np.maximum(values, 1e-9) ** np.float32(1 / 2.4) - np.float32(0.055)
    return np.where(values <= 0.0031308, values * np.float32(12.92), high)


def linear_pixels(pixels: np.ndarray, is_srgb: bool) -> np.ndarray:
    """Return decoded pixels (H, W, 4) as linear float32; alpha is linear already."""
    if pixels.dtype != np.uint8:
        return pixels.astype(np.float32)
    if not is_srgb:
        return pixels.astype(np.float32) / np.float32(255)
    table = linear_from_srgb(np.arange(256, dtype=np.float32) / np.float32(255))
    out = table[pixels]
    out[..., 3] = pixels[..., 3] / np.float32(255)
    return out
