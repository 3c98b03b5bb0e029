"""Corners to vertices: share a vertex between corners that agree, without sorting. Knows no bpy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MAX_ROUNDS = 12
"""Corners of one vertex that still disagree after so many distinct versions are not shared."""


@dataclass(frozen=True, eq=False)
class VertexSplit:
    """How to build vertices out of corners.

    vertex_of_corner: (L,) uint32, the output vertex of each corner. corner_of_vertex: (V',) int32,
    a corner that has the output vertex's values. Every output vertex is used by some corner.
    """

    vertex_of_corner: np.ndarray
    corner_of_vertex: np.ndarray


def split_vertices(
    point_of_corner: np.ndarray, point_count: int, corner_values: list[np.ndarray]
) -> VertexSplit:
    """Find the fewest vertices such that all corners of one agree in point and in every value.

    point_of_corner: (L,) int32 < point_count. corner_values: arrays (L, k) of 4-byte or (L,) of
    any items, compared by their bits, so that NaN equals itself. In each round every point elects
    one of its corners; corners equal to the elected one share its vertex, the rest go into the
    next round. A smooth mesh without seams is done after one round, a seam takes two.
    """
    values = [_as_words(array) for array in corner_values]
    elected = np.full(point_count, -1, np.int32)
    elected[point_of_corner] = np.arange(len(point_of_corner), dtype=np.int32)
    if not (elected >= 0).all():
        return _split_with_loose_points(point_of_corner, elected, values)
    differs = _differing(point_of_corner, elected, values)
    if differs is None:
        return VertexSplit(point_of_corner.view(np.uint32), elected)
    vertex_of_corner = point_of_corner.astype(np.uint32)
    more = _further_rounds(vertex_of_corner, point_of_corner, point_count, differs, values)
    return VertexSplit(vertex_of_corner, np.concatenate([elected, *more]))


def _split_with_loose_points(
    point_of_corner: np.ndarray, elected: np.ndarray, values: list[np.ndarray]
) -> VertexSplit:
    """Drop the points that no corner uses, then split."""
    used = elected >= 0
    new_index = np.cumsum(used, dtype=np.int32) - np.int32(1)
    count = int(new_index[-1]) + 1 if len(new_index) else 0
    return split_vertices(new_index[point_of_corner], count, values)


def _as_words(array: np.ndarray) -> np.ndarray:
    """View rows of 4-byte items as one 8-byte integer a row where that is possible."""
    if array.ndim == 2 and array.dtype.itemsize == 4 and array.shape[1] % 2 == 0:
        words = np.ascontiguousarray(array).view(np.uint64)
        return words[:, 0] if words.shape[1] == 1 else words
    if array.dtype == np.float32:
        return array.view(np.uint32)
    return array


def _differing(
    point_of_corner: np.ndarray, elected: np.ndarray, values: list[np.ndarray]
) -> np.ndarray | None:
    """Return which corners differ from the elected one of their point, None if none does."""
    differs: np.ndarray | None = None
    for array in values:
        expected = np.take(np.take(array, elected, axis=0), point_of_corner, axis=0)
        unequal = expected != array
        if unequal.ndim == 2:
            unequal = unequal.any(axis=1)
        differs = unequal if differs is None else np.logical_or(differs, unequal, out=differs)
    return differs if differs is not None and differs.any() else None


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
    next_vertex = point_count
    added: list[np.ndarray] = []
    for _ in range(MAX_ROUNDS):
        if len(remaining) == 0:
            return added
        points = point_of_corner[remaining]
        elected = np.full(point_count, -1, np.int32)
        elected[points] = remaining
        has_vertex = elected >= 0
        rank = np.cumsum(has_vertex, dtype=np.int64) - 1 + next_vertex
        same = np.ones(len(remaining), bool)
        for array in values:
            equal = array[remaining] == array[elected[points]]
            same &= equal.all(axis=1) if equal.ndim == 2 else equal
        vertex_of_corner[remaining[same]] = rank[points[same]]
        added.append(elected[has_vertex])
        next_vertex += len(added[-1])
        remaining = remaining[~same]
    vertex_of_corner[remaining] = np.arange(next_vertex, next_vertex + len(remaining))
    added.append(remaining)
    return added
