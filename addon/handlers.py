"""Application handlers: what has to happen when a render job of Blender ends."""

from __future__ import annotations

from typing import Any

import bpy

from .kept_worlds import end_job, forget_all


@bpy.app.handlers.persistent
def end_of_render(*_arguments: Any) -> None:
    """No further frame of the job will come."""
    end_job()


_ENDS = ("render_complete", "render_cancel")


def register() -> None:
    """Add the handlers."""
    for name in _ENDS:
        getattr(bpy.app.handlers, name).append(end_of_render)


def unregister() -> None:
    """Remove the handlers, and what they would have freed."""
    for name in _ENDS:
        handlers = getattr(bpy.app.handlers, name)
        if end_of_render in handlers:
            handlers.remove(end_of_render)
    forget_all()
