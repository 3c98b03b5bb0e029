"""FynRenderEngine: what Blender calls to draw Rendered viewports, stills, animations, previews."""

from __future__ import annotations

import logging
import weakref
from typing import Any

import bpy

from ..engine_core.render.render_thread import describe, is_expected
from .colors import view_transform_warning
from .still import enabled_passes, render_still
from .viewport.viewport import Viewport

log = logging.getLogger("fyn")

REPORTED_WARNINGS = 8
"""Blender shows so many after a render; the console holds all."""

_PASS_CHANNELS: dict[str, tuple[int, str, Any]] = {
    "Combined": (4, "RGBA", "COLOR"),
    "Depth": (1, "Z", "VALUE"),
    "Normal": (3, "XYZ", "VECTOR"),
}


class FynRenderEngine(bpy.types.RenderEngine):
    """The game's own renderer."""

    bl_idname = "FYN"
    bl_label = "Fyn"
    bl_use_preview = True
    bl_use_eevee_viewport = True  # Material Preview shading stays EEVEE's
    bl_use_gpu_context = False  # the engine draws in a context of its own

    _viewport: Viewport | None = None

    def view_update(self, context: Any, depsgraph: Any) -> None:
        """Sync what has changed in the viewport's scene."""
        self._ensured_viewport().update(depsgraph, context.space_data)

    def view_draw(self, context: Any, depsgraph: Any) -> None:
        """Draw the viewport."""
        viewport = self._ensured_viewport()
        pixel_size = self.get_preview_pixel_size(depsgraph.scene)
        status = viewport.draw(context, depsgraph, pixel_size)
        warning = view_transform_warning(depsgraph.scene)
        self.update_stats(status, warning)

    def render(self, depsgraph: Any) -> None:
        """Render one still, frame of an animation or preview."""
        try:
            warnings = render_still(self, depsgraph)
        except Exception as error:
            log.error("The render failed: %s", error, exc_info=not is_expected(error))
            if not self.is_preview:
                self.report({"ERROR"}, describe(error))
            return
        if self.is_preview:
            return
        if about_colors := view_transform_warning(depsgraph.scene):
            warnings = (about_colors, *warnings)
        for warning in warnings[:REPORTED_WARNINGS]:
            self.report({"WARNING"}, warning)
        for warning in warnings[REPORTED_WARNINGS:]:
            log.warning("%s", warning)
        if len(warnings) > REPORTED_WARNINGS:
            more = len(warnings) - REPORTED_WARNINGS
            self.report({"WARNING"}, f"{more} more warnings: Render properties, Fyn Warnings.")

    def update_render_passes(self, scene: Any = None, renderlayer: Any = None) -> None:
        """Tell Blender's compositor which passes there are."""
        for name in enabled_passes(renderlayer):
            channels, letters, kind = _PASS_CHANNELS[name]
            self.register_pass(scene, renderlayer, name, channels, letters, kind)

    def _ensured_viewport(self) -> Viewport:
        if self._viewport is None:
            # A strong reference would keep the engine alive after Blender has freed its view.
            itself = weakref.ref(self)

            def tag_redraw() -> None:
                engine = itself()
                if engine is None:
                    raise ReferenceError("the view is gone")
                engine.tag_redraw()

            self._viewport = Viewport(tag_redraw)
            # Blender invalidates the engine before Python's __del__ could read an attribute of it.
            weakref.finalize(self, self._viewport.release).atexit = False
        return self._viewport
