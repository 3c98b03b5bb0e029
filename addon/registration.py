"""Registration: an ordered list of what Fyn adds to Blender, removed in the opposite order."""

from __future__ import annotations

import logging
from collections.abc import Callable

import bpy

from . import console, engine_panels, handlers, preferences, render_host
from .components import migration
from .components import registration as component_properties
from .engine import FynRenderEngine
from .operators import bake, level_files
from .operators import warnings as warning_operators
from .panels import component_panels
from .panels import warnings as warning_panel
from .pieces import menu as pieces_menu
from .viewport import redraw

log = logging.getLogger("fyn")

CLASSES: tuple[type, ...] = (
    preferences.FynPreferences,
    FynRenderEngine,
    *engine_panels.CLASSES,
    *warning_operators.CLASSES,
    *warning_panel.CLASSES,
    *bake.CLASSES,
    *level_files.CLASSES,
    *pieces_menu.CLASSES,
)


def _nothing() -> None:
    """What starts at its first use has nothing to add."""


def _class_step(one: type) -> tuple[Callable[[], None], Callable[[], None]]:
    return (
        lambda: bpy.utils.register_class(one),
        # Blender frees the viewports and renders of an engine when its class goes.
        lambda: bpy.utils.unregister_class(one),
    )


_STEPS: tuple[tuple[Callable[[], None], Callable[[], None]], ...] = (
    (console.register, console.unregister),
    (_nothing, render_host.shut_down),
    (_nothing, redraw.stop),
    (handlers.register, handlers.unregister),
    (component_properties.register, component_properties.unregister),
    (migration.register, migration.unregister),
    *(_class_step(one) for one in CLASSES),
    (component_panels.register, component_panels.unregister),  # below the warnings
    (engine_panels.register, engine_panels.unregister),
    (bake.register, bake.unregister),
    (level_files.register, level_files.unregister),
    (pieces_menu.register, pieces_menu.unregister),
    (warning_panel.register, warning_panel.unregister),
    (preferences.apply_log_level, _nothing),
)
"""What is added, in order, and how it is taken away again."""

_undo: list[Callable[[], None]] = []


def register() -> None:
    """Add everything; if a part fails, what was added before it is removed again.

    Nothing here touches gpu or GL: it also runs where there is no display.
    """
    unregister()
    try:
        for add, remove in _STEPS:
            add()
            _undo.append(remove)
    except BaseException:
        unregister()
        raise


def unregister() -> None:
    """Remove what `register` added, newest first; one failure does not keep the rest."""
    while _undo:
        try:
            _undo.pop()()
        except Exception as error:
            log.error("A part of Fyn could not be removed: %s", error, exc_info=True)
