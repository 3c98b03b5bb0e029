"""DrawItems: entity x primitive as columns in a fixed order, from which every queue is cut.

Ordered anew only when what is drawn changes, never because something moved; Python then looks at
the setups that begin, cease or change, and NumPy at the rest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .gpu_assets import GpuAssets, Part
from .item_parts import ItemParts
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


_NEVER = (-1, -1, -1)
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
        self._versions = _NEVER
        self._parts = ItemParts()
        self._is_drawn = np.zeros(0, bool)
        self._row_of_box = np.zeros(0, np.int64)
        self._cluster_bounds = np.zeros((0, 2, 3), np.float32)

    def refresh(self, table: SceneTable, assets: GpuAssets, moved: np.ndarray) -> None:
        """Catch up with `table` and `assets`; `moved` are the rows whose matrix changed."""
        versions = (table.items_version, assets.version, table.row_count)
        if versions != self._versions:
            is_other_size = table.row_count != self._versions[2]
            self._versions = _NEVER  # unless all goes well
            renewed = self._follow_setups(table, assets)
            self._order(table, is_other_size)
            moved = np.union1d(moved, np.flatnonzero(renewed[table.setup] | is_other_size))
            self._versions = versions
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

    def _follow_setups(self, table: SceneTable, assets: GpuAssets) -> np.ndarray:
        """Look at the setups that begin, cease or change.

        Returns (S + 1,) bool: which have other parts now; the last stands for no setup.
        """
        count = len(table.setups)
        self._parts.make_room(count)
        for setup in assets.take_stale():
            self._parts.drop(table.setup_index(setup))
        used = np.bincount(table.setup + 1, minlength=count + 1)[1:] > 0
        drawn = np.zeros(count, bool)
        drawn[: len(self._is_drawn)] = self._is_drawn
        ceased, begun = np.flatnonzero(drawn & ~used), np.flatnonzero(used & ~drawn)
        assets.draw(*([table.setups[one] for one in some.tolist()] for some in (begun, ceased)))
        self._is_drawn = used
        for setup in ceased.tolist():
            self._parts.drop(setup)
        todo = used & ~self._parts.has[:count]
        for setup in np.flatnonzero(todo).tolist():
            self._parts.put(setup, assets.parts_of(table.setups[setup]))
        return np.append(todo, False)

    def _order(self, table: SceneTable, is_other_size: bool) -> None:
        """Bring the items into the order of their entities, and cut the lists from them."""
        self._bounds = None
        rows = table.ordered_rows
        setups = table.setup[rows]
        rows, setups = rows[setups >= 0], setups[setups >= 0]
        each, numbers = self._parts.of(setups)
        rows = np.repeat(rows, each)
        boxes = self._number_boxes(table, rows, numbers, is_other_size)
        blend = self._parts.is_blend[numbers]
        every = np.arange(len(self._parts.parts))
        columns = np.stack([rows, boxes, numbers])
        if blend.any():
            self.opaque = self._sorted_items(columns[:, ~blend], every)
            self.alpha = self._sorted_items(columns[:, blend], every)
        else:
            self.opaque, self.alpha = self._sorted_items(columns, every), _EMPTY
        self.shadow = self._sorted_items(columns, self._parts.shadow)

    def _number_boxes(
        self, table: SceneTable, rows: np.ndarray, numbers: np.ndarray, is_other_size: bool
    ) -> np.ndarray:
        """Make room for the boxes; return the column of each item's box, (I,) int64."""
        count = table.row_count
        clustered = np.flatnonzero(self._parts.is_cluster[numbers])
        self._cluster_bounds = self._parts.bounds[numbers[clustered]]
        row_of_box = np.concatenate([np.arange(count), rows[clustered]])
        if is_other_size:
            self.boxes = _no_boxes(len(row_of_box))
            self._row_of_box = row_of_box
        elif not np.array_equal(row_of_box, self._row_of_box):
            boxes = _no_boxes(len(row_of_box))
            boxes[:, :count] = self.boxes[:, :count]
            self.boxes, self._row_of_box = boxes, row_of_box
            usable = np.flatnonzero(table.usable[rows[clustered]])
            self._place(table, count + usable, self._cluster_bounds[usable])
        boxes = rows.copy()
        boxes[clustered] = count + np.arange(len(clustered))
        return boxes

    def _bound(self, table: SceneTable, rows: np.ndarray) -> None:
        """Recompute the boxes of `rows` and of their clusters."""
        if len(rows):
            self._bounds = None
        rows = rows[(table.setup[rows] >= 0) & table.usable[rows]]
        if not len(rows):
            return
        self._place(table, rows, self._parts.setup_bounds[table.setup[rows]])
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

    def _sorted_items(self, columns: np.ndarray, batch_of: np.ndarray) -> ItemList:
        """Sort items by batch, batches by the first entity in them: independent of row numbers.

        columns: (3, I) int64 in the order of the entities: rows, boxes, numbers of parts. batch_of:
        (P,) int64, a batch for each part.
        """
        rows, boxes, numbers = columns
        count = len(rows)
        if not count:
            return _EMPTY
        batch = batch_of[numbers]
        first = np.full(int(batch.max()) + 1, -1)
        first[batch[::-1]] = np.arange(count - 1, -1, -1)  # the last to be written stays
        used = np.flatnonzero(first >= 0)
        in_rank = used[np.argsort(first[used])]
        rank = np.zeros(len(first), np.uint16 if len(used) < 1 << 15 else np.uint32)
        rank[in_rank] = 2 * np.arange(len(used))
        key = rank[batch]
        order = np.argsort(key, kind="stable")
        parts = self._parts.parts[numbers[first[in_rank]]]
        return ItemList(rows[order], boxes[order], key[order], tuple(parts.tolist()))


def _no_boxes(count: int) -> np.ndarray:
    boxes = np.zeros((7, count), np.float32)
    boxes[6] = 1
    return boxes
