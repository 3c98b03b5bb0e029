"""Shift+A > Fyn: every piece added and undone; the library in the preferences and Asset Browser."""

from __future__ import annotations

import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))
import stage
from stage import findings


def script():
    stage.enable_extension()
    stage.press("Escape", stage.views()[0][1])  # the splash screen
    yield 0.5
    findings["libraries"] = [libraries()]
    bpy.ops.preferences.addon_disable(module=stage.EXTENSION)
    findings["libraries"].append(libraries())
    for _ in range(2):
        stage.enable_extension()
    findings["libraries"].append(libraries())
    bpy.ops.wm.save_userpref()
    bpy.ops.wm.read_userpref()
    yield 0.5
    findings["libraries"].append(libraries())
    findings["enabled_after_reading"] = stage.EXTENSION in bpy.context.preferences.addons
    stage.use_fyn()
    yield from pieces()
    yield from menu()
    yield from browser()


def libraries() -> list[str]:
    """Names of the asset libraries that are Fyn's."""
    found = bpy.context.preferences.filepaths.asset_libraries
    return [library.name for library in found if "Fyn" in library.name]


def counts() -> dict[str, int]:
    """How many of each datablock there are."""
    names = ("objects", "meshes", "materials", "images", "lights", "collections", "libraries")
    return {name: len(getattr(bpy.data, name)) for name in names}


def in_view(function):
    area, region, _, _ = stage.views()[0]
    with bpy.context.temp_override(window=stage.window(), area=area, region=region):
        return function()


def pieces():
    """Add and undo each piece: after an undo everything is as before."""
    catalogue = stage.part("addon.pieces.catalogue")
    in_view(lambda: bpy.ops.ed.undo_push(message="start"))
    findings["left_by_undo"], findings["added"] = {}, []
    for piece in catalogue.PIECES:
        before = counts()
        done = in_view(
            lambda key=piece.identifier: bpy.ops.fyn.add_piece("EXEC_DEFAULT", True, piece=key)
        )
        if done == {"FINISHED"} and piece.name in bpy.data.objects:
            findings["added"].append(piece.name)
        in_view(bpy.ops.ed.undo)
        yield 0.1
        if counts() != before or piece.name in bpy.data.objects:
            findings["left_by_undo"][piece.name] = [before, counts()]
    for number, piece in enumerate(catalogue.PIECES):
        stage.window().scene.cursor.location = (number % 4 * 3 - 5, number // 4 * 4 - 4, 0)
        in_view(lambda key=piece.identifier: bpy.ops.fyn.add_piece("EXEC_DEFAULT", True, piece=key))
    _, _, space, _ = stage.views()[0]
    space.shading.type = "RENDERED"
    yield stage.is_settled
    yield 0.7
    stage.screenshot("all_pieces")
    findings["failures"] = stage.failures()


def menu():
    """The menu as Blender draws it."""
    space = stage.views()[0][2]
    space.shading.type = "SOLID"
    area, region, _, _ = stage.views()[0]
    with bpy.context.temp_override(window=stage.window(), area=area, region=region):
        bpy.ops.wm.call_menu(name="FYN_MT_add")
    yield 1.0
    stage.screenshot("menu")
    stage.press("Escape", region)
    yield 0.5


def browser():
    """The library in the Asset Browser, and a piece dropped from it as Blender does that."""
    area = max(stage.window().screen.areas, key=lambda a: a.width * a.height)
    area.ui_type = "ASSETS"
    yield 1.0
    space = area.spaces[0]
    space.params.asset_library_reference = libraries()[0]
    yield 3.0
    stage.screenshot("browser")
    area.ui_type = "VIEW_3D"
    yield 0.5
    before = set(bpy.data.objects)
    library = bpy.context.preferences.filepaths.asset_libraries[libraries()[0]]
    in_view(
        lambda: bpy.ops.wm.append(
            directory=str(Path(library.path) / "pieces.blend" / "Collection"),
            filename="Coin",
            instance_collections=False,
        )
    )
    come = [obj for obj in bpy.data.objects if obj not in before]
    findings["appended"] = {o.name: bool(o.fyn.behaviour.collectible) for o in come}
    findings["done"] = True


stage.play(script)
