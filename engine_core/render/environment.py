"""Light from everywhere, prepared: uniforms, and the blurred map of what surfaces get of it.

The map is made in NumPy from what shapes the light and remembered by it. Strength, tint and
rotation are left to the shaders, so that changing them costs nothing. The sun's disc is not in it:
the sun of a level is a lamp.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from msgspec import structs

from ..assets.image import ImageData
from ..world.components import Environment
from ..world.entity import Transform
from .environment_map import prefiltered_map
from .interface import ENVIRONMENT_KINDS
from .panorama import LARGEST_HALF, ContentKeys, ImageKey, directions_of, linear_light, reduced
from .sky import environment_radiance, unit_sun_direction

PINK = (1.0, 0.0, 1.0)
"""What a panorama that cannot be read is shown as."""

_SKY_ROWS, _SKY_DEGREE, _SKY_SIDE = 256, 160, 128
_IMAGE_ROWS, _IMAGE_DEGREE, _IMAGE_SIDE = 512, 256, 256
"""Rows of the panorama that is blurred, degree of its harmonics, texels of a square of the map."""


def environment_map(environment: Environment) -> np.ndarray | None:
    """Return the map (side, squares * side, 4) float32 of the light of a gradient or a sky.

    It is for strength and tint 1, its first row at v = 0. None where there is nothing to blur: one
    colour all around, or a panorama, which has `panorama_map`.
    """
    if environment.kind not in ("hemisphere", "sky"):
        return None
    shape = Environment(
        kind=environment.kind,
        sky_color=environment.sky_color,
        ground_color=environment.ground_color,
        sun_direction=environment.sun_direction,
        turbidity=environment.turbidity,
    )
    return _sky_map(shape)


@lru_cache(maxsize=4)
def _sky_map(environment: Environment) -> np.ndarray:
    light = environment_radiance(environment, directions_of(_SKY_ROWS)).astype(np.float32)
    return _with_alpha(prefiltered_map(light, _SKY_SIDE, _SKY_DEGREE))


@dataclass(frozen=True, eq=False)
class PanoramaMap:
    """The map of a panorama, as `environment_map` has it, and what had to be left out."""

    pixels: np.ndarray
    notes: tuple[str, ...]


class PanoramaMaps:
    """Maps of panoramas by content, the last few; each is computed once."""

    def __init__(self, remembered: int = 4) -> None:
        self._keys = ContentKeys()
        self._remembered = remembered
        self._maps: OrderedDict[ImageKey, PanoramaMap] = OrderedDict()

    def get(self, image: ImageData) -> PanoramaMap:
        """Return the map of `image`. Raises LevelError if it cannot be decoded."""
        key = self._keys.key(image)
        known = self._maps.pop(key, None)
        self._maps[key] = found = known or _panorama_map(image)
        while len(self._maps) > self._remembered:
            self._maps.popitem(last=False)
        return found


def _panorama_map(image: ImageData) -> PanoramaMap:
    light, wrong = linear_light(image)
    pixels = prefiltered_map(reduced(light, _IMAGE_ROWS), _IMAGE_SIDE, _IMAGE_DEGREE)
    notes = []
    if wrong:
        notes.append(f"{wrong} of its pixels are no light (negative or no number); they are black.")
    if beyond := int((light > LARGEST_HALF).any(axis=-1).sum()):
        notes.append(
            f"{beyond} of its pixels are brighter than {LARGEST_HALF:.0f} and look no brighter than"
            " that; their light counts in full."
        )
    return PanoramaMap(_with_alpha(pixels), tuple(notes))


def _with_alpha(rgb: np.ndarray) -> np.ndarray:
    out = np.ones((*rgb.shape[:2], 4), np.float32)
    out[..., :3] = np.minimum(rgb, LARGEST_HALF)
    out.setflags(write=False)
    return out


def environment_uniforms(environment: Environment) -> dict[str, np.ndarray]:
    """Return the members of uniform block `Frame` that describe the environment, by name."""
    lit = np.array(environment.tint) * environment.strength
    seen = lit if environment.background == "same" else np.array(environment.background_color)
    colored = float(environment.background == "color")
    if environment.kind == "color":
        lit = lit * environment.sky_color
    kind = float(ENVIRONMENT_KINDS.index(environment.kind))
    sun = (*unit_sun_direction(environment), environment.sun_size / 2)
    members = {
        "sky_color": (*environment.sky_color, kind),
        "ground_color": (*environment.ground_color, environment.ambient),
        "sky_sun": sun,
        "sky_params": (
            environment.turbidity,
            environment.sun_intensity,
            colored,
            float(environment.visible),
        ),
        "sky_light": (*lit, 0.0),
        "sky_background": (*seen, 0.0),
        "image_from_world": world_from_image(environment).T[:3],
    }
    return {name: np.array(value, np.float32) for name, value in members.items()}


def world_from_image(environment: Environment) -> np.ndarray:
    """Return the rotation of the panorama, (4, 4) float64; none for a quaternion of length zero."""
    quaternion = np.array(environment.rotation)
    length = float(np.linalg.norm(quaternion))
    if length < 1e-9:
        return np.identity(4)
    x, y, z, w = (quaternion / length).tolist()
    return Transform(rotation=(x, y, z, w)).to_matrix()


def without_image(environment: Environment) -> Environment:
    """Return `environment` with one colour, pink, in place of its panorama."""
    return structs.replace(environment, kind="color", sky_color=PINK)


__all__ = [
    "PINK",
    "PanoramaMap",
    "PanoramaMaps",
    "environment_map",
    "environment_uniforms",
    "without_image",
    "world_from_image",
]
