"""Blender cameras to CameraComponent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...engine_core.world.components import CameraComponent
from .scene_causes import SceneCause
from .warnings import SyncWarning, warn_about


@dataclass(frozen=True)
class CameraReading:
    """A camera and what was approximated of it."""

    component: CameraComponent
    warnings: tuple[SyncWarning, ...] = ()


def read_camera(camera: Any) -> CameraReading:
    """Turn a `bpy.types.Camera` into a component."""
    warnings: list[SyncWarning] = []
    if camera.type not in {"PERSP", "ORTHO"}:
        warnings.append(warn_about(camera, SceneCause.CAMERA_PANORAMIC))
    if camera.dof.use_dof:
        warnings.append(warn_about(camera, SceneCause.CAMERA_DEPTH_OF_FIELD))
    fit = {"AUTO": "auto", "HORIZONTAL": "horizontal", "VERTICAL": "vertical"}[camera.sensor_fit]
    component = CameraComponent(
        projection="orthographic" if camera.type == "ORTHO" else "perspective",
        fit=fit,  # type: ignore[arg-type]
        fov=min(max(camera.angle, 0.001), 3.1405),
        ortho_scale=max(camera.ortho_scale, 1e-6),
        shift=(camera.shift_x, camera.shift_y),
        near=max(camera.clip_start, 1e-6),
        far=max(camera.clip_end, camera.clip_start * 1.0001, 1e-5),
    )
    return CameraReading(component, tuple(warnings))
