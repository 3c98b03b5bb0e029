"""Views that cannot be drawn say why: a panoramic camera, a renderer that fails, and then not."""

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
    _, region, space, data = stage.views()[0]
    stage.show_bare(space)
    space.shading.type = "RENDERED"
    yield stage.is_settled
    findings["rect"] = stage.rect_of(region)
    data.view_perspective = "CAMERA"
    scene.camera.data.type = "PANO"
    yield 1.5
    stage.screenshot("panorama")
    scene.camera.data.type = "PERSP"
    yield 0.5
    yield stage.is_settled
    yield 1.0
    stage.screenshot("perspective")

    errors = stage.part("engine_core.errors")
    renderer_class = stage.part("engine_core.render.world_renderer").WorldRenderer
    render = renderer_class.render

    def fail(self, *arguments, **keywords):
        raise errors.ShaderError("mesh.frag, line 12: 'normall' : undeclared identifier")

    renderer_class.render = fail
    bpy.data.objects["Cube"].location.x += 0.5
    yield lambda: bool(stage.failures())
    yield 1.5
    stage.screenshot("failure")
    renderer_class.render = render
    bpy.data.objects["Cube"].location.x -= 0.5
    yield lambda: not stage.failures()
    yield stage.is_settled
    yield 1.0
    stage.screenshot("recovered")


stage.close_splash()
stage.play(script)
