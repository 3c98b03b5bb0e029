"""File > Import > Fyn Level in a window: undone, redone, again, edited, exported, linked."""

from __future__ import annotations

import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))
import stage
from stage import findings


def script():
    stage.enable_extension()
    stage.press("Escape", stage.views()[0][1])  # the splash screen
    stage.use_fyn()
    level = stage.arguments()[0]
    yield 0.5
    in_view(lambda: bpy.ops.ed.undo_push(message="start"))
    before = names()
    findings["first"] = import_level(level)
    findings["engine"] = stage.window().scene.render.engine
    _, _, space, _ = stage.views()[0]
    space.shading.type = "RENDERED"
    yield stage.is_settled
    yield 0.7
    stage.screenshot("imported")
    findings["failures"] = stage.failures()
    in_view(bpy.ops.ed.undo)
    yield 0.7
    findings["left_by_undo"] = sorted(set(names()) ^ set(before))
    findings["scene_after_undo"] = stage.window().scene.name
    in_view(bpy.ops.ed.redo)
    yield 0.7
    findings["redone"] = "level" in bpy.data.scenes
    scene = bpy.data.scenes["level"]
    stage.window().scene = scene
    next(obj for obj in scene.objects if obj.type == "MESH").location.x += 0.5
    in_view(lambda: bpy.ops.fyn.export_level(filepath=str(stage.FOLDER / "again" / "level.fyn")))
    blend = stage.FOLDER / "imported.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend), copy=True)
    findings["second"] = import_level(level)
    yield 0.5
    bpy.ops.wm.read_homefile(use_factory_startup=True, load_ui=False)
    yield 0.5
    with bpy.data.libraries.load(str(blend), link=True) as (there, here):
        here.scenes = [name for name in there.scenes if name == "level"]
    stage.window().scene = here.scenes[0]
    in_view(lambda: bpy.ops.fyn.export_level(filepath=str(stage.FOLDER / "linked" / "level.fyn")))
    findings["done"] = True


def import_level(level: str) -> list[str]:
    found = in_view(lambda: bpy.ops.fyn.import_level("EXEC_DEFAULT", True, filepath=level))
    return [*found, stage.window().scene.name]


def names() -> list[str]:
    """Every datablock of the kinds that an import makes."""
    kinds = ("objects", "meshes", "materials", "images", "lights", "cameras", "worlds", "scenes")
    return [f"{kind}:{one.name}" for kind in kinds for one in getattr(bpy.data, kind)]


def in_view(function):
    area, region, _, _ = stage.views()[0]
    with bpy.context.temp_override(window=stage.window(), area=area, region=region):
        return function()


stage.play(script)
