"""Sculpts, paints and edits with the mouse, and takes pictures in the middle of each stroke."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import bmesh
import bpy

sys.path.insert(0, str(Path(__file__).parent))
import stage
from stage import findings


def script():
    stage.enable_extension()
    stage.use_fyn()
    area, region, space, data = stage.views()[0]
    stage.show_bare(space)
    data.view_distance, data.view_perspective = 6.0, "ORTHO"
    findings["rect"] = stage.rect_of(region)
    cube = bpy.data.objects["Cube"]
    canvas = painted(cube)
    space.shading.type = "RENDERED"
    within = {"window": stage.window(), "area": area, "region": region}
    yield from shot("start")

    with bpy.context.temp_override(**within):
        bpy.ops.object.mode_set(mode="EDIT")
    mesh = bmesh.from_edit_mesh(cube.data)
    for vertex in mesh.verts:
        vertex.co.z *= 1.6
    bmesh.update_edit_mesh(cube.data)
    yield from shot("edit mode")
    with bpy.context.temp_override(**within):
        bpy.ops.mesh.subdivide(number_cuts=12)
        bpy.ops.object.mode_set(mode="OBJECT")
    yield from shot("before sculpting")

    for mode in ("SCULPT", "TEXTURE_PAINT", "WEIGHT_PAINT"):
        space.overlay.show_overlays = mode == "WEIGHT_PAINT"  # weights are an overlay
        with bpy.context.temp_override(**within):
            bpy.ops.object.mode_set(mode=mode)
        strengthen(mode, canvas)
        yield from shot(f"{mode} before")
        yield from stroke(region, f"{mode} during")
        yield from shot(f"{mode} after")
        with bpy.context.temp_override(**within):
            bpy.ops.object.mode_set(mode="OBJECT")


def painted(cube):
    """Give the cube's material a picture to paint on."""
    material = cube.active_material
    tree = material.node_tree
    picture = tree.nodes.new("ShaderNodeTexImage")
    picture.image = bpy.data.images.new("canvas", 256, 256)
    picture.image.generated_color = (0.5, 0.5, 0.5, 1)
    shader = next(node for node in tree.nodes if node.type == "BSDF_PRINCIPLED")
    tree.links.new(picture.outputs["Color"], shader.inputs["Base Color"])
    tree.nodes.active = picture
    return picture.image


def strengthen(mode, canvas):
    """Make the brush so large and strong that a picture tells."""
    tools = bpy.context.scene.tool_settings
    paint = {
        "SCULPT": tools.sculpt,
        "TEXTURE_PAINT": tools.image_paint,
        "WEIGHT_PAINT": tools.weight_paint,
    }[mode]
    settings = paint.unified_paint_settings if hasattr(paint, "unified_paint_settings") else None
    for owner in (settings, tools.unified_paint_settings if settings is None else None):
        if owner is not None:
            owner.size, owner.strength = 80, 1.0
            owner.color = (1, 0, 0)
    if mode == "TEXTURE_PAINT":
        tools.image_paint.mode = "IMAGE"
        tools.image_paint.canvas = canvas


def stroke(region, name):
    """Draw a line with the left button over the middle; the picture is taken before it ends."""
    left, top, right, bottom = stage.rect_of(region)
    x, y = (left + right) // 2 - 60, (top + bottom) // 2
    mouse("mousemove", x, y)
    yield 0.3
    mouse("mousedown", 1)
    for _ in range(12):
        mouse("mousemove_relative", 10, 2)
        yield 0.05
    yield 0.3
    yield stage.is_settled
    yield 0.5
    stage.screenshot(name)
    mouse("mouseup", 1)
    yield 0.3


def mouse(*words):
    subprocess.run(["xdotool", *map(str, words)], check=True)


def shot(name):
    yield 0.3
    yield stage.is_settled
    yield 0.5
    stage.screenshot(name)


stage.close_splash()
stage.play(script)
