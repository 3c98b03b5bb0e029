"""PaintWatch: finds out which pictures a stroke of Texture Paint has changed so far.

Blender reports a painted picture when the stroke ends. In the middle of it only its redraws tell
that something has happened.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

BUSY_SHARE = 0.25
"""The share of its time that the main thread may spend on looking at pixels."""


class PaintWatch:
    """What a view has last seen of the pictures that are painted on in it (main thread)."""

    def __init__(self) -> None:
        self._pixels: dict[int, np.ndarray] = {}
        self._next_look = 0.0
        self.is_waiting = False
        """A redraw came too soon after the last look; another one is wanted."""

    def changed(self, context: Any) -> list[Any]:
        """Return the images that look otherwise than at the last call; [] out of Texture Paint."""
        self.is_waiting = False
        if context.mode != "PAINT_TEXTURE":
            self._pixels.clear()
            return []
        begun = time.monotonic()
        if begun < self._next_look:
            self.is_waiting = True
            return []
        images = list(canvases(context))
        found = [image for image in images if self._differs(image)]
        known = {image.session_uid for image in images}
        self._pixels = {uid: pixels for uid, pixels in self._pixels.items() if uid in known}
        now = time.monotonic()
        self._next_look = now + (now - begun) * (1 / BUSY_SHARE - 1)
        return found

    def is_due(self) -> bool:
        """Tell whether a look that was put off may be taken now."""
        return self.is_waiting and time.monotonic() >= self._next_look

    def _differs(self, image: Any) -> bool:
        before = self._pixels.get(image.session_uid)
        pixels = np.empty(len(image.pixels), np.float32)
        image.pixels.foreach_get(pixels)
        self._pixels[image.session_uid] = pixels
        return before is not None and not np.array_equal(before, pixels)


def canvases(context: Any) -> Iterator[Any]:
    """Yield the images that a stroke in the context's object may paint on."""
    settings = context.scene.tool_settings.image_paint
    if settings.mode == "IMAGE":
        if settings.canvas is not None:
            yield settings.canvas
        return
    obj = context.object
    for slot in obj.material_slots if obj is not None else ():
        if slot.material is not None:
            yield from (image for image in slot.material.texture_paint_images if image is not None)
