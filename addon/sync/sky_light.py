"""How bright Blender's skies are, next to the engine's: measured once, looked up here. No bpy."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from ...engine_core.render.sky import environment_radiance
from ...engine_core.world.components import Environment
from .axes import direction_to_engine
from .materials.samples import PHYSICAL_SKIES, SkySample
from .materials.values import LUMINANCE

Rgb = tuple[float, float, float]

ELEVATIONS = (0.5, 3.0, 8.0, 15.0, 30.0, 45.0, 60.0, 89.5)
"""Degrees of the sun above the horizon at which the tables were measured."""

TURBIDITIES = (1.0, 2.2, 4.0, 7.0, 10.0)
"""At which Hosek and Wilkie's sky was measured."""

_SKY: dict[str, tuple[Rgb, ...]] = {
    "SINGLE_SCATTERING": (
        (0.4019, 0.4475, 0.4758), (0.7714, 0.9239, 0.9980), (1.2708, 1.6162, 1.9761),
        (1.6776, 2.1346, 2.8187), (2.0790, 2.6278, 3.6877), (2.2471, 2.8438, 4.1097),
        (2.3272, 2.9566, 4.3542), (2.3569, 3.0169, 4.5224),
    ),
    "HOSEK_WILKIE": (
        (0.0128, 0.0125, 0.0102), (0.0186, 0.0223, 0.0230), (0.0252, 0.0356, 0.0458),
        (0.0311, 0.0474, 0.0692), (0.0381, 0.0626, 0.1034), (0.0404, 0.0704, 0.1255),
        (0.0426, 0.0748, 0.1379), (0.0502, 0.0851, 0.1463),
    ),
    "PREETHAM": (
        (0.2272, 0.2525, 0.2503), (0.2392, 0.2704, 0.2849), (0.2593, 0.3088, 0.3776),
        (0.2817, 0.3588, 0.5131), (0.3111, 0.4400, 0.7576), (0.3253, 0.4784, 0.8612),
        (0.3286, 0.4833, 0.8508), (0.3641, 0.5613, 1.0453),
    ),
    "MULTIPLE_SCATTERING": (
        (0.4706, 0.5155, 0.7340), (0.8283, 1.0888, 1.5300), (1.3169, 2.0523, 3.2561),
        (1.7205, 2.8533, 4.8313), (2.1988, 3.7496, 6.5274), (2.4972, 4.3064, 7.5840),
        (2.7018, 4.6905, 8.3165), (2.8667, 5.0012, 8.9110),
    ),
}  # fmt: skip
"""Radiance of a white floor under each sky without its sun, at ELEVATIONS, by sky type.

Measured by rendering such a floor with Cycles of Blender 5.0.1 at a node's default settings:
`benchmarks/sync_sky_tables.py` prints these tables.
"""

_SUN: dict[str, tuple[Rgb, ...]] = {
    "SINGLE_SCATTERING": (
        (0.0228, 0.0049, 0.0000), (0.7994, 0.3371, 0.0278), (4.2879, 2.6671, 0.9783),
        (10.1065, 7.3274, 4.0908), (22.4213, 17.8231, 12.7036), (33.1346, 27.1199, 20.8960),
        (41.3820, 34.3108, 27.3689), (48.3426, 40.3912, 32.8929),
    ),
    "MULTIPLE_SCATTERING": (
        (0.0296, 0.0049, 0.0000), (0.8066, 0.3149, 0.0264), (4.2859, 2.6578, 1.0063),
        (10.4373, 7.7136, 4.3636), (23.7868, 19.5038, 13.8733), (35.4816, 30.0672, 22.9978),
        (44.4981, 38.2621, 30.2252), (52.1132, 45.2013, 36.4015),
    ),
}  # fmt: skip
"""What the sun's disc adds to that floor's radiance."""

_DIRECTIONS = 64
"""Rings of directions over which the engine's sky is integrated."""


def sky_strength(sky: SkySample) -> float:
    """Return the strength at which the engine's sky lights a floor as `sky` does at strength 1."""
    own = _floor_luminance(direction_to_engine(sky.sun_direction), sky.turbidity)
    return _luminance(_looked_up(_SKY, sky)) / own if own > 0 else 0.0


def ground_color(sky: SkySample) -> Rgb:
    """Return what stands below the horizon, for the engine's sky of strength 1.

    Cycles repeats the horizon below it for analytic skies; for physical ones it lets the horizon
    fade to black as (1 - 2.5 s)^3 over the sine s of the angle below it, which lights a ceiling as
    1.6 % of the horizon everywhere would.
    """
    environment = Environment(
        kind="sky",
        sun_direction=direction_to_engine(sky.sun_direction),
        turbidity=sky.turbidity,
    )
    around = np.linspace(0, 2 * np.pi, _DIRECTIONS, endpoint=False)
    height = np.full(_DIRECTIONS, 0.02)
    horizon = np.stack([np.cos(around), height, np.sin(around)], axis=-1)
    share = 0.016 if sky.kind in PHYSICAL_SKIES else 1.0
    r, g, b = (environment_radiance(environment, horizon).mean(axis=0) * share).tolist()
    return (r, g, b)


def sun_strength(sky: SkySample) -> tuple[float, Rgb]:
    """Return strength and colour (largest channel 1) of a lamp for the sun of a physical sky."""
    sine = math.sin(math.radians(max(_elevation(sky), ELEVATIONS[0])))
    facing = tuple(max(x, 0.0) / sine for x in _looked_up(_SUN, sky))
    strength = max(facing)
    if strength <= 0 or _elevation(sky) <= 0:
        return 0.0, (1.0, 1.0, 1.0)
    r, g, b = (x / strength for x in facing)
    return strength * sky.sun_intensity, (r, g, b)


def _looked_up(table: dict[str, tuple[Rgb, ...]], sky: SkySample) -> tuple[float, ...]:
    rows = np.array(table.get(sky.kind, table["SINGLE_SCATTERING"]))
    elevation = _elevation(sky)
    return tuple(float(np.interp(elevation, ELEVATIONS, rows[:, index])) for index in range(3))


def _elevation(sky: SkySample) -> float:
    x, y, z = sky.sun_direction
    return math.degrees(math.atan2(z, math.hypot(x, y)))


def _luminance(rgb: tuple[float, ...]) -> float:
    return sum(x * weight for x, weight in zip(rgb, LUMINANCE, strict=True))


@lru_cache(maxsize=16)
def _floor_luminance(sun: Rgb, turbidity: float) -> float:
    """Return the luminance of a white floor under the engine's sky of strength 1.

    It is the mean radiance over directions spread evenly in the cosine's measure.
    """
    environment = Environment(
        kind="sky", sun_direction=sun, turbidity=turbidity, ground_color=(0.0, 0.0, 0.0)
    )
    rings = (np.arange(_DIRECTIONS) + 0.5) / _DIRECTIONS
    around = (np.arange(2 * _DIRECTIONS) + 0.5) / (2 * _DIRECTIONS) * 2 * np.pi
    radius, angle = np.meshgrid(np.sqrt(rings), around, indexing="ij")
    height = np.sqrt(1 - radius**2)
    directions = np.stack([radius * np.cos(angle), height, radius * np.sin(angle)], axis=-1)
    mean = environment_radiance(environment, directions).mean(axis=(0, 1))
    return _luminance(tuple(mean.tolist()))
