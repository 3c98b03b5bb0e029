"""SceneTable: all entities of a world as columns of numbers, kept current from deltas.

A delta touches only the rows of the entities in it and of their descendants. Rows are reused;
ties when drawing are decided by entity id (`sequence`), so that a level looks the same however it
was put together: by one delta, by many, or from a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from ..world.components import LightComponent, MeshComponent
from ..world.components.morph import Morph
from ..world.components.skin import Skin
from ..world.entity import Entity, Transform
from .row_order import RowOrder

_GROWTH = 256


@dataclass(frozen=True)
class DrawSetup:
    """What an entity draws: a mesh asset, the material id of each of its slots, which faces.

    `is_posed`: it has joints or morph weights of its own (see poses.py).
    """

    mesh: str
    materials: tuple[str, ...]
    sides: str = "material"
    is_posed: bool = False


class SceneTable:
    """Columns indexed by row; `rows` maps entity ids to rows.

    world: (R, 4, 4) float64 world_from_local. setup: (R,) int32 index into `setups`, -1 draws
    nothing. casts, receives, visible: (R,) bool flags of the mesh component; glow: (R,) float32,
    its own. pose: (R,) float32, first texel of its pose, kept by PoseTable. placed: (R,) bool,
    rows that hold an entity. usable: (R,) bool, those whose matrix can be drawn. sign: (R,)
    float32, -1 where mirrored. sequence: (R,) int64, the rank of the entity's
    id among all.
    """

    def __init__(self) -> None:
        """Start without entities."""
        self.rows: dict[str, int] = {}
        self.entities: dict[int, Entity] = {}
        self.lights: dict[int, LightComponent] = {}
        self.setups: list[DrawSetup] = []
        self.capacity = 0
        self.world = np.zeros((0, 4, 4))
        self.setup = np.zeros(0, np.int32)
        self.casts = np.zeros(0, bool)
        self.receives = np.zeros(0, bool)
        self.visible = np.zeros(0, bool)
        self.glow = np.zeros(0, np.float32)
        self.pose = np.zeros(0, np.float32)
        self.placed = np.zeros(0, bool)
        self.usable = np.zeros(0, bool)
        self.sign = np.zeros(0, np.float32)
        self.moved_rows = np.zeros(0, np.int64)
        """Rows whose matrix or flags changed since `take_moved`."""
        self.items_version = 0
        """Grows whenever an entity begins, ceases or changes what it draws."""
        self.lights_version = 0
        """Grows whenever a light is added, removed or changed (not when it moves)."""
        self.family_version = 0
        """Grows whenever entities come, go or change their parent."""
        self._local = np.zeros((0, 4, 4))
        self._parent = np.zeros(0, np.int32)
        self._setup_index: dict[DrawSetup, int] = {}
        self._free: list[int] = []
        self._order = RowOrder()
        self._sequence = np.zeros(0, np.int64)
        self._sequence_of: np.ndarray | None = None
        self._children_of = _Children(self._parent)
        self._rows_below: dict[str, set[int]] = {}
        self._unresolved: set[int] = set()
        self._orphans: dict[int, str] = {}
        self._cyclic: set[int] = set()

    # ---- Changing ----------------------------------------------------------------------------

    def apply(self, entities: Mapping[str, Entity], removed: Iterable[str]) -> None:
        """Remove the entities with ids `removed`, then add or replace `entities` by id."""
        family_changed = self._remove(removed)
        known = len(self.rows)
        rows = np.fromiter((self._row_for(key) for key in entities), np.int64, len(entities))
        family_changed |= len(self.rows) != known
        if len(rows):
            family_changed |= self._store(rows, list(entities.values()))
        if family_changed:
            self.family_version += 1
            rows = np.union1d(rows, self._resolve_parents())
        self._update_world(rows)

    def _remove(self, removed: Iterable[str]) -> bool:
        gone = []
        for key in removed:
            row = self.rows.pop(key, None)
            if row is not None:
                gone.append(row)
                self._order.note(key)
        for row in gone:
            entity = self.entities.pop(row)
            self._put_light(row, None)
            self._hang(row, entity.parent, None)
            self._unresolved |= self._rows_below.get(entity.id, set())
        self._free.extend(gone)
        self.placed[gone] = False
        self.usable[gone] = False
        if gone and (self.setup[gone] >= 0).any():
            self.items_version += 1
        self.setup[gone] = -1
        return bool(gone)

    def _row_for(self, key: str) -> int:
        row = self.rows.get(key)
        if row is None:
            if not self._free:
                self._grow()
            row = self.rows[key] = self._free.pop()
            self._order.note(key)
            self._unresolved |= self._rows_below.get(key, set())
        return row

    def _grow(self) -> None:
        old, new = self.capacity, max(_GROWTH, 2 * self.capacity)
        for name in (
            "world", "setup", "casts", "receives", "visible", "glow", "pose", "usable", "sign",
            "_local", "_parent", "placed",
        ):  # fmt: skip
            column = getattr(self, name)
            wider = np.zeros((new, *column.shape[1:]), column.dtype)
            wider[:old] = column
            setattr(self, name, wider)
        self.setup[old:] = -1
        self._parent[old:] = -1
        self.capacity = new
        self._free.extend(range(new - 1, old - 1, -1))

    def _store(self, rows: np.ndarray, entities: list[Entity]) -> bool:
        """Write components and local matrices; tell whether a parent may have changed."""
        self._local[rows] = local_matrices([entity.transform for entity in entities])
        self.placed[rows] = True
        meshes = [entity.mesh for entity in entities]
        setups = np.fromiter(map(self._setup_of, entities), np.int32, len(meshes))
        if (setups != self.setup[rows]).any():
            self.items_version += 1
        self.setup[rows] = setups
        plain = MeshComponent()
        for column, flag in (
            (self.casts, "casts_shadow"),
            (self.receives, "receives_shadow"),
            (self.visible, "visible_to_camera"),
            (self.glow, "glow"),
        ):
            column[rows] = [getattr(mesh or plain, flag) for mesh in meshes]
        parent_changed = False
        for row, entity in zip(rows.tolist(), entities, strict=True):
            before = self.entities.get(row)
            parent_before = before.parent if before else None
            if entity.parent != parent_before:
                parent_changed = True
                self._hang(row, parent_before, entity.parent)
            self.entities[row] = entity
            self._put_light(row, entity.light)
        return parent_changed

    def _put_light(self, row: int, light: LightComponent | None) -> None:
        if self.lights.get(row) != light:
            self.lights_version += 1
            if light is None:
                del self.lights[row]
            else:
                self.lights[row] = light

    def _setup_of(self, entity: Entity) -> int:
        mesh = entity.mesh
        if mesh is None:
            return -1
        is_posed = entity.get(Skin) is not None or entity.get(Morph) is not None
        setup = DrawSetup(mesh.mesh, mesh.materials, mesh.sides, is_posed)
        index = self._setup_index.get(setup)
        if index is None:
            index = self._setup_index[setup] = len(self.setups)
            self.setups.append(setup)
        return index

    # ---- Hierarchy ---------------------------------------------------------------------------

    def _hang(self, row: int, before: str | None, parent: str | None) -> None:
        """Note that the entity in `row` has another parent."""
        if before is not None:
            below = self._rows_below[before]
            below.discard(row)
            if not below:
                del self._rows_below[before]
        if parent is not None:
            self._rows_below.setdefault(parent, set()).add(row)
        self._unresolved.add(row)

    def _resolve_parents(self) -> np.ndarray:
        """Look up the parents that may be others now; return the rows of which they are."""
        rows = np.array(sorted(self._unresolved), np.int64)
        self._unresolved.clear()
        before = self._parent[rows]
        self._parent[rows] = [self._parent_row(row) for row in rows.tolist()]
        changed = rows[before != self._parent[rows]]
        if not len(changed) and self._children_of.capacity == self.capacity:
            return changed
        self._children_of = _Children(self._parent)
        roots = np.nonzero(self.placed & (self._parent < 0))[0]
        reached = np.zeros(self.capacity, bool)
        for level in self._children_of.levels(roots):
            reached[level] = True
        cyclic = np.nonzero(self.placed & ~reached)[0]
        left_cycle = sorted(self._cyclic - set(cyclic.tolist()))
        self._cyclic = set(cyclic.tolist())
        self.usable[cyclic] = False
        self.moved_rows = np.union1d(self.moved_rows, cyclic)
        changed = np.union1d(changed, np.array(left_cycle, np.int64))
        return changed[self.placed[changed]]

    def _parent_row(self, row: int) -> int:
        """Return the row of the parent, -1 for none; one that is missing makes an orphan."""
        self._orphans.pop(row, None)
        parent = self.entities[row].parent if row in self.entities else None
        if parent is not None and parent not in self.rows:
            self._orphans[row] = parent
        return -1 if parent is None else self.rows.get(parent, -1)

    def _update_world(self, rows: np.ndarray) -> None:
        """Recompute world matrices of `rows` and of all their descendants, parents first."""
        if not len(rows):
            return
        affected = np.zeros(self.capacity, bool)
        affected[rows] = True
        # Rows under another affected one come later, with the level they belong to.
        for level in self._children_of.levels(rows, affected):
            affected[level] = True
        affected[list(self._cyclic)] = False
        parents = self._parent[affected]
        todo = np.nonzero(affected)[0]
        tops = todo[(parents < 0) | ~affected[parents]]
        for level in self._children_of.levels(tops):
            parent = self._parent[level]
            child = parent >= 0
            self.world[level] = self._local[level]
            with np.errstate(invalid="ignore", over="ignore"):
                self.world[level[child]] = self.world[parent[child]] @ self._local[level[child]]
        self._judge(todo)
        self.moved_rows = np.union1d(self.moved_rows, todo)

    def _judge(self, rows: np.ndarray) -> None:
        """Find which matrices can be drawn: finite, and not collapsed to a line or a point."""
        axes = self.world[rows, :3, :3]
        with np.errstate(invalid="ignore", over="ignore"):
            determinant = np.linalg.det(np.nan_to_num(axes, nan=0.0, posinf=0.0, neginf=0.0))
            lengths = np.linalg.norm(axes, axis=1)
            finite = np.isfinite(self.world[rows].astype(np.float32)).all(axis=(1, 2))
        # A surface flattened along one axis is still a surface.
        self.usable[rows] = finite & ((lengths > 0).sum(axis=1) >= 2)
        self.sign[rows] = np.where(determinant < 0, -1, 1)

    def take_moved(self) -> np.ndarray:
        """Return the rows that changed since the last call, sorted, and forget them."""
        moved, self.moved_rows = self.moved_rows, np.zeros(0, np.int64)
        return moved

    # ---- Reading -----------------------------------------------------------------------------

    @property
    def ordered_rows(self) -> np.ndarray:
        """(E,) int64: the rows of all entities in the order of their ids."""
        return self._order.rows(self.rows)

    @property
    def sequence(self) -> np.ndarray:
        """(R,) int64: rank of each row's entity id; 0 for free rows."""
        rows = self.ordered_rows
        if self._sequence_of is not rows or len(self._sequence) != self.capacity:
            self._sequence_of, self._sequence = rows, np.zeros(self.capacity, np.int64)
            self._sequence[rows] = np.arange(len(rows))
        return self._sequence

    def setup_index(self, setup: DrawSetup) -> int:
        """Return the index of one of `setups`."""
        return self._setup_index[setup]

    @property
    def row_count(self) -> int:
        """Number of rows in use, free ones between them included."""
        return self.capacity

    def warnings(self) -> list[str]:
        """Say in words which entities cannot be drawn as they are."""
        out = [
            f"Entity '{self.entities[row].id}' has parent '{parent}', which is missing; it is"
            " placed as if it had none."
            for row, parent in self._orphans.items()
        ]
        out += [
            f"Entity '{self.entities[row].id}' is its own ancestor or hangs from one that is;"
            " it is not drawn."
            for row in sorted(self._cyclic)
        ]
        bad = np.nonzero(self.placed & ~self.usable & (self.setup >= 0))[0]
        out += [
            f"Entity '{self.entities[row].id}' has a scale of zero or a matrix that is not"
            " finite; it is not drawn."
            for row in bad.tolist()
            if row not in self._cyclic
        ]
        return out


class _Children:
    """Rows by parent, sorted once, for walking down a forest level by level."""

    def __init__(self, parent: np.ndarray) -> None:
        linked = np.nonzero(parent >= 0)[0]
        self._rows = linked[np.argsort(parent[linked], kind="stable")]
        self.capacity = len(parent)
        self._starts = np.zeros(len(parent) + 1, np.int64)
        np.cumsum(np.bincount(parent[linked], minlength=len(parent)), out=self._starts[1:])

    def levels(self, rows: np.ndarray, seen: np.ndarray | None = None) -> Iterable[np.ndarray]:
        """Yield `rows`, then their children, and so on; a walk ends where `seen` is True."""
        while len(rows):
            yield rows
            if not len(self._rows):
                return
            starts = self._starts[rows]
            counts = self._starts[rows + 1] - starts
            total = int(counts.sum())
            offsets = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
            rows = self._rows[np.repeat(starts, counts) + offsets]
            if seen is not None:
                rows = rows[~seen[rows]]


def local_matrices(transforms: list[Transform]) -> np.ndarray:
    """Return parent_from_local of each transform, (N, 4, 4) float64 (see Transform.to_matrix)."""
    out = np.zeros((len(transforms), 4, 4))
    out[:, 3, 3] = 1
    plain = [i for i, t in enumerate(transforms) if t.matrix is None]
    if plain:
        chosen = [transforms[i] for i in plain]
        x, y, z, w = np.array([t.rotation for t in chosen], np.float64).T
        rotation = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
            ]
        )
        scale = np.array([t.scale for t in chosen], np.float64)
        out[plain, :3, :3] = rotation.transpose(2, 0, 1) * scale[:, None, :]
        out[plain, :3, 3] = [t.translation for t in chosen]
    full = [i for i, t in enumerate(transforms) if t.matrix is not None]
    if full:
        out[full] = np.array([transforms[i].matrix for i in full], np.float64).reshape(-1, 4, 4)
    return out
