"""Played in Blender's window by `draw_panels.py`: shows each panel of the user pages and takes it.

What is cut out of each picture is handed over as `findings["boxes"]`.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "gui" / "scripts"))
import components as panels
import stage
from stage import findings

Steps = Generator[float | Callable[[], bool], None, None]

TABS = {
    "panel-object": ("OBJECT", "Column"),
    "panel-scene": ("SCENE", "Coin"),
}
"""File: the tab of the properties, and the object that is active in it."""
VIEW_KEPT = 360
"""Pixels of the 3D view that are left beside its side bar."""
SIDE_BAR_HEIGHT = 584
MENUS = {
    "menu-pieces": ("FYN_MT_add", 430),
    "menu-add-component": ("FYN_MT_entity_component_add", 185),
    "menu-component": ("FYN_MT_collider_component", 235),
}
"""File: the menu, and the height of what is kept of it in pixels."""
MENU_WIDTH = 320


def script() -> Steps:
    """Take every picture."""
    stage.enable_extension()
    stage.use_fyn()
    yield 0.5
    build()
    area, region, space, data = stage.views()[0]
    space.shading.type = "RENDERED"
    space.overlay.show_floor = space.overlay.show_cursor = False
    space.overlay.show_text = False
    space.overlay.show_axis_x = space.overlay.show_axis_y = False
    space.show_region_ui = True
    data.view_location, data.view_distance = (0.5, 0, 0.5), 9.0
    yield 0.5
    side_bar = next(r for r in area.regions if r.type == "UI")
    side_bar.active_panel_category = "Fyn"
    bpy.context.preferences.view.show_tooltips = False
    panels.activate("Coin")
    yield stage.is_settled
    yield 1.5
    left, top, right, bottom = stage.rect_of(side_bar)
    take("side-bar", (left - VIEW_KEPT, top, right, min(bottom, top + SIDE_BAR_HEIGHT)))
    space.show_region_ui = False
    yield from menus(area, region)
    yield from browser(area)
    area.ui_type = "VIEW_3D"
    yield 0.5
    properties = wide_properties(area)
    yield 0.5
    window_region = next(r for r in properties.regions if r.type == "WINDOW")
    for name, (context, active) in TABS.items():
        panels.activate(active)
        yield 0.3
        properties.spaces[0].context = context
        yield 0.3
        panels.only_fyn(context)
        yield 1.0
        take(name, stage.rect_of(window_region))
    findings["done"] = True


def wide_properties(area: Any) -> Any:
    """Return a properties editor in the right part of `area`: wide enough for every word."""
    with bpy.context.temp_override(window=stage.window(), area=area):
        bpy.ops.screen.area_split(direction="VERTICAL", factor=0.38)
    views = [one for one in stage.window().screen.areas if one.type == "VIEW_3D"]
    right = max(views, key=lambda one: one.x)
    right.ui_type = "PROPERTIES"
    return right


def build() -> None:
    """A floor with some pieces on it, and a sun."""
    for obj in list(bpy.data.objects):
        if obj.name != "Light":
            bpy.data.objects.remove(obj)
    sun = bpy.data.objects["Light"]
    sun.name, sun.data.type, sun.data.energy = "Sun", "SUN", 1.6
    sun.location = (0, 12, 30)
    sun.data.name = "Sun"
    sun.data.color = (1.0, 0.87, 0.7)
    panels.in_view(lambda: bpy.ops.mesh.primitive_plane_add(size=30))
    for name, place in {
        "STEPS": (0.5, 1.2, 0),
        "COLUMN": (-2.6, 2.4, 0),
        "LANTERN": (3.2, 0.3, 0),
        "CRYSTALS": (-2.2, -0.9, 0),
        "COIN": (0.5, -0.6, 1.0),
    }.items():
        stage.window().scene.cursor.location = place
        panels.in_view(lambda key=name: bpy.ops.fyn.add_piece("EXEC_DEFAULT", True, piece=key))


def menus(area: Any, region: Any) -> Steps:
    """The menus of components and of pieces, each opened in the upper left of the view."""
    panels.activate("Column")
    left, top, *_ = stage.rect_of(region)
    for name, (menu, height) in MENUS.items():
        move(left + 300, top + 160)
        yield 0.4
        with bpy.context.temp_override(window=stage.window(), area=area, region=region):
            bpy.ops.wm.call_menu(name=menu)
        yield 1.0
        take(name, (left + 100, top + 70, left + 100 + MENU_WIDTH, top + 70 + height))
        subprocess.run(["xdotool", "key", "Escape"], check=True)
        yield 0.5


def browser(area: Any) -> Steps:
    """The pieces in the Asset Browser."""
    area.ui_type = "ASSETS"
    yield 1.0
    space = area.spaces[0]
    libraries = bpy.context.preferences.filepaths.asset_libraries
    space.params.asset_library_reference = next(
        library.name for library in libraries if "Fyn" in library.name
    )
    yield 3.0
    left, top = area.x, stage.window().height - area.y - area.height
    take("asset-browser", (left, top, left + area.width, top + 420))


def take(name: str, box: Sequence[int]) -> None:
    """Photograph the window, and say which part of it is wanted."""
    stage.screenshot(name)
    findings.setdefault("boxes", {})[name] = [int(value) for value in box]


def move(x: int, y: int) -> None:
    """Put the pointer somewhere in the window."""
    subprocess.run(["xdotool", "mousemove", str(x), str(y)], check=True)


stage.close_splash()
stage.play(script)
