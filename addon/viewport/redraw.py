"""Redraws viewports when the render thread has news for them: one timer for all of them."""

from __future__ import annotations

import weakref
from typing import Protocol

import bpy

INTERVAL_S = 1 / 120


class Watched(Protocol):
    """A viewport that waits for a frame."""

    def redraw_if_news(self) -> bool:
        """Ask Blender for a redraw if a frame has arrived; False once nothing is awaited."""
        ...


_watched: weakref.WeakSet[Watched] = weakref.WeakSet()


def watch(viewport: Watched) -> None:
    """Look after `viewport` until it awaits nothing more (main thread)."""
    _watched.add(viewport)
    if not bpy.app.timers.is_registered(_tick):
        bpy.app.timers.register(_tick, first_interval=INTERVAL_S)


def stop() -> None:
    """Forget every viewport and remove the timer."""
    _watched.clear()
    if bpy.app.timers.is_registered(_tick):
        bpy.app.timers.unregister(_tick)


def _tick() -> float | None:
    for viewport in list(_watched):
        if not viewport.redraw_if_news():
            _watched.discard(viewport)
    return INTERVAL_S if _watched else None
