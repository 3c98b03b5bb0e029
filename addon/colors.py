"""Finished pixels to what Blender expects, so that its `Standard` view shows those same pixels."""

from __future__ import annotations

from typing import Any

import numpy as np

from .sync.scene_causes import SceneCause


def _decode_table() -> np.ndarray:
    """Linear value of each sRGB byte (IEC 61966-2-1), (256,) float32."""
    encoded = np.arange(256) / 255
    decoded = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    return decoded.astype(np.float32)


LINEAR_FROM_SRGB_BYTE = _decode_table()


def scene_linear(pixels: np.ndarray) -> np.ndarray:
    """Turn sRGB bytes with straight alpha, (H, W, 4), into linear premultiplied float32."""
    out = np.empty(pixels.shape, np.float32)
    out[..., 3] = pixels[..., 3] / np.float32(255)
    out[..., :3] = LINEAR_FROM_SRGB_BYTE[pixels[..., :3]]
    out[..., :3] *= out[..., 3:]
    return out


def view_transform_changes(scene: Any) -> str:
    """Name what keeps Blender from showing Fyn's colours as they are; "" if nothing does."""
    view = scene.view_settings
    changes = []
    if view.view_transform != "Standard":
        changes.append(f"view transform '{view.view_transform}'")
    if view.look != "None":
        changes.append(f"look '{view.look}'")
    if view.exposure != 0 or view.gamma != 1:
        changes.append("exposure or gamma")
    if view.use_curve_mapping:
        changes.append("curves")
    return " and ".join(changes)


def view_transform_warning(scene: Any) -> str:
    """Say what keeps Blender from showing Fyn's colours as they are; "" if nothing does."""
    changes = view_transform_changes(scene)
    if not changes:
        return ""
    words = SceneCause.SCENE_COLORS.words
    return f"{words.what.format(changes=changes)} {words.advice}"
