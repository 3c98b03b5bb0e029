"""The one render thread of this Blender: made at the first use, ended by `shut_down`."""

from __future__ import annotations

import logging
from typing import Any

from ..engine_core.errors import DeviceError
from ..engine_core.render.render_thread import Renderer, RenderThread

log = logging.getLogger("fyn")

_thread: RenderThread | None = None


def render_thread() -> RenderThread:
    """Return the render thread; nothing runs on it, and no GL is touched, before it gets work."""
    global _thread
    if _thread is None:
        _thread = RenderThread(_create_device, _create_renderer)
    return _thread


def shut_down() -> None:
    """End the render thread and free its device; the next `render_thread` makes a new one."""
    global _thread
    thread, _thread = _thread, None
    if thread is not None:
        thread.stop()


def _create_device() -> Any:
    # Imported here: a missing wheel must be a sentence in the viewport, not a failed registration.
    try:
        from ..engine_core.render.device import Device
    except ImportError as error:
        raise DeviceError(
            f"The Python package '{error.name}' is missing. Install the extension from its zip "
            "for this platform, which brings it along."
        ) from error
    device = Device.create()
    log.info("Drawing with %s, %s", device.info.renderer, device.info.version)
    return device


def _create_renderer(device: Any) -> Renderer:
    from ..engine_core.render.world_renderer import WorldRenderer

    return WorldRenderer(device, log=log.info)
