"""Repairs of what the sync warns of: each changes what the artist would, and can be undone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ..culprits import node_of, objects_showing
from ..sync.warnings import SyncWarning


class CannotFix(Exception):  # noqa: N818 - said to the artist, not an error of the program
    """A repair that is not possible, in words."""


Apply = Callable[[Any, SyncWarning, Any, str], str]
"""Gets the context, the warning, the culprit and, where the repair wants a file, its path; returns
what was done. Raises CannotFix.
"""


def _unwrap(context: Any, warning: SyncWarning, culprit: Any, _path: str) -> str:
    in_layer = set(context.view_layer.objects)
    users = objects_showing(culprit, context.scene)
    obj = next((o for o in users if o in in_layer and o.type == "MESH"), None)
    if obj is None:
        raise CannotFix(f"No object of this view layer shows '{culprit.name}'; unwrap it by hand.")
    if obj.data.library is not None:
        raise CannotFix(f"'{obj.data.name}' is linked; unwrap it in its own file.")
    _enter_object_mode(context)
    selected = list(context.selected_objects)
    active = context.view_layer.objects.active
    for other in selected:
        other.select_set(False)
    obj.select_set(True)
    context.view_layer.objects.active = obj
    if not obj.visible_get():
        raise CannotFix(f"'{obj.name}' is hidden; show it, or unwrap it by hand.")
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        bpy.ops.mesh.select_all(action="SELECT")
        bpy.ops.uv.smart_project(angle_limit=1.15, island_margin=0.02)
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")
        obj.select_set(obj in selected)
        for other in selected:
            other.select_set(True)
        context.view_layer.objects.active = active
    return f"Unwrapped '{obj.data.name}'"


def _validate_mesh(_context: Any, _warning: SyncWarning, culprit: Any, _path: str) -> str:
    mesh = culprit.data if isinstance(culprit, bpy.types.Object) else culprit
    if not isinstance(mesh, bpy.types.Mesh):
        raise CannotFix(f"'{culprit.name}' is no mesh; convert it to one first.")
    changed = _mend_attributes(mesh)
    changed |= mesh.validate()
    mesh.update()
    if not changed:
        raise CannotFix(f"'{mesh.name}' itself is sound: a modifier of its object makes them.")
    return f"Repaired '{mesh.name}'"


def _mend_attributes(mesh: Any) -> bool:
    """Put 0 where attributes are NaN or infinite; tells whether any were."""
    changed = False
    for attribute in mesh.attributes:
        field, width = _FLOATS.get(attribute.data_type, ("", 0))
        if not field or len(attribute.data) == 0:
            continue
        values = np.empty(len(attribute.data) * width, np.float32)
        attribute.data.foreach_get(field, values)
        bad = ~np.isfinite(values)
        if bad.any():
            values[bad] = 0
            attribute.data.foreach_set(field, values)
            changed = True
    return changed


_FLOATS = {
    "FLOAT": ("value", 1),
    "FLOAT2": ("vector", 2),
    "FLOAT_VECTOR": ("vector", 3),
    "FLOAT_COLOR": ("color", 4),
    "QUATERNION": ("value", 4),
}
"""Attributes of decimal numbers: the name of their values and how many there are."""


def _set_perspective(_context: Any, _warning: SyncWarning, culprit: Any, _path: str) -> str:
    culprit.type = "PERSP"
    return f"'{culprit.name}' is a perspective camera now"


def _clamp_light(_context: Any, _warning: SyncWarning, culprit: Any, _path: str) -> str:
    culprit.energy = max(culprit.energy, 0.0)
    return f"The power of '{culprit.name}' is {culprit.energy:g} now"


def _set_standard(_context: Any, _warning: SyncWarning, culprit: Any, _path: str) -> str:
    view = culprit.view_settings
    view.view_transform = "Standard"
    view.look = "None"
    view.exposure, view.gamma = 0.0, 1.0
    view.use_curve_mapping = False
    return f"'{culprit.name}' shows its colors as they are now"


def _bake(_context: Any, _warning: SyncWarning, culprit: Any, _path: str) -> str:
    operators: Any = bpy.ops.fyn  # type: ignore[attr-defined]
    result = operators.bake_material("INVOKE_DEFAULT", material=culprit.name)
    if "CANCELLED" in result:
        raise CannotFix(f"'{culprit.name}' could not be baked.")
    return f"Baking '{culprit.name}'" if "RUNNING_MODAL" in result else f"Baked '{culprit.name}'"


def _find_file(_context: Any, _warning: SyncWarning, culprit: Any, path: str) -> str:
    if not Path(bpy.path.abspath(path)).is_file():
        raise CannotFix(f"There is no file '{path}'.")
    name = culprit.name
    culprit.filepath = _as_written(path)
    culprit.reload()
    return f"'{name}' is read from '{path}' now"


def _choose_picture(_context: Any, warning: SyncWarning, culprit: Any, path: str) -> str:
    node = node_of(warning, culprit)
    if node is None:
        raise CannotFix(f"The node '{warning.node}' is gone.")
    try:
        node.image = bpy.data.images.load(bpy.path.abspath(path), check_existing=True)
    except RuntimeError as reason:
        raise CannotFix(" ".join(str(reason).split()).removeprefix("Error: ")) from reason
    return f"'{warning.node}' shows '{node.image.name}' now"


def _as_written(path: str) -> str:
    """Return a path as the artist's preferences want it: relative where it can be."""
    wants_relative = bpy.context.preferences.filepaths.use_relative_paths
    if not (wants_relative and bpy.data.filepath) or path.startswith("//"):
        return path
    try:
        return bpy.path.relpath(path)
    except ValueError:  # another drive
        return path


def _enter_object_mode(context: Any) -> None:
    if context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")


FIXES: dict[str, Apply] = {
    "unwrap": _unwrap,
    "validate_mesh": _validate_mesh,
    "set_perspective": _set_perspective,
    "clamp_light": _clamp_light,
    "set_standard": _set_standard,
    "bake_material": _bake,
    "find_file": _find_file,
    "choose_picture": _choose_picture,
}
"""What is done by the name of a repair, for all of `REPAIRS`."""
