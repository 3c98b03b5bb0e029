"""F12: one picture of a depsgraph, drawn on the render thread, written into Blender's result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine_core.errors import UsageError
from ..engine_core.render.render_thread import FrameRequest
from ..engine_core.render.view import View
from .colors import scene_linear
from .kept_worlds import PREVIEW, job_key, lent_world
from .scene_warnings import with_frame
from .views import BLENDER_FROM_ENGINE, border_rect, camera_view, cropped

NOTHING_DEPTH_M = 1e10
"""What Blender's Depth pass holds where there is nothing."""


def _color_pass(pixels: np.ndarray) -> np.ndarray:
    return scene_linear(pixels)


def _depth_pass(depth: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(depth), depth, np.float32(NOTHING_DEPTH_M)).astype(np.float32)


def _normal_pass(normals: np.ndarray) -> np.ndarray:
    return normals @ BLENDER_FROM_ENGINE[:3, :3].T.astype(np.float32)


PASSES: dict[str, tuple[str, Callable[[np.ndarray], np.ndarray]]] = {
    "Combined": ("frame_color", _color_pass),
    "Depth": ("frame_depth", _depth_pass),
    "Normal": ("frame_normal", _normal_pass),
}
"""Blender's passes: the renderer's output that each is made of, and how."""


def enabled_passes(view_layer: Any) -> tuple[str, ...]:
    """Return the names of the passes that a view layer asks for and Fyn can give."""
    wanted = {
        "Combined": True,
        "Depth": view_layer.use_pass_z,
        "Normal": view_layer.use_pass_normal,
    }
    return tuple(name for name in PASSES if wanted[name])


def still_view(engine: Any, depsgraph: Any) -> View:
    """Return the View of the picture that Blender wants: camera, size and render region.

    Raises UsageError if there is no camera that can be used or nothing to draw.
    """
    scene = depsgraph.scene
    camera = engine.camera_override or scene.camera
    if camera is None:
        raise UsageError(
            f"Scene '{scene.name}' has no camera; add one and make it active (Ctrl Numpad 0)."
        )
    camera = camera.evaluated_get(depsgraph)
    view = camera_view(depsgraph, camera, engine.camera_model_matrix(camera))
    render = scene.render
    if not render.use_border:
        return view
    low = (render.border_min_x, render.border_min_y)
    high = (render.border_max_x, render.border_max_y)
    return cropped(view, border_rect(low, high, view.size))


def render_still(engine: Any, depsgraph: Any) -> tuple[str, ...]:
    """Render `depsgraph` into `engine`'s result; returns warnings in words.

    Raises FynError with a reason; does nothing more once the user has cancelled.
    """
    view = still_view(engine, depsgraph)
    names = enabled_passes(depsgraph.view_layer)
    outputs = tuple(PASSES[name][0] for name in names)
    key = PREVIEW if engine.is_preview else job_key(depsgraph)
    with lent_world(key) as scene:
        engine.update_stats("", "Reading the scene")
        scene.update(depsgraph, is_new_depsgraph=True)
        engine.update_stats("", "Drawing")
        frame = scene.world.render(FrameRequest(view, outputs), is_cancelled=engine.test_break)
    if frame is None:
        return ()
    arrays = {}
    for name in names:
        output, convert = PASSES[name]
        arrays[name] = convert(frame.outputs[output])
    _write(engine, depsgraph.view_layer.name, view.size, arrays)
    return with_frame(scene.warnings, frame.warnings)


def _write(
    engine: Any, layer_name: str, size: tuple[int, int], arrays: dict[str, np.ndarray]
) -> None:
    """Put pictures, (H, W) or (H, W, channels) float32 with the top row first, into the result."""
    result = engine.begin_result(0, 0, *size, layer=layer_name, view=engine.active_view_get())
    try:
        for render_pass in result.layers[0].passes:
            picture = arrays.get(render_pass.name)
            if picture is not None:
                render_pass.rect.foreach_set(np.ascontiguousarray(picture[::-1]).reshape(-1))
    finally:
        engine.end_result(result)
