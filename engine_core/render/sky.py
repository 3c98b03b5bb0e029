"""Radiance of the environment in any direction, in NumPy: the twin of `shaders/sky/radiance.glsl`.

The daylight sky is light scattered once, in closed form, and an even light for what is scattered
more often, fitted to Blender's multiple-scattering sky. Formulas and sources stand in GLSL.
"""

from __future__ import annotations

import numpy as np

from ..world.components import Environment
from .shader_constants import shader_constants

CONSTANTS = shader_constants("sky/sky_constants.glsl")
"""Numbers of the sky; scripts/fit_sky.py moves them."""


def environment_radiance(environment: Environment, directions: np.ndarray) -> np.ndarray:
    """Return what the environment sends from unit `directions` (..., 3), engine space.

    The result is (..., 3) float64, linear rgb times strength and tint, without the disc of the sun.
    Of a panorama only its factors are known here.
    """
    sky = np.array(environment.sky_color)
    ground = np.array(environment.ground_color)
    height = directions[..., 1:2]
    if environment.kind == "hemisphere":
        light = ground + (sky - ground) * (height * 0.5 + 0.5)
    elif environment.kind == "sky":
        day = daylight(directions, unit_sun_direction(environment), environment.turbidity)
        above = _smoothstep(-CONSTANTS["HORIZON_WIDTH"], CONSTANTS["HORIZON_WIDTH"], height)
        light = ground + (day - ground) * above
    else:
        light = np.broadcast_to(sky if environment.kind == "color" else 1.0, directions.shape)
    return light * environment.strength * np.array(environment.tint)


def unit_sun_direction(environment: Environment) -> np.ndarray:
    """Return the unit direction (3,) float64 towards the sun of the sky; up if it has none."""
    direction = np.array(environment.sun_direction, dtype=np.float64)
    length = np.linalg.norm(direction)
    return direction / length if length > 1e-9 else np.array([0.0, 1.0, 0.0])


def air_mass(height: np.ndarray | float) -> np.ndarray:
    """Return the air on the way out by the sine of the elevation, 1 straight up (Kasten, Young)."""
    h = np.clip(height, 0, 1)
    return 1 / (h + 0.50572 * (6.07995 + np.degrees(np.arcsin(h))) ** -1.6364)


def daylight(directions: np.ndarray, sun: np.ndarray, turbidity: float) -> np.ndarray:
    """Return the clear sky's radiance from `directions` (..., 3), as (..., 3) float64 linear rgb.

    `sun` (3,) is the unit direction towards it; below the horizon the sky sees only its horizon.
    """
    rayleigh, aerosol = CONSTANTS["RAYLEIGH"], CONSTANTS["AEROSOL"]
    haze = max((turbidity - 1) / (CONSTANTS["CLEAR_TURBIDITY"] - 1), 0)
    scattering = rayleigh + aerosol * haze
    depth = scattering + CONSTANTS["OZONE"]
    below = max(-np.arcsin(np.clip(sun[1], -1, 1)), 0)
    shadow = CONSTANTS["EARTH_RADIUS"] * (1 / max(np.cos(below), 1e-3) - 1)
    lit = depth * np.exp(-shadow / CONSTANTS["LIT_HEIGHT"])
    to_viewer = air_mass(directions[..., 1:2])
    to_sun = air_mass(sun[1]) * (1 + CONSTANTS["DETOUR"] * np.degrees(below))
    apart = np.maximum(np.abs(to_viewer - to_sun), 1e-3)
    once = to_viewer * np.exp(-lit * np.minimum(to_viewer, to_sun)) * -np.expm1(-lit * apart)
    once *= np.exp((lit - depth) * to_viewer) / (depth * apart)
    around = (directions @ sun)[..., None]
    g = CONSTANTS["FORWARDNESS"]
    air = 3 / (16 * np.pi) * (1 + around**2)
    dust = (1 - g * g) / (4 * np.pi * np.maximum(1 + g * g - 2 * g * around, 1e-4) ** 1.5)
    x, y, z = CONSTANTS["EVEN_SOURCE"].T
    source = x * to_sun**-y * np.exp(-z * to_sun) * scattering / (rayleigh + aerosol)
    often = source * (1 - np.exp(-depth * to_viewer))
    return np.pi * CONSTANTS["SUNLIGHT"] * ((rayleigh * air + aerosol * haze * dust) * once + often)


def _smoothstep(low: np.ndarray, high: np.ndarray | float, x: np.ndarray) -> np.ndarray:
    t = np.clip((x - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)
