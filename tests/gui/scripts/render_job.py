"""F12 as a job beside a Rendered view: one that ends, and one that Escape ends."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))
import stage
from stage import findings


def script():
    stage.enable_extension()
    stage.use_fyn()
    scene = stage.window().scene
    area, region, space, _ = stage.views()[0]
    space.shading.type = "RENDERED"
    bpy.context.preferences.view.render_display_type = "NONE"
    yield stage.is_settled
    scene.render.resolution_x, scene.render.resolution_y = 320, 180
    scene.render.resolution_percentage = 100
    ended = []
    for name in ("render_complete", "render_cancel"):
        getattr(bpy.app.handlers, name).append(lambda *_, name=name: ended.append(name))

    with bpy.context.temp_override(window=stage.window(), area=area, region=region):
        bpy.ops.render.render("INVOKE_DEFAULT")
    yield lambda: bool(ended)
    yield lambda: not bpy.app.is_job_running("RENDER")
    bpy.data.images["Render Result"].save_render(str(stage.FOLDER / "job.png"))
    yield 1.0

    renderer_class = stage.part("engine_core.render.world_renderer").WorldRenderer
    draw, started = renderer_class.render, []

    def slow(self, *arguments, **keywords):
        started.append(time.monotonic())
        time.sleep(6.0)
        return draw(self, *arguments, **keywords)

    renderer_class.render = slow
    space.shading.type = "SOLID"
    bpy.ops.render.render("INVOKE_DEFAULT")
    yield lambda: bool(started)
    stage.press("Escape", region)
    yield lambda: len(ended) > 1
    findings["seconds to cancel"] = time.monotonic() - started[0]
    findings["ended"] = ended
    renderer_class.render = draw


stage.close_splash()
stage.play(script)
