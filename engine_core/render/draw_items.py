"""DrawItems: entity x primitive as columns in a fixed order, from which every queue is cut.

Rebuilt only when what is drawn changes, never because something moved.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .gpu_assets import GpuAssets, Part, SetupParts
from .scene_table import SceneTable


@dataclass(frozen=True, eq=False)
class ItemList:
    """Items sorted by batch, then by the order of their entities.

    row: (I,) int64 rows of the scene table. batch: (I,) int64 index into `parts`.
    """

    row: np.ndarray
    batch: np.ndarray
    parts: tuple[Part, ...]


_EMPTY = ItemList(np.zeros(0, np.int64), np.zeros(0, np.int64), ())


class DrawItems:
    """Item lists of a scene, and the world-space boxes of its entities.

    boxes: (7, R) float32, a column for each row of the scene table: centre xyz and half size xyz
    in metres, then 1, so that a box against a plane is one product. Columns of rows that draw
    nothing hold no meaning.
    """

    def __init__(self) -> None:
        """Start without items."""
        self.opaque = _EMPTY
        self.alpha = _EMPTY
        self.shadow = _EMPTY
        self.boxes = np.zeros((7, 0), np.float32)
        self._bounds: np.ndarray | None = None
        self._versions = (-1, -1)
        self._local_bounds = np.zeros((0, 2, 3), np.float32)

    def refresh(self, table: SceneTable, assets: GpuAssets, moved: np.ndarray) -> None:
        """Catch up with `table` and `assets`; `moved` are the rows whose matrix changed."""
        versions = (table.items_version, assets.version)
        if versions != self._versions:
            self._rebuild(table, assets)
            self._versions = (table.items_version, assets.version)
            moved = np.arange(table.row_count)
        self._bound(table, moved)

    def scene_bounds(self, table: SceneTable) -> np.ndarray | None:
        """Return the corners (2, 3) float64 of all that is drawn or casts shadows, or None."""
        if self._bounds is None:
            rows = np.flatnonzero(table.usable & (table.setup >= 0))
            if len(rows):
                center, half = self.boxes[:3, rows], self.boxes[3:6, rows]
                corners = [(center - half).min(axis=1), (center + half).max(axis=1)]
                self._bounds = np.array(corners, np.float64)
        return self._bounds

    def _rebuild(self, table: SceneTable, assets: GpuAssets) -> None:
        used = np.unique(table.setup[table.setup >= 0]).tolist()
        assets.keep_only([table.setups[setup] for setup in used])
        found = [assets.parts_of(table.setups[setup]) for setup in used]
        self._local_bounds = np.zeros((len(table.setups), 2, 3), np.float32)
        if used:
            self._local_bounds[used] = np.stack([setup.bounds for setup in found])
        parts, rows, numbers = _expand(table, used, found)
        blend = np.array([part.material.alpha_mode == "blend" for part in parts], bool)[numbers]
        self.opaque = _sorted_items(table, parts, rows[~blend], numbers[~blend])
        self.alpha = _sorted_items(table, parts, rows[blend], numbers[blend])
        self.shadow = _sorted_items(table, parts, rows, _shadow_batches(parts)[numbers])

    def _bound(self, table: SceneTable, rows: np.ndarray) -> None:
        """Recompute the boxes of `rows`."""
        if len(rows):
            self._bounds = None
        if self.boxes.shape[1] != table.row_count:
            self.boxes = np.zeros((7, table.row_count), np.float32)
            self.boxes[6] = 1
            rows = np.arange(table.row_count)
        rows = rows[(table.setup[rows] >= 0) & table.usable[rows]]
        if not len(rows):
            return
        low, high = self._local_bounds[table.setup[rows]].transpose(1, 0, 2).astype(np.float64)
        matrix = table.world[rows]
        center = np.einsum("nij,nj->ni", matrix[:, :3, :3], (low + high) / 2)
        half = np.einsum("nij,nj->ni", np.abs(matrix[:, :3, :3]), (high - low) / 2)
        self.boxes[:3, rows] = (center + matrix[:, :3, 3]).T
        self.boxes[3:6, rows] = half.T


def _expand(
    table: SceneTable, used: list[int], found: list[SetupParts]
) -> tuple[list[Part], np.ndarray, np.ndarray]:
    """Return all parts, and by item the row of its entity and the number of its part."""
    number_of: dict[int, int] = {}
    parts: list[Part] = []
    counts = np.zeros(len(table.setups) + 1, np.int64)
    flat: list[int] = []
    for setup, setup_parts in zip(used, found, strict=True):
        counts[setup] = len(setup_parts.parts)
        for part in setup_parts.parts:
            if id(part) not in number_of:
                number_of[id(part)] = len(parts)
                parts.append(part)
            flat.append(number_of[id(part)])
    starts = np.cumsum(counts) - counts
    rows = np.nonzero(table.setup >= 0)[0]
    setups = table.setup[rows]
    each = counts[setups]
    total = int(each.sum())
    within = np.arange(total) - np.repeat(np.cumsum(each) - each, each)
    numbers = np.array(flat, np.int64)[np.repeat(starts[setups], each) + within]
    return parts, np.repeat(rows, each), numbers


def _shadow_batches(parts: list[Part]) -> np.ndarray:
    """Return for each part the first part that casts the same shadow (materials do not matter)."""
    first: dict[tuple, int] = {}
    return np.array(
        [
            number
            if part.is_cutout
            else first.setdefault(
                (id(part.shadow_array), part.first_index, part.material.back_casts_shadow), number
            )
            for number, part in enumerate(parts)
        ],
        np.int64,
    )


def _sorted_items(
    table: SceneTable, parts: list[Part], rows: np.ndarray, numbers: np.ndarray
) -> ItemList:
    """Sort items by part, parts by the first entity that has them: independent of row numbers."""
    if not len(rows):
        return _EMPTY
    sequence = table.sequence[rows]
    by_sequence = np.argsort(sequence, kind="stable")
    used, first = np.unique(numbers[by_sequence], return_index=True)
    rank = np.argsort(np.argsort(first))
    batch = rank[np.searchsorted(used, numbers)]
    order = np.lexsort((sequence, batch))
    in_rank = used[np.argsort(first)]
    return ItemList(rows[order], batch[order], tuple(parts[number] for number in in_rank))
