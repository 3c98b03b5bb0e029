"""Which datablock a panel or an operator is about, and which others are selected beside it."""

from __future__ import annotations

from typing import Any

from ...engine_core.world.components import Component, Owner
from .homes import HOMES

POINTER = "fyn_datablock"
"""Name under which panels hand their datablock to menus and operators."""

FROM_CONTEXT: dict[Owner, str] = {
    "entity": "bpy.context.object",
    "light": "(getattr(bpy.context, 'light', None) or bpy.context.object.data)",
    "camera": "(getattr(bpy.context, 'camera', None) or bpy.context.object.data)",
    "environment": "(getattr(bpy.context, 'world', None) or bpy.context.scene.world)",
    "level": "bpy.context.scene",
}
"""How a preset file finds the datablock that it is for."""


def target(context: Any, owner: Owner) -> Any | None:
    """Return the datablock of `owner` that the context shows: pinned, active, or of the scene."""
    home = HOMES[owner]
    for found in (getattr(context, POINTER, None), *_shown(context, owner)):
        if isinstance(found, home):
            return found
    return None


def _shown(context: Any, owner: Owner) -> tuple[Any, ...]:
    obj = getattr(context, "object", None)
    scene = getattr(context, "scene", None)
    if owner == "entity":
        return (obj,)
    if owner in ("light", "camera"):
        return (getattr(context, owner, None), None if obj is None else obj.data)
    if owner == "environment":
        return (getattr(context, "world", None), None if scene is None else scene.world)
    return (scene,)


def selected_beside(context: Any, datablock: Any, kind: type[Component]) -> list[Any]:
    """Return the other datablocks of the selected objects that may have the component too."""
    home = HOMES[kind.owner]
    found: dict[int, Any] = {}
    for obj in getattr(context, "selected_editable_objects", None) or ():
        one = obj if kind.owner == "entity" else obj.data
        if isinstance(one, home) and one != datablock and is_editable(one):
            found[one.session_uid] = one
    return list(found.values())


def is_editable(datablock: Any) -> bool:
    """Tell whether Blender lets people change a datablock: their own, or a library override."""
    return datablock.library is None or datablock.override_library is not None
