"""Environment and render settings to a Blender world and scene."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping
from typing import Any

import bpy
from mathutils import Matrix, Quaternion

from ...engine_core.world.components import Environment, RenderSettings
from ..sync.axes import ENGINE_FROM_BLENDER
from ..sync.world_environment import read_environment
from .node_tree import Tree

_DARK_BELOW = ("MULTIPLE_SCATTERING", "NISHITA")
"""Blender's names of the sky that the engine's is fitted to, the newer first."""
_BRIGHT_BELOW = ("HOSEK_WILKIE",)
"""Skies that repeat the horizon below it."""
BRIGHT_GROUND = 0.1
"""From which brightness on what lies below the horizon is not the dark of a physical sky."""


def make_world(name: str, data: Environment, images: Mapping[str, Any]) -> Any:
    """Make a `bpy.types.World` that looks the same, as far as nodes can say it."""
    world: Any = bpy.data.worlds.new(name)
    if bpy.app.version < (5, 0, 0):
        world.use_nodes = True
    tree = Tree(world.node_tree)
    output = tree.add("ShaderNodeOutputWorld")
    background = tree.add("ShaderNodeBackground", 1)
    tree.link(background.outputs[0], output.inputs["Surface"])
    strength = data.strength
    if data.kind == "image" and data.image in images:
        tree.link(_panorama(tree, data, images[data.image]), background.inputs["Color"])
    elif data.kind == "sky":
        tree.link(_sky(tree, data), background.inputs["Color"])
    else:
        color = [(a + b) / 2 for a, b in zip(data.sky_color, data.ground_color, strict=True)]
        tinted = [x * y for x, y in zip(color, data.tint, strict=True)]
        background.inputs["Color"].default_value = (*tinted, 1.0)
    background.inputs["Strength"].default_value = strength
    if data.kind == "sky":
        # Skies of Blender have a brightness of their own.
        unit = read_environment(world).environment.strength / strength if strength > 0 else 0.0
        if unit > 0:
            background.inputs["Strength"].default_value = strength / unit
    return world


def _panorama(tree: Tree, data: Environment, image: Any) -> Any:
    node = tree.add("ShaderNodeTexEnvironment", 3)
    node.image = image
    mapping = tree.add("ShaderNodeMapping", 4)
    mapping.inputs["Rotation"].default_value = _euler(data.rotation)
    where = tree.add("ShaderNodeTexCoord", 5)
    tree.link(where.outputs["Generated"], mapping.inputs["Vector"])
    tree.link(mapping.outputs["Vector"], node.inputs["Vector"])
    return tree.product(node.outputs["Color"], data.tint, 2)


def _euler(rotation: tuple[float, float, float, float]) -> tuple[float, float, float]:
    """Return the mapping that looks a panorama up, from the turn of it in engine space."""
    x, y, z, w = rotation
    turn = Matrix(ENGINE_FROM_BLENDER[:3, :3].tolist())
    in_blender = turn.transposed() @ Quaternion((w, x, y, z)).to_matrix() @ turn
    angles = in_blender.transposed().to_euler()
    return (angles.x, angles.y, angles.z)


def _sky(tree: Tree, data: Environment) -> Any:
    node = tree.add("ShaderNodeTexSky", 3)
    known = node.bl_rna.properties["sky_type"].enum_items.keys()
    is_bright = max(data.ground_color) > BRIGHT_GROUND
    wanted = _BRIGHT_BELOW if is_bright else _DARK_BELOW
    node.sky_type = next((sky for sky in wanted if sky in known), node.sky_type)
    x, y, z = data.sun_direction
    node.sun_direction = (x, -z, y)
    node.turbidity = data.turbidity
    length = math.sqrt(x * x + y * y + z * z) or 1.0
    node.sun_elevation = math.asin(min(max(y / length, -1.0), 1.0))
    node.sun_rotation = math.atan2(x, -z)
    node.sun_disc = False  # its light is a lamp of the level
    return tree.product(node.outputs["Color"], data.tint, 2)


def set_render(scene: Any, data: RenderSettings) -> None:
    """Give `scene` the size and film of a level's pictures."""
    render = scene.render
    render.resolution_x, render.resolution_y = data.width, data.height
    render.resolution_percentage = 100
    render.pixel_aspect_x, render.pixel_aspect_y = 1.0, 1.0
    if data.pixel_aspect >= 1:
        render.pixel_aspect_y = data.pixel_aspect
    else:
        render.pixel_aspect_x = 1 / data.pixel_aspect
    render.film_transparent = data.transparent
    with contextlib.suppress(TypeError):  # a studio's own color management may lack it
        scene.view_settings.view_transform = "Standard"  # a level's tone map is its own
