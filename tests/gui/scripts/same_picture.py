"""A Rendered camera view that fills the region, and F12 of the same camera at the same size."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))
import stage
from stage import findings

FRAME_FILLS_REGION = 50 * (2 - math.sqrt(2))
"""The camera zoom at which the longer side of the frame is as long as the region's."""


def script():
    stage.enable_extension()
    stage.use_fyn()
    scene = stage.window().scene
    change = stage.arguments()[0] if stage.arguments() else "plain"
    _, region, space, data = stage.views()[0]
    stage.show_bare(space)
    space.shading.type = "RENDERED"
    data.view_perspective = "CAMERA"
    data.view_camera_zoom = FRAME_FILLS_REGION
    yield 0.5
    scene.render.resolution_x, scene.render.resolution_y = region.width, region.height
    scene.render.resolution_percentage = 100
    scene.render.pixel_aspect_x = scene.render.pixel_aspect_y = 1
    camera = scene.camera.data
    camera.passepartout_alpha = 0
    if change == "shift":
        camera.shift_x, camera.shift_y = 0.2, -0.1
    if change == "parallel":
        camera.type, camera.ortho_scale = "ORTHO", 9.0
    if change == "transparent":
        scene.render.film_transparent = True
    yield 0.5
    yield stage.is_settled
    yield 1.0
    stage.screenshot("viewport")
    findings["rect"] = stage.rect_of(region)
    scene.render.image_settings.color_mode = "RGBA"
    scene.render.dither_intensity = 0
    scene.render.filepath = str(stage.FOLDER / "still.png")
    bpy.ops.render.render(write_still=True)


stage.close_splash()
stage.play(script)
