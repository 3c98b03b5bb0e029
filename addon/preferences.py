"""The extension's preferences: how much it says, and what it draws with."""

from __future__ import annotations

import logging
from typing import Any

import bpy

PACKAGE = (__package__ or "").rpartition(".")[0]
"""`fyn`, or `bl_ext.<repository>.fyn` in Blender: the name under which preferences are kept."""

DEFAULT_RATE = 12
"""Frames a second of a moving viewport."""

LEVELS = (
    ("WARNING", "Warnings", "What cannot be shown as Blender shows it, and errors"),
    ("INFO", "Information", "Also which driver and formats are in use"),
    ("DEBUG", "Everything", "Also what only developers want to know"),
)


def apply_log_level() -> None:
    """Make the loggers of Fyn say as much as chosen (warnings, if Fyn is no enabled extension)."""
    found = preferences()
    logging.getLogger("fyn").setLevel(found.log_level if found else "WARNING")


def preferences() -> Any | None:
    """Return the extension's preferences, None if Fyn is no enabled extension."""
    addon = bpy.context.preferences.addons.get(PACKAGE)
    return None if addon is None else addon.preferences


def frame_target_s() -> float | None:
    """Return what a frame of a moving viewport may take in seconds; None: any time."""
    found = preferences()
    if found is None:
        return 1 / DEFAULT_RATE
    return 1 / found.moving_rate if found.adapts_resolution else None


class FynPreferences(bpy.types.AddonPreferences):
    """Shown under the extension's entry in Blender's preferences."""

    bl_idname = PACKAGE

    log_level: bpy.props.EnumProperty(  # type: ignore[valid-type]
        name="Log",
        description="What Fyn writes to the console",
        items=LEVELS,
        default="WARNING",
        update=lambda _preferences, _context: apply_log_level(),
    )

    adapts_resolution: bpy.props.BoolProperty(  # type: ignore[valid-type]
        name="Adapt Resolution",
        description="Draw fewer pixels while a viewport moves if that takes too long, and all of "
        "them once it is still",
        default=True,
    )
    moving_rate: bpy.props.IntProperty(  # type: ignore[valid-type]
        name="Frames a Second",
        description="How often a moving viewport is to be drawn at least",
        default=DEFAULT_RATE,
        min=1,
        soft_max=60,
        max=240,
    )

    def draw(self, context: Any) -> None:
        """Draw the panel."""
        self.layout.use_property_split = True
        self.layout.prop(self, "adapts_resolution")
        row = self.layout.row()
        row.active = self.adapts_resolution
        row.prop(self, "moving_rate")
        self.layout.prop(self, "log_level")
