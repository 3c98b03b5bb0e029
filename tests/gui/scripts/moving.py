"""Turns a view and notes how large its frames are: while it turns, and once it is still."""

from __future__ import annotations

import sys
from pathlib import Path

import bpy
from mathutils import Quaternion

sys.path.insert(0, str(Path(__file__).parent))
import stage
from stage import findings

TURNS = 40


def script():
    stage.enable_extension()
    stage.use_fyn()
    _, region, space, data = stage.views()[0]
    stage.show_bare(space)
    space.shading.type = "RENDERED"
    yield stage.is_settled
    findings["region"] = [region.width, region.height]
    preferences = bpy.context.preferences.addons[stage.EXTENSION].preferences
    findings["is on by default"] = preferences.adapts_resolution
    preferences.moving_rate = 240  # more than software ever draws
    yield from turn(data, "adapting")
    preferences.adapts_resolution = False
    yield from turn(data, "fixed")


def turn(data, name):
    """Turn the view step by step, then let it rest."""
    sizes, found = set(), findings.setdefault(name, {})
    found["before"] = live_objects()
    for _ in range(TURNS):
        data.view_rotation = data.view_rotation @ Quaternion((0, 0, 1), 0.02)
        yield 0.05
        sizes.add(shown_size())
    found["moving"] = sorted(size for size in sizes if size)
    yield stage.is_settled
    yield 0.3
    yield stage.is_settled
    found["still"] = shown_size()
    found["after"] = live_objects()


def shown_size():
    """Return the size of the frame that the only view shows."""
    (scene,) = stage.part("addon.viewport.scene_pool")._shared.values()
    (viewport,) = scene._users
    picture = scene.content.world.state(viewport._slot).picture
    return picture and picture.frame.size


def live_objects():
    host = stage.part("addon.render_host")
    return host.render_thread().call(lambda device: device.live_objects_by_kind)


stage.close_splash()
stage.play(script)
