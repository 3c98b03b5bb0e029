"""An empty's lines in front of and behind a cube, over a Rendered view."""

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
    area, region, space, data = stage.views()[0]
    stage.show_bare(space)
    overlay = space.overlay
    overlay.show_overlays = True
    overlay.show_floor = overlay.show_axis_x = overlay.show_axis_y = overlay.show_cursor = False
    overlay.show_ortho_grid = False
    overlay.show_text = overlay.show_relationship_lines = overlay.show_object_origins = False
    background = stage.window().scene.world.node_tree.nodes["Background"]
    background.inputs["Color"].default_value = (1, 1, 1, 1)
    bpy.data.objects.remove(bpy.data.objects["Light"])
    bpy.data.objects.remove(bpy.data.objects["Camera"])
    with bpy.context.temp_override(window=stage.window(), area=area, region=region):
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.object.empty_add(type="SINGLE_ARROW", location=(0, -3, -2.5))
    empty = bpy.context.object or stage.window().view_layer.objects.active
    empty.empty_display_size = 5
    for one in stage.window().view_layer.objects:
        one.select_set(False, view_layer=stage.window().view_layer)
    data.view_distance = 12
    space.shading.type = "RENDERED"
    findings["rect"] = stage.rect_of(region)
    yield from shot("in front")
    empty.location.y = 3
    yield from shot("behind")


def shot(name):
    yield 0.5
    yield stage.is_settled
    yield 0.7
    stage.screenshot(name)


stage.close_splash()
stage.play(script)
