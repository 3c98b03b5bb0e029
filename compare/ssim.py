"""Structural similarity of two pictures, with a Gaussian window, in NumPy alone.

Wang, Bovik, Sheikh, Simoncelli: "Image Quality Assessment: From Error Visibility to Structural
Similarity", IEEE Transactions on Image Processing 13(4), 2004: equation 13 with the constants and
the 11x11 window (sigma 1.5) of its section III.C.
"""

from __future__ import annotations

import numpy as np

SIGMA = 1.5
RADIUS = 5  # an 11x11 window
K1, K2 = 0.01, 0.03
_BAND_ROWS = 64  # rows worked on at once: the intermediate arrays then stay in the CPU's cache


def similarity_map(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Structural similarity around every pixel, averaged over the channels.

    `a` and `b` are (H, W, C) floats in 0..1. Gives (H, W) float64 in -1..1. The pictures are
    mirrored at their borders, so the outer `RADIUS` pixels see part of the picture twice.
    """
    height, width, channels = a.shape
    total = np.zeros((height, width))
    for channel in range(channels):
        padded_a = _mirrored(a[:, :, channel])
        padded_b = _mirrored(b[:, :, channel])
        for top in range(0, height, _BAND_ROWS):
            bottom = min(top + _BAND_ROWS, height)
            rows = slice(top, bottom + 2 * RADIUS)
            total[top:bottom] += _similarity(padded_a[rows], padded_b[rows])
    return total / channels


def interior(height: int, width: int) -> tuple[slice, slice]:
    """Rows and columns whose whole window lies inside the picture.

    Wang's mean takes these only. A picture that has none is taken whole.
    """
    if min(height, width) <= 2 * RADIUS:
        return slice(None), slice(None)
    return slice(RADIUS, height - RADIUS), slice(RADIUS, width - RADIUS)


def _similarity(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """SSIM of two padded (H + 2 RADIUS, W + 2 RADIUS) planes: (H, W)."""
    c1, c2 = K1 * K1, K2 * K2  # the dynamic range L is 1
    mean_a, mean_b = _blurred(a), _blurred(b)
    # Rounding can leave a variance of a flat area a hair below zero; the constants absorb that.
    variances = _blurred(a * a + b * b) - mean_a * mean_a - mean_b * mean_b
    covariance = _blurred(a * b) - mean_a * mean_b
    above = (2.0 * mean_a * mean_b + c1) * (2.0 * covariance + c2)
    below = (mean_a * mean_a + mean_b * mean_b + c1) * (variances + c2)
    return above / below


def _mirrored(plane: np.ndarray) -> np.ndarray:
    return np.pad(plane.astype(np.float64), RADIUS, mode="symmetric")


def _blurred(padded: np.ndarray) -> np.ndarray:
    """The plane under the Gaussian window, one axis after the other, without its padding."""
    height = padded.shape[0] - 2 * RADIUS
    width = padded.shape[1] - 2 * RADIUS
    columns = np.zeros((height, padded.shape[1]))
    for offset, weight in enumerate(_WINDOW):
        columns += weight * padded[offset : offset + height]
    rows = np.zeros((height, width))
    for offset, weight in enumerate(_WINDOW):
        rows += weight * columns[:, offset : offset + width]
    return rows


def _gaussian_window() -> np.ndarray:
    distance = np.arange(-RADIUS, RADIUS + 1)
    weights = np.exp(-0.5 * (distance / SIGMA) ** 2)
    return weights / weights.sum()


_WINDOW = _gaussian_window()
