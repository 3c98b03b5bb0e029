"""The properties that Blender shows while Fyn is the scene's engine: its own panels, and ours."""

from __future__ import annotations

from typing import Any

import bpy

ENGINE = "FYN"

OFFERED_TO_ALL = "BLENDER_RENDER"
"""Panels that carry this engine's name are meant for any engine."""

LEFT_OUT = (
    "DATA_PT_light",  # the plain lamp panel: EEVEE's holds the same and more
    "NODE_DATA_PT_light",
    "DATA_PT_lightprobe",
    "RENDER_PT_freestyle",
    "RENDER_PT_gpencil",
    "RENDER_PT_grease_pencil",
    "RENDER_PT_stereoscopy",
    "MATERIAL_PT_freestyle",
    "VIEWLAYER_PT_freestyle",
)
"""Beginnings of the names of such panels about things that Fyn does not draw."""

TAKEN_OVER = (
    "DATA_PT_EEVEE_light",
    "DATA_PT_EEVEE_light_distance",
    "DATA_PT_EEVEE_light_influence",
    "DATA_PT_EEVEE_light_shadow",
    "EEVEE_MATERIAL_PT_context_material",
    "EEVEE_MATERIAL_PT_settings",
    "EEVEE_MATERIAL_PT_settings_surface",
    "EEVEE_MATERIAL_PT_surface",
    "EEVEE_WORLD_PT_surface",
    "MATERIAL_PT_preview",
    "NODE_DATA_PT_EEVEE_light",
)
"""EEVEE's panels about things that Fyn draws as well."""


class RENDER_PT_fyn_film(bpy.types.Panel):
    """What of the picture stays empty."""

    bl_label = "Film"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "render"
    COMPAT_ENGINES = {ENGINE}  # noqa: RUF012 - Blender's own convention

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Only while Fyn renders."""
        return context.engine in cls.COMPAT_ENGINES

    def draw(self, context: Any) -> None:
        """Draw the panel."""
        layout: Any = self.layout
        layout.use_property_split = True
        layout.prop(context.scene.render, "film_transparent")


class VIEWLAYER_PT_fyn_passes(bpy.types.Panel):
    """Which pictures a render makes."""

    bl_label = "Passes"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "view_layer"
    COMPAT_ENGINES = {ENGINE}  # noqa: RUF012 - (same)

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Only while Fyn renders."""
        return context.engine in cls.COMPAT_ENGINES

    def draw(self, context: Any) -> None:
        """Draw the panel."""
        layout: Any = self.layout
        layout.use_property_split = True
        column = layout.column(heading="Include")
        column.prop(context.view_layer, "use_pass_z", text="Depth")
        column.prop(context.view_layer, "use_pass_normal", text="Normal")


CLASSES = (RENDER_PT_fyn_film, VIEWLAYER_PT_fyn_passes)

_joined: list[type] = []


def register() -> None:
    """Let Blender's panels that make sense show for Fyn."""
    for panel in _all_panels(bpy.types.Panel):
        engines = getattr(panel, "COMPAT_ENGINES", None)
        if isinstance(engines, set) and ENGINE not in engines and _makes_sense(panel, engines):
            engines.add(ENGINE)
            _joined.append(panel)


def unregister() -> None:
    """Take Fyn out of exactly those panels."""
    for panel in _joined:
        panel.COMPAT_ENGINES.discard(ENGINE)  # type: ignore[attr-defined]
    _joined.clear()


def _makes_sense(panel: type, engines: set[str]) -> bool:
    name = panel.__name__
    if name in TAKEN_OVER:
        return True
    return OFFERED_TO_ALL in engines and not name.startswith(LEFT_OUT)


def _all_panels(base: type) -> list[type]:
    """Return every panel class below `base`: some inherit from others."""
    found: dict[type, None] = {}
    for panel in base.__subclasses__():
        found[panel] = None
        found.update(dict.fromkeys(_all_panels(panel)))
    return list(found)
