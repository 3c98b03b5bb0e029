"""Sky and environment textures of a World's tree, as lookups."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..material_causes import MaterialCause
from .node_reader import Evaluator, NodeReader, Value
from .samples import PHYSICAL_SKIES, PanoramaSample, SkySample
from .scope import Made
from .sky_mapping import sky_mapping
from .texture_nodes import PINK, whole
from .values import constant, constant_color


def sky_sample(node: Any) -> SkySample:
    """Return the settings of a Sky Texture node."""
    if node.sky_type in PHYSICAL_SKIES:
        elevation, around = node.sun_elevation, node.sun_rotation
        # Blender turns the sun clockwise, seen from above, from +Y.
        flat = math.cos(elevation)
        towards = (flat * math.sin(around), flat * math.cos(around), math.sin(elevation))
        settings = (
            node.altitude,
            node.air_density,
            getattr(node, "aerosol_density", getattr(node, "dust_density", 1.0)),
            node.ozone_density,
        )
        return SkySample(
            kind=node.sky_type,
            sun_direction=towards,
            sun_size=node.sun_size if node.sun_disc else 0.0,
            sun_intensity=node.sun_intensity,
            is_usual_air=settings == (0.0, 1.0, 1.0, 1.0),
        )
    x, y, z = node.sun_direction
    return SkySample(node.sky_type, (x, y, z), turbidity=node.turbidity)


def _sky(reader: NodeReader, made: Made) -> Value:
    matrix = sky_mapping(reader, made.node, made.scope)
    return whole(replace(sky_sample(made.node), matrix=matrix))


def _environment(reader: NodeReader, made: Made) -> Value:
    node = made.node
    if node.image is None:
        reader.warn(node, MaterialCause.NODE_NO_PICTURE)
        return constant_color(PINK)
    moving = node.image.source in {"SEQUENCE", "MOVIE"}
    return whole(
        PanoramaSample(
            uid=node.image.original.session_uid,
            frame=node.image_user.frame_current if moving else 0,
            matrix=sky_mapping(reader, node, made.scope),
            is_mirror_ball=node.projection == "MIRROR_BALL",
            name=node.image.name_full,
            image=node.image,
            user=node.image_user if moving else None,
        )
    )


RAYS: dict[str, frozenset[str]] = {
    "camera": frozenset({"Is Camera Ray"}),
    "diffuse": frozenset({"Is Diffuse Ray", "Is Reflection Ray", "Ray Depth", "Diffuse Depth"}),
    "glossy": frozenset({"Is Glossy Ray", "Is Reflection Ray", "Ray Depth", "Glossy Depth"}),
}
"""Kinds of rays that meet a World, and the outputs of Light Path that are 1 for them."""


def light_path(rays: str, found: Callable[[], None]) -> Evaluator:
    """Return an evaluator of Light Path nodes for a kind of RAYS; it calls `found`."""

    def evaluate(reader: NodeReader, made: Made) -> Value:
        found()
        return constant(float(made.socket.name in RAYS[rays]))

    return evaluate


SKY_EVALUATORS: dict[str, Evaluator] = {"TEX_SKY": _sky, "TEX_ENVIRONMENT": _environment}
"""Evaluators of nodes that only a World's tree can use, by `node.type`."""
