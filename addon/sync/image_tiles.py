"""UDIM tiles to one picture that covers their grid. Knows no bpy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...engine_core.errors import LevelError

MAX_ATLAS_SIDE = 8192
"""Pixels a side; larger grids are made of smaller tiles."""


@dataclass(frozen=True, eq=False)
class Tile:
    """Tile `number` (1001 + column + 10 * row, rows upwards); pixels (H, W, 4), top row first."""

    number: int
    pixels: np.ndarray


def atlas(tiles: list[Tile]) -> tuple[np.ndarray, tuple[int, int]]:
    """Return one picture (H, W, 4) and its (columns, rows); places without a tile are clear black.

    Every tile is scaled to the largest one's size. Raises LevelError if there is none.
    """
    if not tiles:
        raise LevelError("it has no tiles")
    places = [((tile.number - 1001) % 10, (tile.number - 1001) // 10) for tile in tiles]
    columns = max(column for column, _ in places) + 1
    rows = max(row for _, row in places) + 1
    width = min(max(t.pixels.shape[1] for t in tiles), MAX_ATLAS_SIDE // columns)
    height = min(max(t.pixels.shape[0] for t in tiles), MAX_ATLAS_SIDE // rows)
    kinds = {tile.pixels.dtype for tile in tiles}
    kind = np.dtype(np.uint8) if kinds == {np.dtype(np.uint8)} else np.dtype(np.float32)
    out = np.zeros((height * rows, width * columns, 4), kind)
    for tile, (column, row) in zip(tiles, places, strict=True):
        top, left = (rows - 1 - row) * height, column * width
        scaled = resized(tile.pixels, (width, height))
        out[top : top + height, left : left + width] = scaled
    return out, (columns, rows)


def resized(pixels: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """Return (H, W, ...) `pixels` at (width, height), bilinear, of the same type."""
    height, width = pixels.shape[:2]
    if (width, height) == size:
        return pixels
    rows, row_part = _positions(height, size[1])
    columns, column_part = _positions(width, size[0])
    below = np.minimum(rows + 1, height - 1)
    right = np.minimum(columns + 1, width - 1)
    extra = (1,) * (pixels.ndim - 2)
    u = column_part.reshape(1, -1, *extra)
    v = row_part.reshape(-1, 1, *extra)
    source = pixels.astype(np.float32)
    top = source[rows][:, columns] * (1 - u) + source[rows][:, right] * u
    bottom = source[below][:, columns] * (1 - u) + source[below][:, right] * u
    out = top * (1 - v) + bottom * v
    return (out + 0.5).astype(pixels.dtype) if pixels.dtype == np.uint8 else out


def _positions(source: int, target: int) -> tuple[np.ndarray, np.ndarray]:
    """Return, for each target pixel's centre, the source pixel before it and how far past it."""
    at = np.clip((np.arange(target) + 0.5) * source / target - 0.5, 0, source - 1)
    before = at.astype(np.int64)
    return before, (at - before).astype(np.float32)
