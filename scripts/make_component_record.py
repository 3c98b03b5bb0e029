"""Saves the .blend by which tests know what the present version keeps; once for each version.

A record is never made anew for an older version: it is what that version really saved.
"""

from __future__ import annotations

import sys
from pathlib import Path

import bpy

import fyn
from fyn.addon.components.writing import add, set_values
from fyn.engine_core.world.components import Behaviour, Collider, Tags
from fyn.engine_core.world.level_document import VERSION

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "blender" / "data"


def main() -> None:
    """Save tests/blender/data/components_version_N.blend."""
    file = FOLDER / f"components_version_{VERSION}.blend"
    if file.exists():
        sys.exit(f"{file.name} is there already.")
    fyn.register()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    fill(scene)
    bpy.data.libraries.write(str(file), {scene}, compress=True)
    print(f"{file.name}: {file.stat().st_size} bytes")


def fill(scene: bpy.types.Scene) -> None:
    """Set something of every component."""
    mesh = bpy.data.meshes.new("Thing")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    thing = bpy.data.objects.new("Thing", mesh)
    lamp = bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT"))
    eye = bpy.data.objects.new("Eye", bpy.data.cameras.new("Eye"))
    for one in (thing, lamp, eye):
        scene.collection.objects.link(one)
    for kind, values in (
        (Collider, {"shape": "capsule", "friction": 0.25, "center": (1, 2, 3)}),
        (Tags, {"tags": ["enemy", "opens_at_night"]}),
        (
            Behaviour,
            {"spin_speed": 1.5, "spin_axis": (1, 0, 0), "collectible": True, "value": 5},
        ),
    ):
        add(thing, kind)
        set_values(thing, kind, values)
    thing.fyn.mesh.glow, thing.fyn.mesh.sides = 1.5, "single"
    lamp.data.fyn.light.importance = 2.0
    eye.data.fyn.camera.exposure = -1.0
    scene.world = bpy.data.worlds.new("World")
    scene.world.fyn.environment.ambient = 0.5
    scene.fyn.render.tone_map, scene.fyn.render.samples = "hable", "2"


if __name__ == "__main__":
    main()
