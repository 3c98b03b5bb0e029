"""Blender's World to Environment, and the scene's render settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...engine_core.world.components import Environment, RenderSettings
from .warnings import SyncWarning


@dataclass(frozen=True)
class EnvironmentReading:
    """The environment and what was approximated of it."""

    environment: Environment
    warnings: tuple[SyncWarning, ...] = ()


def read_environment(world: Any | None) -> EnvironmentReading:
    """Turn a `bpy.types.World` (None: black) into an Environment."""
    if world is None:
        return EnvironmentReading(_uniform((0.0, 0.0, 0.0), 1.0))
    if world.node_tree is None:
        return EnvironmentReading(_uniform(tuple(world.color), 1.0))
    for node in world.node_tree.nodes:
        if node.type == "BACKGROUND":
            color = tuple(node.inputs["Color"].default_value)[:3]
            return EnvironmentReading(_uniform(color, node.inputs["Strength"].default_value))
    return EnvironmentReading(_uniform((0.0, 0.0, 0.0), 1.0))


def _uniform(color: tuple[float, ...], strength: float) -> Environment:
    rgb = (float(color[0]), float(color[1]), float(color[2]))
    return Environment(
        kind="color", sky_color=rgb, ground_color=rgb, strength=max(float(strength), 0.0)
    )


def read_render_settings(scene: Any) -> RenderSettings:
    """Return the level's render settings.

    Blender's view settings (exposure, gamma, view transform) are left out on purpose: Blender
    applies them itself to the picture that the engine hands over.
    """
    return RenderSettings(transparent=scene.render.film_transparent)
