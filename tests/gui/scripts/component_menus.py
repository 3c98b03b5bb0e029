"""Menus and presets of a component opened, and one value changed for all selected by Alt."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))
import stage
from stage import findings

GLOW_BELOW_TOP = 178
"""Pixels from the top of the side bar to the middle of the field, at this window's scale."""


def script():
    stage.enable_extension()
    stage.use_fyn()
    for obj in list(bpy.data.objects):
        if obj.name != "Cube":
            bpy.data.objects.remove(obj)
    cube = bpy.data.objects["Cube"]
    other = cube.copy()
    bpy.context.collection.objects.link(other)
    other.location.x = 3
    only_components()
    area, region, space, _ = stage.views()[0]
    space.show_region_ui = True
    yield 0.5
    for obj in (cube, other):
        obj.select_set(True)
    stage.window().view_layer.objects.active = cube
    side_bar = next(r for r in area.regions if r.type == "UI")
    side_bar.active_panel_category = "Fyn"
    yield 1.0
    yield from change_with_alt(side_bar, cube)
    findings["glow"] = [cube.fyn.mesh.glow, other.fyn.mesh.glow]
    for name, call in (
        ("menu_add", lambda: bpy.ops.wm.call_menu(name="FYN_MT_entity_component_add")),
        ("menu_component", lambda: bpy.ops.wm.call_menu(name="FYN_MT_collider_component")),
        ("presets", lambda: bpy.ops.wm.call_panel(name="FYN_PT_behaviour_presets")),
    ):
        move(region.x + 300, stage.window().height - region.y - 400)
        yield 0.5
        with bpy.context.temp_override(window=stage.window(), area=area, region=region):
            call()
        yield 1.0
        stage.screenshot(name)
        subprocess.run(["xdotool", "key", "Escape"], check=True)
        yield 0.5
    findings["done"] = True


def change_with_alt(side_bar, cube):
    """Type 2 into the field Glow with Alt, as hands do: in the fourth row of the panel Mesh."""
    left, top, right, _ = stage.rect_of(side_bar)
    move((left + right) // 2 + 20, top + GLOW_BELOW_TOP)
    yield 0.5
    stage.screenshot("hover")
    press(["keydown", "alt"])
    yield 0.2
    press(["key", "Return"])
    yield 0.3
    press(["keyup", "alt"])
    yield 0.2
    press(["type", "2"], ["key", "Return"])
    yield 0.5


def only_components() -> None:
    """Hide other panels of the side bar's category, so that places in it are known."""
    for panel in stage.part("addon.engine_panels")._all_panels(bpy.types.Panel):
        is_other = "fyn_of_entity" not in panel.__name__ and "fyn_mesh" not in panel.__name__
        if getattr(panel, "bl_category", "") == "Fyn" and is_other:
            panel.poll = classmethod(lambda _cls, _context: False)


def press(*commands) -> None:
    for command in commands:
        subprocess.run(["xdotool", *command], check=True)


def move(x: int, y: int) -> None:
    subprocess.run(["xdotool", "mousemove", str(x), str(y)], check=True)


stage.close_splash()
stage.play(script)
