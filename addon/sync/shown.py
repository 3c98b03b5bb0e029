"""ShownTable: which objects and instances the depsgraph shows, and how that differs from before.

Nothing in `depsgraph.updates` says that an object has been hidden or has come back. Blender gives
each thing it shows a number made of its name (for instances, also of their place among their
siblings); the numbers of all are read in one call, and only what is new is then looked at.
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
        self._numbers = np.zeros(0, np.int32)
        self._keys: dict[int, EntityKey] = {}
        self._is_ambiguous = True

    def remember(self, numbers: np.ndarray, keys: Sequence[EntityKey | None]) -> None:
        """Note that `numbers` are shown under `keys`; None: shown, but left out by the caller."""
        self._numbers = numbers
        self._keys = {
            number: key
            for number, key in zip(numbers.tolist(), keys, strict=True)
            if key is not None
        }
        # Objects of several files may share a name, and numbers of different names may agree.
        self._is_ambiguous = len(np.unique(numbers)) != len(numbers)

    def difference(self, depsgraph: Any) -> Difference | None:
        """Return what has come and gone since the last look; None if that cannot be told.

        It cannot where instances come or go: they bring their instancers and sources with them.
        """
        numbers = shown_numbers(depsgraph)
        if np.array_equal(numbers, self._numbers):
            return Difference()
        if self._is_ambiguous or len(np.unique(numbers)) != len(numbers):
            return None
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


def _plain_objects(depsgraph: Any, chosen: np.ndarray) -> list[Any] | None:
    """Return the evaluated objects at `chosen` (N,) bool; None if instances are among them."""
    found: list[Any] = []
    if chosen.any():
        for instance in compress(depsgraph.object_instances, chosen):
            if instance.is_instance:
                return None
            found.append(instance.object)
    return found


def shown_numbers(depsgraph: Any) -> np.ndarray:
    """Return the number (N,) int32 of everything that is shown, in the depsgraph's order."""
    instances = depsgraph.object_instances
    numbers = np.empty(len(instances), np.int32)
    if len(numbers):
        instances.foreach_get("random_id", numbers)
    return numbers
