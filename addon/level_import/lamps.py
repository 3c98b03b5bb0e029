"""Light and camera components to Blender's lamps and cameras; the inverse of the sync's readers."""

from __future__ import annotations

import math
from typing import Any

import bpy

from ...engine_core.world.components import CameraComponent, LightComponent

_TYPES = {"sun": "SUN", "point": "POINT", "spot": "SPOT", "area": "AREA"}


def make_light(name: str, component: LightComponent) -> Any:
    """Make a `bpy.types.Light` of the same light (see addon/sync/lights.py for the units)."""
    light: Any = bpy.data.lights.new(name, _TYPES[component.kind])  # type: ignore[arg-type]
    light.color = component.color
    light.specular_factor = component.specular_factor
    light.diffuse_factor = component.diffuse_factor
    light.use_shadow = component.casts_shadow
    if component.range > 0:
        light.use_custom_distance, light.cutoff_distance = True, component.range
    light.energy = component.strength * _power_of_strength(component)
    if component.kind == "sun":
        light.angle = component.angle
    elif component.kind == "area":
        light.shape = "ELLIPSE" if component.area_shape == "ellipse" else "RECTANGLE"
        light.size, light.size_y = component.area_size
        light.spread = component.area_spread
    else:
        light.shadow_soft_size = component.radius
    if component.kind == "spot":
        light.spot_size, light.spot_blend = component.spot_angle, component.spot_blend
    return light


def _power_of_strength(component: LightComponent) -> float:
    if component.kind == "sun":
        return math.pi
    if component.kind == "area":
        width, height = component.area_size
        is_round = component.area_shape == "ellipse"
        return math.pi * max(width * height * (math.pi / 4 if is_round else 1.0), 1e-12)
    return 4 * math.pi**2


def make_camera(name: str, component: CameraComponent) -> Any:
    """Make a `bpy.types.Camera` that sees the same."""
    camera: Any = bpy.data.cameras.new(name)
    camera.type = "ORTHO" if component.projection == "orthographic" else "PERSP"
    camera.sensor_fit = component.fit.upper()
    camera.angle = component.fov
    camera.ortho_scale = component.ortho_scale
    camera.shift_x, camera.shift_y = component.shift
    camera.clip_start, camera.clip_end = component.near, component.far
    return camera
