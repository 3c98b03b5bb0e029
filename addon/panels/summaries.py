"""What the engine takes from Blender's own settings, in a line or two."""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from typing import Any

from ..sync.cameras import read_camera
from ..sync.lights import read_light
from ..sync.world_environment import read_environment, read_render_settings

PICTURES = frozenset({"TEX_ENVIRONMENT", "TEX_IMAGE"})
"""Nodes whose pictures would have to be decoded for a summary."""


def summary(key: str, datablock: Any) -> list[str]:
    """Return lines of text about the component `key` of a datablock, [] if there are none."""
    make = _SUMMARIES.get(key)
    return [] if make is None else make(datablock)


def material_summary(material: Any) -> list[str]:
    """Return what the engine makes of a material, in words; [] if the sync cannot tell yet."""
    describe = getattr(import_module("..sync.materials", __package__), "describe_material", None)
    if describe is None:
        return []
    found = describe(material)
    return found.splitlines() if isinstance(found, str) else [str(line) for line in found]


def _mesh(obj: Any) -> list[str]:
    if obj.type == "EMPTY":
        collection = obj.instance_collection
        return [f"Instances of {collection.name}"] if collection else []
    slots = len(obj.material_slots)
    lines = [f"{slots or 'No'} material{'' if slots == 1 else 's'}"]
    polygons = getattr(obj.data, "polygons", None)
    if polygons is not None:
        lines[0] = f"{len(polygons):,} faces before modifiers, {lines[0].lower()}"
    return lines


def _light(light: Any) -> list[str]:
    component = read_light(light, light.name_full).component
    r, g, b = component.color
    words = [
        f"{component.kind.title()} of strength {component.strength:.3g}",
        f"color {r:.2g}, {g:.2g}, {b:.2g}",
    ]
    if component.kind == "spot":
        words.append(f"cone {math.degrees(component.spot_angle):.3g}°")
    if component.range:
        words.append(f"fades out at {component.range:.3g} m")
    return [", ".join(words), "Casts shadows" if component.casts_shadow else "Casts no shadows"]


def _camera(camera: Any) -> list[str]:
    component = read_camera(camera).component
    if component.projection == "orthographic":
        lens = f"Orthographic, {component.ortho_scale:.3g} m across"
    else:
        lens = f"Perspective, {math.degrees(component.fov):.3g}° across"
    return [f"{lens}, from {component.near:.3g} to {component.far:.4g} m"]


def _environment(world: Any) -> list[str]:
    tree = world.node_tree
    pictures = [] if tree is None else [n for n in tree.nodes if n.type in PICTURES and n.image]
    if pictures:
        return [f"Picture {pictures[0].image.name}"]
    environment = read_environment(world).environment
    if environment.kind == "sky":
        return [f"Sky of strength {environment.strength:.3g}, haze {environment.turbidity:.3g}"]
    r, g, b = (x * environment.strength for x in environment.sky_color)
    return [f"One color: {r:.3g}, {g:.3g}, {b:.3g}"]


def _render(scene: Any) -> list[str]:
    settings = read_render_settings(scene)
    empty = ", empty background" if settings.transparent else ""
    return [f"{settings.width} x {settings.height} pixels{empty}"]


_SUMMARIES: dict[str, Callable[[Any], list[str]]] = {
    "mesh": _mesh,
    "light": _light,
    "camera": _camera,
    "environment": _environment,
    "render": _render,
}
