"""AssetTable: what has been handed over under which id, and what has changed since."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Generic, TypeVar

from .identity import ReadableIds
from .warnings import SyncWarning

T = TypeVar("T")


class AssetTable(Generic[T]):
    """Values by session key, each under a readable id, with their warnings.

    `put` records a value, `keep_only` drops what is no longer used, and `take_changes` returns
    what the receiver of deltas does not know yet.
    """

    def __init__(self, equal: Callable[[T, T], bool] | None = None) -> None:
        self._ids = ReadableIds()
        self._values: dict[Hashable, T | None] = {}
        self._warnings: dict[Hashable, tuple[SyncWarning, ...]] = {}
        self._equal = equal
        self._changed: dict[Hashable, None] = {}
        self._removed_ids: set[str] = set()

    def __contains__(self, key: Hashable) -> bool:
        """Tell whether `key` has been put (even if with no value)."""
        return key in self._values

    def id_of(self, key: Hashable, wanted: str) -> str:
        """Return the id of `key`, made from `wanted` if the key is new."""
        return self._ids.id_for(key, wanted)

    def value(self, key: Hashable) -> T | None:
        """Return the value of `key`, None if there is none."""
        return self._values.get(key)

    def by_id(self, found: str) -> T | None:
        """Return the value under an id, None if there is none."""
        key = self._ids.key_of(found)
        return None if key is None else self._values.get(key)

    def key_of(self, found: str) -> Hashable | None:
        """Return the key that has an id, None if there is none."""
        return self._ids.key_of(found)

    def warnings_of(self, key: Hashable) -> tuple[SyncWarning, ...]:
        """Return the warnings that were put with `key`."""
        return self._warnings.get(key, ())

    def put(self, key: Hashable, value: T | None, warnings: tuple[SyncWarning, ...] = ()) -> None:
        """Record `value` under a key that has an id; None means that there is nothing to show."""
        old = self._values.get(key)
        self._values[key] = value
        if warnings:
            self._warnings[key] = warnings
        else:
            self._warnings.pop(key, None)
        if value is None:
            if old is not None:
                self._removed_ids.add(self._require_id(key))
            self._changed.pop(key, None)
        elif old is None or self._equal is None or not self._equal(old, value):
            self._changed[key] = None
            self._removed_ids.discard(self._require_id(key))

    def _require_id(self, key: Hashable) -> str:
        found = self._ids.get(key)
        if found is None:
            raise KeyError(f"{key!r} was put before it was given an id")
        return found

    def keep_only(self, keys: Iterable[Hashable]) -> None:
        """Forget everything whose key is not in `keys`."""
        for key in self._values.keys() - set(keys):
            self.drop(key)

    def drop(self, key: Hashable) -> None:
        """Forget one key, if it is there."""
        if key not in self._values:
            return
        if self._values.pop(key) is not None:
            self._removed_ids.add(self._require_id(key))
        self._warnings.pop(key, None)
        self._changed.pop(key, None)
        self._ids.release(key)

    def take_changes(self) -> tuple[dict[str, T], frozenset[str]]:
        """Return (added or replaced by id, removed ids) since the last call."""
        added: dict[str, T] = {}
        for key in self._changed:
            value = self._values[key]
            if value is not None:
                added[self._require_id(key)] = value
        removed = frozenset(self._removed_ids - added.keys())
        self._changed.clear()
        self._removed_ids.clear()
        return added, removed

    def known_ids(self) -> frozenset[str]:
        """Return the ids of everything that has a value."""
        return frozenset(
            self._require_id(key) for key, value in self._values.items() if value is not None
        )

    def warnings(self) -> Iterable[SyncWarning]:
        """Yield the warnings of everything in the table."""
        for group in self._warnings.values():
            yield from group
