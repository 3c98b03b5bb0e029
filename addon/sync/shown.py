"""ShownTable: which objects and instances the depsgraph shows, and how that differs from before.

Nothing in `depsgraph.updates` says that an object has been hidden or has come back. So one number
each is read of all that is shown, Blender's address of an object and its number of an instance, and
only what is new among them is then looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Any

import numpy as np

from .identity import datablock_key
from .sightings import EntityKey


@dataclass(frozen=True)
class Difference:
    """Evaluated objects that have come, and keys that have gone."""

    come: list[Any] = field(default_factory=list)
    gone: list[EntityKey] = field(default_factory=list)

    @property
    def is_any(self) -> bool:
        """Tell whether anything has come or gone."""
        return bool(self.come or self.gone)


class ShownTable:
    """The numbers of what the depsgraph showed at the last look, and whose they are."""

    def __init__(self) -> None:
        self._numbers = np.zeros(0, np.int64)
        self._keys: dict[int, EntityKey] = {}
        self._has_instances = False

    def remember(self, numbers: Sequence[int], keys: Sequence[EntityKey | None]) -> None:
        """Note that `numbers` are shown under `keys`; None: shown, but left out by the caller."""
        self._numbers = np.array(numbers, np.int64)
        self._keys = {
            number: key for number, key in zip(numbers, keys, strict=True) if key is not None
        }
        self._has_instances = any(key is not None and len(key) > 1 for key in keys)

    def difference(self, depsgraph: Any) -> Difference | None:
        """Return what has come and gone since the last look; None if that cannot be told.

        It cannot where instances come or go: they bring their instancers and sources with them.
        """
        numbers = self._shown_now(depsgraph)
        if np.array_equal(numbers, self._numbers):
            return Difference()
        is_new = ~np.isin(numbers, self._numbers)
        is_gone = ~np.isin(self._numbers, numbers)
        come = _plain_objects(depsgraph, is_new)
        if come is None:
            return None
        gone = []
        for number in self._numbers[is_gone].tolist():
            key = self._keys.pop(number, None)
            if key is not None:
                if len(key) > 1:
                    return None
                gone.append(key)
        self._numbers = numbers
        self._keys.update(
            (number, (datablock_key(obj),))
            for number, obj in zip(numbers[is_new].tolist(), come, strict=True)
        )
        return Difference(come, gone)

    def _shown_now(self, depsgraph: Any) -> np.ndarray:
        instances = depsgraph.object_instances
        if self._has_instances:
            return np.array([number_of(one) for one in instances], np.int64)
        # Instances have other addresses each time, and so are found to be new.
        objects = [one.object for one in instances]
        return np.fromiter(map(hash, objects), np.int64, len(objects))


def _plain_objects(depsgraph: Any, chosen: np.ndarray) -> list[Any] | None:
    """Return the evaluated objects at `chosen` (N,) bool; None if instances are among them."""
    found: list[Any] = []
    if chosen.any():
        # Each step is a walk of Blender's: none is taken beyond the last.
        until = int(np.flatnonzero(chosen)[-1]) + 1
        for instance in compress(depsgraph.object_instances, chosen[:until].tolist()):
            if instance.is_instance:
                return None
            found.append(instance.object)
    return found


def number_of(instance: Any) -> int:
    """Return the number of one of `depsgraph.object_instances`."""
    return instance.random_id if instance.is_instance else hash(instance.object)
