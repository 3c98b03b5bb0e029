"""Operators of the list of warnings: check the scene, select what is to blame, repair it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy

from ..culprits import culprit_of
from ..scene_warnings import cause_of, find, warnings_of
from ..sync.repairs import REPAIRS, Repair
from ..sync.scene_sync import SceneSync
from ..sync.warnings import SyncWarning
from ..warning_store import discard, keep
from .warning_fixes import FIXES, CannotFix
from .warning_selection import select


def repair_of(warning: SyncWarning) -> Repair | None:
    """Return the repair of what a warning is about, None if only the artist can decide."""
    cause = cause_of(warning)
    return None if cause is None else REPAIRS.get(cause.words.fix)


class _OfWarning:
    """What operators on one warning share; `key` is what `SyncWarning.key` says."""

    report: Any  # of bpy.types.Operator, which all of them are
    key: str

    def _found(self, context: Any) -> tuple[SyncWarning, Any] | None:
        """Return the warning and its culprit; None, with a report, if one of them is gone."""
        warning = find(context.scene, self.key)
        if warning is None:
            self.report({"WARNING"}, "This warning is out of date; press Check Scene")
            return None
        culprit = culprit_of(warning)
        if culprit is None:
            self.report({"WARNING"}, f"The {warning.kind} '{warning.name}' is gone")
            discard(context.scene.session_uid, warning)
            return None
        return warning, culprit

    def _fix(self, context: Any, path: str = "") -> set[str]:
        found = self._found(context)
        if found is None:
            return {"CANCELLED"}
        try:
            said = apply_fix(context, *found, path)
        except CannotFix as reason:
            self.report({"ERROR"}, str(reason))
            return {"CANCELLED"}
        self.report({"INFO"}, said)
        return {"FINISHED"}


def apply_fix(context: Any, warning: SyncWarning, culprit: Any, path: str = "") -> str:
    """Repair what a warning is about; returns what was done. Raises CannotFix."""
    cause = cause_of(warning)
    fix = None if cause is None else FIXES.get(cause.words.fix)
    if fix is None:
        raise CannotFix(f"Only you can decide what becomes of '{warning.name}'.")
    if culprit.library is not None and not isinstance(culprit, bpy.types.Library):
        where = culprit.library.filepath
        raise CannotFix(f"'{culprit.name}' is linked from '{where}'; repair it in that file.")
    said = fix(context, warning, culprit, path)
    discard(context.scene.session_uid, warning)
    return said


class FynCheckScene(bpy.types.Operator):
    """Read the scene as the viewport shows it and list what Fyn shows otherwise."""

    bl_idname = "fyn.check_scene"
    bl_label = "Check Scene"

    def execute(self, context: Any) -> set[str]:
        """Sync the scene and keep its warnings."""
        sync = SceneSync()
        sync.full(context.evaluated_depsgraph_get())
        keep(context.scene.session_uid, tuple(sync.warnings))
        count = len(warnings_of(context.scene))
        self.report({"INFO"}, f"{count} warning{'' if count == 1 else 's'}")
        return {"FINISHED"}


class FynSelectCulprit(_OfWarning, bpy.types.Operator):
    """Select what the warning is about, and turn open editors to it."""

    bl_idname = "fyn.select_culprit"
    bl_label = "Select"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012 - Blender's own convention

    key: bpy.props.StringProperty(options={"HIDDEN"})  # type: ignore[valid-type]

    def execute(self, context: Any) -> set[str]:
        """Select the culprit."""
        found = self._found(context)
        if found is None:
            return {"CANCELLED"}
        self.report({"INFO"}, select(context, *found))
        return {"FINISHED"}


class FynFixWarning(_OfWarning, bpy.types.Operator):
    """Repair what the warning is about."""

    bl_idname = "fyn.fix_warning"
    bl_label = "Fix"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012 - Blender's own convention

    key: bpy.props.StringProperty(options={"HIDDEN"})  # type: ignore[valid-type]

    @classmethod
    def description(cls, context: Any, properties: Any) -> str:
        """Return the tooltip: what this very repair does."""
        return _tooltip(context, properties.key, cls.__doc__ or "")

    def execute(self, context: Any) -> set[str]:
        """Repair it."""
        return self._fix(context)


class FynFixWithFile(_OfWarning, bpy.types.Operator):
    """Choose the file that the warning misses."""

    bl_idname = "fyn.fix_with_file"
    bl_label = "Find File"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012 - Blender's own convention

    key: bpy.props.StringProperty(options={"HIDDEN"})  # type: ignore[valid-type]
    filepath: bpy.props.StringProperty(subtype="FILE_PATH")  # type: ignore[valid-type]
    filter_image: bpy.props.BoolProperty(options={"HIDDEN"})  # type: ignore[valid-type]
    filter_blender: bpy.props.BoolProperty(options={"HIDDEN"})  # type: ignore[valid-type]
    filter_folder: bpy.props.BoolProperty(default=True, options={"HIDDEN"})  # type: ignore[valid-type]

    @classmethod
    def description(cls, context: Any, properties: Any) -> str:
        """Return the tooltip: what this very repair does."""
        return _tooltip(context, properties.key, cls.__doc__ or "")

    def invoke(self, context: Any, event: Any) -> set[str]:
        """Ask for the file, beginning where it was last."""
        found = self._found(context)
        if found is None:
            return {"CANCELLED"}
        warning, culprit = found
        is_library = warning.kind == "library"
        self.filter_blender, self.filter_image = is_library, not is_library
        self.filepath = bpy.path.abspath(getattr(culprit, "filepath", "") or "//")
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: Any) -> set[str]:
        """Repair it with the chosen file."""
        return self._fix(context, self.filepath)


class FynFixAll(bpy.types.Operator):
    """Repair everything that has this cause."""

    bl_idname = "fyn.fix_all_of_cause"
    bl_label = "Fix All"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012 - Blender's own convention

    cause: bpy.props.StringProperty(options={"HIDDEN"})  # type: ignore[valid-type]

    def execute(self, context: Any) -> set[str]:
        """Repair all that can be; what cannot is reported and stays in the list."""
        done, failures = fix_each(
            context, [one for one in warnings_of(context.scene) if one.cause == self.cause]
        )
        for failure in failures[:5]:
            self.report({"WARNING"}, failure)
        self.report({"INFO"}, f"{done} repaired" + (f", {len(failures)} not" if failures else ""))
        return {"FINISHED"} if done else {"CANCELLED"}


def fix_each(context: Any, warnings: Iterable[SyncWarning]) -> tuple[int, list[str]]:
    """Repair what several warnings are about; returns how many were, and why others were not."""
    done, failures = 0, []
    for warning in warnings:
        culprit = culprit_of(warning)
        if culprit is None:
            discard(context.scene.session_uid, warning)
            continue
        try:
            apply_fix(context, warning, culprit)
            done += 1
        except CannotFix as reason:
            failures.append(str(reason))
    return done, failures


def _tooltip(context: Any, key: str, otherwise: str) -> str:
    warning = find(context.scene, key)
    repair = None if warning is None else repair_of(warning)
    return otherwise if repair is None else repair.tooltip


CLASSES: tuple[type, ...] = (
    FynCheckScene,
    FynSelectCulprit,
    FynFixWarning,
    FynFixWithFile,
    FynFixAll,
)
