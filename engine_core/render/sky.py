"""Radiance of the environment in any direction, in NumPy: the twin of `shaders/sky/radiance.glsl`.

The sky is Preetham, Shirley and Smits 1999, "A Practical Analytic Model for Daylight", in the
scale of Cycles' own Preetham sky. Its formulas and numbers stand in GLSL; this follows them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..world.components import Environment
from .shader_constants import shader_constants

_SKY = shader_constants("sky/sky_constants.glsl")
_RGB_FROM_XYZ = np.array(
    [[3.2404542, -1.5371385, -0.4985314], [-0.9692660, 1.8760108, 0.0415560],
     [0.0556434, -0.2040259, 1.0572252]]
)  # fmt: skip
"""Linear Rec. 709 with white D65 from CIE XYZ (IEC 61966-2-1)."""


def environment_radiance(environment: Environment, directions: np.ndarray) -> np.ndarray:
    """Return what the environment sends from unit `directions` (..., 3), engine space.

    The result is (..., 3) float64, linear rgb times strength, without the disc of the sun.
    """
    sky = np.array(environment.sky_color)
    ground = np.array(environment.ground_color)
    height = directions[..., 1:2]
    if environment.kind == "hemisphere":
        light = ground + (sky - ground) * (height * 0.5 + 0.5)
    elif environment.kind == "sky":
        day = daylight(directions, unit_sun_direction(environment), environment.turbidity)
        above = _smoothstep(-_SKY["HORIZON_WIDTH"], _SKY["HORIZON_WIDTH"], height)
        light = ground + (day - ground) * above
    else:
        light = np.broadcast_to(sky, directions.shape)
    return light * environment.strength


def unit_sun_direction(environment: Environment) -> np.ndarray:
    """Return the unit direction (3,) float64 towards the sun of the sky; up if it has none."""
    direction = np.array(environment.sun_direction, dtype=np.float64)
    length = np.linalg.norm(direction)
    return direction / length if length > 1e-9 else np.array([0.0, 1.0, 0.0])


def daylight(directions: np.ndarray, sun: np.ndarray, turbidity: float) -> np.ndarray:
    """Return the clear sky's radiance from `directions` (..., 3), as (..., 3) float64 linear rgb.

    `sun` (3,) is the unit direction towards it; below the horizon the sky sees only its horizon.
    """
    turbidity = max(turbidity, float(_SKY["LEAST_TURBIDITY"]))
    sun_angle = np.arccos(np.clip(sun[1], -1, 1))
    theta_sun = min(sun_angle, _SKY["LOWEST_SUN"])
    cos_theta = np.maximum(directions[..., 1], _SKY["LEAST_HEIGHT"])
    cos_gamma = np.clip(directions @ sun, -1, 1)
    gamma = np.arccos(cos_gamma)

    def perez(name: str) -> np.ndarray:
        a, b, c, d, e = _SKY[name][:, 0] * turbidity + _SKY[name][:, 1]

        def curve(cos_angle: np.ndarray | float, around: Any, cos_around: np.ndarray) -> np.ndarray:
            gradient = 1 + a * np.exp(b / cos_angle)
            return gradient * (1 + c * np.exp(d * around) + e * cos_around**2)

        cos_sun = np.cos(theta_sun)
        return curve(cos_theta, gamma, cos_gamma) / curve(1.0, theta_sun, cos_sun)

    powers = np.array([theta_sun**3, theta_sun**2, theta_sun, 1.0])
    haze = np.array([turbidity**2, turbidity, 1.0])
    x = haze @ (_SKY["ZENITH_X"] @ powers) * perez("PEREZ_X")
    y = haze @ (_SKY["ZENITH_Y"] @ powers) * perez("PEREZ_Y")
    chi = (4 / 9 - turbidity / 120) * (np.pi - 2 * theta_sun)
    zenith = (4.0453 * turbidity - 4.9710) * np.tan(chi) - 0.2155 * turbidity + 2.4192
    night = _smoothstep(-_SKY["TWILIGHT"], 0.0, _SKY["LOWEST_SUN"] - sun_angle)
    luminance = np.maximum(zenith, 0) * perez("PEREZ_LUMINANCE") * _SKY["SKY_SCALE"] * night
    y = np.maximum(y, 1e-3)
    xyz = np.stack([x / y * luminance, luminance, (1 - x - y) / y * luminance], axis=-1)
    return np.maximum(xyz @ _RGB_FROM_XYZ.T, 0)


def _smoothstep(low: np.ndarray, high: np.ndarray | float, x: np.ndarray) -> np.ndarray:
    t = np.clip((x - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)
