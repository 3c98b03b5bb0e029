"""Baking in a window: in edit mode, a cancelled one, a whole one, and taking it back."""

from __future__ import annotations

import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))
import stage
from stage import findings


def script():
    stage.enable_extension()
    stage.use_fyn()
    yield 0.5
    material = bpy.data.materials["Material"]
    tree = material.node_tree
    noise = tree.nodes.new("ShaderNodeTexNoise")
    tree.links.new(noise.outputs["Color"], tree.nodes["Principled BSDF"].inputs["Base Color"])
    material.fyn_bake.size = "2048"
    bpy.ops.ed.undo_push(message="a noise")
    with in_view():
        bpy.ops.object.mode_set(mode="EDIT")
    before = state()
    start()
    yield lambda: len(bpy.data.scenes) > 1
    operator = stage.window().modal_operators[0]
    findings["runs_as"] = operator.bl_idname
    area = next(a for a in stage.window().screen.areas if a.type == "VIEW_3D")
    stage.press("Escape", next(r for r in area.regions if r.type == "WINDOW"))
    yield lambda: not stage.window().modal_operators
    findings["cancelled"] = (state() == before, "fyn_baked" in bpy.data.materials["Material"])
    bpy.data.materials["Material"].fyn_bake.size = "64"
    start()
    yield lambda: "fyn_baked" in bpy.data.materials["Material"]
    yield lambda: not stage.window().modal_operators
    findings["baked"] = state() == before
    yield 1.0
    stage.screenshot("baked")
    with in_view():
        bpy.ops.ed.undo()
    yield 0.5
    findings["undone"] = "fyn_baked" not in bpy.data.materials["Material"]


def state():
    """What a bake must leave as it is."""
    scene = bpy.context.scene
    return [
        scene.name,
        scene.render.engine,
        bpy.context.view_layer.objects.active.name,
        bpy.data.objects["Cube"].mode,
        [o.name for o in bpy.data.objects],
        [s.name for s in bpy.data.scenes],
        [m.name for m in bpy.data.materials],
        [u.name for u in bpy.data.meshes["Cube"].uv_layers],
    ]


def in_view():
    """The context of the 3D viewport."""
    area = next(a for a in stage.window().screen.areas if a.type == "VIEW_3D")
    region = next(r for r in area.regions if r.type == "WINDOW")
    return bpy.context.temp_override(window=stage.window(), area=area, region=region)


def start():
    with in_view():
        bpy.ops.fyn.bake_material("INVOKE_DEFAULT", material="Material")


stage.play(script)
