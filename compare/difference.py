"""Shows where two pictures differ: their difference amplified onto a scale of colours."""

from __future__ import annotations

import numpy as np

from .comparison import Comparison

SCALE_STEPS = (4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 255.0)
"""The differences (in 1/255) that the bright end of the scale can stand for."""

SCALE_STOPS: tuple[tuple[float, tuple[int, int, int]], ...] = (
    (0.0, (0, 0, 0)),
    (0.25, (64, 24, 120)),
    (0.5, (190, 48, 96)),
    (0.75, (250, 142, 40)),
    (1.0, (255, 250, 200)),
)
"""Position on the scale and its sRGB colour; brighter is further apart, so it reads in grey too."""

LEFT_OUT = (32, 52, 70)
"""Colour of the pixels that were not counted: they lie at edges."""


def difference_scale(comparison: Comparison) -> float:
    """Difference in 1/255 that the bright end of the scale shows.

    The smallest of `SCALE_STEPS` that holds all but the worst thousandth of the counted pixels,
    and at least twice the limit for a single pixel, so that noise within it stays dark.
    """
    counted = comparison.difference[comparison.counted]
    nearly_worst = float(np.percentile(counted, 99.9)) if counted.size else 0.0
    wanted = max(nearly_worst, 2.0 * comparison.tolerance.pixel)
    return next((step for step in SCALE_STEPS if step >= wanted), SCALE_STEPS[-1])


def difference_picture(comparison: Comparison) -> np.ndarray:
    """(H, W, 3) uint8: the largest difference of any channel on the colours of the scale."""
    shown = np.clip(comparison.difference / difference_scale(comparison), 0.0, 1.0)
    picture = _COLOURS[np.rint(shown * 255.0).astype(np.uint8)]
    picture[~comparison.counted] = LEFT_OUT
    return picture


def _colour_table() -> np.ndarray:
    """(256, 3) uint8: the scale's colours from no difference to the bright end."""
    positions = [position for position, _ in SCALE_STOPS]
    channels = [
        np.interp(np.linspace(0.0, 1.0, 256), positions, [colour[i] for _, colour in SCALE_STOPS])
        for i in range(3)
    ]
    return np.rint(np.stack(channels, axis=1)).astype(np.uint8)


_COLOURS = _colour_table()
