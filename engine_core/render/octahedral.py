"""The unit sphere laid on a square: the twin of shaders/common/octahedral.glsl in NumPy."""

from __future__ import annotations

from functools import lru_cache

import numpy as np


def direction_from_octahedral(square: np.ndarray) -> np.ndarray:
    """Return unit directions (..., 3) of points (..., 2) in -1..1."""
    x, z = square[..., 0], square[..., 1]
    y = 1 - np.abs(x) - np.abs(z)
    fold = np.maximum(-y, 0)
    direction = np.stack([x - np.copysign(fold, x), y, z - np.copysign(fold, z)], axis=-1)
    return direction / np.linalg.norm(direction, axis=-1, keepdims=True)


def octahedral_from_direction(direction: np.ndarray) -> np.ndarray:
    """Return points (..., 2) in -1..1 of unit directions (..., 3)."""
    flat = direction[..., [0, 2]] / np.abs(direction).sum(axis=-1, keepdims=True)
    folded = (1 - np.abs(flat[..., ::-1])) * np.where(flat < 0, -1.0, 1.0)
    return np.where(direction[..., 1:2] < 0, folded, flat)


@lru_cache(maxsize=4)
def square_directions(side: int) -> np.ndarray:
    """Return the directions (side, side, 3) of a square's texels.

    The outermost centres lie on the square's edge, where opposite ends are one direction: no seam.
    """
    at = np.linspace(-1, 1, side)
    directions = direction_from_octahedral(np.stack(np.meshgrid(at, at), axis=-1))
    directions.setflags(write=False)
    return directions
