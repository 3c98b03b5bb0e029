"""A depsgraph with render visibility and render levels, which Blender only gives to engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import bpy

from ...engine_core.errors import SyncError

T = TypeVar("T")


def with_render_depsgraph(scene: Any, read: Callable[[Any], T]) -> T:
    """Call `read` with the depsgraph that a render of `scene` sees, and return its result.

    Blender builds such a depsgraph for a render only; so a render is started with an engine that
    does nothing but call `read`. Whatever `read` raises is raised here. The scene's settings are
    put back afterwards. Raises SyncError if Blender refuses to render.
    """
    return with_render_engine(scene, lambda engine, depsgraph: read(depsgraph))


def with_render_engine(scene: Any, read: Callable[[Any, Any], T]) -> T:
    """Call `read` as `with_render_depsgraph` does, with the engine first.

    The engine's `frame_set` brings the depsgraph to another frame; the scene's own is put back.
    """
    frame, subframe = scene.frame_current, scene.frame_subframe
    results: list[T] = []
    failures: list[BaseException] = []

    class DepsgraphReader(bpy.types.RenderEngine):
        bl_idname = "FYN_DEPSGRAPH_READER"
        bl_label = "Fyn Depsgraph Reader"

        def render(self, depsgraph: Any) -> None:
            if results or failures:
                return
            try:
                results.append(read(self, depsgraph))
            except BaseException as error:
                failures.append(error)
            finally:
                # Not `scene.frame_set`, which would undo what the artist has posed but not keyed.
                if (scene.frame_current, scene.frame_subframe) != (frame, subframe):
                    self.frame_set(frame, subframe)

    bpy.utils.register_class(DepsgraphReader)
    try:
        settings = {"engine": DepsgraphReader.bl_idname, **_NO_POST_PROCESSING}
        with _changed(scene.render, **settings), _some_camera(scene):
            reason = _render(scene)
    finally:
        bpy.utils.unregister_class(DepsgraphReader)
    if failures:
        raise failures[0]
    if not results:
        raise SyncError(f"Blender does not render the scene '{scene.name}': {reason}")
    return results[0]


_NO_POST_PROCESSING: dict[str, Any] = {
    "use_compositing": False,
    "use_sequencer": False,
    "use_border": False,
    "use_multiview": False,
}


def _render(scene: Any) -> str:
    """Start the render of the first enabled view layer; returns why nothing came, in words."""
    layers = [layer.name for layer in scene.view_layers if layer.use]
    if not layers:
        return "none of its view layers is enabled for rendering; enable one."
    try:
        bpy.ops.render.render(scene=scene.name, layer=layers[0])
    except RuntimeError as error:
        return " ".join(str(error).split()).removeprefix("Error: ")
    return "no view layer was drawn."


@contextmanager
def _some_camera(scene: Any) -> Iterator[None]:
    """Blender renders nothing without a camera: lend it one that is in no collection."""
    if scene.camera is not None:
        yield
        return
    data = bpy.data.cameras.new("Fyn Depsgraph Reader")
    lent = bpy.data.objects.new(data.name, data)
    scene.camera = lent
    try:
        yield
    finally:
        scene.camera = None
        bpy.data.objects.remove(lent)
        bpy.data.cameras.remove(data)


@contextmanager
def _changed(owner: Any, **settings: Any) -> Iterator[None]:
    """Set properties of a Blender object and put them back."""
    before = {name: getattr(owner, name) for name in settings}
    try:
        for name, value in settings.items():
            setattr(owner, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(owner, name, value)
