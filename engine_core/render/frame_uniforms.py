"""Uniform block `Frame`: camera, sun, environment and picture settings of one frame."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ..world.components import Environment, RenderSettings
from .interface import FRAME_DEFINES, TONE_MAPS, block_dtype
from .light_selection import FrameLights
from .view import View

_MOST_STOPS = 64.0
"""Both limits of an exposure added; a single float still holds two to its power."""


def frame_block(
    view: View,
    settings: RenderSettings,
    lights: FrameLights,
    environment: Mapping[str, np.ndarray],
    *,
    shadows: bool,
) -> np.ndarray:
    """Return the contents of block `Frame`, a () structured array.

    `environment` holds the members that describe the sky (`environment_uniforms`); `shadows`
    tells whether the cascades of the sun were drawn.
    """
    block = np.zeros((), block_dtype("Frame"))
    for name, matrix in (
        ("view_from_world", view.view_from_world),
        ("clip_from_view", view.clip_from_view),
        ("clip_from_world", view.clip_from_world),
        ("world_from_clip", np.linalg.inv(view.clip_from_world)),
    ):
        block[name] = matrix.T
    width, height = view.size
    block["camera_position"] = (*view.camera_position, 1.0 if view.perspective else 0.0)
    block["camera_forward"] = (*-view.view_from_world[2, :3], view.time)
    block["viewport"] = (width, height, 1 / width, 1 / height)
    block["clip_planes"] = (view.near, view.far, 0.0, 0.0)
    if lights.sun is not None:
        light = lights.sun.light
        color = np.array(light.color) * light.strength
        block["sun_direction"] = (*lights.sun.towards, 1.0)
        block["sun_color"] = (*color, light.specular_factor)
        block["sun_params"] = (light.diffuse_factor, light.angle / 2, float(shadows), 0.0)
    for name, value in environment.items():
        block[name] = value
    glow = settings.bloom_intensity if settings.bloom else 0.0
    tone = TONE_MAPS.index(settings.tone_map)
    stops = min(max(settings.exposure + view.exposure, -_MOST_STOPS), _MOST_STOPS)
    block["tone"] = (math.exp2(stops), tone, glow, 0.0)
    block["bloom"] = (settings.bloom_threshold, settings.bloom_knee, 0.0, 0.0)
    block["options"] = (
        lights.first_area,
        lights.count,
        settings.cascade_count if shadows else 0,
        settings.transparent,
    )
    return block


def frame_defines(
    settings: RenderSettings,
    lights: FrameLights,
    environment: Environment,
    *,
    shadows: bool,
    lamp_shadows: bool,
) -> dict[str, int]:
    """Return the macros of scene shaders that hold for a whole frame.

    What a frame lacks is left out of its shaders: a software driver would compute it all the same
    and throw the result away.
    """
    is_there = (
        lights.sun is not None,
        shadows,
        lights.first_area > 0,
        lights.count > lights.first_area,
        lamp_shadows,
        environment.kind != "color",
        environment.kind == "image",
        settings.geometry_term == "smith_schlick",
    )
    return {name: 1 for name, has in zip(FRAME_DEFINES, is_there, strict=True) if has}
