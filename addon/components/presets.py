"""Presets of components, kept, listed and deleted by Blender's own preset system."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
from bl_operators.presets import AddPresetBase, ExecutePreset
from bl_ui.utils import PresetPanel

from ...engine_core.world.components import Component
from .fields import authored_fields, sort_of
from .homes import PROPERTY
from .targets import FROM_CONTEXT

SHIPPED = Path(__file__).parents[2]
"""Folder that holds `presets/` with those that come with Fyn."""

_OBJECTS = ("object", "objects")
"""Sorts of fields that no preset keeps: another file has other objects."""


class FYN_OT_component_preset(bpy.types.Operator):
    """Set the component as this preset says."""

    bl_idname = "fyn.component_preset"
    bl_label = "Component Preset"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}  # noqa: RUF012 - Blender's own convention

    filepath: bpy.props.StringProperty(  # type: ignore[valid-type]
        subtype="FILE_PATH", options={"SKIP_SAVE"}
    )
    menu_idname: bpy.props.StringProperty(options={"SKIP_SAVE"})  # type: ignore[valid-type]

    # Blender's own loads a preset without a step to undo.
    execute: Any = ExecutePreset.execute


def preset_panel_name(kind: type[Component]) -> str:
    """Return the name of the popover that lists the presets of a component."""
    return f"FYN_PT_{kind.key}_presets"


def preset_classes(kind: type[Component]) -> tuple[type, type]:
    """Return the popover of a component's presets and the operator that keeps a new one."""
    folder, operator = f"{PROPERTY}/{kind.key}", f"{PROPERTY}.{kind.key}_preset_add"
    name = preset_panel_name(kind)

    panel = type(
        name,
        (PresetPanel, bpy.types.Panel),
        {
            "bl_label": f"{kind.label} Presets",
            "preset_subdir": folder,
            "preset_operator": FYN_OT_component_preset.bl_idname,
            "preset_operator_defaults": {"menu_idname": name},
            "preset_add_operator": operator,
            "__module__": __name__,
        },
    )
    saver = type(
        f"FYN_OT_{kind.key}_preset_add",
        (AddPresetBase, bpy.types.Operator),
        {
            "__doc__": f"Keep or delete a preset of {kind.label}.",
            "bl_idname": operator,
            "bl_label": f"Add {kind.label} Preset",
            "preset_menu": name,
            "preset_subdir": folder,
            "preset_defines": [f"component = {FROM_CONTEXT[kind.owner]}.{PROPERTY}.{kind.key}"],
            "preset_values": [
                f"component.{field.name}"
                for field in authored_fields(kind)
                if sort_of(field) not in _OBJECTS
            ],
            "__module__": __name__,
        },
    )
    return panel, saver


_offered: list[str] = []


def register() -> None:
    """Offer the presets that come with Fyn, where Blender can be told of them (4.3 and later)."""
    if not _offered and hasattr(bpy.utils, "register_preset_path"):
        bpy.utils.register_preset_path(str(SHIPPED))
        _offered.append(str(SHIPPED))


def unregister() -> None:
    """Offer them no longer."""
    while _offered:
        bpy.utils.unregister_preset_path(_offered.pop())
