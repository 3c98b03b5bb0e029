"""Two views of one window and one of a second window follow the same edits and a resize."""

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
    area, region, space, _ = stage.views()[0]
    stage.show_bare(space)
    space.shading.type = "RENDERED"
    with bpy.context.temp_override(window=stage.window(), area=area, region=region):
        bpy.ops.screen.area_split(direction="VERTICAL", factor=0.4)
    yield 0.5
    views = stage.views()
    for view in views:
        stage.show_bare(view[2])
        view[2].shading.type = "RENDERED"
    views[0][3].view_perspective = "CAMERA"
    views[1][3].view_perspective = "ORTHO"
    yield from shot("both")
    cube = bpy.data.objects["Cube"]
    cube.scale = (2.0, 0.5, 0.5)
    cube.active_material.diffuse_color = (1, 0, 0, 1)
    yield from shot("edited")
    findings["scenes"] = stage.part("addon.viewport.scene_pool").shared_scene_count()

    with bpy.context.temp_override(window=stage.window(), area=views[1][0], region=views[1][1]):
        bpy.ops.screen.area_split(direction="HORIZONTAL", factor=0.5)
    for view in stage.views():
        view[2].shading.type = "RENDERED"
    yield from shot("three")

    with bpy.context.temp_override(window=stage.window(), area=views[0][0], region=views[0][1]):
        bpy.ops.screen.screen_full_area()
    yield from shot("maximised")
    with bpy.context.temp_override(window=stage.window(), area=stage.views()[0][0]):
        bpy.ops.screen.screen_full_area()
    yield from shot("restored")

    with bpy.context.temp_override(window=stage.window(), area=stage.views()[0][0]):
        bpy.ops.screen.area_dupli("INVOKE_DEFAULT")
    yield 1.0
    findings["windows"] = len(bpy.context.window_manager.windows)
    second = bpy.context.window_manager.windows[1]
    yield stage.is_settled
    findings["second"] = sizes_drawn(second)
    with bpy.context.temp_override(window=second):
        bpy.ops.wm.window_close()
    yield 1.0
    for _, _, space, _ in stage.views():
        space.shading.type = "SOLID"
    yield 1.0
    findings["scenes in the end"] = stage.part("addon.viewport.scene_pool").shared_scene_count()


def shot(name):
    yield 0.3
    yield stage.is_settled
    yield 0.7
    stage.screenshot(name)
    findings[name] = {"rects": [stage.rect_of(view[1]) for view in stage.views()]}
    findings[name]["sizes"] = sizes_drawn(stage.window())


def sizes_drawn(window):
    """Return for each view of `window` the size of its region; and all sizes of newest frames."""
    regions = [[view[1].width, view[1].height] for view in stage.views(window)]
    pool = stage.part("addon.viewport.scene_pool")
    frames = []
    for scene in pool._shared.values():
        for viewport in scene._users:
            picture = scene.content.world.state(viewport._slot).picture
            frames.append(list(picture.frame.size) if picture else None)
    return {"regions": regions, "frames": frames}


stage.close_splash()
stage.play(script)
