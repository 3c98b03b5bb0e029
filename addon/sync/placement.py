"""PlacementTable: where entities stand, and relative to whom."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from ...engine_core.world.entity import Transform
from .axes import matrices_to_engine
from .sightings import EntityKey, Sighting
from .transforms import transforms_from_matrices
from .uses import Uses

SAME_PLACE = 4e-7
"""Relative difference (a few float32 roundings) below which a child has not left its parent."""


class PlacementTable:
    """World matrices of entities, and their transforms relative to their shown parents."""

    def __init__(self) -> None:
        self._world: dict[EntityKey, np.ndarray] = {}
        self._parent: dict[EntityKey, EntityKey | None] = {}
        self._local: dict[EntityKey, np.ndarray] = {}
        self._transform: dict[EntityKey, Transform] = {}
        self._ancestors: Uses[EntityKey, EntityKey] = Uses()

    def parent_of(self, key: EntityKey) -> EntityKey | None:
        """Return the key of the parent that `key` was last placed under."""
        return self._parent[key]

    def transform_of(self, key: EntityKey) -> Transform:
        """Return the transform of `key` relative to its parent."""
        return self._transform[key]

    def keep_only(self, keys: set[EntityKey]) -> None:
        """Forget all other keys."""
        for key in self._world.keys() - keys:
            self.drop(key)

    def drop(self, key: EntityKey) -> None:
        """Forget one key; those that hang from it have to be placed again."""
        for table in (self._world, self._parent, self._local, self._transform):
            table.pop(key, None)
        self._ancestors.put(key, ())

    def below(self, keys: Collection[EntityKey]) -> set[EntityKey]:
        """Return the placed keys that have one of `keys` among their ancestors."""
        return self._ancestors.users_of(keys)

    def place(self, sightings: Sequence[Sighting], blender_matrices: np.ndarray) -> None:
        """Put `sightings` where (N, 4, 4) Blender world matrices say.

        All ancestors that are shown must be among them or have been placed before.
        """
        if not sightings:
            return
        keeps = np.fromiter((s.keeps_local_axes for s in sightings), bool, len(sightings))
        world = matrices_to_engine(blender_matrices.astype(np.float64), keeps)
        keys = [sighting.key for sighting in sightings]
        self._world.update(zip(keys, world, strict=True))
        for sighting in sightings:
            self._ancestors.put(sighting.key, sighting.ancestors)
        self._settle(keys, world)

    def place_again(self, keys: Collection[EntityKey]) -> None:
        """Place `keys`, which have not moved, under the ancestors that are shown now."""
        if keys:
            self._settle(list(keys), np.array([self._world[key] for key in keys]))

    def _settle(self, keys: list[EntityKey], world: np.ndarray) -> None:
        """Find parents and local transforms of `keys`, which stand at `world` (N, 4, 4)."""
        parents, local = self._relative(keys, world)
        moved = self._moved(keys, parents, local, world)
        transforms = transforms_from_matrices(local[moved])
        for index, transform in zip(moved.tolist(), transforms, strict=True):
            key = keys[index]
            self._parent[key] = parents[index]
            self._local[key] = local[index]
            self._transform[key] = transform

    def _relative(
        self, keys: list[EntityKey], world: np.ndarray
    ) -> tuple[list[EntityKey | None], np.ndarray]:
        """Return the parent of each key and parent_from_local (N, 4, 4).

        A parent scaled to zero cannot hold anything in place: its children stand in the world.
        """
        parents: list[EntityKey | None] = [None] * len(keys)
        local = world.copy()
        inverses: dict[EntityKey, np.ndarray | None] = {}
        for index, key in enumerate(keys):
            ancestors = self._ancestors.things_of(key)
            parent = next((one for one in ancestors if one in self._world), None)
            if parent is None:
                continue
            if parent not in inverses:
                inverses[parent] = _inverse(self._world[parent])
            inverse = inverses[parent]
            if inverse is not None:
                parents[index] = parent
                local[index] = inverse @ world[index]
        return parents, local

    def _moved(
        self,
        keys: list[EntityKey],
        parents: list[EntityKey | None],
        local: np.ndarray,
        world: np.ndarray,
    ) -> np.ndarray:
        """Return the indices whose place relative to their parent is new.

        A child carried along by its parent comes back with rounding errors; what the old local
        matrix predicts to within those is left as it is.
        """
        moved = np.ones(len(keys), bool)
        for index, key in enumerate(keys):
            old = self._local.get(key)
            parent = parents[index]
            if old is None or self._parent.get(key) != parent:
                continue
            if parent is None:
                moved[index] = not np.array_equal(old, local[index])
                continue
            expected = self._world[parent] @ old
            size = max(float(np.abs(world[index]).max()), float(np.abs(self._world[parent]).max()))
            moved[index] = float(np.abs(expected - world[index]).max()) > SAME_PLACE * size
        return np.flatnonzero(moved)


def instance_matrices(depsgraph: Any) -> np.ndarray:
    """Return world matrices (N, 4, 4) float32 of all object instances, read in one call."""
    instances = depsgraph.object_instances
    flat = np.empty(len(instances) * 16, np.float32)
    if len(flat):
        instances.foreach_get("matrix_world", flat)
    return flat.reshape(-1, 4, 4).transpose(0, 2, 1)  # Blender stores columns


def _inverse(matrix: np.ndarray) -> np.ndarray | None:
    axes = matrix[:3, :3]
    lengths = np.linalg.norm(axes, axis=0)
    if lengths.min() < 1e-12 or abs(np.linalg.det(axes / lengths)) < 1e-9:
        return None
    return np.linalg.inv(matrix)
