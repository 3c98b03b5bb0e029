"""From Blender's cameras and 3D viewports to the engine's View."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..engine_core.errors import UsageError
from ..engine_core.render.view import View
from ..engine_core.world.components import CameraComponent
from .components.reading import read_component
from .sync.axes import ENGINE_FROM_BLENDER

BLENDER_FROM_ENGINE = ENGINE_FROM_BLENDER.T
MIN_VOLUME = 1e-12
"""What the axes of a camera's matrix must span at least, cubic metres of its local unit cube."""
ORTHOGRAPHIC_NEAR_M = 0.1
"""Where the near plane of a parallel view is put: the engine's cameras look forward only."""


@dataclass(frozen=True)
class PixelRect:
    """A part of a picture: pixels from its lower left corner."""

    left: int
    bottom: int
    width: int
    height: int


def frame_size(render: Any) -> tuple[int, int]:
    """Return the size in pixels that Blender's render settings ask for. Raises UsageError for 0."""
    scale = render.resolution_percentage / 100
    size = int(render.resolution_x * scale), int(render.resolution_y * scale)
    if min(size) < 1:
        raise UsageError(
            f"The picture would be {size[0]} x {size[1]} pixels; "
            "raise Resolution or its percentage in the Output properties."
        )
    return size


def border_rect(
    minimum: tuple[float, float], maximum: tuple[float, float], size: tuple[int, int]
) -> PixelRect:
    """Return the render region between two corners (0..1), cut off as Blender cuts it."""
    left, right = (int(np.float32(x) * np.float32(size[0])) for x in (minimum[0], maximum[0]))
    bottom, top = (int(np.float32(y) * np.float32(size[1])) for y in (minimum[1], maximum[1]))
    if right <= left or top <= bottom:
        raise UsageError("The render region is empty; draw it anew (Ctrl B) or turn it off.")
    return PixelRect(left, bottom, right - left, top - bottom)


def cropped(view: View, rect: PixelRect) -> View:
    """Return the view that draws only `rect` of `view`'s picture, pixel for pixel the same."""
    width, height = view.size
    crop = np.identity(4)
    crop[0, 0], crop[1, 1] = width / rect.width, height / rect.height
    crop[0, 3] = (width - 2 * rect.left - rect.width) / rect.width
    crop[1, 3] = (height - 2 * rect.bottom - rect.height) / rect.height
    size = (rect.width, rect.height)
    return replace(view, clip_from_view=crop @ view.clip_from_view, size=size)


def scene_seconds(scene: Any) -> float:
    """Return the time of the current frame in seconds; frame 0 is at 0."""
    return scene.frame_current_final * scene.render.fps_base / scene.render.fps


def camera_view(depsgraph: Any, camera: Any, world_from_camera: Any) -> View:
    """Return the whole picture's View of an (evaluated) camera object, as F12 frames it.

    `world_from_camera` is its matrix in Blender's world. Raises UsageError if the object is no
    camera, is panoramic or the picture has no size.
    """
    scene = depsgraph.scene
    if camera.type != "CAMERA":
        raise UsageError(
            f"The scene's camera '{camera.name}' is a {camera.type.lower()}, which cannot be "
            "rendered from; choose a camera in the Scene properties."
        )
    refuse_panorama(camera)
    size = frame_size(scene.render)
    clip_from_view = camera.calc_matrix_camera(
        depsgraph,
        x=size[0],
        y=size[1],
        scale_x=scene.render.pixel_aspect_x,
        scale_y=scene.render.pixel_aspect_y,
    )
    world_from_view = np.array(world_from_camera, dtype=np.float64)
    lengths = np.linalg.norm(world_from_view[:3, :3], axis=0)
    world_from_view[:3, :3] /= np.where(lengths > 0, lengths, 1)
    view = _view(
        np.linalg.inv(world_from_view) if has_direction(world_from_view) else world_from_view,
        np.array(clip_from_view, dtype=np.float64),
        (camera.data.clip_start, camera.data.clip_end),
        size,
        scene_seconds(scene),
    )
    return replace(view, exposure=_exposure(camera))


def _exposure(camera: Any) -> float:
    """Return the stops that people set on a camera (an object) beside Blender's own settings."""
    return read_component(camera.data, CameraComponent).exposure


def refuse_panorama(camera: Any) -> None:
    """Raise UsageError if `camera` (an object) is panoramic."""
    if camera.data.type == "PANO":
        raise UsageError(
            f"Camera '{camera.name}' is panoramic, which Fyn cannot draw; "
            "set its lens type to Perspective or Orthographic."
        )


def region_view(space: Any, region: Any, region_data: Any, scene: Any) -> View:
    """Return the View of a whole 3D viewport region. Raises UsageError for a panoramic camera."""
    clip_range = (space.clip_start, space.clip_end)
    camera = space.camera if region_data.view_perspective == "CAMERA" else None
    exposure = 0.0
    if camera is not None and camera.type == "CAMERA":
        refuse_panorama(camera)
        clip_range = (camera.data.clip_start, camera.data.clip_end)
        exposure = _exposure(camera)
    view = _view(
        np.array(region_data.view_matrix, dtype=np.float64),
        np.array(region_data.window_matrix, dtype=np.float64),
        clip_range,
        (region.width, region.height),
        scene_seconds(scene),
    )
    return replace(view, exposure=exposure)


def viewport_border(space: Any, region: Any, region_data: Any, depsgraph: Any) -> PixelRect | None:
    """Return the part of a viewport that is to be drawn, or None for all of it.

    In a camera view that is the scene's render region inside the camera's frame, elsewhere the
    viewport's own one.
    """
    scene = depsgraph.scene
    size = (region.width, region.height)
    if region_data.view_perspective == "CAMERA" and space.camera is not None:
        render = scene.render
        if not render.use_border or space.camera.type != "CAMERA":
            return None
        corners = (
            (render.border_min_x, render.border_min_y),
            (render.border_max_x, render.border_max_y),
        )
        left, bottom, right, top = camera_frame(space.camera, region, region_data, scene)
        low, high = ((left + x * (right - left), bottom + y * (top - bottom)) for x, y in corners)
    elif space.use_render_border:
        low = (space.render_border_min_x * size[0], space.render_border_min_y * size[1])
        high = (space.render_border_max_x * size[0], space.render_border_max_y * size[1])
    else:
        return None
    start = [min(max(round(v), 0), n) for v, n in zip(low, size, strict=True)]
    end = [min(max(round(v), 0), n) for v, n in zip(high, size, strict=True)]
    return PixelRect(start[0], start[1], max(end[0] - start[0], 0), max(end[1] - start[1], 0))


def camera_frame(
    camera: Any, region: Any, region_data: Any, scene: Any
) -> tuple[float, float, float, float]:
    """Return left, bottom, right, top of the camera's frame in pixels of the region."""
    corners = np.array(camera.data.view_frame(scene=scene), dtype=np.float64)
    # In a camera view, view space is camera space, so the frame's corners need no world matrix.
    clip = np.array(region_data.window_matrix) @ np.c_[corners, np.ones(len(corners))].T
    ndc = clip[:2] / clip[3]
    low, high = ndc.min(axis=1) / 2 + 0.5, ndc.max(axis=1) / 2 + 0.5
    return (
        low[0] * region.width,
        low[1] * region.height,
        high[0] * region.width,
        high[1] * region.height,
    )


def has_direction(matrix: np.ndarray) -> bool:
    """Tell whether a (4, 4) matrix is finite and keeps three axes apart."""
    return bool(np.isfinite(matrix).all()) and abs(np.linalg.det(matrix[:3, :3])) > MIN_VOLUME


def _view(
    view_from_world: np.ndarray,
    clip_from_view: np.ndarray,
    clip_range: tuple[float, float],
    size: tuple[int, int],
    time: float,
) -> View:
    """Make a View of Blender's matrices; `view_from_world` takes Blender's world.

    `clip_range` (metres) is that of a perspective camera: single-precision matrices do not give
    the far plane back. Parallel ones do, and a viewport's range is not what its panel says.
    """
    if not has_direction(view_from_world):
        raise UsageError(
            "The camera has a scale of zero, so it looks nowhere; set its scale, or its parent's, "
            "to 1 (Alt S)."
        )
    perspective = clip_from_view[3, 3] == 0
    clip = clip_from_view.copy()
    if perspective:
        near, far = clip_range
        clip[2, 2] = -(far + near) / (far - near)
        clip[2, 3] = -2 * far * near / (far - near)
    else:
        near = (clip[2, 3] + 1) / clip[2, 2]
        far = (clip[2, 3] - 1) / clip[2, 2]
        if near < ORTHOGRAPHIC_NEAR_M:
            # Blender's parallel viewports also show what is behind their eye: step back.
            step = ORTHOGRAPHIC_NEAR_M - near
            near, far = near + step, far + step
            clip[2, 3] = -(far + near) / (far - near)
            back = np.identity(4)
            back[2, 3] = -step
            view_from_world = back @ view_from_world
    return View(
        view_from_world=view_from_world @ BLENDER_FROM_ENGINE,
        clip_from_view=clip,
        near=float(near),
        far=float(far),
        perspective=bool(perspective),
        size=size,
        time=time,
    )
