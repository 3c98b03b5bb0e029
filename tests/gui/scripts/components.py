"""Panels of components in every tab and in the side bar, each drawn and photographed."""

from __future__ import annotations

import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))
import stage
from stage import findings

TABS = {
    "object": ("OBJECT", "Cube"),
    "light": ("DATA", "Light"),
    "camera": ("DATA", "Camera"),
    "world": ("WORLD", "Cube"),
    "scene": ("SCENE", "Cube"),
    "material": ("MATERIAL", "Cube"),
}
"""What is shown: the tab, and the object that is active. Material is the last: see `script`."""


def script():
    stage.enable_extension()
    stage.use_fyn()
    tall_properties()
    yield 0.5
    dress(bpy.data.objects["Cube"])
    view_area, _, space, _ = stage.views()[0]
    space.show_region_ui = True
    yield 0.5
    side_bar = next(r for r in view_area.regions if r.type == "UI")
    side_bar.active_panel_category = "Fyn"
    yield 1.0
    stage.screenshot("side_bar")
    stage.window().scene.render.engine = "BLENDER_WORKBENCH"
    yield 1.0
    stage.screenshot("side_bar_of_another_engine")
    stage.use_fyn()
    space.show_region_ui = False
    area = properties_area()
    for name, (context, active) in TABS.items():
        activate(active)
        yield 0.3
        area.spaces[0].context = context
        yield 0.3
        only_fyn(context)
        yield 0.7
        stage.screenshot(f"tab_{name}")
    # Blender waits for the preview of the material when it quits, and a script that quits keeps
    # Python from drawing it: let it be done.
    preview = bpy.data.materials["Material"].preview
    yield lambda: preview is None or any(preview.icon_pixels_float[3::4])
    yield 1.0
    findings["done"] = True


def dress(cube) -> None:
    """Give the cube one of each component."""
    activate("Cube")
    for component in ("collider", "behaviour", "tags"):
        in_view(lambda key=component: bpy.ops.fyn.component_add(component=key))
    cube.fyn.collider.shape = "capsule"
    cube.fyn.behaviour.collectible = True
    in_view(lambda: bpy.ops.fyn.list_add(component="tags", field="tags"))
    cube.fyn.tags.tags[0].word = "enemy"


def activate(name: str) -> None:
    """Make one object the selected and active one."""
    for obj in bpy.data.objects:
        obj.select_set(obj.name == name)
    stage.window().view_layer.objects.active = bpy.data.objects[name]


def in_view(function):
    """Call `function` as if from the 3D view."""
    area, region, _, _ = stage.views()[0]
    with bpy.context.temp_override(window=stage.window(), area=area, region=region):
        return function()


def properties_area():
    """Return the properties editor."""
    return next(a for a in stage.window().screen.areas if a.type == "PROPERTIES")


def tall_properties() -> None:
    """Make the properties editor as high as the window, in place of the outliner above it."""
    area = properties_area()
    screen = stage.window().screen
    above = next(a for a in screen.areas if a.type == "OUTLINER")
    with bpy.context.temp_override(window=stage.window(), screen=screen):
        bpy.ops.screen.area_join(
            source_xy=(area.x + 20, area.y + 20), target_xy=(above.x + 20, above.y + 20)
        )


def only_fyn(context: str) -> None:
    """Take Blender's own panels out of a tab, so that Fyn's are on the picture whole."""
    for panel in stage.part("addon.engine_panels")._all_panels(bpy.types.Panel):
        if getattr(panel, "is_registered", False) and (
            getattr(panel, "bl_space_type", "") == "PROPERTIES"
            and getattr(panel, "bl_context", "") == context.lower()
            and panel.__module__.startswith("bl_ui.")
            and "context" not in panel.__name__
        ):
            bpy.utils.unregister_class(panel)


if __name__ == "__main__":  # so Blender runs it; draw_panels.py only borrows from it
    stage.close_splash()
    stage.play(script)
