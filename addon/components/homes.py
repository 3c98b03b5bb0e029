"""On which datablocks components live: an object's own, a lamp's, a camera's, a world's, a scene's.

Lamps and cameras share what is set on them with every object that shows them, as Blender's own
settings of them do.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import bpy

from ...engine_core.world.components import ALL_TYPES, Component, Owner
from .fields import authored_fields

PROPERTY = "fyn"
"""Name of the one property that Fyn adds to each kind of datablock."""

HOMES: dict[Owner, type] = {
    "entity": bpy.types.Object,
    "light": bpy.types.Light,
    "camera": bpy.types.Camera,
    "environment": bpy.types.World,
    "level": bpy.types.Scene,
}
"""Kind of datablock by owner."""

COLLECTIONS: dict[Owner, str] = {
    "entity": "objects",
    "light": "lights",
    "camera": "cameras",
    "environment": "worlds",
    "level": "scenes",
}
"""Name of that kind's table in `bpy.data`."""


def components_of(owner: Owner) -> dict[str, type[Component]]:
    """Return the component classes that people can set on an owner's datablocks, by key.

    What a host makes of its own data alone (a skin) is none of them.
    """
    return {
        key: kind
        for key, kind in ALL_TYPES.items()
        if kind.owner == owner and (kind.addable or authored_fields(kind))
    }


def owner_of(datablock: Any) -> Owner | None:
    """Return whose components a datablock holds, None if it holds none."""
    return _owner_by_class(type(datablock))


@cache
def _owner_by_class(kind: type) -> Owner | None:
    return next((owner for owner, home in HOMES.items() if issubclass(kind, home)), None)


def group_of(datablock: Any, kind: type[Component]) -> Any:
    """Return the property group of a component; None if Fyn's properties are not registered."""
    groups = getattr(datablock, PROPERTY, None)
    return None if groups is None else getattr(groups, kind.key, None)


def datablocks() -> Iterator[Any]:
    """Yield every datablock of the open file that may hold components."""
    for name in COLLECTIONS.values():
        yield from getattr(bpy.data, name)
