"""What a texture lookup is made of: which picture, which channel, laid out how. Knows no bpy."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Wrap = Literal["repeat", "mirror", "clamp"]
Channel = Literal["r", "g", "b", "a", "luminance"]

IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0)
LOOKS_STRAIGHT = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)


@dataclass(frozen=True)
class UvMapping:
    """How texture coordinates come from a UV map.

    uv_map: its name, "" for the one that renders. matrix: (a, b, c, d, e, f) with
    u' = a u + b v + c and v' = d u + e v + f, v up as in Blender. wrap_u, wrap_v: None leaves it to
    the image node.
    """

    uv_map: str = ""
    matrix: tuple[float, float, float, float, float, float] = IDENTITY
    wrap_u: Wrap | None = None
    wrap_v: Wrap | None = None

    def then(self, matrix: tuple[float, float, float, float, float, float]) -> UvMapping:
        """Return the mapping followed by another affine one."""
        a, b, c, d, e, f = matrix
        p, q, r, s, t, u = self.matrix
        combined = (
            a * p + b * s,
            a * q + b * t,
            a * r + b * u + c,
            d * p + e * s,
            d * q + e * t,
            d * r + e * u + f,
        )
        return replace(self, matrix=combined)


@dataclass(frozen=True)
class ImageSample:
    """A lookup in an image. uid: its session key; frame: of a sequence or movie, else 0.

    is_clipped: beyond its edges all is transparent black.
    """

    uid: int
    frame: int
    mapping: UvMapping
    wrap: Wrap = "repeat"
    nearest: bool = False
    is_clipped: bool = False
    name: str = ""
    image: Any = field(default=None, compare=False)
    user: Any = field(default=None, compare=False)


@dataclass(frozen=True)
class CheckerSample:
    """A lookup in a checkerboard of squares one unit wide: 1 where Blender shows Color1."""

    mapping: UvMapping
    name: str = "checker"


@dataclass(frozen=True)
class VertexColorSample:
    """A colour attribute of the mesh; name "" is the one that renders."""

    name: str = ""


@dataclass(frozen=True)
class PanoramaSample:
    """A lookup in a picture of the whole sphere.

    matrix: rows of the affine (3, 4) that takes a direction of view to one in the picture, both in
    Blender's axes. is_mirror_ball: the picture is one of a mirror ball, else equirectangular. The
    others as in ImageSample.
    """

    uid: int
    frame: int
    matrix: tuple[float, ...]
    is_mirror_ball: bool = False
    name: str = ""
    image: Any = field(default=None, compare=False)
    user: Any = field(default=None, compare=False)


PHYSICAL_SKIES = frozenset({"NISHITA", "SINGLE_SCATTERING", "MULTIPLE_SCATTERING"})
"""Types of the Sky Texture that have a sun of their own, by the name a version gives them."""


@dataclass(frozen=True)
class SkySample:
    """A lookup in a sky. sun_direction: towards the sun, Blender axes; sun_size: radians, 0: none.

    is_usual_air: altitude, air, dust and ozone are as Blender has them at first. matrix: as in
    PanoramaSample.
    """

    kind: str
    sun_direction: tuple[float, float, float]
    sun_size: float = 0.0
    sun_intensity: float = 1.0
    turbidity: float = 2.2
    is_usual_air: bool = True
    name: str = "sky"
    matrix: tuple[float, ...] = LOOKS_STRAIGHT


Sample = ImageSample | CheckerSample | VertexColorSample | SkySample | PanoramaSample


@dataclass(frozen=True)
class ChannelSource:
    """One channel of a sample, as a linear number."""

    sample: Sample
    channel: Channel


@dataclass(frozen=True)
class SlotTransform:
    """scale, then rotation (radians), then offset in v-down UV space, as KHR_texture_transform."""

    offset: tuple[float, float] = (0.0, 0.0)
    rotation: float = 0.0
    scale: tuple[float, float] = (1.0, 1.0)
    sheared: bool = False


def slot_transform(mapping: UvMapping) -> SlotTransform:
    """Turn a v-up affine mapping into offset, rotation and scale in v-down space.

    With V = 1 - v the matrix becomes (a, -b, b+c; -d, e, 1-e-f). KHR_texture_transform means
    u' = s_x cos(r) u + s_y sin(r) V + o_x, V' = -s_x sin(r) u + s_y cos(r) V + o_y.
    """
    a, b, c, d, e, f = mapping.matrix
    m00, m01, offset_u = a, -b, b + c
    m10, m11, offset_v = -d, e, 1 - e - f
    size = max(abs(m00), abs(m01), abs(m10), abs(m11), 1e-30)
    if abs(m01) < 1e-7 * size and abs(m10) < 1e-7 * size:
        return SlotTransform((offset_u, offset_v), 0.0, (m00, m11))
    rotation = math.atan2(-m10, m00)
    cos, sin = math.cos(rotation), math.sin(rotation)
    scale = (math.hypot(m00, m10), m01 * sin + m11 * cos)
    sheared = abs(m01 * cos - m11 * sin) > 1e-4 * size
    return SlotTransform((offset_u, offset_v), rotation, scale, sheared)
