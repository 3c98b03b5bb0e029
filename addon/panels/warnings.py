"""The list of warnings, in the Render properties and in the side bar of 3D views.

Panels may not write anything while they draw, so a timer copies what is kept (`warning_store`) into
rows of the window manager, whenever it has changed. Rows are never saved with a file.
"""

from __future__ import annotations

import textwrap
from itertools import groupby
from typing import Any

import bpy

from ..engine_panels import ENGINE
from ..operators.warnings import repair_of
from ..scene_warnings import find, title_of, warnings_of
from ..warning_store import forget_all

EVERY_S = 0.5
"""Seconds between looks at whether the list is out of date."""

ICONS = {
    "object": "OBJECT_DATA",
    "mesh": "MESH_DATA",
    "material": "MATERIAL",
    "image": "IMAGE_DATA",
    "light": "LIGHT_DATA",
    "camera": "CAMERA_DATA",
    "world": "WORLD_DATA",
    "scene": "SCENE_DATA",
    "library": "LIBRARY_DATA_DIRECT",
}


class FynWarningRow(bpy.types.PropertyGroup):
    """A line of the list: the title of a cause, or one warning below it."""

    # `name`, which every group has, is what is searched.
    key: bpy.props.StringProperty()  # type: ignore[valid-type]
    cause: bpy.props.StringProperty()  # type: ignore[valid-type]
    title: bpy.props.StringProperty()  # type: ignore[valid-type]
    label: bpy.props.StringProperty()  # type: ignore[valid-type]
    kind: bpy.props.StringProperty()  # type: ignore[valid-type]
    count: bpy.props.IntProperty()  # type: ignore[valid-type]
    is_open: bpy.props.BoolProperty(  # type: ignore[valid-type]
        name="Open", description="Show the warnings of this kind", default=True
    )


class FynWarningList(bpy.types.PropertyGroup):
    """The rows of the list and which one is active."""

    rows: bpy.props.CollectionProperty(type=FynWarningRow)  # type: ignore[valid-type]
    active: bpy.props.IntProperty(name="Active Warning")  # type: ignore[valid-type]


class FYN_UL_warnings(bpy.types.UIList):
    """Warnings under the titles of their causes."""

    def draw_item(
        self,
        context: Any,
        layout: Any,
        data: Any,
        item: Any,
        icon: int,
        active_data: Any,
        active_property: str,
    ) -> None:
        """Draw a title or a warning."""
        row = layout.row(align=True)
        if not item.key:
            arrow = "DOWNARROW_HLT" if item.is_open else "RIGHTARROW"
            row.prop(item, "is_open", text="", icon=arrow, emboss=False)
            row.label(text=f"{item.title} ({item.count})")
            return
        row.separator(factor=2)
        row.label(text=item.label, icon=ICONS.get(item.kind, "ERROR"))
        draw_buttons(row, find(context.scene, item.key), text=False)

    def filter_items(self, context: Any, data: Any, name: str) -> tuple[list[int], list[int]]:
        """Show rows that hold the text searched for, under their titles."""
        shown = shown_rows(getattr(data, name), self.filter_name, self.use_filter_invert)
        return [self.bitflag_filter_item if is_shown else 0 for is_shown in shown], []


def shown_rows(rows: Any, text: str, inverted: bool = False) -> list[bool]:
    """Tell for each row whether it is shown: it matches and its title is open, or is searched."""
    text = text.strip().lower()
    matches = [bool(row.key) and (text in row.name.lower()) != inverted for row in rows]
    shown, is_open = [], True
    for index, row in enumerate(rows):
        if row.key:
            shown.append(matches[index] and (is_open or bool(text)))
        else:
            is_open = row.is_open
            shown.append(any(matches[index + 1 : index + 1 + row.count]))
    return shown


def draw_buttons(layout: Any, warning: Any, *, text: bool) -> None:
    """Draw what can be done about a warning (None: nothing, it is out of date)."""
    if warning is None:
        return
    repair = repair_of(warning)
    if repair is not None:
        operator = "fyn.fix_with_file" if repair.wants_file else "fyn.fix_warning"
        layout.operator(
            operator, text=repair.label if text else "", icon="TOOL_SETTINGS"
        ).key = warning.key
    layout.operator(
        "fyn.select_culprit", text="Select" if text else "", icon="RESTRICT_SELECT_OFF"
    ).key = warning.key


class _WarningsPanel:
    """What both places of the panel share."""

    bl_label = "Fyn Warnings"
    COMPAT_ENGINES = {ENGINE}  # noqa: RUF012 - Blender's own convention
    layout: Any

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Only while Fyn renders."""
        return context.engine in cls.COMPAT_ENGINES

    def draw(self, context: Any) -> None:
        """Draw the list, and the active warning in full."""
        listed = context.window_manager.fyn_warnings
        count = count_of(listed)
        top = self.layout.row()
        several = "" if count == 1 else "s"
        top.label(
            text=f"{count} warning{several}" if count else "No warnings",
            icon="ERROR" if count else "CHECKMARK",
        )
        top.operator("fyn.check_scene", text="", icon="FILE_REFRESH")
        if not count:
            return
        self.layout.template_list(
            "FYN_UL_warnings", "", listed, "rows", listed, "active", rows=min(len(listed.rows), 8)
        )
        if 0 <= listed.active < len(listed.rows):
            self._draw_active(context, listed.rows[listed.active])

    def _draw_active(self, context: Any, row: Any) -> None:
        box = self.layout.box()
        if not row.key:
            box.label(text=f"{row.title} ({row.count})")
            first = next(
                (one for one in warnings_of(context.scene) if one.cause == row.cause), None
            )
            repair = None if first is None else repair_of(first)
            if repair is not None and not repair.wants_file and row.count > 1:
                operator = box.operator("fyn.fix_all_of_cause", text=f"{repair.label}: All of Them")
                operator.cause = row.cause
            return
        warning = find(context.scene, row.key)
        if warning is None:
            box.label(text="Out of date")
            return
        column = box.column(align=True)
        for line in wrapped(str(warning), context):
            column.label(text=line)
        draw_buttons(box.row(), warning, text=True)


class RENDER_PT_fyn_warnings(_WarningsPanel, bpy.types.Panel):
    """In the Render properties."""

    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "render"


class VIEW3D_PT_fyn_warnings(_WarningsPanel, bpy.types.Panel):
    """In the side bar of 3D views."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Fyn"
    bl_options = {"DEFAULT_CLOSED"}  # noqa: RUF012 - (same)

    def draw_header(self, context: Any) -> None:
        """Say how many there are even while the panel is closed."""
        count = count_of(context.window_manager.fyn_warnings)
        if count:
            self.layout.label(text=f"{count}", icon="ERROR")


def count_of(listed: Any) -> int:
    """Return how many warnings a list holds."""
    return sum(row.count for row in listed.rows)


def wrapped(text: str, context: Any) -> list[str]:
    """Break a text into lines that fit the panel: labels do not wrap."""
    scale = context.preferences.system.ui_scale
    letters = max(int(context.region.width / (7.0 * scale)) - 6, 20)
    return textwrap.wrap(text, letters)


def fill(listed: Any, scene: Any) -> bool:
    """Make the rows those of a scene's warnings; tells whether anything has changed."""
    wanted = []
    for title, group in groupby(warnings_of(scene), title_of):
        warnings = list(group)
        wanted.append((title, "", warnings[0].cause, title, "", len(warnings)))
        for one in warnings:
            wanted.append((f"{title} {one}", one.key, one.cause, title, one.kind, 0))
    present = [(r.name, r.key, r.cause, r.title, r.kind, r.count) for r in listed.rows]
    if present == wanted:
        return False
    closed = {row.title for row in listed.rows if not row.key and not row.is_open}
    active = listed.rows[listed.active].name if listed.active < len(listed.rows) else ""
    listed.rows.clear()
    by_key = {one.key: one for one in warnings_of(scene)}
    for name, key, cause, title, kind, count in wanted:
        row = listed.rows.add()
        row.name, row.key, row.cause, row.title, row.kind, row.count = (
            name, key, cause, title, kind, count,
        )  # fmt: skip
        row.is_open = title not in closed
        if key:
            warning = by_key[key]
            row.label = warning.name + (f": {warning.node}" if warning.node else "")
    names = [row.name for row in listed.rows]
    listed.active = names.index(active) if active in names else 0
    return True


def follow() -> float:
    """Bring the list up to date and have it drawn (a timer)."""
    manager = bpy.context.window_manager
    if manager is not None and len(manager.windows) and not _is_current(manager.windows[0].scene):
        fill(manager.fyn_warnings, manager.windows[0].scene)
        _redraw(manager)
    return EVERY_S


_listed: list[Any] = []
"""The warnings that the rows were made of."""


def _is_current(scene: Any) -> bool:
    now = warnings_of(scene)  # the same object as long as nothing has changed
    is_current = bool(_listed) and _listed[0] is now
    _listed[:] = [now]
    return is_current


def _redraw(manager: Any) -> None:
    for window in manager.windows:
        for area in window.screen.areas:
            for region in area.regions:
                if (area.type, region.type) in {("PROPERTIES", "WINDOW"), ("VIEW_3D", "UI")}:
                    region.tag_redraw()


@bpy.app.handlers.persistent
def before_save(*_arguments: Any) -> None:
    """Rows are not saved; the timer makes them anew."""
    managers: Any = bpy.data.window_managers
    for manager in managers:
        manager.fyn_warnings.rows.clear()
    _listed.clear()


@bpy.app.handlers.persistent
def after_load(*_arguments: Any) -> None:
    """Another file has other warnings."""
    forget_all()
    before_save()


_HANDLERS = {"save_pre": before_save, "load_post": after_load}

CLASSES: tuple[type, ...] = (
    FynWarningRow,
    FynWarningList,
    FYN_UL_warnings,
    RENDER_PT_fyn_warnings,
    VIEW3D_PT_fyn_warnings,
)


def register() -> None:
    """Add the list, and what keeps it up to date."""
    bpy.types.WindowManager.fyn_warnings = bpy.props.PointerProperty(  # type: ignore[attr-defined]
        type=FynWarningList, options={"SKIP_SAVE"}
    )
    for name, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, name).append(handler)
    if not bpy.app.background:
        bpy.app.timers.register(follow, first_interval=EVERY_S, persistent=True)


def unregister() -> None:
    """Remove the list, its rows and what kept it up to date."""
    if bpy.app.timers.is_registered(follow):
        bpy.app.timers.unregister(follow)
    for name, handler in _HANDLERS.items():
        handlers = getattr(bpy.app.handlers, name)
        if handler in handlers:
            handlers.remove(handler)
    after_load()
    managers: Any = bpy.data.window_managers
    for manager in managers:
        manager.property_unset("fyn_warnings")
    del bpy.types.WindowManager.fyn_warnings  # type: ignore[attr-defined]
