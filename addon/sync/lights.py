"""Blender lamps to LightComponent: physical units to the engine's pi convention.

Blender's lamps are physical and a white floor's BRDF is 1/pi; the engine's is 1. So a lamp that
gives irradiance E in W/m2 has strength E/pi. With power P in watts:

- sun: P is the irradiance itself, strength P/pi;
- point and spot: radiant intensity P/(4 pi), irradiance P/(4 pi d^2), strength P/(4 pi^2) at 1 m
  (a spot's cone does not concentrate it);
- area: a Lambertian surface A of radiance P/(pi A), which is the strength itself.

With "Normalize" off Blender leaves out the division by the lamp's size, so the above is multiplied
by A for an area, 4 pi r^2 for a sphere of radius r (4 for a point), pi sin^2(angle / 2) for a sun.
All of this agrees with Cycles' picture of a white floor to 0.1 %, but for the size of a sphere,
whose middle the engine takes for all of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ...engine_core.world.components import LightComponent
from .materials.node_reader import NodeReader, Value
from .materials.reading import node_tree_in_use, read_emission
from .materials.scope import Made
from .materials.values import constant
from .scene_causes import SceneCause
from .warnings import SyncWarning, warn_about

Rgb = tuple[float, float, float]


@dataclass(frozen=True)
class LightReading:
    """A lamp and what was approximated of it."""

    component: LightComponent
    warnings: tuple[SyncWarning, ...] = ()


def read_light(light: Any, name: str) -> LightReading:
    """Turn a `bpy.types.Light` into a component; `name` is used in warnings."""
    emitted, warnings = _node_color(light, name)
    color = tuple(max(x * y, 0.0) for x, y in zip(_color(light), emitted, strict=True))
    brightest = max(*color, 1.0)
    power = light.energy * 2.0**light.exposure * brightest
    if power < 0:
        power = 0.0
        warnings += (warn_about(light, SceneCause.LIGHT_NEGATIVE),)
    common: dict[str, Any] = {
        "color": tuple(x / brightest for x in color),
        "specular_factor": light.specular_factor,
        "diffuse_factor": light.diffuse_factor,
        "casts_shadow": light.use_shadow,
        "range": light.cutoff_distance if light.use_custom_distance else 0.0,
    }
    make = {"SUN": _sun, "AREA": _area, "SPOT": _spot}.get(light.type, _point)
    warnings += _shape_warnings(light)
    return LightReading(make(light, power, common), warnings)


def _sun(light: Any, irradiance: float, common: dict[str, Any]) -> LightComponent:
    half = min(light.angle / 2, 1.5)
    if not light.normalize and half > 0:
        irradiance *= math.pi * math.sin(half) ** 2
    common["range"] = 0.0
    return LightComponent(
        kind="sun", strength=irradiance / math.pi, angle=min(light.angle, math.pi), **common
    )


def _point(light: Any, power: float, common: dict[str, Any]) -> LightComponent:
    return LightComponent(
        kind="point",
        strength=_sphere_strength(light, power),
        radius=light.shadow_soft_size,
        **common,
    )


def _spot(light: Any, power: float, common: dict[str, Any]) -> LightComponent:
    return LightComponent(
        kind="spot",
        strength=_sphere_strength(light, power),
        radius=light.shadow_soft_size,
        spot_angle=min(light.spot_size, math.pi),
        spot_blend=light.spot_blend,
        **common,
    )


def _sphere_strength(light: Any, power: float) -> float:
    radius = light.shadow_soft_size
    if not light.normalize:
        power *= 4 * (math.pi * radius**2 if radius > 0 else 1.0)
    return power / (4 * math.pi**2)


def _area(light: Any, power: float, common: dict[str, Any]) -> LightComponent:
    is_round = light.shape in {"DISK", "ELLIPSE"}
    width = light.size
    height = light.size_y if light.shape in {"RECTANGLE", "ELLIPSE"} else light.size
    area = max(width * height * (math.pi / 4 if is_round else 1.0), 1e-12)
    return LightComponent(
        kind="area",
        strength=power / (math.pi * (area if light.normalize else 1.0)),
        area_shape="ellipse" if is_round else "rectangle",
        area_size=(width, height),
        area_spread=min(light.spread, math.pi),
        **common,
    )


def _color(light: Any) -> Rgb:
    r, g, b = light.color
    if light.use_temperature:
        warm = light.temperature_color
        return (r * warm[0], g * warm[1], b * warm[2])
    return (r, g, b)


def _node_color(light: Any, name: str) -> tuple[Rgb, tuple[SyncWarning, ...]]:
    """Return what the lamp's nodes multiply its light by, if that is one colour."""
    tree = node_tree_in_use(light, (5, 1, 0))
    if tree is None:
        return (1.0, 1.0, 1.0), ()
    color, warnings = read_emission(tree, "light", name, {"LIGHT_FALLOFF": _falloff})
    if all(x.is_constant for x in color):
        return (color.r.offset, color.g.offset, color.b.offset), warnings
    return (1.0, 1.0, 1.0), (*warnings, warn_about(light, SceneCause.LIGHT_COLORS))


def _falloff(reader: NodeReader, made: Made) -> Value:
    """A Light Falloff node: its Quadratic output is what light does anyway."""
    if made.socket.name != "Quadratic":
        reader.warn(made.node, SceneCause.LIGHT_FALLOFF, name=made.socket.name)
    if reader.scalar(made.node.inputs["Smooth"], made.scope) != constant(0):
        reader.warn(made.node, SceneCause.LIGHT_FALLOFF_SMOOTH)
    return reader.scalar(made.node.inputs["Strength"], made.scope)


def _shape_warnings(light: Any) -> tuple[SyncWarning, ...]:
    if light.type == "SPOT" and light.use_square:
        return (warn_about(light, SceneCause.LIGHT_SQUARE_CONE),)
    cycles = getattr(light, "cycles", None)
    if light.type == "AREA" and cycles is not None and getattr(cycles, "is_portal", False):
        return (warn_about(light, SceneCause.LIGHT_PORTAL),)
    return ()
