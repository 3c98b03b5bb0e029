"""Readable ids that stay the same for a session, however often the artist renames things."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any


def datablock_key(datablock: Any) -> int:
    """Return a number that names an original datablock for this session, through renames and undo.

    Blender's `session_uid` is 0 on evaluated copies, so the original is asked.
    """
    return datablock.original.session_uid


def datablock_name(datablock: Any) -> str:
    """Return a name that is unique within one kind of datablock: "Cube", "Cube [props.blend]"."""
    return datablock.name_full


class ReadableIds:
    """Hands out one readable id per key, unique among all keys that are in use.

    A key keeps its first id even if the wanted name changes later, because the other side of a
    delta knows things by id. A taken name gets the first free suffix ".2", ".3", ...
    """

    def __init__(self) -> None:
        self._id_of: dict[Hashable, str] = {}
        self._key_of: dict[str, Hashable] = {}

    def id_for(self, key: Hashable, wanted: str) -> str:
        """Return the id of `key`, made from `wanted` when the key is new."""
        known = self._id_of.get(key)
        if known is not None:
            return known
        chosen, number = wanted, 2
        while chosen in self._key_of or not chosen:
            chosen, number = f"{wanted}.{number}", number + 1
        self._id_of[key] = chosen
        self._key_of[chosen] = key
        return chosen

    def get(self, key: Hashable) -> str | None:
        """Return the id of `key`, or None if it has none."""
        return self._id_of.get(key)

    def key_of(self, chosen: str) -> Hashable | None:
        """Return the key that has an id, or None."""
        return self._key_of.get(chosen)

    def release(self, key: Hashable) -> None:
        """Forget `key`; its id may be given to another."""
        chosen = self._id_of.pop(key, None)
        if chosen is not None:
            del self._key_of[chosen]
