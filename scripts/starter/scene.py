"""The starter level itself: a ruined court among hills at the end of a day, built in Blender."""

from __future__ import annotations

import math

import bpy
import numpy as np
from mathutils import Vector

from . import shapes
from .materials import everything

SUN_ELEVATION = math.radians(19.0)
SUN_AZIMUTH = math.radians(162.0)
"""Where the sun stands, counter-clockwise from +X: low in the west, a little to the north."""
SKY_STRENGTH = 0.62
BALLS = 7
GOLDEN_ANGLE = 2.399963


class Level:
    """Collects meshes and objects into collections while the scene is built."""

    def __init__(self) -> None:
        self.scene = bpy.context.scene
        self.materials = everything()
        self.collections: dict[str, bpy.types.Collection] = {}

    def collection(self, name: str) -> bpy.types.Collection:
        """The collection of that name, made when first asked for."""
        if name not in self.collections:
            self.collections[name] = bpy.data.collections.new(name)
            self.scene.collection.children.link(self.collections[name])
        return self.collections[name]

    def mesh(
        self, name: str, shape: shapes.Shape, material: str, sharp: float = 35.0
    ) -> bpy.types.Mesh:
        """A mesh of the shape; edges steeper than `sharp` degrees stay edges."""
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata(shape.points.tolist(), [], shape.faces)
        mesh.uv_layers.new(name="UVMap").uv.foreach_set(
            "vector", shape.uvs.astype(np.float32).ravel()
        )
        if shape.colors is not None:
            tint = mesh.color_attributes.new("Tint", "BYTE_COLOR", "POINT")
            opaque = np.ones((len(shape.points), 1))
            tint.data.foreach_set(
                "color", np.hstack([shape.colors, opaque]).astype(np.float32).ravel()
            )
        mesh.shade_smooth()
        mesh.set_sharp_from_angle(angle=math.radians(sharp))
        mesh.materials.append(self.materials[material])
        return mesh

    def place(
        self,
        collection: str,
        name: str,
        data: bpy.types.ID,
        at: tuple[float, float, float],
        turn: float = 0.0,
        scale: float = 1.0,
    ) -> bpy.types.Object:
        """An object turned about Z; objects of the same data share it."""
        made = bpy.data.objects.new(name, data)
        made.location, made.rotation_euler = at, (0.0, 0.0, turn)
        made.scale = (scale, scale, scale)
        self.collection(collection).objects.link(made)
        return made

    def light(
        self, name: str, kind: str, at: tuple[float, float, float], energy: float, color: tuple
    ) -> bpy.types.Light:
        """A lamp that points down until it is aimed."""
        light = bpy.data.lights.new(name, kind)
        light.energy, light.color = energy, color
        self.place("Lights", name, light, at)
        return light


def ground(x: float, y: float) -> float:
    """Height of the terrain there."""
    return float(shapes.height_at(np.array(x), np.array(y)))


def aim(name: str, target: tuple[float, float, float]) -> None:
    """Turn a lamp or camera so that it looks at the target."""
    looking = bpy.data.objects[name]
    direction = Vector(target) - looking.location
    looking.rotation_euler = direction.to_track_quat("-Z", "Y").to_euler()


def build() -> None:
    """Fill the current, empty scene with the level."""
    level = Level()
    _court(level)
    _exhibits(level)
    _lamps_and_crystals(level)
    _gate_and_windows(level)
    _nature(level)
    _sky_and_sun(level)
    _cameras(level)


def _court(level: Level) -> None:
    land = level.mesh("Terrain", shapes.terrain(150.0, 104, 2.2), "ground", 80.0)
    level.place("Land", "Terrain", land, (0, 0, 0))
    floor = shapes.disc(8.0, 0.5, 10, 64, 3.2)
    level.place("Court", "Pavement", level.mesh("Pavement", floor, "paving"), (0, 0, 0.12))
    steps = shapes.turned([(2.3, 0), (2.3, 0.22), (1.8, 0.22), (1.8, 0.44), (0.001, 0.44)], 48)
    level.place("Court", "Steps", level.mesh("Steps", steps, "stone"), (0, 0, 0.12))
    shaft = [(0.40, 0.42), (0.36, 1.2), (0.37, 2.0), (0.34, 3.7)]
    foot = [(0.60, 0), (0.60, 0.22), (0.52, 0.26), (0.50, 0.38), (0.40, 0.42)]
    head = [(0.34, 3.7), (0.44, 3.78), (0.48, 3.95), (0.62, 4.0), (0.62, 4.2), (0.001, 4.2)]
    body = shapes.turned([*foot, *shaft[1:], *head[1:]], 64, flutes=(16, slice(4, 8)))
    whole = level.mesh("Column", body, "stone", 28)
    broken = [*foot, (0.38, 0.9), (0.36, 1.32), (0.24, 1.46), (0.001, 1.30)]
    rest = shapes.turned(broken, 64, flutes=(16, slice(4, 7)))
    stump = level.mesh("Broken Column", rest, "stone", 28)
    for index in range(8):
        turn = math.radians(22.5 + 45 * index)
        at = (6.7 * math.cos(turn), 6.7 * math.sin(turn), 0.12)
        kind, name = (stump, "Stump") if index in (5, 6) else (whole, "Column")
        level.place("Court", f"{name} {index + 1}", kind, at, turn)
    beam = level.mesh("Beam", shapes.box((5.3, 0.75, 0.55)), "stone")
    for index in (0, 1, 2, 3, 7):
        turn = math.radians(45 * (index + 1))
        reach = 6.7 * math.cos(math.radians(22.5))
        at = (reach * math.cos(turn), reach * math.sin(turn), 4.32)
        if index != 1:
            level.place("Court", f"Beam {index + 1}", beam, at, turn + math.pi / 2)


def _exhibits(level: Level) -> None:
    plinth = [
        (0.75, 0),
        (0.75, 0.14),
        (0.62, 0.2),
        (0.56, 0.9),
        (0.70, 0.98),
        (0.70, 1.1),
        (0.001, 1.1),
    ]
    level.place(
        "Court", "Plinth", level.mesh("Plinth", shapes.turned(plinth, 32), "stone"), (0, 0, 0.56)
    )
    bpy.ops.mesh.primitive_monkey_add(size=1.9, location=(0, 0, 2.5))
    statue = bpy.context.object
    statue.name = statue.data.name = "Statue"
    statue.rotation_euler = (math.radians(-6), 0, math.radians(-14))
    statue.modifiers.new("Smooth", "SUBSURF").levels = 1
    statue.modifiers["Smooth"].render_levels = 1
    statue.data.shade_smooth()
    statue.data.materials.append(level.materials["bronze"])
    for holder in statue.users_collection:
        holder.objects.unlink(statue)
    level.collection("Court").objects.link(statue)
    post = [
        (0.34, 0),
        (0.34, 0.1),
        (0.26, 0.16),
        (0.24, 0.62),
        (0.34, 0.70),
        (0.34, 0.8),
        (0.001, 0.8),
    ]
    stand = level.mesh("Stand", shapes.turned(post, 24), "stone")
    lat = np.linspace(-0.4999, 0.4999, 25) * math.pi
    round_ = shapes.turned([(0.4 * math.cos(a), 0.4 * math.sin(a)) for a in lat], 40)
    for index in range(BALLS):
        turn = math.radians(-152 + 124 / (BALLS - 1) * index)
        at = (4.5 * math.cos(turn), 4.5 * math.sin(turn), 0.12)
        level.place("Exhibits", f"Stand {index + 1}", stand, at, turn)
        name = level.materials[f"ball{index}"].name
        ball = level.mesh(name, round_, f"ball{index}", 180.0)
        level.place("Exhibits", name, ball, (at[0], at[1], 1.32))


def _lamps_and_crystals(level: Level) -> None:
    pole = shapes.turned(
        [(0.16, 0), (0.16, 0.08), (0.05, 0.14), (0.04, 2.3), (0.13, 2.34), (0.001, 2.36)], 12
    )
    roof = shapes.moved(
        shapes.turned([(0.24, 0), (0.2, 0.05), (0.03, 0.2), (0.001, 0.26)], 12), (0, 0, 2.72)
    )
    post = level.mesh("Lantern", shapes.joined(pole, roof), "iron")
    bulb = level.mesh(
        "Bulb",
        shapes.turned([(0.08, 2.36), (0.15, 2.44), (0.17, 2.62), (0.12, 2.72)], 16),
        "lamp",
        80,
    )
    for index, degrees in enumerate((-62, -118, 68, 112)):
        turn = math.radians(degrees)
        at = (7.3 * math.cos(turn), 7.3 * math.sin(turn), 0.12)
        level.place("Lights", f"Lantern {index + 1}", post, at)
        glass = level.place("Lights", f"Bulb {index + 1}", bulb, at)
        glass.visible_shadow = False  # the lamp is inside
        lamp = level.light(
            f"Lantern Light {index + 1}",
            "POINT",
            (at[0], at[1], at[2] + 2.55),
            130.0,
            (1.0, 0.56, 0.24),
        )
        lamp.shadow_soft_size = 0.15
    for index, (x, y, scale) in enumerate(((-3.3, 2.6, 1.15), (3.9, 2.1, 0.9), (-10.5, -4.2, 1.7))):
        z = 0.12 if math.hypot(x, y) < 8 else ground(x, y) - 0.1
        cluster = level.mesh(f"Crystals {index + 1}", shapes.crystals(index + 3, 6), "crystal", 20)
        level.place("Court", f"Crystals {index + 1}", cluster, (x, y, z), 0.7 * index, scale)
        glow = level.light(
            f"Crystal Light {index + 1}",
            "POINT",
            (x, y - 0.2, z + 1.1 * scale),
            60.0,
            (0.12, 0.72, 1.0),
        )
        glow.shadow_soft_size = 0.3
        glow.use_shadow = False  # it stands for a glow of the whole cluster
    spot = level.light("Statue Spot", "SPOT", (2.6, -3.0, 5.6), 520.0, (1.0, 0.86, 0.66))
    spot.spot_size, spot.spot_blend, spot.shadow_soft_size = math.radians(34), 0.35, 0.05
    aim("Statue Spot", (0.0, 0.0, 2.3))


def _gate_and_windows(level: Level) -> None:
    frame = level.mesh("Gate", shapes.arch(1.25, 1.8, 0.7, 2.3, 25), "stone")
    level.place("Court", "Gate", frame, (0, 7.0, 0.12))
    turn = np.linspace(0, math.pi, 25)
    rim = [
        (1.27, 0.0),
        *[(1.27 * math.cos(a), 2.3 + 1.27 * math.sin(a)) for a in turn],
        (-1.27, 0.0),
    ]
    points = np.array([(x, 0.0, z) for x, z in rim])
    across = (points[:, [0, 2]] - [0.0, 1.785]) / [2.6, 3.6] + 0.5
    veil = shapes.Shape(points, [list(range(len(points)))], across)
    level.place("Court", "Gate Veil", level.mesh("Gate Veil", veil, "gate"), (0, 7.0, 0.12))
    area = level.light("Gate Light", "AREA", (0, 6.8, 1.75), 110.0, (0.42, 0.78, 1.0))
    area.shape, area.size, area.size_y = "RECTANGLE", 2.4, 3.2
    aim("Gate Light", (0, 0, 1.75))
    post = level.mesh("Window Post", shapes.box((0.22, 0.22, 2.5)), "stone")
    sill = level.mesh("Window Sill", shapes.box((4.1, 0.34, 0.2)), "stone")
    pane = shapes.box((1.0, 0.05, 2.1))
    turn_east = math.radians(68)
    along = np.array([math.cos(turn_east), math.sin(turn_east)])
    middle = np.array([5.2, -1.2])
    for index in range(4):
        x, y = middle + along * (index - 1.5) * 1.22
        level.place("Court", f"Window Post {index + 1}", post, (x, y, 0.12), turn_east)
    for index, name in enumerate(("amber", "ruby", "azure")):
        x, y = middle + along * (index - 1) * 1.22
        glass = level.mesh(level.materials[name].name, pane, name)
        level.place("Court", f"Window {index + 1}", glass, (x, y, 0.36), turn_east)
    level.place("Court", "Window Sill", sill, (*middle, 0.1), turn_east)
    level.place("Court", "Window Head", sill, (*middle, 2.55), turn_east)
    bell = [(0.001, 0.0), (0.62, 0.0), (0.62, 0.7), (0.55, 1.0), (0.36, 1.24), (0.001, 1.34)]
    level.place(
        "Court",
        "Bell Jar",
        level.mesh("Bell Jar", shapes.turned(bell, 40), "glass", 50),
        (-3.3, 2.6, 0.13),
        scale=1.55,
    )


def _nature(level: Level) -> None:
    rng = np.random.default_rng(101)
    trunk = [(0.34, -0.3), (0.24, 0.2), (0.18, 1.2), (0.15, 2.2), (0.06, 3.4), (0.001, 3.9)]
    wood = level.mesh("Trunk", shapes.turned(trunk, 10, 0.8), "bark", 80)
    crowns = [
        level.mesh(f"Crown {n + 1}", shapes.crown(n + 20, 54), "leaves", 180) for n in range(2)
    ]
    for index in range(26):
        turn = index * GOLDEN_ANGLE + 0.5
        reach = 11.5 + 1.5 * index * (0.75 + 0.4 * rng.random())
        x, y, size = reach * math.cos(turn), reach * math.sin(turn), 0.9 + 0.7 * rng.random()
        before_camera = abs(x + 0.25 * y) < 6.0 and y < 0
        before_sun = -19.0 < x < -8.0 and abs(y - 4.0) < 5.5
        if before_camera or before_sun:
            continue
        z = ground(x, y)
        level.place("Trees", f"Trunk {index + 1}", wood, (x, y, z), turn, size)
        level.place(
            "Trees", f"Crown {index + 1}", crowns[index % 2], (x, y, z + 3.5 * size), turn, size
        )
    tufts = [
        level.mesh(f"Tuft {n + 1}", shapes.meadow_tuft(n + 40, 9), "grass", 180) for n in range(3)
    ]
    for index in range(210):
        turn, reach = (
            index * GOLDEN_ANGLE,
            8.5 + 17.0 * math.sqrt((index + 0.5) / 210 * rng.random()),
        )
        x, y = reach * math.cos(turn), reach * math.sin(turn)
        scale = 0.8 + 0.8 * rng.random()
        level.place(
            "Grass", f"Tuft {index + 1}", tufts[index % 3], (x, y, ground(x, y)), 3 * turn, scale
        )
    rocks = [level.mesh(f"Rock {n + 1}", shapes.boulder(n + 60), "stone", 50) for n in range(3)]
    for index in range(24):
        turn, reach = index * GOLDEN_ANGLE + 1.0, 9.2 + 24.0 * rng.random()
        x, y, scale = reach * math.cos(turn), reach * math.sin(turn), 0.5 + 1.6 * rng.random() ** 2
        level.place(
            "Rocks", f"Rock {index + 1}", rocks[index % 3], (x, y, ground(x, y)), 5 * turn, scale
        )


def _sky_and_sun(level: Level) -> None:
    sun = level.light("Sun", "SUN", (-20, 7, 12), 10.5, (1.0, 0.70, 0.42))
    sun.angle = math.radians(0.53)
    flat = math.cos(SUN_ELEVATION)
    towards = Vector(
        (flat * math.cos(SUN_AZIMUTH), flat * math.sin(SUN_AZIMUTH), math.sin(SUN_ELEVATION))
    )
    bpy.data.objects["Sun"].rotation_euler = towards.to_track_quat("Z", "Y").to_euler()
    world = bpy.data.worlds.new("Evening")
    world.use_nodes = True
    background = next(node for node in world.node_tree.nodes if node.type == "BACKGROUND")
    sky = world.node_tree.nodes.new("ShaderNodeTexSky")
    sky.location = (-320, 300)
    # The one model that Blender 4.5 and Blender 5 both have.
    sky.sky_type = "PREETHAM"
    sky.sun_direction = towards
    sky.turbidity = 2.5
    background.inputs["Strength"].default_value = SKY_STRENGTH
    world.node_tree.links.new(sky.outputs["Color"], background.inputs["Color"])
    level.scene.world = world


def _cameras(level: Level) -> None:
    views = {
        "Court": ((-2.6, -15.8, 2.7), (0.2, 0.0, 2.45), 33.0),
        "Overview": ((-17.0, -21.0, 13.0), (0.5, 1.0, 1.2), 36.0),
        "Exhibits": ((0.4, -8.6, 2.0), (0.4, -2.0, 1.55), 32.0),
    }
    for name, (at, target, lens) in views.items():
        camera = bpy.data.cameras.new(name)
        camera.lens, camera.clip_end = lens, 400.0
        level.place("Cameras", name, camera, at)
        aim(name, target)
    scene = level.scene
    scene.camera = bpy.data.objects["Court"]
    scene.render.resolution_x, scene.render.resolution_y = 1280, 720
    scene.render.resolution_percentage = 100
    scene.view_settings.view_transform = "Standard"
    scene.frame_end = 1
