"""Makes addon/pieces/pieces.blend, the library of ready-made pieces: needs the bpy module.

The shapes and materials are those of the starter level; the pictures in the Asset Browser are drawn
by Fyn's own renderer.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
from msgspec.structs import replace
from starter import shapes
from starter.scene import Level

from fyn.addon.components import registration
from fyn.addon.pieces.adding import MARK, give_components
from fyn.addon.pieces.catalogue import (
    CATALOGS,
    LIBRARY,
    PIECES,
    Piece,
    catalog_id,
    catalog_text,
    groups,
)
from fyn.addon.sync.render_depsgraph import with_render_depsgraph
from fyn.addon.sync.scene_sync import SceneSync
from fyn.engine_core.render.framing import framing
from fyn.engine_core.render.world_renderer import render_world
from fyn.engine_core.world.components import Environment, LightComponent
from fyn.engine_core.world.entity import Entity, Transform
from fyn.engine_core.world.world import World

ORIGIN = (0.0, 0.0, 0.0)
PREVIEW = 128


def main() -> None:
    """Build every piece in an empty file and save it."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    level = Level()
    registration.register()
    for piece in PIECES:
        BUILDERS[piece.name](level, piece.name)
        give_components(bpy.data.objects[piece.name], piece)
    for material in bpy.data.materials:
        if not material.users:
            bpy.data.materials.remove(material)
    for image in bpy.data.images:
        if not image.users:
            bpy.data.images.remove(image)
    for kind in ("images", "materials", "meshes"):
        for datablock in getattr(bpy.data, kind):
            datablock[MARK] = datablock.name
    pictures = {piece.name: picture(level.collections[piece.name]) for piece in PIECES}
    for piece in PIECES:
        mark(piece, level.collections[piece.name], pictures[piece.name])
    for piece in PIECES:  # in no scene: whoever opens the file does not see all in one place
        level.scene.collection.children.unlink(level.collections[piece.name])
        level.collections[piece.name].use_fake_user = True
    save(LIBRARY)
    CATALOGS.write_text(catalog_text(list(groups())), "utf-8")
    print(f"{LIBRARY}: {LIBRARY.stat().st_size / 1e6:.2f} MB, {len(PIECES)} pieces")


def put(level: Level, piece: str, name: str, data: Any, at: tuple = ORIGIN) -> Any:
    """An object of a piece; the first is the piece's own, the others hang on it."""
    made = level.place(piece, name, data, at)
    objects = level.collections[piece].objects
    made[MARK] = name
    if len(objects) > 1:
        made.parent = bpy.data.objects[piece]
    return made


def coin(level: Level, name: str) -> None:
    """A thick disc that stands upright over its place on the ground."""
    rim = [(0.001, -0.05), (0.32, -0.05), (0.36, -0.09), (0.42, -0.09), (0.45, -0.05),
           (0.45, 0.05), (0.42, 0.09), (0.36, 0.09), (0.32, 0.05), (0.001, 0.05)]  # fmt: skip
    mesh = level.mesh(name, shapes.turned(rim, 48), "ball0", 30)
    turn = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    points = np.array([vertex.co for vertex in mesh.vertices]) @ turn.T
    points[:, 2] += 0.6
    mesh.vertices.foreach_set("co", points.astype(np.float32).ravel())
    put(level, name, name, mesh)


def platform(level: Level, name: str) -> None:
    """A slab, its top at the origin's height."""
    slab = shapes.moved(shapes.box((2.4, 2.4, 0.4)), (0, 0, -0.4))
    put(level, name, name, level.mesh(name, slab, "paving"))


def zone(level: Level, name: str) -> None:
    """An empty drawn as a box."""
    made = put(level, name, name, None)
    made.empty_display_type, made.empty_display_size = "CUBE", 1.0


def column(level: Level, name: str) -> None:
    """A whole column."""
    profile = [(0.60, 0), (0.60, 0.22), (0.52, 0.26), (0.50, 0.38), (0.40, 0.42), (0.36, 1.2),
               (0.37, 2.0), (0.34, 3.7), (0.44, 3.78), (0.48, 3.95), (0.62, 4.0), (0.62, 4.2),
               (0.001, 4.2)]  # fmt: skip
    body = shapes.turned(profile, 64, flutes=(16, slice(4, 8)))
    put(level, name, name, level.mesh(name, body, "stone", 28))


def broken_column(level: Level, name: str) -> None:
    """A foot with some of its shaft."""
    profile = [(0.60, 0), (0.60, 0.22), (0.52, 0.26), (0.50, 0.38), (0.40, 0.42), (0.38, 0.9),
               (0.36, 1.32), (0.24, 1.46), (0.001, 1.30)]  # fmt: skip
    body = shapes.turned(profile, 64, flutes=(16, slice(4, 7)))
    put(level, name, name, level.mesh(name, body, "stone", 28))


def gate(level: Level, name: str) -> None:
    """An arch."""
    put(level, name, name, level.mesh(name, shapes.arch(1.25, 1.8, 0.7, 2.3, 25), "stone"))


def steps(level: Level, name: str) -> None:
    """Two round steps."""
    profile = [(2.3, 0), (2.3, 0.22), (1.8, 0.22), (1.8, 0.44), (0.001, 0.44)]
    put(level, name, name, level.mesh(name, shapes.turned(profile, 48), "stone"))


def lantern(level: Level, name: str) -> None:
    """A post, a bulb that lets its light through, and the light."""
    pole = shapes.turned(
        [(0.16, 0), (0.16, 0.08), (0.05, 0.14), (0.04, 2.3), (0.13, 2.34), (0.001, 2.36)], 12
    )
    roof = shapes.moved(
        shapes.turned([(0.24, 0), (0.2, 0.05), (0.03, 0.2), (0.001, 0.26)], 12), (0, 0, 2.72)
    )
    put(level, name, name, level.mesh(name, shapes.joined(pole, roof), "iron"))
    glass = shapes.turned([(0.08, 2.36), (0.15, 2.44), (0.17, 2.62), (0.12, 2.72)], 16)
    bulb = put(level, name, "Lantern Bulb", level.mesh("Lantern Bulb", glass, "lamp", 80))
    bulb.visible_shadow = False
    light = bpy.data.lights.new("Lantern Light", "POINT")
    light.energy, light.color, light.shadow_soft_size = 130.0, (1.0, 0.56, 0.24), 0.15
    put(level, name, "Lantern Light", light, (0, 0, 2.55))


def crystals(level: Level, name: str) -> None:
    """A cluster and its light."""
    put(level, name, name, level.mesh(name, shapes.crystals(4, 6), "crystal", 20))
    light = bpy.data.lights.new("Crystal Light", "POINT")
    light.energy, light.color, light.shadow_soft_size = 60.0, (0.12, 0.72, 1.0), 0.3
    light.use_shadow = False
    put(level, name, "Crystal Light", light, (0, -0.2, 1.1))


def rock(level: Level, name: str) -> None:
    """A boulder."""
    put(level, name, name, level.mesh(name, shapes.boulder(61), "stone", 50))


def tree(level: Level, name: str) -> None:
    """A trunk, and a crown that hangs on it."""
    trunk = [(0.34, -0.3), (0.24, 0.2), (0.18, 1.2), (0.15, 2.2), (0.06, 3.4), (0.001, 3.9)]
    put(level, name, name, level.mesh(name, shapes.turned(trunk, 10, 0.8), "bark", 80))
    crown = level.mesh("Tree Crown", shapes.crown(20, 54), "leaves", 180)
    put(level, name, "Tree Crown", crown, (0, 0, 3.5))


def tuft(level: Level, name: str) -> None:
    """A tuft of grass."""
    put(level, name, name, level.mesh(name, shapes.meadow_tuft(40, 9), "grass", 180))


BUILDERS = {
    "Coin": coin,
    "Floating Platform": platform,
    "Trigger Zone": zone,
    "Column": column,
    "Broken Column": broken_column,
    "Gate": gate,
    "Steps": steps,
    "Lantern": lantern,
    "Crystals": crystals,
    "Rock": rock,
    "Tree": tree,
    "Grass Tuft": tuft,
}


def picture(collection: Any) -> np.ndarray | None:
    """What Fyn draws of a piece on nothing, (PREVIEW, PREVIEW, 4) float, bottom row first."""
    scene = bpy.data.scenes.new("Picture")
    scene.collection.children.link(collection)
    world = World()
    world.apply(with_render_depsgraph(scene, SceneSync().full))
    bpy.data.scenes.remove(scene)
    if not world.meshes:
        return None
    world.apply(framing(world, 1.0))
    world.environment = Environment(
        kind="hemisphere", sky_color=(0.55, 0.62, 0.75), ground_color=(0.25, 0.22, 0.2)
    )
    turn = Transform(rotation=(-0.462, 0.191, 0.103, 0.860))
    sun = LightComponent(kind="sun", strength=1.6, color=(1.0, 0.93, 0.82))
    world.entities["picture sun"] = Entity(id="picture sun", light=sun, transform=turn)
    world.render = replace(world.render, transparent=True, bloom=False)
    side = 2 * PREVIEW
    drawn = render_world(world, None, (side, side)).outputs["frame_color"].astype(np.float32) / 255
    halved = drawn.reshape(PREVIEW, 2, PREVIEW, 2, 4).mean(axis=(1, 3))
    return np.ascontiguousarray(halved[::-1])


def mark(piece: Piece, collection: Any, drawn: np.ndarray | None) -> None:
    """Show a piece in the Asset Browser: an object, or a collection if there are several."""
    shown = collection if len(collection.objects) > 1 else bpy.data.objects[piece.name]
    shown.asset_mark()
    shown.asset_data.description = piece.description
    shown.asset_data.catalog_id = catalog_id(piece.group)
    shown.asset_data.author = "The Fyn contributors"
    shown.asset_data.license = "GPL-3.0-or-later"
    shown.asset_data.tags.new("fyn")
    if drawn is not None:
        preview = shown.preview_ensure()
        preview.image_size = (PREVIEW, PREVIEW)
        preview.image_pixels_float.foreach_set(drawn.ravel())


def save(path: Path) -> None:
    """Write the file in one go."""
    partial = path.with_suffix(".partial.blend")
    bpy.ops.wm.save_as_mainfile(filepath=str(partial), compress=True, copy=True)
    partial.replace(path)


if __name__ == "__main__":
    main()
