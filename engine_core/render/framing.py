"""A camera, and a sun if need be, that show a whole level: for levels that have none."""

from __future__ import annotations

import math

import numpy as np

from ..errors import UsageError
from ..world.components import CameraComponent, LightComponent
from ..world.entity import Entity, Transform
from ..world.world import World, WorldDelta

FRAMING_CAMERA = "framing camera"
FRAMING_SUN = "framing sun"
DIM_SKY = 0.3
"""A sky of this radiance or less lights nothing: Blender's default grey has 0.05."""
_FROM = np.array([0.55, 0.5, 0.67])
"""Direction from the subject to the camera: a little above, three-quarters front."""
_FOV = math.radians(40.0)
_SUN_FROM = np.array([-0.5, 0.75, 0.6])


def world_bounds(world: World) -> np.ndarray:
    """Return (2, 3) float64, least and greatest corner of all drawn meshes, metres.

    Raises UsageError if nothing with a finite size is drawn.
    """
    corners = []
    for key, entity in world.entities.items():
        mesh = world.meshes.get(entity.mesh.mesh) if entity.mesh is not None else None
        if mesh is None or mesh.triangle_count == 0:
            continue
        low, high = mesh.bounds.astype(np.float64)
        box = np.array([[x, y, z, 1.0] for x in (low[0], high[0]) for y in (low[1], high[1])
                        for z in (low[2], high[2])])  # fmt: skip
        corners.append((box @ world.world_from_local(key).T)[:, :3])
    stacked = np.concatenate(corners) if corners else np.zeros((0, 3))
    stacked = stacked[np.isfinite(stacked).all(axis=1)]
    if not len(stacked):
        raise UsageError("There is no camera and no mesh to point one at; add a camera.")
    return np.stack([stacked.min(axis=0), stacked.max(axis=0)])


def framing(world: World, aspect: float) -> WorldDelta:
    """Return what must be added to see all that `world` draws in a picture of `aspect`.

    That is a camera, made the active one, and a sun over the viewer's shoulder if neither a lamp
    nor the sky of `world` shines. `aspect` is width over height. Raises UsageError if nothing is
    drawn.
    """
    camera = _camera(world_bounds(world), aspect)
    added = {camera.id: camera}
    if not _shines(world):
        added[FRAMING_SUN] = Entity(
            id=FRAMING_SUN,
            name="Framing sun",
            transform=_looking_along(_SUN_FROM, np.zeros(3)),
            light=LightComponent(kind="sun", strength=1.0),
        )
    return WorldDelta(entities=added, active_camera=camera.id)


def _shines(world: World) -> bool:
    sky = world.environment
    brightness = sky.strength * max(*sky.sky_color, *sky.ground_color)
    return (
        sky.kind in ("sky", "image")
        or brightness > DIM_SKY
        or any(entity.light is not None for entity in world.entities.values())
    )


def _camera(bounds: np.ndarray, aspect: float) -> Entity:
    low, high = bounds
    center = (low + high) / 2
    radius = max(float(np.linalg.norm(high - low)) / 2, 1e-3)
    narrow = math.atan(math.tan(_FOV / 2) * min(1.0, 1.0 / aspect, aspect))
    distance = radius / math.sin(narrow)
    return Entity(
        id=FRAMING_CAMERA,
        name="Framing camera",
        transform=_looking_along(_FROM, center, distance),
        camera=CameraComponent(fov=_FOV, near=distance * 0.01, far=distance + radius * 2),
    )


def _looking_along(
    towards_viewer: np.ndarray, target: np.ndarray, distance: float = 0.0
) -> Transform:
    """Transform whose -Z axis looks at `target` from `distance` in direction `towards_viewer`."""
    back = towards_viewer / np.linalg.norm(towards_viewer)
    right = np.cross((0.0, 1.0, 0.0), back)
    right /= np.linalg.norm(right)
    matrix = np.identity(4)
    matrix[:3, 0], matrix[:3, 1], matrix[:3, 2] = right, np.cross(back, right), back
    matrix[:3, 3] = target + back * distance
    return Transform(matrix=tuple(matrix.ravel().tolist()))  # pyright: ignore[reportArgumentType]
