"""RowOrder: rows of a table in the order of their keys, kept in step with what comes and goes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping

import numpy as np

_FEW = 64
"""Up to so many changed keys are put in their places, more are sorted with all the others."""


class RowOrder:
    """Sorted keys and their rows; `note` every key that comes or goes."""

    def __init__(self) -> None:
        """Start without keys."""
        self._keys: list[str] = []
        self._rows = np.zeros(0, np.int64)
        self._noted: set[str] = set()

    def note(self, key: str) -> None:
        """Let `key` be looked at again: it has come, has gone or has another row."""
        self._noted.add(key)

    def rows(self, row_of: Mapping[str, int]) -> np.ndarray:
        """Return the rows in `row_of` in the order of their keys, (N,) int64."""
        if len(self._noted) > _FEW:
            self._keys = sorted(row_of)
            self._rows = np.fromiter(map(row_of.__getitem__, self._keys), np.int64, len(row_of))
        else:
            for key in self._noted:
                self._put(key, row_of.get(key))
        self._noted.clear()
        return self._rows

    def _put(self, key: str, row: int | None) -> None:
        at = bisect_left(self._keys, key)
        is_here = at < len(self._keys) and self._keys[at] == key
        if row is None:
            if is_here:
                del self._keys[at]
                self._rows = np.delete(self._rows, at)
        elif is_here:
            self._rows = self._rows.copy()
            self._rows[at] = row
        else:
            self._keys.insert(at, key)
            self._rows = np.insert(self._rows, at, row)
