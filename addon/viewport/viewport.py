"""Viewport: one 3D view in Rendered shading, from its matrices to pixels on the screen."""

from __future__ import annotations

import itertools
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import bpy

from ...engine_core.render.adaptive_scale import AdaptiveScale, scale_of
from ...engine_core.render.render_thread import FrameRequest, SlotState, describe, is_expected
from ...engine_core.render.view import View
from ..preferences import frame_target_s
from ..scene_warnings import with_frame
from ..views import PixelRect, cropped, region_view, viewport_border
from . import redraw
from .message import draw_message
from .packing import PackedFrame, pack
from .painting import PaintWatch
from .scene_pool import SharedScene, shared_scene
from .screen import FrameScreen

log = logging.getLogger("fyn.viewport")

WAIT_S = 0.03
"""How long a redraw may wait for its own frame, if frames are fast: overlays then never swim."""
SLOW_S = 3.0
"""After how long a frame that does not come is remarked upon, once a second."""

_numbers = itertools.count(1)


@dataclass(frozen=True, eq=False)
class ViewportPicture:
    """A finished frame and where in the region (0..1) it belongs."""

    frame: PackedFrame
    corners: tuple[float, float, float, float]
    warnings: tuple[str, ...]
    level: int = 0
    """How coarse it is, see `AdaptiveScale`."""


class Viewport:
    """What FynRenderEngine keeps for one 3D view; main thread only.

    `tag_redraw` asks Blender to draw the view again; it raises ReferenceError once that is gone.
    """

    def __init__(self, tag_redraw: Callable[[], None]) -> None:
        self._tag_redraw = tag_redraw
        self._slot = f"viewport {next(_numbers)}"
        self._scene: SharedScene | None = None
        self._failure = ""
        self._asked: tuple[Any, ...] | None = None
        self._level = 0
        self._measured = 0
        self._adaptive = AdaptiveScale()
        self._painting = PaintWatch()
        self._shown: tuple[int, int] = (0, 0)
        self._screen = FrameScreen()
        self._logged: set[str] = set()

    def update(self, depsgraph: Any, space: Any) -> None:
        """Take over what has changed in the scene; a failure is kept and shown by `draw`."""
        try:
            self._enter(depsgraph, space).content.update(depsgraph)
            self._failure = ""
        except Exception as error:
            self._failure = describe(error)
            log.error("The scene was not synced: %s", error, exc_info=not is_expected(error))
        self._tag_redraw()

    def draw(self, context: Any, depsgraph: Any, pixel_size: int) -> str:
        """Draw the newest frame, ask for the next if it is out of date; return a status line."""
        size = (context.region.width, context.region.height)
        state, failure = SlotState(), self._failure
        try:
            view, rect = viewed(context, depsgraph)
            if min(rect.width, rect.height) < 1:
                return ""
            if not failure:
                scene = self._enter(depsgraph, context.space_data)
                if not scene.content.version:  # entering local view is no update of the scene
                    scene.content.update(depsgraph)
                scene.follow_hidden(depsgraph, context.space_data)
                if painted := self._painting.changed(context):
                    scene.content.repainted(depsgraph, painted)
                state = self._newest(scene, view, rect, pixel_size)
                failure = state.failure
        except Exception as error:
            failure = describe(error)
            log.error("A viewport failed: %s", failure, exc_info=not is_expected(error))
        self._shown = (state.number, _slow_seconds(state))
        if failure:
            self._message(f"Fyn cannot draw this view.\n\n{failure}", size)
        elif state.picture is None:
            self._message("Fyn is preparing the scene…", size)  # never just black
        else:
            picture = state.picture
            self._screen.draw(picture.frame, picture.corners, smoothly=picture.level > 0)
        return self._status(state)

    def _enter(self, depsgraph: Any, space: Any) -> SharedScene:
        """Return the scene that `space` shows, after leaving one that it showed before."""
        scene = shared_scene(depsgraph, space)
        if scene is not self._scene:
            self.release()
            self._scene = scene
            scene.enter(self)
        return scene

    def redraw_if_news(self) -> bool:
        """Ask for a redraw if a frame has finished since the last; False if none is awaited."""
        if self._scene is None:
            return False
        state = self._scene.content.world.state(self._slot)
        try:
            shown = (state.number, _slow_seconds(state))
            if shown != self._shown or self._is_to_be_sharpened() or self._painting.is_due():
                self._shown = shown
                self._tag_redraw()
        except ReferenceError:  # Blender has freed the view
            self.release()
            return False
        return state.waiting_s is not None or self._level > 0 or self._painting.is_waiting

    def _is_to_be_sharpened(self) -> bool:
        return self._level > 0 and not self._adaptive.is_moving(time.monotonic())

    def release(self) -> None:
        """Give back the targets on the device, and the scene if nobody else shows it."""
        scene, self._scene = self._scene, None
        self._asked = None
        if scene is not None:
            scene.content.world.release_slot(self._slot)
            scene.leave(self)

    def _newest(
        self, scene: SharedScene, view: View, rect: PixelRect, pixel_size: int
    ) -> SlotState:
        """Ask for a frame if the last one asked for is outdated; return what there is to show."""
        world = scene.content.world
        wanted = (
            scene.content.version,
            rect,
            pixel_size,
            view.size,
            view.time,
            view.view_from_world.tobytes(),
            view.clip_from_view.tobytes(),
        )
        level = self._next_level(world.state(self._slot), changed=wanted != self._asked)
        if wanted != self._asked or level != self._level:
            self._asked, self._level = wanted, level
            world.request(self._slot, frame_request(view, rect, pixel_size, level))
        state = world.state(self._slot)
        if state.waiting_s is not None and 0 < state.seconds < WAIT_S:
            state = world.wait(self._slot, WAIT_S)
        if state.waiting_s is not None or level > 0 or self._painting.is_waiting:
            redraw.watch(self)
        return state

    def _next_level(self, state: SlotState, *, changed: bool) -> int:
        """Return how coarsely to draw now, by what frames have taken so far."""
        if state.number != self._measured and state.picture is not None:
            self._measured = state.number
            self._adaptive.measured(state.picture.level, state.seconds)
        isolated = changed and self._asked is None
        target_s = None if isolated else frame_target_s()
        return self._adaptive.level(time.monotonic(), target_s, changed=changed)

    def _status(self, state: SlotState) -> str:
        """Return what the line of text over the viewport says."""
        parts = []
        if slow := _slow_seconds(state):
            parts.append(f"drawing for {slow} s")
        elif state.seconds:
            parts.append(f"{state.seconds * 1e3:.0f} ms")
        warnings = () if self._scene is None else self._scene.content.warnings
        if state.picture is not None:
            warnings = with_frame(warnings, state.picture.warnings)
        if warnings:
            several = "s" if len(warnings) > 1 else ""
            parts.append(f"{len(warnings)} warning{several}: side bar (N), Fyn")
        self._log_new(warnings)
        return " | ".join(parts)

    def _log_new(self, warnings: tuple[str, ...]) -> None:
        """Write warnings to the log that have not been there, however often a view is drawn."""
        for text in warnings:
            if text not in self._logged:
                log.warning("%s", text)
        self._logged = set(warnings)

    @staticmethod
    def _message(text: str, size: tuple[int, int]) -> None:
        draw_message(text, size, bpy.context.preferences.system.ui_scale)


def _slow_seconds(state: SlotState) -> int:
    """Return for how many whole seconds a frame has been awaited, 0 if that is not remarkable."""
    return int(state.waiting_s) if state.waiting_s and state.waiting_s >= SLOW_S else 0


def viewed(context: Any, depsgraph: Any) -> tuple[View, PixelRect]:
    """Return the View of the context's whole region, and the part of it that is to be drawn."""
    region, space, data = context.region, context.space_data, context.region_data
    view = region_view(space, region, data, depsgraph.scene)
    border = viewport_border(space, region, data, depsgraph)
    return view, border or PixelRect(0, 0, region.width, region.height)


def frame_request(view: View, rect: PixelRect, pixel_size: int, level: int = 0) -> FrameRequest:
    """Ask for `rect` of `view`'s picture, with pixels of `pixel_size` screen pixels a side.

    `level` makes it coarser still, see `AdaptiveScale`.
    """
    part = cropped(view, rect)
    scale = scale_of(level) / pixel_size
    size = tuple(max(1, int(length * scale)) for length in part.size)
    width, height = view.size
    corners = (
        rect.left / width,
        rect.bottom / height,
        (rect.left + rect.width) / width,
        (rect.bottom + rect.height) / height,
    )
    return FrameRequest(
        replace(part, size=size),
        finish=lambda frame: ViewportPicture(
            pack(frame.outputs["frame_color"]), corners, frame.warnings, level
        ),
        place=part.size,
    )
