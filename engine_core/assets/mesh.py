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
class MeshSkin:
    """How the vertices of a mesh hang on joints.

    joints (V, 4) uint16 index into the joints, 0 where unused; weights (V, 4) float32, of sum 1
    a vertex; inverse_bind (J, 4, 4) float32, from the armature's space to that of each joint at
    rest, last row 0 0 0 1; names of the joints.
    """

    joints: np.ndarray
    weights: np.ndarray
    inverse_bind: np.ndarray
    names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class MorphTarget:
    """A shape that is blended in: what it adds to positions and normals, each (V, 3) float32."""

    name: str
    positions: np.ndarray
    normals: np.ndarray


@dataclass(frozen=True, eq=False)
class MeshData:
    """Triangles, engine space, counter-clockwise seen from outside.

    positions (V, 3) float32 metres; normals (V, 3) float32 unit; uv_sets: each (V, 2) float32,
    v down; tangents (V, 4) float32 (xyz unit, w = bitangent sign: bitangent = w * cross(n, t),
    in the direction in which the picture's *up* grows, as in glTF) or None; color_sets: each
    (V, 4) float32 linear RGBA; indices (I,) uint32, three a triangle; primitives cover
    `indices`. `skin` and `morphs` are for entities with a Skin and a Morph component; positions
    and normals are those at rest then. Arrays are C-contiguous and never written after
    construction.
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
    skin: MeshSkin | None = None
    morphs: tuple[MorphTarget, ...] = ()

    @cached_property
    def bounds(self) -> np.ndarray:
        """(2, 3) float32: least and greatest corner over vertices; zeros for an empty mesh."""
        if len(self.positions) == 0:
            return np.zeros((2, 3), np.float32)
        # A column at a time: NumPy reduces the long axis of a narrow array ten times slower.
        columns = [self.positions[:, k] for k in range(3)]
        return np.array([[c.min() for c in columns], [c.max() for c in columns]], np.float32)

    @cached_property
    def morph_reach(self) -> np.ndarray:
        """(T, 3) float32: how far each morph target at 1 carries any vertex along each axis."""
        deltas = [np.abs(morph.positions).max(axis=0, initial=0.0) for morph in self.morphs]
        return np.array(deltas, np.float32).reshape(-1, 3)

    @property
    def triangle_count(self) -> int:
        """Number of triangles."""
        return len(self.indices) // 3


def is_finite(array: np.ndarray) -> bool:
    """Tell whether every number of a float32 array is finite, in one pass without a mask."""
    with np.errstate(invalid="ignore"):
        # Sums of float32 cannot overflow float64, so only NaN and infinity make them so.
        return bool(np.isfinite(np.sum(array, dtype=np.float64)))
