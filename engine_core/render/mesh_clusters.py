"""Large meshes cut into clusters: runs of the index buffer whose triangles lie close together.

Each cluster has bounds of its own, so that what the camera or a shadow map does not see of a
terrain is not drawn. Triangles are put in the order of a Z curve over a grid of cells (Morton
1966), on which every node of an octree is one run, and nodes are divided until they are small
enough; within a cell triangles keep the order that the mesh gave them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..assets.mesh import MeshData, Primitive

LEAST_TRIANGLES = 65_536
"""Primitives of fewer triangles stay whole."""
MOST_TRIANGLES = 40_000
"""Clusters of more triangles are cut as long as they are larger than a cell."""
_CELL_BITS = 5
_CELLS = 1 << _CELL_BITS
"""Cells along the longest side; three times their bits fit the 16 that NumPy sorts by radix."""


class Cluster(NamedTuple):
    """A run of the index buffer; `bounds` (2, 3) float32 are its corners in local metres."""

    first_index: int
    index_count: int
    bounds: np.ndarray


def is_large(primitive: Primitive) -> bool:
    """Tell whether `primitive` is worth cutting."""
    return primitive.index_count >= 3 * LEAST_TRIANGLES


def cluster_mesh(mesh: MeshData) -> tuple[np.ndarray, dict[Primitive, tuple[Cluster, ...]]]:
    """Return the indices (I,) uint32 in cluster order, and the clusters of every large primitive.

    Primitives keep their ranges; those that are not large keep their indices as they are. All
    positions must be finite and all indices in range.
    """
    indices = np.ascontiguousarray(mesh.indices, np.uint32)
    large = [primitive for primitive in mesh.primitives if is_large(primitive)]
    if not large:
        return indices, {}
    indices = indices.copy()
    cells = _cells(mesh)
    clusters = {}
    for primitive in large:
        first, count = primitive.first_index, primitive.index_count // 3 * 3
        triangles = indices[first : first + count].reshape(-1, 3)
        # Stable, so that equal meshes give equal pictures whatever made them.
        cell_of = cells[triangles[:, 0]]
        order = np.argsort(cell_of, kind="stable")
        triangles[:] = triangles[order]
        starts = np.searchsorted(cell_of[order], np.arange(_CELLS**3 + 1))
        clusters[primitive] = tuple(
            Cluster(first + 3 * start, 3 * (end - start), _bounds(mesh, triangles[start:end]))
            for start, end in _nodes(starts)
        )
    return indices, clusters


def _cells(mesh: MeshData) -> np.ndarray:
    """Return the place of every vertex on the Z curve, (V,) uint16."""
    low, high = mesh.bounds.astype(np.float64)
    scale = np.float32(_CELLS / max(float((high - low).max()), 1e-30))
    spread = _spread_bits(np.arange(_CELLS, dtype=np.uint16))
    out = np.zeros(len(mesh.positions), np.uint16)
    for axis in range(3):
        along = (mesh.positions[:, axis] - np.float32(low[axis])) * scale
        out |= spread[np.clip(along, 0, _CELLS - 1).astype(np.intp)] << np.uint16(axis)
    return out


def _spread_bits(numbers: np.ndarray) -> np.ndarray:
    """Move bit b of each number to bit 3b."""
    out = np.zeros_like(numbers)
    for bit in range(_CELL_BITS):
        out |= (numbers >> bit & 1) << (3 * bit)
    return out


def _nodes(starts: np.ndarray) -> list[tuple[int, int]]:
    """Cut triangles in cell order into runs (first, end) by the nodes of the octree over the cells.

    starts: (cells + 1,) the first triangle of each cell. Small neighbours in one node are joined.
    """

    def cut(first_cell: int, cells: int) -> list[tuple[int, int]]:
        start, end = int(starts[first_cell]), int(starts[first_cell + cells])
        if end - start <= MOST_TRIANGLES or cells == 1:
            return [(start, end)] if end > start else []
        runs: list[tuple[int, int]] = []
        for child in range(8):
            for first, last in cut(first_cell + child * cells // 8, cells // 8):
                joins = bool(runs) and last - runs[-1][0] <= MOST_TRIANGLES // 4
                runs.append((runs.pop()[0] if joins else first, last))
        return runs

    return cut(0, len(starts) - 1)


def _bounds(mesh: MeshData, triangles: np.ndarray) -> np.ndarray:
    corners = np.take(mesh.positions, triangles.ravel(), axis=0)
    columns = [corners[:, axis] for axis in range(3)]
    return np.array([[c.min() for c in columns], [c.max() for c in columns]], np.float32)
