"""The panels that list warnings, filled by a Rendered view, before and after a repair."""

from __future__ import annotations

import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))
import stage
from stage import findings

NAMES = ("Ziegel", "Wände", "Boden")


def script():
    stage.enable_extension()
    stage.use_fyn()
    scene = stage.window().scene
    area, _, space, data = stage.views()[0]
    make_culprits(scene)
    space.show_region_ui = True
    space.shading.type = "RENDERED"
    data.view_perspective = "CAMERA"
    properties = next(a for a in stage.window().screen.areas if a.type == "PROPERTIES")
    properties.spaces[0].context = "RENDER"
    yield 0.5
    side_bar = next(region for region in area.regions if region.type == "UI")
    side_bar.active_panel_category = "Fyn"
    yield stage.is_settled
    yield lambda: len(bpy.context.window_manager.fyn_warnings.rows) > 0
    yield 1.0
    findings["before"] = listed()
    panels = next(region for region in properties.regions if region.type == "WINDOW")
    findings["properties"] = stage.rect_of(panels)
    stage.screenshot("before")

    # Undo steps are whole files: culprits made by a script are in none yet.
    board = stage.part("addon.scene_warnings")
    camera = next(w for w in board.warnings_of(scene) if w.cause == "CAMERA_DEPTH_OF_FIELD")
    lamp = next(w for w in board.warnings_of(scene) if w.cause == "LIGHT_NEGATIVE")
    window = bpy.context.window_manager.windows[0]
    region = next(region for region in area.regions if region.type == "WINDOW")
    bpy.context.window_manager.fyn_warnings.active = 7  # the missing picture
    with bpy.context.temp_override(window=window, area=area, region=region):
        bpy.ops.fyn.select_culprit(key=camera.key)
        findings["active"] = window.view_layer.objects.active.name
        bpy.ops.ed.undo_push(message="culprits")
        bpy.ops.fyn.fix_warning("EXEC_DEFAULT", True, key=lamp.key)
    yield 0.3
    yield stage.is_settled
    yield lambda: listed() != findings["before"]
    yield 1.0
    findings["after"] = listed()
    stage.screenshot("after")
    with bpy.context.temp_override(window=window, area=area, region=region):
        bpy.ops.ed.undo()
    yield 0.3
    yield stage.is_settled
    yield lambda: listed() == findings["before"]
    findings["undone"] = listed()


def listed():
    rows = bpy.context.window_manager.fyn_warnings.rows
    return [row.label if row.key else f"{row.title} ({row.count})" for row in rows]


def make_culprits(scene):
    """A camera, a lamp, a mesh, materials and a picture with something about each."""
    scene.camera.data.dof.use_dof = True
    lamp = bpy.data.objects["Light"].data
    lamp.energy = -1
    cube = bpy.data.objects["Cube"]
    cube.data.vertices.add(1)
    for name in NAMES:
        material = bpy.data.materials.new(name)
        if material.node_tree is None:
            material.use_nodes = True
        tree = material.node_tree
        noise = tree.nodes.new("ShaderNodeTexNoise")
        base = tree.nodes["Principled BSDF"].inputs["Base Color"]
        tree.links.new(noise.outputs["Color"], base)
        cube.data.materials.append(material)
    picture = bpy.data.images.new("Tapete [alt]", 4, 4)
    picture.source, picture.filepath = "FILE", "//texturen/tapete.png"
    tree = bpy.data.materials["Boden"].node_tree
    node = tree.nodes.new("ShaderNodeTexImage")
    node.image = picture
    tree.links.new(node.outputs["Color"], tree.nodes["Principled BSDF"].inputs["Emission Color"])
    tree.nodes["Principled BSDF"].inputs["Emission Strength"].default_value = 1


if __name__ == "__main__":
    stage.close_splash()
    stage.play(script)
