"""Disables and enables the extension twenty times in Rendered shading, and looks for rests."""

from __future__ import annotations

import logging
import sys
import threading
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))
import stage
from stage import findings

CYCLES = 20


def script():
    _, region, space, _ = stage.views()[0]
    stage.show_bare(space)
    scene = stage.window().scene
    before = traces()
    for cycle in range(CYCLES):
        stage.enable_extension()
        stage.use_fyn()
        space.shading.type = "RENDERED"
        # Only the first and the last cycle wait for a picture; others disable in mid-frame.
        yield stage.is_settled if cycle in (0, CYCLES - 1) else 0.15
        if cycle == CYCLES - 1:
            yield 0.7
            stage.screenshot("enabled")
        bpy.ops.preferences.addon_disable(module=stage.EXTENSION)
        yield 0.1
    yield 1.0
    stage.screenshot("disabled")
    findings["rect"] = stage.rect_of(region)
    after = traces()
    findings["left"] = {
        place: sorted(map(str, set(things) ^ set(before[place]))) for place, things in after.items()
    }
    findings["engine"] = scene.render.engine


def traces():
    """Everything an add-on can leave behind, by where."""
    panels = [p for p in bpy.types.Panel.__subclasses__() if "fyn" not in p.__module__]
    return {
        "panels": [
            p.__name__
            for p in bpy.types.Panel.__subclasses__()
            if getattr(p, "is_registered", False)
        ],
        "compat": [p.__name__ for p in panels if "FYN" in getattr(p, "COMPAT_ENGINES", ())],
        "engines": [
            e.__name__
            for e in bpy.types.RenderEngine.__subclasses__()
            if getattr(e, "is_registered", False)
        ],
        "types": [name for name in dir(bpy.types) if "fyn" in name.lower()],
        "threads": [t.name for t in threading.enumerate()],
        "handlers": [
            f"{name} {handler.__module__}"
            for name in dir(bpy.app.handlers)
            if isinstance(getattr(bpy.app.handlers, name), list)
            for handler in getattr(bpy.app.handlers, name)
        ],
        "timers": [
            name
            for name, module in sys.modules.items()
            if name.endswith("viewport.redraw") and bpy.app.timers.is_registered(module._tick)
        ],
        "log handlers": [type(h).__name__ for h in logging.getLogger("fyn").handlers],
    }


stage.close_splash()
stage.play(script)
