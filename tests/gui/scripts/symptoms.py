"""What goes wrong in other renderers' add-ons: undo while drawing, resizing, unlocked renders."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))
import stage
from stage import findings

RESIZES = 12


def script():
    stage.enable_extension()
    stage.use_fyn()
    space = stage.views()[0][2]
    space.shading.type = "RENDERED"
    bpy.context.preferences.view.render_display_type = "NONE"
    yield stage.is_settled
    yield from only_one_renders()
    yield from resizing()
    yield from undo_while_drawing()
    yield from unlocked_render()


def within():
    area, region, _, _ = stage.views()[0]
    return bpy.context.temp_override(window=stage.window(), area=area, region=region)


def only_one_renders():
    """Of two views one is Rendered: only that costs anything."""
    with within():
        bpy.ops.screen.area_split(direction="VERTICAL", factor=0.5)
    yield 0.3
    stage.views()[1][2].shading.type = "SOLID"
    bpy.data.objects["Cube"].location.x = 1
    yield 0.3
    yield stage.is_settled
    pool = stage.part("addon.viewport.scene_pool")
    findings["views drawn"] = [len(scene._users) for scene in pool._shared.values()]
    findings["slots"] = [len(scene.content.world._slots) for scene in pool._shared.values()]


def resizing():
    """A sidebar that takes its room from the view opens and closes."""
    bpy.context.preferences.system.use_region_overlap = False
    space, region = stage.views()[0][2], stage.views()[0][1]
    space.show_region_ui = False
    yield from settled()
    findings["before resizing"] = live_objects()
    widths = set()
    for number in range(RESIZES):
        space.show_region_ui = number % 2 == 0
        yield 0.1
        widths.add(region.width)
    findings["widths"] = len(widths)
    yield from settled()
    findings["after resizing"] = live_objects()
    findings["failures"] = stage.failures()


def undo_while_drawing():
    """Undo comes while the frame of what is undone is being drawn."""
    renderer_class = stage.part("engine_core.render.world_renderer").WorldRenderer
    draw, started = renderer_class.render, []

    def slow(self, *arguments, **keywords):
        started.append(time.monotonic())
        time.sleep(0.5)
        return draw(self, *arguments, **keywords)

    with within():
        bpy.ops.ed.undo_push(message="start")
    renderer_class.render = slow
    for number in range(4):
        bpy.data.objects["Cube"].location.x = number + 2.0
        with within():
            bpy.ops.ed.undo_push(message="moved")
        started.clear()
        yield lambda: bool(started)
        with within():
            bpy.ops.ed.undo()
        yield 0.1
    renderer_class.render = draw
    yield from settled()
    findings["place after undo"] = bpy.data.objects["Cube"].location.x
    pool = stage.part("addon.viewport.scene_pool")
    (shared,) = pool._shared.values()
    sync = shared.content._sync
    key = (bpy.data.objects["Cube"].session_uid,)
    findings["entity after undo"] = sync._entities.value(key).transform.translation[0]
    findings["failures"] += stage.failures()


def unlocked_render():
    """F12 with the interface unlocked while the scene is edited under a Rendered view."""
    scene = stage.window().scene
    scene.render.use_lock_interface = False
    scene.render.resolution_x, scene.render.resolution_y = 320, 180
    ended = []
    for name in ("render_complete", "render_cancel"):
        getattr(bpy.app.handlers, name).append(lambda *_, name=name: ended.append(name))
    with within():
        bpy.ops.render.render("INVOKE_DEFAULT")
    number = 0
    while not ended and number < 600:
        number += 1
        bpy.data.objects["Cube"].location.y = number * 0.01
        yield 0.05
    yield lambda: not bpy.app.is_job_running("RENDER")
    findings["render"] = ended
    bpy.data.images["Render Result"].save_render(str(stage.FOLDER / "unlocked.png"))
    yield from settled()
    findings["failures"] += stage.failures()


def settled():
    yield 0.3
    yield stage.is_settled


def live_objects():
    host = stage.part("addon.render_host")
    return host.render_thread().call(lambda device: device.live_objects_by_kind)


stage.close_splash()
stage.play(script)
