"""Plays a test script in Blender's window: a generator whose yields give Blender time.

A script yields seconds to wait, or a function that is asked until it is true. What it puts into
`findings` reaches the test; an exception reaches it as text. Blender quits at the end.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Generator
from pathlib import Path

import bpy

FOLDER = Path(os.environ["FYN_STAGE_FOLDER"])
EXTENSION = "bl_ext.user_default.fyn"
WAIT_LIMIT_S = 90.0

findings: dict = {}

Script = Callable[[], Generator[float | Callable[[], bool], None, None]]


def play(script: Script, *, quits: bool = True) -> None:
    """Play `script` from now on; Blender quits when it ends, unless the script does it.

    The file that the test named is opened first, in the layout of the factory settings.
    """
    if blend := os.environ["FYN_STAGE_BLEND"]:
        bpy.ops.wm.open_mainfile(filepath=blend, load_ui=False)
    steps = script()
    waiting: list = [None, 0.0]

    def step() -> float | None:
        try:
            condition, since = waiting
            if condition is not None and not condition():
                if time.monotonic() - since > WAIT_LIMIT_S:
                    raise TimeoutError(f"waited {WAIT_LIMIT_S} s for {condition}")
                return 0.05
            wish = next(steps)
            waiting[:] = [wish if callable(wish) else None, time.monotonic()]
            return 0.05 if callable(wish) else wish
        except StopIteration:
            pass
        except BaseException:
            findings["error"] = traceback.format_exc()
        write_findings()
        if quits or "error" in findings:
            bpy.ops.wm.quit_blender()
        return None

    bpy.app.timers.register(step, first_interval=1.0, persistent=True)


def write_findings() -> None:
    """Hand over what has been found so far."""
    (FOLDER / "findings.json").write_text(json.dumps(findings), "utf-8")


def arguments() -> list[str]:
    """Return what stands after `--`."""
    return sys.argv[sys.argv.index("--") + 1 :]


def enable_extension() -> None:
    """Enable Fyn as a user does in the preferences."""
    bpy.ops.preferences.addon_enable(module=EXTENSION)
    if EXTENSION not in bpy.context.preferences.addons:
        raise RuntimeError("the extension was not enabled")


def part(name: str):
    """Return the extension's module `name`, such as "addon.render_host"."""
    return sys.modules[f"{EXTENSION}.{name}"]


def window():
    return bpy.context.window_manager.windows[0]


def views(a_window=None):
    """Return the 3D views of a window, as (area, region, space, region data)."""
    found = []
    for area in (a_window or window()).screen.areas:
        if area.type == "VIEW_3D":
            region = next(r for r in area.regions if r.type == "WINDOW")
            found.append((area, region, area.spaces[0], area.spaces[0].region_3d))
    return found


def show_bare(space) -> None:
    """Leave nothing in a 3D view but the picture."""
    space.overlay.show_overlays = space.show_gizmo = False
    space.show_region_header = space.show_region_toolbar = space.show_region_ui = False
    space.show_region_tool_header = False


def use_fyn(scene=None) -> None:
    """Make Fyn the scene's engine, seen as it is."""
    scene = scene or window().scene
    scene.render.engine = "FYN"
    scene.view_settings.view_transform = "Standard"
    scene.view_settings.look = "None"
    scene.view_settings.exposure, scene.view_settings.gamma = 0, 1


def close_splash() -> None:
    """The splash screen lies over the views."""
    bpy.context.preferences.view.show_splash = False


def is_settled() -> bool:
    """Tell whether every Rendered view shows the newest frame of its scene."""
    redraw = part("addon.viewport.redraw")
    pool = part("addon.viewport.scene_pool")
    return pool.shared_scene_count() > 0 and not redraw._watched


def screenshot(name: str) -> None:
    """Write NAME.png of the first window, by Blender or (under OpenGL) by the X server."""
    path = FOLDER / f"{name}.png"
    import gpu

    if gpu.platform.backend_type_get() == "OPENGL":
        dump = FOLDER / "screen.xwd"
        subprocess.run(["xwd", "-root", "-silent", "-out", str(dump)], check=True)
        subprocess.run(["convert", f"xwd:{dump}", str(path)], check=True)
    else:
        with bpy.context.temp_override(window=window()):
            bpy.ops.screen.screenshot(filepath=str(path))


def press(key: str, region) -> None:
    """Press a key over a region, as the X server does it."""
    left, top, right, bottom = rect_of(region)
    point = [str((left + right) // 2), str((top + bottom) // 2)]
    subprocess.run(["xdotool", "mousemove", *point, "key", key], check=True)


def failures() -> list[str]:
    """Return what keeps Rendered views from showing a picture."""
    return [
        text
        for scene in part("addon.viewport.scene_pool")._shared.values()
        for viewport in scene._users
        if (text := scene.content.world.state(viewport._slot).failure)
    ]


def rect_of(region) -> list[int]:
    """Return left, top, right, bottom of a region in a screenshot's pixels."""
    height = window().height
    return [
        region.x,
        height - region.y - region.height,
        region.x + region.width,
        height - region.y,
    ]
