"""Operators on components: add, remove, reset, copy, paste, fit, edit the lines of lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy

from ...engine_core.errors import UsageError
from ...engine_core.world.components import ALL_TYPES, Collider, Component
from ..components import clipboard, writing
from ..components.fitting import fit_collider
from ..components.homes import group_of
from ..components.rna import ADDED, tag_owner
from ..components.targets import is_editable, selected_beside, target

_COMPONENT: Any = bpy.props.StringProperty(
    name="Component", description="Key of the component", options={"SKIP_SAVE"}
)
_ALL: Any = bpy.props.BoolProperty(
    name="All Selected",
    description="Also for the other selected objects (hold Alt)",
    options={"SKIP_SAVE"},
)

_kept_text = ""
"""The last component copied, where there is no system clipboard (in the background)."""


class _OnComponent(bpy.types.Operator):
    """What all of them share: a component's key, and the datablock that the context shows."""

    bl_options = {"REGISTER", "UNDO", "INTERNAL"}  # noqa: RUF012 - Blender's own convention

    component: _COMPONENT  # type: ignore[valid-type]
    use_selected_objects: _ALL  # type: ignore[valid-type]

    @classmethod
    def description(cls, context: Any, properties: Any) -> str:
        """Say what it does, and what the component is."""
        kind = ALL_TYPES.get(properties.component)
        what = (cls.__doc__ or "").rstrip(".")
        return f"{what}.\n{first_sentence(kind)}" if kind else what

    def invoke(self, context: Any, event: Any) -> set[str]:
        """Alt means all selected objects, as it does for modifiers."""
        self.use_selected_objects = self.use_selected_objects or event.alt
        return self.execute(context)

    def execute(self, context: Any) -> set[str]:
        """Carry it out on every datablock that is meant; say which could not be changed."""
        kind = ALL_TYPES.get(self.component)
        datablock = None if kind is None else target(context, kind.owner)
        if kind is None or datablock is None:
            self.report({"ERROR"}, "There is nothing here that could have such a component.")
            return {"CANCELLED"}
        if not is_editable(datablock):
            self.report(
                {"ERROR"},
                f"'{datablock.name}' is linked from a library; make a library override first.",
            )
            return {"CANCELLED"}
        chosen = [datablock]
        if self.use_selected_objects:
            chosen += selected_beside(context, datablock, kind)
        try:
            done = [self.change(context, one, kind) for one in chosen]
        except UsageError as reason:
            self.report({"ERROR"}, str(reason))
            return {"CANCELLED"}
        return {"FINISHED"} if any(done) else {"CANCELLED"}

    def change(self, context: Any, datablock: Any, kind: type[Component]) -> bool:
        """Carry it out on one datablock; tell whether anything was done."""
        raise NotImplementedError


class FYN_OT_component_add(_OnComponent):
    """Add this component."""

    bl_idname = "fyn.component_add"
    bl_label = "Add Component"

    def change(self, context: Any, datablock: Any, kind: type[Component]) -> bool:
        """Add it, unless it is there; a new collider fits what is seen."""
        if getattr(group_of(datablock, kind), ADDED):
            return False
        writing.add(datablock, kind)
        if kind is Collider:
            fit_collider(datablock, context.evaluated_depsgraph_get())
        return True


class FYN_OT_component_remove(_OnComponent):
    """Remove this component and forget its values."""

    bl_idname = "fyn.component_remove"
    bl_label = "Remove"

    def change(self, context: Any, datablock: Any, kind: type[Component]) -> bool:
        """Remove it."""
        writing.remove(datablock, kind)
        return True


class FYN_OT_component_reset(_OnComponent):
    """Give every field its default."""

    bl_idname = "fyn.component_reset"
    bl_label = "Reset"

    def change(self, context: Any, datablock: Any, kind: type[Component]) -> bool:
        """Reset it."""
        writing.reset(datablock, kind)
        return True


class FYN_OT_component_copy(_OnComponent):
    """Copy the values of this component to the clipboard."""

    bl_idname = "fyn.component_copy"
    bl_label = "Copy"
    bl_options = {"INTERNAL"}  # noqa: RUF012 - (same); it changes nothing that could be undone

    def change(self, context: Any, datablock: Any, kind: type[Component]) -> bool:
        """Copy it."""
        global _kept_text
        _kept_text = clipboard.to_text(datablock, kind)
        context.window_manager.clipboard = _kept_text
        return True


class FYN_OT_component_paste(_OnComponent):
    """Set this component to what was copied, adding it if need be."""

    bl_idname = "fyn.component_paste"
    bl_label = "Paste"

    def change(self, context: Any, datablock: Any, kind: type[Component]) -> bool:
        """Paste it; raises UsageError if the clipboard holds another component."""
        found, values = clipboard.from_text(context.window_manager.clipboard or _kept_text)
        if found is not kind:
            raise UsageError(
                f"The clipboard holds a component {found.label}; paste it where one belongs."
            )
        for problem in _put(datablock, kind, values):
            self.report({"WARNING"}, f"Not pasted: {problem}.")
        return True


class FYN_OT_component_paste_new(bpy.types.Operator):
    """Add the component that was copied, or set it if it is there."""

    bl_idname = "fyn.component_paste_new"
    bl_label = "Paste Component"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012 - (same)

    def execute(self, context: Any) -> set[str]:
        """Paste whatever the clipboard holds."""
        try:
            kind, _values = clipboard.from_text(context.window_manager.clipboard or _kept_text)
        except UsageError as reason:
            self.report({"ERROR"}, str(reason))
            return {"CANCELLED"}
        paste: Any = bpy.ops.fyn.component_paste  # type: ignore[attr-defined]
        return paste(component=kind.key)


class FYN_OT_component_copy_to_selected(_OnComponent):
    """Give the other selected objects this component with the same values."""

    bl_idname = "fyn.component_copy_to_selected"
    bl_label = "Copy to Selected"

    def change(self, context: Any, datablock: Any, kind: type[Component]) -> bool:
        """Copy it; raises UsageError if nothing else is selected."""
        others = selected_beside(context, datablock, kind)
        if not others:
            raise UsageError("No other object that could have it is selected.")
        values = writing.values_of(datablock, kind)
        for other in others:
            _put(other, kind, values)
        self.report({"INFO"}, f"Copied to {len(others)}.")
        return True


class FYN_OT_collider_fit(_OnComponent):
    """Set the collider's middle and size to the bounds of what the object shows."""

    bl_idname = "fyn.collider_fit"
    bl_label = "Fit to Bounds"

    def change(self, context: Any, datablock: Any, kind: type[Component]) -> bool:
        """Fit it; raises UsageError if the object shows nothing."""
        if not fit_collider(datablock, context.evaluated_depsgraph_get()):
            raise UsageError(f"'{datablock.name}' shows nothing that a collider could fit.")
        return True


class _OnList(_OnComponent):
    """An operator on one list of a component."""

    field: bpy.props.StringProperty(options={"SKIP_SAVE"})  # type: ignore[valid-type]
    index: bpy.props.IntProperty(default=-1, options={"SKIP_SAVE"})  # type: ignore[valid-type]
    edit: Callable[[Any, int], None]

    def change(self, context: Any, datablock: Any, kind: type[Component]) -> bool:
        """Edit the list."""
        group = group_of(datablock, kind)
        type(self).edit(getattr(group, self.field), self.index)
        tag_owner(group, None)
        return True


class FYN_OT_list_add(_OnList):
    """Add a line."""

    bl_idname = "fyn.list_add"
    bl_label = "Add Line"

    edit = staticmethod(lambda items, _index: items.add())


class FYN_OT_list_remove(_OnList):
    """Remove this line."""

    bl_idname = "fyn.list_remove"
    bl_label = "Remove Line"

    edit = staticmethod(lambda items, index: items.remove(index))


CLASSES = (
    FYN_OT_component_add,
    FYN_OT_component_remove,
    FYN_OT_component_reset,
    FYN_OT_component_copy,
    FYN_OT_component_paste,
    FYN_OT_component_paste_new,
    FYN_OT_component_copy_to_selected,
    FYN_OT_collider_fit,
    FYN_OT_list_add,
    FYN_OT_list_remove,
)


def first_sentence(kind: type[Component]) -> str:
    """Return what a component is, in a sentence without a last full stop."""
    return (kind.__doc__ or "").strip().split("\n\n")[0].replace("\n    ", " ").rstrip(".")


def _put(datablock: Any, kind: type[Component], values: dict[str, Any]) -> list[str]:
    if kind.addable:
        writing.add(datablock, kind)
    return writing.set_values(datablock, kind, values)
