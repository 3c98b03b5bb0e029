"""File > Import and Export > Fyn Level."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import bpy
from bpy_extras.io_utils import ExportHelper, ImportHelper

from ...engine_core.errors import FynError
from ...engine_core.world.level_file import read_level
from ...exporters.level import export_level
from .. import warning_store
from ..headless import read_scene
from ..level_import.importer import import_world
from .bake import scene_materials_that_gain
from .bake_headless import bake_scene_materials

log = logging.getLogger("fyn.level")

SUFFIX = ".fyn"


def _path_of(operator: Any) -> Path:
    return Path(bpy.path.abspath(operator.filepath))


class FYN_OT_import_level(bpy.types.Operator, ImportHelper):
    """Read a level as a new scene: objects, materials, pictures and components"""

    bl_idname = "fyn.import_level"
    bl_label = "Import Fyn Level"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012 - Blender's own way of saying it

    filename_ext = SUFFIX
    filter_glob: bpy.props.StringProperty(default=f"*{SUFFIX}", options={"HIDDEN"})  # type: ignore[valid-type]

    def execute(self, context: Any) -> set[str]:
        """Read the level and show its scene."""
        path = _path_of(self)
        try:
            world = read_level(path)
            report = import_world(world, path.stem)
        except FynError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if context.window is not None:
            context.window.scene = report.scene
        for text in report.warnings:
            log.warning("%s", text)
        more = f"; {len(report.warnings)} remarks in the console" if report.warnings else ""
        self.report({"INFO"}, f"{len(report.objects)} objects from '{path.name}'{more}")
        return {"FINISHED"}


class FYN_OT_export_level(bpy.types.Operator, ExportHelper):
    """Write the scene as a level with its meshes and textures, as a render shows it"""

    bl_idname = "fyn.export_level"
    bl_label = "Export Fyn Level"

    filename_ext = SUFFIX
    filter_glob: bpy.props.StringProperty(default=f"*{SUFFIX}", options={"HIDDEN"})  # type: ignore[valid-type]
    bake: bpy.props.BoolProperty(  # type: ignore[valid-type]
        name="Bake Materials",
        description="Bake the materials that cannot be shown otherwise, with Cycles, before the"
        " export; their nodes stay as they are",
    )
    gaining: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})  # type: ignore[valid-type]

    def invoke(self, context: Any, event: Any) -> set[str]:
        """Find out what a bake would help, then ask for the file."""
        try:
            names = [material.name for material in scene_materials_that_gain(context.scene)]
        except FynError as error:
            log.warning("What a bake would help is not known: %s", error)
            names = []
        self.gaining = ", ".join(names)
        return super().invoke(context, event)  # type: ignore[return-value]

    def draw(self, _context: Any) -> None:
        """Offer the bake where it helps."""
        layout: Any = self.layout
        if not self.gaining:
            layout.label(text="All materials are shown as they are", icon="CHECKMARK")
            return
        layout.prop(self, "bake")
        box = layout.box()
        box.label(text="Simplified without a bake:", icon="INFO")
        for name in self.gaining.split(", "):
            box.label(text=name, icon="MATERIAL")

    def execute(self, context: Any) -> set[str]:
        """Write the level."""
        path = _path_of(self)
        try:
            if self.bake:
                refused = bake_scene_materials(context.scene).refused
                for name, reason in refused.items():
                    self.report({"WARNING"}, f"Material '{name}' was not baked: {reason}")
            loaded = read_scene(scene=context.scene.name, animated=True)
            report = export_level(loaded.world, path.parent, name=path.stem)
        except FynError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        warning_store.keep(context.scene.session_uid, loaded.warnings)
        for warning in (*loaded.warnings, *report.warnings):
            log.warning("%s", warning)
        count = len(loaded.warnings) + len(report.warnings)
        more = f"; {count} warnings, see the Fyn panel" if count else ""
        size = f"{len(report.files)} files, {report.total_size / 1e6:.1f} MB"
        self.report({"INFO"}, f"'{report.level.name}': {size}{more}")
        return {"FINISHED"}


CLASSES = (FYN_OT_import_level, FYN_OT_export_level)


def _import_entry(menu: Any, _context: Any) -> None:
    menu.layout.operator(FYN_OT_import_level.bl_idname, text="Fyn Level (.fyn)")


def _export_entry(menu: Any, _context: Any) -> None:
    menu.layout.operator(FYN_OT_export_level.bl_idname, text="Fyn Level (.fyn)")


def register() -> None:
    """Add the entries of the File menu."""
    bpy.types.TOPBAR_MT_file_import.append(_import_entry)  # type: ignore[arg-type]
    bpy.types.TOPBAR_MT_file_export.append(_export_entry)  # type: ignore[arg-type]


def unregister() -> None:
    """Take the entries away."""
    bpy.types.TOPBAR_MT_file_import.remove(_import_entry)  # type: ignore[arg-type]
    bpy.types.TOPBAR_MT_file_export.remove(_export_entry)  # type: ignore[arg-type]
