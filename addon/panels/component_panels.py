"""Panels of components, generated from their classes: in the properties tabs and in the side bar.

Components that people add are game data, so they are shown whatever engine the scene is set to;
those that say how Fyn draws something are shown while Fyn draws.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import bpy

from ...engine_core.world.components import Collider, Component, Owner
from ...engine_core.world.struct_fields import StructField
from ..components import presets
from ..components.fields import authored_fields, choice_name, sort_of
from ..components.homes import HOMES, components_of, group_of
from ..components.presets import FYN_OT_component_preset, preset_classes, preset_panel_name
from ..components.rna import ADDED
from ..components.targets import is_editable, target
from ..engine_panels import ENGINE
from ..operators import components as component_operators
from .component_menus import (
    add_menu,
    add_menu_name,
    addable_components,
    component_menu,
    component_menu_name,
    hand_over,
)
from .summaries import material_summary, summary


class Place(NamedTuple):
    """Where panels of one owner stand: the properties tab, and the title in the side bar."""

    context: str
    prefix: str
    title: str


PLACES: dict[Owner, Place] = {
    "entity": Place("object", "OBJECT", "Object"),
    "light": Place("data", "DATA", "Light"),
    "camera": Place("data", "DATA", "Camera"),
    "environment": Place("world", "WORLD", "World"),
    "level": Place("scene", "SCENE", "Scene"),
}

TAB = {"bl_space_type": "PROPERTIES", "bl_region_type": "WINDOW"}
SIDE_BAR = {"bl_space_type": "VIEW_3D", "bl_region_type": "UI", "bl_category": "Fyn"}

BLENDERS_OWN: dict[str, tuple[tuple[str, str], ...]] = {
    "mesh": (("visible_camera", "Visible to Camera"), ("visible_shadow", "Cast Shadow")),
}
"""Settings of Blender's that belong to a component: property of the datablock, and its name."""

DRAWN_TYPES = frozenset({"MESH", "CURVE", "SURFACE", "FONT", "META", "CURVES", "POINTCLOUD"})


def panel_classes() -> list[type]:
    """Return everything to be registered, parents before children."""
    classes: list[type] = [FYN_OT_component_preset]
    for owner, place in PLACES.items():
        if addable_components(owner):
            classes.append(add_menu(owner))
        kinds = list(components_of(owner).values())
        for kind in kinds:
            classes += [component_menu(kind), *preset_classes(kind)]
        for in_tab in (True, False):
            parent = _section(owner, place, in_tab)
            classes.append(parent)
            classes += [_component_panel(kind, parent, place, in_tab) for kind in kinds]
    return [*classes, MATERIAL_PT_fyn]


def is_offered(kind: type[Component], datablock: Any, engine: str) -> bool:
    """Tell whether the panel of a component is to be seen for a datablock."""
    group = group_of(datablock, kind)
    if group is None:
        return False
    if kind.addable:
        return getattr(group, ADDED)
    if engine != ENGINE:
        return False
    return kind.key != "mesh" or _draws(datablock)


def is_relevant(field: StructField, group: Any) -> bool:
    """Tell whether a field has a meaning, as the other fields are set."""
    if field.when is None:
        return True
    name, values = field.when
    value = getattr(group, name)
    return value in values or value in map(choice_name, values)


def _draws(obj: Any) -> bool:
    return obj.type in DRAWN_TYPES or (obj.type == "EMPTY" and obj.instance_type == "COLLECTION")


def _engine(context: Any) -> str:
    return getattr(context, "engine", "") or context.scene.render.engine


def _section(owner: Owner, place: Place, in_tab: bool) -> type:
    """Return the panel that holds those of an owner's components, and adds more."""

    def poll(_cls: type, context: Any) -> bool:
        datablock = _datablock(context, owner, in_tab)
        if datablock is None:
            return False
        if addable_components(owner):
            return True
        kinds = components_of(owner).values()
        return any(is_offered(kind, datablock, _engine(context)) for kind in kinds)

    def draw(self: Any, context: Any) -> None:
        datablock = _datablock(context, owner, in_tab)
        hand_over(self.layout, datablock)
        if not is_editable(datablock):
            self.layout.label(
                text="Linked; make a library override to change it", icon="LIBRARY_DATA_DIRECT"
            )
        if addable_components(owner):
            self.layout.menu(add_menu_name(owner), icon="ADD")

    name = f"{place.prefix}_PT_fyn_of_{owner}" if in_tab else f"VIEW3D_PT_fyn_of_{owner}"
    more = {**TAB, "bl_context": place.context} if in_tab else SIDE_BAR
    label = "Fyn" if in_tab else place.title
    return _panel(name, label, poll, draw, **more)


def _component_panel(kind: type[Component], parent: type, place: Place, in_tab: bool) -> type:
    """Return the panel of one component."""

    def poll(_cls: type, context: Any) -> bool:
        datablock = _datablock(context, kind.owner, in_tab)
        return datablock is not None and is_offered(kind, datablock, _engine(context))

    def draw_header(self: Any, _context: Any) -> None:
        self.layout.label(icon=kind.icon)

    def draw_header_preset(self: Any, context: Any) -> None:
        row = self.layout.row(align=True)
        row.emboss = "NONE"
        hand_over(row, target(context, kind.owner))
        row.popover(panel=preset_panel_name(kind), icon="PRESET", text="")
        row.menu(component_menu_name(kind), icon="DOWNARROW_HLT", text="")

    def draw(self: Any, context: Any) -> None:
        draw_component(self.layout, target(context, kind.owner), kind)

    name = f"{place.prefix}_PT_fyn_{kind.key}" if in_tab else f"VIEW3D_PT_fyn_{kind.key}"
    more: dict[str, Any] = {**TAB, "bl_context": place.context} if in_tab else {**SIDE_BAR}
    more |= {
        "bl_parent_id": parent.__name__,
        "draw_header": draw_header,
        "draw_header_preset": draw_header_preset,
    }
    return _panel(name, kind.label, poll, draw, **more)


def draw_component(layout: Any, datablock: Any, kind: type[Component]) -> None:
    """Draw the fields of a component that have a meaning, and what comes from Blender itself."""
    layout.use_property_split = True
    layout.enabled = is_editable(datablock)
    hand_over(layout, datablock)
    group = group_of(datablock, kind)
    column = layout.column()
    for name, text in BLENDERS_OWN.get(kind.key, ()):
        column.prop(datablock, name, text=text)
    for field in authored_fields(kind):
        if is_relevant(field, group):
            _draw_field(column, group, kind, field)
    if kind is Collider and group.shape not in ("mesh", "none"):
        row = column.row()
        row.operator_context = "INVOKE_DEFAULT"
        row.operator("fyn.collider_fit").component = kind.key
    lines = summary(kind.key, datablock)
    if lines:
        draw_lines(layout, "From Blender", lines)


def _draw_field(layout: Any, group: Any, kind: type[Component], field: StructField) -> None:
    sort = sort_of(field)
    if sort in ("words", "objects"):
        _draw_list(layout, group, kind, field, "word" if sort == "words" else "object")
    else:
        layout.prop(group, field.name)


def _draw_list(
    layout: Any, group: Any, kind: type[Component], field: StructField, item_name: str
) -> None:
    """Draw a list as lines to type in, each with a button to remove it."""
    column = layout.column(align=True)
    for index, item in enumerate(getattr(group, field.name)):
        row = column.row(align=True)
        row.use_property_split = False
        row.prop(item, item_name, text="")
        remove = row.operator("fyn.list_remove", icon="REMOVE", text="")
        remove.component, remove.field, remove.index = kind.key, field.name, index
    add = column.operator("fyn.list_add", icon="ADD", text=f"Add to {field.title}")
    add.component, add.field = kind.key, field.name


def draw_lines(layout: Any, title: str, lines: list[str]) -> None:
    """Draw lines that only tell something."""
    column = layout.box().column(align=True)
    column.active = False
    column.label(text=title, icon="BLENDER")
    for line in lines:
        column.label(text=line)


class MATERIAL_PT_fyn(bpy.types.Panel):
    """What the engine makes of a material."""

    bl_label = "Fyn"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "material"

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Only for a material, while Fyn renders."""
        return context.material is not None and context.engine == ENGINE

    def draw(self, context: Any) -> None:
        """Draw the panel."""
        lines = material_summary(context.material)
        draw_lines(self.layout, "From Blender", lines or ["Its nodes, as they are"])


def _datablock(context: Any, owner: Owner, in_tab: bool) -> Any | None:
    """Return what a panel is about; the data tab is one for lamps, cameras, meshes and more."""
    found = target(context, owner)
    if in_tab and owner in ("light", "camera"):
        found = getattr(context, owner, None)
    return found if isinstance(found, HOMES[owner]) else None


def _panel(name: str, label: str, poll: Any, draw: Any, **more: Any) -> type:
    return type(
        name,
        (bpy.types.Panel,),
        {
            "bl_idname": name,
            "bl_label": label,
            "poll": classmethod(poll),
            "draw": draw,
            "__module__": __name__,
            **more,
        },
    )


CLASSES = (*component_operators.CLASSES, *panel_classes())

_registered: list[type] = []


def register() -> None:
    """Add operators, menus and panels; if one fails, those before it are removed again."""
    presets.register()
    try:
        for one in CLASSES:
            bpy.utils.register_class(one)
            _registered.append(one)
    except BaseException:
        unregister()
        raise


def unregister() -> None:
    """Remove them, newest first."""
    presets.unregister()
    while _registered:
        bpy.utils.unregister_class(_registered.pop())
