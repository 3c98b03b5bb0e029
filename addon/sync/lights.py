"""Blender lamps to LightComponent: physical units to the engine's pi convention."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ...engine_core.world.components import LightComponent
from .warnings import SyncWarning


@dataclass(frozen=True)
class LightReading:
    """A lamp and what was approximated of it."""

    component: LightComponent
    warnings: tuple[SyncWarning, ...] = ()


def read_light(light: Any, name: str) -> LightReading:
    """Turn a `bpy.types.Light` into a component.

    Blender's lamps are physical, the engine scales its BRDF by pi; so a white floor's radiance
    (albedo/pi * irradiance) must equal albedo * strength:
    sun: irradiance E in W/m2 gives E/pi. Point and spot: power P spread over the sphere is radiant
    intensity P/(4 pi), irradiance P/(4 pi d^2), so strength is P/(4 pi^2) at 1 m.
    """
    power = light.energy * 2.0 ** getattr(light, "exposure", 0.0)
    common: dict[str, Any] = {
        "color": _color(light),
        "specular_factor": light.specular_factor,
        "diffuse_factor": light.diffuse_factor,
        "casts_shadow": light.use_shadow,
    }
    if light.type == "SUN":
        return LightReading(
            LightComponent(kind="sun", strength=power / math.pi, angle=light.angle, **common)
        )
    if light.type == "AREA":
        size_y = light.size_y if light.shape in {"RECTANGLE", "ELLIPSE"} else light.size
        round_shape = light.shape in {"DISK", "ELLIPSE"}
        area = light.size * size_y * (math.pi / 4 if round_shape else 1.0)
        return LightReading(
            LightComponent(
                kind="area",
                strength=power / (math.pi * max(area, 1e-12)),
                area_shape="ellipse" if round_shape else "rectangle",
                area_size=(light.size, size_y),
                area_spread=light.spread,
                **common,
            )
        )
    common["strength"] = power / (4 * math.pi**2)
    common["radius"] = light.shadow_soft_size
    if light.type == "SPOT":
        return LightReading(
            LightComponent(
                kind="spot", spot_angle=light.spot_size, spot_blend=light.spot_blend, **common
            )
        )
    return LightReading(LightComponent(kind="point", **common))


def _color(light: Any) -> tuple[float, float, float]:
    color = tuple(light.color)
    if getattr(light, "use_temperature", False):
        color = tuple(c * t for c, t in zip(color, light.temperature_color, strict=True))
    return color
