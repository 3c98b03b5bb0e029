"""View: from where and through what a frame is seen."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from pyglm import glm

from ..world.components import CameraComponent


@dataclass(frozen=True, eq=False)
class View:
    """A camera reduced to matrices, for one size of frame.

    view_from_world, clip_from_view: (4, 4) float64, OpenGL clip space. near, far: metres.
    perspective: False for parallel projection. size: (width, height) in pixels. time: seconds.
    exposure: stops added to those of the render settings.
    """

    view_from_world: np.ndarray
    clip_from_view: np.ndarray
    near: float
    far: float
    perspective: bool
    size: tuple[int, int]
    time: float = 0.0
    exposure: float = 0.0

    @property
    def clip_from_world(self) -> np.ndarray:
        """(4, 4) float64."""
        return self.clip_from_view @ self.view_from_world

    @property
    def camera_position(self) -> np.ndarray:
        """(3,) float64, world space, metres."""
        return np.linalg.inv(self.view_from_world)[:3, 3]


def projection(
    camera: CameraComponent, size: tuple[int, int], pixel_aspect: float = 1.0
) -> np.ndarray:
    """Return clip_from_view (4, 4) float64 of `camera` for a picture of `size` pixels.

    `pixel_aspect` is height over width of a pixel's spacing (1 for square ones). The fitted side
    spans `fov` (or `ortho_scale`); the other follows from the aspect, as Blender's sensor fit does.
    Elements carry float32 precision, which is what the GPU gets.
    """
    width, height = size[0], size[1] * pixel_aspect
    horizontal = camera.fit == "horizontal" or (camera.fit == "auto" and width >= height)
    fitted = width if horizontal else height
    half = camera.ortho_scale / 2
    if camera.projection == "perspective":
        half = camera.near * math.tan(camera.fov / 2)
    half_x, half_y = half * width / fitted, half * height / fitted
    shift_x, shift_y = (2 * half * s for s in camera.shift)
    bounds = (shift_x - half_x, shift_x + half_x, shift_y - half_y, shift_y + half_y)
    if camera.projection == "perspective":
        matrix = glm.frustumNO(*bounds, camera.near, camera.far)
    else:
        matrix = glm.orthoNO(*bounds, camera.near, camera.far)
    return np.array(matrix, dtype=np.float64)


def camera_view(
    camera: CameraComponent,
    world_from_local: np.ndarray,
    size: tuple[int, int],
    *,
    time: float = 0.0,
    pixel_aspect: float = 1.0,
) -> View:
    """Return the View of `camera` standing at `world_from_local` (its scale is ignored)."""
    axes = world_from_local[:3, :3]
    lengths = np.linalg.norm(axes, axis=0)
    world_from_view = np.array(world_from_local, dtype=np.float64)
    world_from_view[:3, :3] = axes / np.where(lengths > 0, lengths, 1)
    return View(
        view_from_world=np.linalg.inv(world_from_view),
        clip_from_view=projection(camera, size, pixel_aspect),
        near=camera.near,
        far=camera.far,
        perspective=camera.projection == "perspective",
        size=size,
        time=time,
        exposure=camera.exposure,
    )
