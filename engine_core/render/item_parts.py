"""ItemParts: the parts that are drawn as columns, and which of them each setup has.

Numbers stay with a part for as long as a setup has it, so that a change costs its own setups only.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from .gpu_assets import Part, SetupParts

_FIRST_SIZE = 64


class ItemParts:
    """Columns by number of a part (P) and by index of a setup (S).

    parts: (P,) object. is_blend: (P,) bool. shadow: (P,) int64, equal where the shadow is the same
    (materials do not matter). is_cluster: (P,) bool. bounds: (P, 2, 3) float32, of clusters.
    has: (S,) bool, setups that have been put. counts: (S,) int64. setup_bounds: (S, 2, 3) float32.
    """

    def __init__(self) -> None:
        """Start without parts."""
        self.parts = np.zeros(0, object)
        self.is_blend = np.zeros(0, bool)
        self.shadow = np.zeros(0, np.int64)
        self.is_cluster = np.zeros(0, bool)
        self.bounds = np.zeros((0, 2, 3), np.float32)
        self.has = np.zeros(0, bool)
        self.counts = np.zeros(0, np.int64)
        self.setup_bounds = np.zeros((0, 2, 3), np.float32)
        self._starts = np.zeros(0, np.int64)
        self._flat = np.zeros(0, np.int64)
        self._flat_end = 0
        self._numbers = _Numbers()
        self._shadows = _Numbers()

    @property
    def shadow_count(self) -> int:
        """All of `shadow` are less."""
        return self._shadows.limit

    def make_room(self, setups: int) -> None:
        """Let there be so many setups."""
        if setups > len(self.has):
            size = max(setups, 2 * len(self.has))
            for name in ("has", "counts", "setup_bounds", "_starts"):
                setattr(self, name, _wider(getattr(self, name), size))

    def put(self, setup: int, found: SetupParts) -> None:
        """Note what a setup has that has nothing yet."""
        numbers = [self._take(part) for part in found.parts]
        end = self._flat_end + len(numbers)
        if end > len(self._flat):
            self._flat = _wider(self._flat, max(end, 2 * len(self._flat), _FIRST_SIZE))
        self._flat[self._flat_end : end] = numbers
        self._starts[setup], self.counts[setup] = self._flat_end, len(numbers)
        self._flat_end = end
        self.setup_bounds[setup] = found.bounds
        self.has[setup] = True

    def drop(self, setup: int) -> None:
        """Forget what a setup has."""
        if not self.has[setup]:
            return
        start = self._starts[setup]
        for number in self._flat[start : start + self.counts[setup]].tolist():
            if self._numbers.give(number):
                self._shadows.give(int(self.shadow[number]))
                self.parts[number] = None
        self.counts[setup] = 0
        self.has[setup] = False
        if self._flat_end > 2 * self.counts.sum() + _FIRST_SIZE:
            self._compact()

    def of(self, setups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return how many parts each of `setups` (N,) has, and the numbers of all, in order."""
        each = self.counts[setups]
        ends = np.cumsum(each)
        total = int(ends[-1]) if len(ends) else 0
        at = np.repeat(self._starts[setups] - ends + each, each) + np.arange(total)
        return each, self._flat[at]

    def _take(self, part: Part) -> int:
        number = self._numbers.take(id(part))
        if number >= len(self.parts):
            size = max(_FIRST_SIZE, 2 * len(self.parts))
            for name in ("parts", "is_blend", "shadow", "is_cluster", "bounds"):
                setattr(self, name, _wider(getattr(self, name), size))
        if self.parts[number] is not part:
            self.parts[number] = part
            self.is_blend[number] = part.material.alpha_mode == "blend"
            self.shadow[number] = self._shadows.take(_shadow_key(part))
            self.is_cluster[number] = part.bounds is not None
            if part.bounds is not None:
                self.bounds[number] = part.bounds
        return number

    def _compact(self) -> None:
        setups = np.flatnonzero(self.has)
        each, numbers = self.of(setups)
        self._starts[setups] = np.cumsum(each) - each
        self._flat, self._flat_end = numbers, len(numbers)


class _Numbers:
    """Small numbers for keys, reused once a key has been given back as often as taken."""

    def __init__(self) -> None:
        self._number_of: dict[Hashable, int] = {}
        self._keys: list[Hashable] = []
        self._uses: list[int] = []
        self._free: list[int] = []

    @property
    def limit(self) -> int:
        return len(self._uses)

    def take(self, key: Hashable) -> int:
        number = self._number_of.get(key)
        if number is None:
            if self._free:
                number = self._free.pop()
                self._keys[number] = key
            else:
                number = len(self._uses)
                self._keys.append(key)
                self._uses.append(0)
            self._number_of[key] = number
        self._uses[number] += 1
        return number

    def give(self, number: int) -> bool:
        """Give back; True if nobody has the number any more."""
        self._uses[number] -= 1
        if self._uses[number]:
            return False
        del self._number_of[self._keys[number]]
        self._keys[number] = None
        self._free.append(number)
        return True


def _shadow_key(part: Part) -> tuple[Any, ...]:
    """Return what tells the shadow of a part from others."""
    if part.is_cutout:
        return (id(part),)
    return (
        id(part.shadow_array),
        part.first_index,
        part.material.back_casts_shadow,
        part.shadow_defines,
    )


def _wider(column: np.ndarray, size: int) -> np.ndarray:
    nothing = None if column.dtype == object else 0
    wider = np.full((size, *column.shape[1:]), nothing, column.dtype)
    wider[: len(column)] = column
    return wider
