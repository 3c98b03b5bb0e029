"""A Rendered view follows edits, undo, playback, local view, a render region and its pixel size."""

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
    scene = stage.window().scene
    area, region, space, data = stage.views()[0]
    stage.show_bare(space)
    space.shading.type = "RENDERED"
    data.view_perspective = "CAMERA"
    scene.camera.data.passepartout_alpha = 0
    findings["rect"] = stage.rect_of(region)
    cube = bpy.data.objects["Cube"]
    within = bpy.context.temp_override(window=stage.window(), area=area, region=region)
    with within:
        bpy.ops.ed.undo_push(message="start")
    yield from shot("start")

    for vertex in cube.data.vertices:
        vertex.co *= 1.5
    cube.data.update()
    with within:
        bpy.ops.ed.undo_push(message="grown")
    yield from shot("mesh edited")
    with within:
        bpy.ops.ed.undo()
    yield from shot("undone")

    # Undo has replaced every datablock.
    cube, scene = bpy.data.objects["Cube"], stage.window().scene
    with within:
        bpy.ops.mesh.primitive_uv_sphere_add(location=(2.5, 0, 0))
    sphere = bpy.context.window.view_layer.objects.active
    yield from shot("added")
    sphere.select_set(True)
    with within:
        bpy.ops.view3d.localview()
    yield from shot("local")
    cube.location.z = 1.0
    yield from shot("hidden one moved")
    cube.location.z = 0.0
    with within:
        bpy.ops.view3d.localview()
    yield from shot("global")
    bpy.data.objects.remove(sphere)
    yield from shot("removed")

    cube.keyframe_insert("location", frame=1)
    cube.location.x = 2.0
    cube.keyframe_insert("location", frame=20)
    scene.frame_set(20)
    yield from shot("frame 20")
    scene.frame_set(1)
    yield from shot("frame 1")
    with within:
        bpy.ops.screen.animation_play()
    yield 2.0
    with within:
        bpy.ops.screen.animation_cancel(restore_frame=False)
    scene.frame_set(1)
    yield from shot("played")

    scene.render.use_border = True
    scene.render.border_min_x, scene.render.border_max_x = 0.5, 0.75
    scene.render.border_min_y, scene.render.border_max_y = 0.25, 0.75
    yield from shot("region")
    views = stage.part("addon.views")
    findings["frame"] = views.camera_frame(scene.camera, region, data, scene)
    scene.render.use_border = False
    scene.render.preview_pixel_size = "8"
    yield from shot("coarse")
    scene.render.preview_pixel_size = "1"
    yield from shot("fine")


def shot(name):
    yield 0.3
    yield stage.is_settled
    yield 0.5
    stage.screenshot(name)


stage.close_splash()
stage.play(script)
