"""Menus of components: what can be added to a datablock, what can be done with one component."""

from __future__ import annotations

from typing import Any

import bpy

from ...engine_core.world.components import Collider, Component, Owner
from ..components.homes import components_of, group_of
from ..components.rna import ADDED
from ..components.targets import POINTER, target


def add_menu_name(owner: Owner) -> str:
    """Return the name of the menu that adds components to an owner's datablocks."""
    return f"FYN_MT_{owner}_component_add"


def component_menu_name(kind: type[Component]) -> str:
    """Return the name of the menu of one component."""
    return f"FYN_MT_{kind.key}_component"


def addable_components(owner: Owner) -> list[type[Component]]:
    """Return what people can add, by label."""
    found = [kind for kind in components_of(owner).values() if kind.addable]
    return sorted(found, key=lambda kind: kind.label)


def add_menu(owner: Owner) -> type:
    """Return the menu that adds components; typing in it searches."""

    def draw(self: Any, context: Any) -> None:
        datablock = target(context, owner)
        for kind in addable_components(owner):
            group = None if datablock is None else group_of(datablock, kind)
            row = self.layout.row()
            row.enabled = group is not None and not getattr(group, ADDED)
            add = row.operator("fyn.component_add", text=kind.label, icon=kind.icon)
            add.component = kind.key
        self.layout.separator()
        self.layout.operator("fyn.component_paste_new", icon="PASTEDOWN")

    return type(
        add_menu_name(owner),
        (bpy.types.Menu,),
        {
            "bl_label": "Add Component",
            "bl_description": "Add a component; type to search",
            "bl_options": {"SEARCH_ON_KEY_PRESS"},
            "draw": draw,
            "__module__": __name__,
        },
    )


def component_menu(kind: type[Component]) -> type:
    """Return the menu of what can be done with one component."""

    def draw(self: Any, _context: Any) -> None:
        layout = self.layout
        _entry(layout, "component_copy", kind, "COPYDOWN")
        _entry(layout, "component_paste", kind, "PASTEDOWN")
        if kind.owner not in ("environment", "level"):
            _entry(layout, "component_copy_to_selected", kind, "DUPLICATE")
        layout.separator()
        if kind is Collider:
            _entry(layout, "collider_fit", kind, "FULLSCREEN_ENTER")
        _entry(layout, "component_reset", kind, "LOOP_BACK")
        if kind.addable:
            _entry(layout, "component_remove", kind, "X")

    return type(
        component_menu_name(kind),
        (bpy.types.Menu,),
        {"bl_label": kind.label, "draw": draw, "__module__": __name__},
    )


def hand_over(layout: Any, datablock: Any) -> None:
    """Let menus and operators of `layout` be about `datablock`, pinned or not."""
    layout.context_pointer_set(POINTER, datablock)


def _entry(layout: Any, operator: str, kind: type[Component], icon: str) -> None:
    # As if it were called by its button: Alt then means all selected objects.
    layout.operator_context = "INVOKE_DEFAULT"
    layout.operator(f"fyn.{operator}", icon=icon).component = kind.key
