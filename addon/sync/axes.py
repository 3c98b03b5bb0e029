"""The one place where Blender's axes (Z up) become the engine's (Y up): (x, y, z) -> (x, z, -y)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .gather import runs

ENGINE_FROM_BLENDER = np.array(
    [
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0],
        [0.0, -1.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ]
)
"""(4, 4) float64 rotation by -90 degrees about X; its inverse is its transpose."""


def vectors_to_engine(vectors: np.ndarray) -> np.ndarray:
    """Return a new (N, 3) array of points or directions turned into engine axes, same dtype."""
    return turn_to_engine(vectors.copy())


def turn_to_engine(vectors: np.ndarray) -> np.ndarray:
    """Turn an (N, 3) array of points or directions into engine axes in place and return it."""
    for part in runs(len(vectors)):
        y = vectors[part, 1].copy()
        vectors[part, 1] = vectors[part, 2]
        np.negative(y, out=vectors[part, 2])
    return vectors


def vectors_to_blender(vectors: np.ndarray) -> np.ndarray:
    """Return a new (N, 3) array of points or directions turned into Blender's axes, same dtype."""
    out = np.empty_like(vectors)
    out[:, 0] = vectors[:, 0]
    np.negative(vectors[:, 2], out=out[:, 1])
    out[:, 2] = vectors[:, 1]
    return out


def matrix_to_blender(matrix: np.ndarray, keeps_local_axes: bool) -> np.ndarray:
    """Turn one engine world matrix (4, 4) into Blender's; the inverse of `matrices_to_engine`."""
    turned = ENGINE_FROM_BLENDER.T @ matrix
    return turned if keeps_local_axes else turned @ ENGINE_FROM_BLENDER


def matrices_to_engine(matrices: np.ndarray, keeps_local_axes: np.ndarray) -> np.ndarray:
    """Turn Blender world matrices into engine ones, (N, 4, 4) float64 each.

    Mesh data is turned with `vectors_to_engine`, so both sides of its matrix change. Where
    `keeps_local_axes` (N,) bool is true only the world side does: lamps and cameras look along
    their local -Z with +Y up in Blender and in the engine alike.
    """
    turned = ENGINE_FROM_BLENDER @ matrices
    both = turned @ ENGINE_FROM_BLENDER.T
    return np.where(keeps_local_axes[:, None, None], turned, both)


def direction_to_engine(direction: tuple[float, float, float]) -> tuple[float, float, float]:
    """Turn one Blender direction into engine axes."""
    x, y, z = direction
    return (x, z, 0.0 - y)


def authored_vector_to_engine(
    vector: Sequence[float], kind: str, keeps_local_axes: bool
) -> tuple[float, ...]:
    """Turn a vector that an artist typed in an object's local space into the entity's.

    `kind` is "point" or "direction" (signed) or "size" (along the axes, without a sign). Where the
    object keeps its local axes (see `matrices_to_engine`) so does the vector.
    """
    x, y, z = vector
    if keeps_local_axes:
        return (x, y, z)
    return (x, z, y) if kind == "size" else direction_to_engine((x, y, z))


def authored_vector_to_blender(
    vector: Sequence[float], kind: str, keeps_local_axes: bool
) -> tuple[float, ...]:
    """Undo `authored_vector_to_engine`."""
    x, y, z = vector
    if keeps_local_axes:
        return (x, y, z)
    return (x, z, y) if kind == "size" else (x, -z, y)
