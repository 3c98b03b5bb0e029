"""Which lights a frame has: the sun with shadows, and the strongest of the others, as a block."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..world.components import LightComponent
from .interface import BLOCKS, LIGHT_KINDS, MAX_LIGHTS, block_dtype
from .scene_table import SceneTable

_LUMINANCE = np.array([0.2126, 0.7152, 0.0722])
_SUN = LIGHT_KINDS.index("sun")
_AREA = LIGHT_KINDS.index("area")
_LEAST_DISTANCE_M = 1.0
"""A light nearer to the camera than this is as important as one at this distance."""


@dataclass(frozen=True, eq=False)
class ShadowedSun:
    """The one sun that casts shadows: unit direction towards it, and its component."""

    towards: np.ndarray
    light: LightComponent


@dataclass(frozen=True, eq=False)
class FrameLights:
    """The lights of one frame. block: () structured array of uniform block `Lights`."""

    sun: ShadowedSun | None
    block: np.ndarray
    first_area: int
    """Where the area lights begin; the others come before them."""
    count: int
    left_out: int
    """Lights beyond MAX_LIGHTS, the weakest."""
    casts: np.ndarray
    """(count,) bool: which of the block's lights cast shadows."""
    weight: np.ndarray
    """(count,) how much each of them matters near the camera."""


class LightColumns:
    """The lights of a scene as columns in the order of their entities; made anew on change."""

    def __init__(self, table: SceneTable) -> None:
        """Read the lights of `table`."""
        self.version = table.lights_version
        shining = {row: light for row, light in table.lights.items() if _luminance(light) > 0}
        rows = sorted(shining, key=lambda row: table.sequence[row])
        self.lights = [shining[row] for row in rows]
        self.rows = np.array(rows, np.int64)
        self.kind = np.array([LIGHT_KINDS.index(light.kind) for light in self.lights], np.int64)
        self.luminance = np.array([_luminance(light) for light in self.lights])
        self.weight = self.luminance * [light.importance for light in self.lights]
        self.casts = np.array([light.casts_shadow for light in self.lights], bool)
        self.block = np.zeros(len(rows), _ELEMENT)
        for element, light in zip(self.block, self.lights, strict=True):
            _fill(element, light)


_ELEMENT = np.dtype([(member.name, np.float32, (4,)) for member in BLOCKS["Lights"]])
"""One light: the members of block `Lights` without their array dimension."""


def select_lights(
    table: SceneTable, columns: LightColumns, camera_position: np.ndarray
) -> FrameLights:
    """Choose the lights of a frame seen from `camera_position` (3,), metres."""
    world = table.world[columns.rows]
    finite = np.isfinite(world).all(axis=(1, 2)) & table.placed[columns.rows]
    sun = _pick_sun(columns, finite)
    others = np.flatnonzero(finite & (np.arange(len(columns.rows)) != sun))
    left_out = max(0, len(others) - MAX_LIGHTS)
    importance = _importance(columns, world, camera_position)
    if left_out:
        strongest = np.argsort(-importance[others], kind="stable")[:MAX_LIGHTS]
        others = np.sort(others[strongest])
    is_area = columns.kind[others] == _AREA
    others = np.concatenate([others[~is_area], others[is_area]])
    block = np.zeros((), block_dtype("Lights"))
    chosen = _placed(columns.block[others], world[others])
    for name in chosen.dtype.names or ():
        block[name][: len(others)] = chosen[name]
    shadowed = None
    if sun >= 0:
        shadowed = ShadowedSun(-_directions(world[sun : sun + 1])[0], columns.lights[sun])
    return FrameLights(
        sun=shadowed,
        block=block,
        first_area=int((~is_area).sum()),
        count=len(others),
        left_out=left_out,
        casts=columns.casts[others],
        weight=importance[others],
    )


def _pick_sun(columns: LightColumns, finite: np.ndarray) -> int:
    """Return the number of the weightiest sun that casts shadows, -1 if there is none."""
    suns = np.flatnonzero(finite & (columns.kind == _SUN) & columns.casts)
    return int(suns[np.argmax(columns.weight[suns])]) if len(suns) else -1


def _importance(
    columns: LightColumns, world: np.ndarray, camera_position: np.ndarray
) -> np.ndarray:
    """Estimate what each light adds near the camera, times the importance that its maker gave it;
    suns count as if they were right there."""
    distance = np.linalg.norm(world[:, :3, 3] - camera_position, axis=1)
    distance = np.where(columns.kind == _SUN, 0.0, distance)
    return columns.weight / np.maximum(distance, _LEAST_DISTANCE_M) ** 2


def _placed(elements: np.ndarray, world: np.ndarray) -> np.ndarray:
    """Return `elements` with position, direction and axes of where the lights stand."""
    out = elements.copy()
    out["light_position"][:, :3] = world[:, :3, 3]
    out["light_direction"][:, :3] = _directions(world)
    # The sizes of an area are in its local space: its scale makes it larger, as in Blender.
    out["light_right"][:, :3] = world[:, :3, 0] * elements["light_right"][:, :1]
    out["light_up"][:, :3] = world[:, :3, 1] * elements["light_up"][:, :1]
    return out


def _directions(world: np.ndarray) -> np.ndarray:
    """Return the unit local -Z axis of each matrix (N, 4, 4); straight down where it has none."""
    axis = -world[:, :3, 2]
    length = np.linalg.norm(axis, axis=1, keepdims=True)
    return np.where(length > 0, axis / np.where(length > 0, length, 1), [0.0, -1.0, 0.0])


def _luminance(light: LightComponent) -> float:
    return float(_LUMINANCE @ np.array(light.color)) * light.strength


def _fill(element: np.void, light: LightComponent) -> None:
    """Write what does not depend on the place; half sizes wait in the x of their axes."""
    color = np.array(light.color) * light.strength
    is_sun = light.kind == "sun"
    element["light_position"][3] = LIGHT_KINDS.index(light.kind)
    element["light_direction"][3] = light.range
    element["light_color"] = (*color, light.specular_factor)
    element["light_params"] = (
        light.angle / 2 if is_sun else light.radius,
        math.cos(light.spot_angle / 2),
        light.spot_blend,
        light.diffuse_factor,
    )
    element["light_right"][0] = light.area_size[0] / 2
    element["light_right"][3] = light.area_shape == "ellipse"
    element["light_up"][0] = light.area_size[1] / 2
    element["light_up"][3] = math.cos(light.area_spread / 2)
