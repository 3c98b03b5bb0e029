"""The extension's preferences: how much it says, and what it draws with."""

from __future__ import annotations

import logging
from typing import Any

import bpy

PACKAGE = (__package__ or "").rpartition(".")[0]
"""`fyn`, or `bl_ext.<repository>.fyn` in Blender: the name under which preferences are kept."""

LEVELS = (
    ("WARNING", "Warnings", "What cannot be shown as Blender shows it, and errors"),
    ("INFO", "Information", "Also which driver and formats are in use"),
    ("DEBUG", "Everything", "Also what only developers want to know"),
)


def apply_log_level() -> None:
    """Make the loggers of Fyn say as much as chosen (warnings, if Fyn is no enabled extension)."""
    addon = bpy.context.preferences.addons.get(PACKAGE)
    level = addon.preferences.log_level if addon and addon.preferences else "WARNING"
    logging.getLogger("fyn").setLevel(level)


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

    def draw(self, context: Any) -> None:
        """Draw the panel."""
        self.layout.prop(self, "log_level")
