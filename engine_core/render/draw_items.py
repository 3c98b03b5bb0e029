"""DrawItems: entity x primitive as columns in a fixed order, from which every queue is cut.

Rebuilt only when what is drawn changes, never because something moved.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .gpu_assets import GpuAssets, Part, SetupParts
from .scene_table import SceneTable


@dataclass(frozen=True, eq=False)
class ItemList:
    """Items sorted by batch, then by the order of their entities.

    row: (I,) int64 rows of the scene table. box: (I,) int64 columns of `DrawItems.boxes`. key: (I,)
    unsigned, twice the index into `parts`, of the narrowest type: NumPy sorts 16 bits by radix.
    """

    row: np.ndarray
    box: np.ndarray
    key: np.ndarray
    parts: tuple[Part, ...]


_EMPTY = ItemList(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.uint16), ())


class DrawItems:
    """Item lists of a scene, and the world-space boxes of its entities and clusters.

    boxes: (7, B) float32, a column for each row of the scene table, then one for each cluster of
    each entity: centre xyz and half size xyz in metres, then 1, so that a box against a plane is
    one product. Columns of rows that draw nothing hold no meaning.
    """

    def __init__(self) -> None:
        """Start without items."""
        self.opaque = _EMPTY
        self.alpha = _EMPTY
        self.shadow = _EMPTY
        self.boxes = np.zeros((7, 0), np.float32)
        self._bounds: np.ndarray | None = None
        self._versions = (-1, -1, -1)
        self._row_of_box = np.zeros(0, np.int64)
        self._setup_bounds = np.zeros((0, 2, 3), np.float32)
        self._cluster_bounds = np.zeros((0, 2, 3), np.float32)

    def refresh(self, table: SceneTable, assets: GpuAssets, moved: np.ndarray) -> None:
        """Catch up with `table` and `assets`; `moved` are the rows whose matrix changed."""
        versions = (table.items_version, assets.version, table.row_count)
        if versions != self._versions:
            self._rebuild(table, assets)
            self._versions = (table.items_version, assets.version, table.row_count)
            moved = np.arange(table.row_count)
        self._bound(table, moved)

    def place_posed(self, table: SceneTable, rows: np.ndarray, bounds: np.ndarray) -> None:
        """Let `rows` (N,) have local `bounds` (N, 2, 3) of their poses until they move again."""
        usable = table.usable[rows]
        if usable.any():
            self._bounds = None
            self._place(table, rows[usable], bounds[usable])

    def per_box(self, column: np.ndarray) -> np.ndarray:
        """Return a column of the scene table (R,) with a value for each box, (B,)."""
        return column if len(column) == len(self._row_of_box) else column[self._row_of_box]

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
        self._setup_bounds = np.zeros((len(table.setups), 2, 3), np.float32)
        if used:
            self._setup_bounds[used] = np.stack([setup.bounds for setup in found])
        parts, rows, numbers = _expand(table, used, found)
        boxes = self._number_boxes(table, parts, rows, numbers)
        blend = np.array([part.material.alpha_mode == "blend" for part in parts], bool)[numbers]
        items = _Items(table.sequence[rows], rows, boxes, numbers)
        self.opaque = _sorted_items(items.where(~blend), parts)
        self.alpha = _sorted_items(items.where(blend), parts)
        casting = items._replace(numbers=_shadow_batches(parts)[numbers])
        self.shadow = _sorted_items(casting, parts)

    def _number_boxes(
        self, table: SceneTable, parts: list[Part], rows: np.ndarray, numbers: np.ndarray
    ) -> np.ndarray:
        """Make room for the boxes; return the column of each item's box, (I,) int64."""
        of_part = [part.bounds for part in parts]
        is_cluster = np.array([bounds is not None for bounds in of_part], bool)[numbers]
        clustered = numbers[is_cluster].tolist()
        self._cluster_bounds = np.array([of_part[n] for n in clustered]).reshape(-1, 2, 3)
        self._row_of_box = np.concatenate([np.arange(table.row_count), rows[is_cluster]])
        self.boxes = np.zeros((7, len(self._row_of_box)), np.float32)
        self.boxes[6] = 1
        boxes = rows.copy()
        boxes[is_cluster] = table.row_count + np.arange(len(clustered))
        return boxes

    def _bound(self, table: SceneTable, rows: np.ndarray) -> None:
        """Recompute the boxes of `rows` and of their clusters."""
        if len(rows):
            self._bounds = None
        rows = rows[(table.setup[rows] >= 0) & table.usable[rows]]
        if not len(rows):
            return
        self._place(table, rows, self._setup_bounds[table.setup[rows]])
        if len(self._cluster_bounds):
            is_moved = np.zeros(table.row_count, bool)
            is_moved[rows] = True
            clusters = np.flatnonzero(is_moved[self._row_of_box[table.row_count :]])
            self._place(table, table.row_count + clusters, self._cluster_bounds[clusters])

    def _place(self, table: SceneTable, boxes: np.ndarray, bounds: np.ndarray) -> None:
        """Put local `bounds` (N, 2, 3) into the world, into columns `boxes` (N,)."""
        low, high = bounds.transpose(1, 0, 2).astype(np.float64)
        matrix = table.world[self._row_of_box[boxes]]
        center = np.einsum("nij,nj->ni", matrix[:, :3, :3], (low + high) / 2)
        half = np.einsum("nij,nj->ni", np.abs(matrix[:, :3, :3]), (high - low) / 2)
        self.boxes[:3, boxes] = (center + matrix[:, :3, 3]).T
        self.boxes[3:6, boxes] = half.T


class _Items(NamedTuple):
    """Items by columns: rank of the entity, its row, the box, and the number of the part."""

    sequence: np.ndarray
    rows: np.ndarray
    boxes: np.ndarray
    numbers: np.ndarray

    def where(self, chosen: np.ndarray) -> _Items:
        return _Items(*(column[chosen] for column in self))


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
                (
                    id(part.shadow_array),
                    part.first_index,
                    part.material.back_casts_shadow,
                    part.shadow_defines,
                ),
                number,
            )
            for number, part in enumerate(parts)
        ],
        np.int64,
    )


def _sorted_items(items: _Items, parts: list[Part]) -> ItemList:
    """Sort items by part, parts by the first entity that has them: independent of row numbers."""
    if not len(items.rows):
        return _EMPTY
    by_sequence = np.argsort(items.sequence, kind="stable")
    used, first = np.unique(items.numbers[by_sequence], return_index=True)
    rank = np.argsort(np.argsort(first))
    batch = rank[np.searchsorted(used, items.numbers)]
    order = np.lexsort((items.sequence, batch))
    in_rank = used[np.argsort(first)]
    return ItemList(
        items.rows[order],
        items.boxes[order],
        (2 * batch[order]).astype(np.uint16 if len(used) < 1 << 15 else np.uint32),
        tuple(parts[number] for number in in_rank),
    )
