"""MeshData: the triangles of one mesh asset as flat NumPy arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np


@dataclass(frozen=True)
class Primitive:
    """A run of the index buffer that is drawn with the material of one slot."""

    first_index: int
    index_count: int
    material_slot: int


@dataclass(frozen=True, eq=False)
class MeshData:
    """Triangles, engine space, counter-clockwise seen from outside.

    positions (V, 3) float32 metres; normals (V, 3) float32 unit; uv_sets: each (V, 2) float32,
    v down; tangents (V, 4) float32 (xyz unit, w = bitangent sign: bitangent = w * cross(n, t),
    in the direction in which the picture's *up* grows, as in glTF) or None; color_sets: each
    (V, 4) float32 linear RGBA; indices (I,) uint32, three a triangle; primitives cover
    `indices`. Arrays are C-contiguous and never written after construction.
    """

    name: str
    positions: np.ndarray
    normals: np.ndarray
    indices: np.ndarray
    primitives: tuple[Primitive, ...]
    uv_sets: tuple[np.ndarray, ...] = ()
    tangents: np.ndarray | None = None
    color_sets: tuple[np.ndarray, ...] = ()
    uv_names: tuple[str, ...] = field(default=())
    color_names: tuple[str, ...] = field(default=())

    @cached_property
    def bounds(self) -> np.ndarray:
        """(2, 3) float32: least and greatest corner over vertices; zeros for an empty mesh."""
        if len(self.positions) == 0:
            return np.zeros((2, 3), np.float32)
        # A column at a time: NumPy reduces the long axis of a narrow array ten times slower.
        columns = [self.positions[:, k] for k in range(3)]
        return np.array([[c.min() for c in columns], [c.max() for c in columns]], np.float32)

    @property
    def triangle_count(self) -> int:
        """Number of triangles."""
        return len(self.indices) // 3


def is_finite(array: np.ndarray) -> bool:
    """Tell whether every number of a float32 array is finite, in one pass without a mask."""
    with np.errstate(invalid="ignore"):
        # Sums of float32 cannot overflow float64, so only NaN and infinity make them so.
        return bool(np.isfinite(np.sum(array, dtype=np.float64)))
