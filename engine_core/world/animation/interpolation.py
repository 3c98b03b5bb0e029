"""Blends of neighbouring keys, many at once; the one place that says what "linear" means."""

from __future__ import annotations

import numpy as np

_NEARLY_PARALLEL = 1e-6
"""Below this sine, slerp is a plain blend: its weights would be 0 / 0."""


def blend(a: np.ndarray, b: np.ndarray, u: np.ndarray, *, is_rotation: bool) -> np.ndarray:
    """Return what lies between rows `a` and `b` (N, W) at `u` (N,) in 0..1; float64."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    if is_rotation:
        return slerp(a, b, u)
    return a + (b - a) * u[:, None]


def slerp(a: np.ndarray, b: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Turn from unit quaternions `a` to `b` (N, 4) the short way by `u` (N,) of the angle.

    K. Shoemake, "Animating rotation with quaternion curves", 1985.
    """
    cosine = np.einsum("ij,ij->i", a, b)
    b = np.where(cosine[:, None] < 0, -b, b)
    angle = np.arccos(np.clip(np.abs(cosine), 0.0, 1.0))
    sine = np.sin(angle)
    is_flat = sine < _NEARLY_PARALLEL
    safe = np.where(is_flat, 1.0, sine)
    first = np.where(is_flat, 1.0 - u, np.sin((1.0 - u) * angle) / safe)
    second = np.where(is_flat, u, np.sin(u * angle) / safe)
    out = first[:, None] * a + second[:, None] * b
    length = np.linalg.norm(out, axis=1, keepdims=True)
    return out / np.where(length > 0, length, 1.0)


def angles_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the angle in radians (N,) of the turn from quaternions `a` to `b` (N, 4) float64.

    By the chord, since an arc cosine near 1 knows no angle below 1e-8.
    """
    chord = np.minimum(np.linalg.norm(a - b, axis=1), np.linalg.norm(a + b, axis=1))
    return 4.0 * np.arcsin(np.clip(chord / 2.0, 0.0, 1.0))
