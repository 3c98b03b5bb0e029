"""View: from where and through what a frame is seen."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..world.components import CameraComponent


@dataclass(frozen=True, eq=False)
class View:
    """A camera reduced to matrices, for one size of frame.

    view_from_world, clip_from_view: (4, 4) float64, OpenGL clip space. near, far: metres.
    perspective: False for parallel projection. size: (width, height) in pixels. time: seconds.
    """

    view_from_world: np.ndarray
    clip_from_view: np.ndarray
    near: float
    far: float
    perspective: bool
    size: tuple[int, int]
    time: float = 0.0

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
        return frustum(*bounds, camera.near, camera.far)
    return orthographic(*bounds, camera.near, camera.far)


def frustum(
    left: float, right: float, bottom: float, top: float, near: float, far: float
) -> np.ndarray:
    """Perspective matrix (4, 4) float64 of the window `left..top` at distance `near`, metres."""
    out = np.zeros((4, 4))
    out[0, 0] = 2 * near / (right - left)
    out[1, 1] = 2 * near / (top - bottom)
    out[0, 2] = (right + left) / (right - left)
    out[1, 2] = (top + bottom) / (top - bottom)
    out[2, 2] = -(far + near) / (far - near)
    out[2, 3] = -2 * far * near / (far - near)
    out[3, 2] = -1
    return out


def orthographic(
    left: float, right: float, bottom: float, top: float, near: float, far: float
) -> np.ndarray:
    """Parallel projection matrix (4, 4) float64 of the box, metres."""
    out = np.identity(4)
    out[0, 0] = 2 / (right - left)
    out[1, 1] = 2 / (top - bottom)
    out[2, 2] = -2 / (far - near)
    out[0, 3] = -(right + left) / (right - left)
    out[1, 3] = -(top + bottom) / (top - bottom)
    out[2, 3] = -(far + near) / (far - near)
    return out


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
    )
