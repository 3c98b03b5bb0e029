"""Corners to vertices: share a vertex between corners that agree, without sorting. Knows no bpy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .gather import elect, rows_differ

MAX_ROUNDS = 12
"""Corners of one point that still disagree after so many distinct vertices are not shared."""


@dataclass(frozen=True, eq=False)
class VertexSplit:
    """How to build vertices out of corners.

    vertex_of_corner: (L,) uint32, the vertex of each corner. corner_of_vertex: (V,) int32, a
    corner that has the vertex's values. Every vertex is used by some corner. keeps_points: the
    vertices are the points, in their order. dropped_points: how many points no corner uses.
    """

    vertex_of_corner: np.ndarray
    corner_of_vertex: np.ndarray
    keeps_points: bool = False
    dropped_points: int = 0


def split_vertices(
    point_of_corner: np.ndarray, point_count: int, corner_values: list[np.ndarray]
) -> VertexSplit:
    """Find vertices such that all corners of one agree in point and in every value.

    point_of_corner: (L,) int32 < point_count. corner_values: arrays (L, k) float32, compared by
    their bits, so that NaN equals itself. In each round every point elects one of its corners;
    corners equal to the elected one share its vertex, the rest go into the next round. A smooth
    mesh without seams is done after one round, a seam takes two.
    """
    values = [_as_words(array) for array in corner_values]
    elected = elect(point_of_corner, point_count)
    dropped = 0
    if len(elected) and elected.min() < 0:
        used = elected >= 0
        dropped = point_count - int(np.count_nonzero(used))
        new_index = np.cumsum(used, dtype=np.int32) - np.int32(1)
        point_of_corner, elected = new_index[point_of_corner], elected[used]
    differs = _differing(point_of_corner, elected, values)
    if differs is None:
        return VertexSplit(point_of_corner.view(np.uint32), elected, dropped == 0, dropped)
    vertex_of_corner = point_of_corner.astype(np.uint32)
    more = _further_rounds(vertex_of_corner, point_of_corner, len(elected), differs, values)
    return VertexSplit(vertex_of_corner, np.concatenate([elected, *more]), False, dropped)


def keep_corners(point_of_corner: np.ndarray, point_count: int) -> VertexSplit:
    """Make every corner a vertex of its own: right for flat shading, where none can be shared."""
    corners = np.arange(len(point_of_corner), dtype=np.int32)
    is_used = np.zeros(point_count, bool)
    is_used[point_of_corner] = True
    dropped = point_count - int(np.count_nonzero(is_used))
    return VertexSplit(corners.view(np.uint32), corners, dropped_points=dropped)


def _as_words(array: np.ndarray) -> np.ndarray:
    """View rows of float32 as integers, two floats in one where the width is even."""
    if array.shape[1] % 2 == 0:
        words = array.view(np.uint64)
        return words[:, 0] if words.shape[1] == 1 else words
    return array.view(np.uint32)


def _differing(
    point_of_corner: np.ndarray, elected: np.ndarray, values: list[np.ndarray]
) -> np.ndarray | None:
    """Return which corners differ from the elected one of their point, None if none does."""
    differs: np.ndarray | None = None
    for array in values:
        unequal = rows_differ(array, np.take(array, elected, axis=0), point_of_corner)
        if unequal is not None:
            differs = unequal if differs is None else differs | unequal
    return differs


def _further_rounds(
    vertex_of_corner: np.ndarray,
    point_of_corner: np.ndarray,
    point_count: int,
    differs: np.ndarray,
    values: list[np.ndarray],
) -> list[np.ndarray]:
    """Give the differing corners new vertices, writing them into `vertex_of_corner`.

    Returns the corners elected for the new vertices, round by round.
    """
    remaining = np.flatnonzero(differs).astype(np.int32)
    vertex_count = point_count
    added: list[np.ndarray] = []
    for _ in range(MAX_ROUNDS):
        if len(remaining) == 0:
            return added
        points = point_of_corner[remaining]
        elected = np.full(point_count, -1, np.int32)
        elected[points] = remaining
        has_vertex = elected >= 0
        vertex_of_point = np.cumsum(has_vertex, dtype=np.int64) - 1 + vertex_count
        same = np.ones(len(remaining), bool)
        rivals = elected[points]
        for array in values:
            equal = array[remaining] == array[rivals]
            same &= equal.all(axis=1) if equal.ndim == 2 else equal
        vertex_of_corner[remaining[same]] = vertex_of_point[points[same]]
        added.append(elected[has_vertex])
        vertex_count += len(added[-1])
        remaining = remaining[~same]
    vertex_of_corner[remaining] = np.arange(vertex_count, vertex_count + len(remaining))
    added.append(remaining)
    return added
