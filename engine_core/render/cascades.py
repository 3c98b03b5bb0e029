"""Shadow cascades of the sun: how the view is split and where each map lies.

Each cascade is an orthographic map around a sphere that holds its slice of the view. The sphere's
size depends on the projection alone and its centre moves in whole texels of a grid that is fixed
in the world, so that the edge of a still object's shadow stays where it is while the camera moves
and turns.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..world.components import RenderSettings
from .caster_planes import CasterPlanes, caster_planes, slice_corners, window_corners
from .interface import block_dtype
from .view import View

SPLIT_LAMBDA = 0.75
"""Share of the logarithmic split, the rest is uniform (Zhang et al. 2006, "Parallel-Split Shadow
Maps for Large-scale Virtual Environments")."""
BLEND_FRACTION = 0.1
"""Last part of each cascade in which it passes over into the next."""
FADE_FRACTION = 0.08
"""Last part of the shadow distance in which shadows fade out."""
LEAST_NEAR = 0.05
"""Metres; a nearer near plane would give the first cascade all the texels."""
_MARGIN_TEXELS = 4
"""Texels around the sphere: one for snapping, the rest for the filter and the normal offset."""
_DISTANCE_STEPS = 4
"""The scene's reach is rounded up to one of so many steps an octave, so that it changes rarely."""


@dataclass(frozen=True, eq=False)
class Cascades:
    """The maps of one sun for one view.

    shadow_from_world: (C, 4, 4) float64, world to texture space (0..1, z grows away from the sun).
    towards_sun: (3,) unit. caster_planes: what parts the part of the view that each serves from
    casters that do not matter there. far: (C,) depth along the view axis at which each ends;
    texel: (C,) size of a texel; both metres. Shadows fade from depth fade_start to depth distance,
    metres. resolution: texels a side.
    """

    shadow_from_world: np.ndarray
    towards_sun: np.ndarray
    caster_planes: tuple[CasterPlanes, ...]
    far: np.ndarray
    texel: np.ndarray
    fade_start: float
    distance: float
    resolution: int


def split_depths(near: float, far: float, count: int, blend: float = SPLIT_LAMBDA) -> np.ndarray:
    """Return the (count + 1,) depths that bound `count` slices from `near` to `far`, metres.

    `blend` 1 splits logarithmically (near > 0), 0 uniformly.
    """
    part = np.arange(count + 1) / count
    uniform = near + (far - near) * part
    if blend == 0:
        return uniform
    return blend * near * (far / near) ** part + (1 - blend) * uniform


def fit_cascades(
    view: View, towards_sun: np.ndarray, settings: RenderSettings, bounds: np.ndarray
) -> Cascades:
    """Place the cascades of a sun for `view`.

    towards_sun: (3,) unit. bounds: (2, 3) least and greatest corner of everything that casts or
    receives shadows, world space, metres.
    """
    depths, distance = _slice_depths(view, settings, bounds)
    light_from_world = light_axes(towards_sun)
    nearest_sun = (_corners(bounds) @ light_from_world.T)[:, 2].max()
    world_from_view = np.linalg.inv(view.view_from_world)
    matrices, planes, texels = [], [], []
    begin = depths[0]
    for near, far in pairwise(depths):
        centre, radius = bounding_sphere(view, near, far)
        texel = 2 * radius / (settings.shadow_resolution - 2 * _MARGIN_TEXELS)
        at = light_from_world @ (world_from_view @ [*centre, 1.0])[:3]
        at[:2] = np.round(at[:2] / texel) * texel
        top = max(at[2] + radius, nearest_sun) + texel
        matrices.append(
            _texture_from_light(at, texel * settings.shadow_resolution, at[2] - radius, top)
            @ _as_4x4(light_from_world)
        )
        planes.append(
            caster_planes(
                slice_corners(view, begin, far), light_from_world[2], _MARGIN_TEXELS * texel
            )
        )
        begin = far - BLEND_FRACTION * (far - near)
        texels.append(texel)
    return Cascades(
        shadow_from_world=np.array(matrices),
        towards_sun=light_from_world[2],
        caster_planes=tuple(planes),
        far=depths[1:],
        texel=np.array(texels),
        fade_start=distance - FADE_FRACTION * settings.shadow_distance,
        distance=distance,
        resolution=settings.shadow_resolution,
    )


def cascade_block(cascades: Cascades) -> np.ndarray:
    """Return the contents of uniform block `Cascades`, a () structured array."""
    block = np.zeros((), block_dtype("Cascades"))
    count = len(cascades.far)
    block["shadow_from_world"][:count] = cascades.shadow_from_world.transpose(0, 2, 1)
    block["cascade_far"][:count] = cascades.far
    block["cascade_texel"][:count] = cascades.texel
    block["shadow_params"] = (
        1 / cascades.resolution, BLEND_FRACTION, cascades.fade_start, cascades.distance
    )  # fmt: skip
    return block


def light_axes(towards_sun: np.ndarray) -> np.ndarray:
    """Return light_from_world (3, 3): rows are the map's right, its up and the way to the sun."""
    z = np.asarray(towards_sun, np.float64) / np.linalg.norm(towards_sun)
    helper = np.array([0.0, 0.0, -1.0]) if abs(z[1]) > 0.9 else np.array([0.0, 1.0, 0.0])
    x = np.cross(helper, z)
    x /= np.linalg.norm(x)
    return np.array([x, np.cross(z, x), z])


def bounding_sphere(view: View, near: float, far: float) -> tuple[np.ndarray, float]:
    """Return centre (3,), view space, and radius of a sphere around a slice of the view, metres.

    Only the projection and the depths count, so that both stay the same while the camera moves.
    """
    first, last = window_corners(view, near), window_corners(view, far)
    start, end = first.mean(axis=0), last.mean(axis=0)
    # Between the middles of both ends, where the farthest corners of both are equally far away.
    axis = end - start
    near_reach = np.sum((first - start) ** 2, axis=1).max()
    far_reach = np.sum((last - end) ** 2, axis=1).max()
    length2 = max(float(axis @ axis), 1e-12)
    along = np.clip(0.5 + (far_reach - near_reach) / (2 * length2), 0, 1)
    centre = start + along * axis
    reach = np.linalg.norm(np.concatenate([first, last]) - centre, axis=1).max()
    return centre, float(reach)


def _slice_depths(
    view: View, settings: RenderSettings, bounds: np.ndarray
) -> tuple[np.ndarray, float]:
    """Return the depths that bound the slices, (count + 1,), and where shadows end, metres."""
    corners = np.concatenate([_corners(bounds), np.ones((8, 1))], axis=1)
    in_view = (corners @ view.view_from_world.T)[:, :3]
    limit = settings.shadow_distance
    if not view.perspective:
        # Parallel views may begin anywhere, and all their slices are equally wide.
        near = max(view.near, float((-in_view[:, 2]).min()))
        extent = _rounded_reach(float((-in_view[:, 2]).max()) - near, np.ceil)
        return split_depths(
            near, near + min(extent, limit), settings.cascade_count, 0
        ), near + limit
    eye = view.camera_position
    nearest = float(np.linalg.norm(np.clip(eye, bounds[0], bounds[1]) - eye))
    near = max(view.near, LEAST_NEAR, _rounded_reach(nearest, np.floor))
    reach = _rounded_reach(float(np.linalg.norm(in_view, axis=1).max()), np.ceil)
    far = max(min(view.far, limit, reach), near * 1.01)
    return split_depths(near, far, settings.cascade_count), limit


def _rounded_reach(metres: float, rounding: np.ufunc) -> float:
    steps = rounding(np.log2(max(metres, 1e-3)) * _DISTANCE_STEPS)
    return float(2 ** (steps / _DISTANCE_STEPS))


def _corners(bounds: np.ndarray) -> np.ndarray:
    """Return the corners (8, 3) of a box (2, 3)."""
    choice = np.indices((2, 2, 2)).reshape(3, 8).T
    return np.take_along_axis(np.asarray(bounds, np.float64), choice, axis=0)


def _texture_from_light(at: np.ndarray, width: float, bottom: float, top: float) -> np.ndarray:
    """Return the (4, 4) matrix from light axes to texture space of a map `width` metres wide."""
    out = np.identity(4)
    out[0, 0] = out[1, 1] = 1 / width
    out[0, 3], out[1, 3] = 0.5 - at[0] / width, 0.5 - at[1] / width
    out[2, 2] = -1 / (top - bottom)
    out[2, 3] = top / (top - bottom)
    return out


def _as_4x4(rotation: np.ndarray) -> np.ndarray:
    out = np.identity(4)
    out[:3, :3] = rotation
    return out
