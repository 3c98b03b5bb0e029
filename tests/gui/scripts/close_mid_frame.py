"""Quits Blender while the render thread is in the middle of a frame."""

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
    host = stage.part("addon.render_host")
    frame_started = []
    make = host._create_renderer

    def create(device):
        renderer = make(device)
        draw = renderer.render

        def slow(*arguments, **keywords):
            frame_started.append(time.monotonic())
            time.sleep(2.0)
            return draw(*arguments, **keywords)

        renderer.render = slow
        return renderer

    host._create_renderer = create
    _, _, space, _ = stage.views()[0]
    space.shading.type = "RENDERED"
    yield lambda: bool(frame_started)
    findings["quit at"] = time.time()
    findings["thread"] = host.render_thread().is_alive
    stage.write_findings()
    bpy.ops.wm.quit_blender()


stage.close_splash()
stage.play(script, quits=False)
