"""Appends a piece from the library: its objects are the user's own, its pictures are shared."""

from __future__ import annotations

from typing import Any

import bpy

from ...engine_core.errors import UsageError
from ..components import writing
from ..level_import.objects import set_component
from .catalogue import LIBRARY, Piece

MARK = "fyn_piece"
"""Custom property of what the library holds: its name there, by which a second one is known."""

_SHARED = ("images", "materials", "meshes")
"""Kinds of datablocks that pieces share, those that others use first."""


def add_piece(piece: Piece, collection: Any, location: Any) -> Any:
    """Add a piece to `collection` with its own object at `location`; returns that object.

    Raises UsageError if the library is missing or lacks the piece.
    """
    before = {kind: set(getattr(bpy.data, kind)) for kind in _SHARED}
    group = _append(piece.name)
    objects = list(group.objects)
    root = next(obj for obj in objects if obj.get(MARK) == piece.name and obj.parent is None)
    for obj in objects:
        collection.objects.link(obj)
        obj.asset_clear()
    bpy.data.collections.remove(group)
    for kind in _SHARED:
        _share(getattr(bpy.data, kind), before[kind])
    root.location = location
    give_components(root, piece)
    return root


def give_components(root: Any, piece: Piece) -> None:
    """Set the components of a piece on its own object."""
    for component in piece.components:
        writing.add(root, type(component))
        set_component(root, component, {})


def _append(name: str) -> Any:
    if not LIBRARY.is_file():
        raise UsageError(f"The library of pieces '{LIBRARY.name}' is missing; install Fyn again.")
    loading: Any = bpy.data.libraries.load(str(LIBRARY), link=False)
    with loading as (there, here):
        if name not in there.collections:
            raise UsageError(f"The library of pieces has no '{name}'; install Fyn again.")
        here.collections = [name]
    return here.collections[0]


def _share(table: Any, before: set[Any]) -> None:
    """Put datablocks that an earlier piece brought in place of what came again."""
    known = {one[MARK]: one for one in before if MARK in one}
    for one in [one for one in table if one not in before]:
        older = known.get(one.get(MARK))
        if older is not None:
            one.user_remap(older)
            table.remove(one)
