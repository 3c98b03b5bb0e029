"""Panoramas of a World as pictures of the engine: kept as they are, or computed into new ones.

A picture that is only turned, tinted or made brighter stays the artist's own. Everything else that
nodes do to it (colour ramps, a scaled or moved mapping, a mirror ball) is computed once into a
picture of floats.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Set

import numpy as np

from ...engine_core.assets.image import ImageData
from ...engine_core.assets.image_io import decode
from ...engine_core.render.panorama import directions_of, sampled
from .axes import ENGINE_FROM_BLENDER
from .derived_images import evaluate, linear_pixels
from .images import ImageReading, read_image
from .materials.samples import LOOKS_STRAIGHT, PanoramaSample
from .materials.values import Color

PANORAMA = ("panorama of the world",)
"""Key of the World's panorama among the images of a sync."""
MAX_ROWS = 4096
"""Rows of a computed panorama."""
_REMEMBERED = 4


class WorldPictures:
    """Reads each panorama once and remembers the last few."""

    def __init__(self) -> None:
        self._read: OrderedDict[tuple[int, int], ImageReading] = OrderedDict()
        self._computed: OrderedDict[Hashable, tuple[ImageData, ImageData]] = OrderedDict()

    def forget(self, uids: Set[int]) -> None:
        """Read the pictures with these session keys anew when they are next asked for."""
        for key in [key for key in self._read if key[0] in uids]:
            del self._read[key]

    def reading(self, sample: PanoramaSample) -> ImageReading:
        """Return the picture as Blender has it."""
        key = (sample.uid, sample.frame)
        if key not in self._read:
            self._read[key] = read_image(sample.image, sample.name, sample.user)
            _shorten(self._read)
        return self._read[key]

    def computed(self, sample: PanoramaSample, color: Color, is_laid_out: bool) -> ImageData:
        """Return a new picture: `color` of every pixel, and laid out anew if `is_laid_out`.

        Raises LevelError if the picture cannot be decoded.
        """
        source = self.reading(sample).data
        key = (id(source), color, sample if is_laid_out else None)
        if key not in self._computed:
            light = linear_pixels(decode(source), source.color_space == "srgb")
            out = np.ones((*light.shape[:2], 4), np.float32)
            for index, number in enumerate(color):
                out[..., index] = evaluate(number, {sample: light})
            if is_laid_out:
                out = _laid_out(out, sample)
            made = ImageData(f"{sample.name} (computed)", "linear", pixels=out)
            self._computed[key] = source, made  # the source is kept, so that its id stays its own
            _shorten(self._computed)
        return self._computed[key][1]


def image_from_world(sample: PanoramaSample) -> np.ndarray | None:
    """Return the rotation (3, 3) into the picture, in engine axes; None if there is more to it.

    That is: it is scaled unevenly, mirrored, moved, or a mirror ball.
    """
    rows = np.array(sample.matrix).reshape(3, 4)
    scale = np.cbrt(np.linalg.det(rows[:, :3]))
    if sample.is_mirror_ball or scale < 1e-6:
        return None
    turned = rows[:, :3] / scale
    is_rotation = np.allclose(turned @ turned.T, np.identity(3), atol=1e-4)
    if not is_rotation or np.abs(rows[:, 3]).max() > 1e-6 * scale:
        return None
    axes = ENGINE_FROM_BLENDER[:3, :3]
    return axes @ turned @ axes.T


def _laid_out(picture: np.ndarray, sample: PanoramaSample) -> np.ndarray:
    """Return an equirectangular picture (H, 2 H, 4) of what is seen through a sample's mapping."""
    rows = min(picture.shape[0], MAX_ROWS)
    matrix = np.array(sample.matrix or LOOKS_STRAIGHT).reshape(3, 4)
    axes = ENGINE_FROM_BLENDER[:3, :3]
    out = np.empty((rows, 2 * rows, 4), np.float32)
    every = directions_of(rows)
    for start in range(0, rows, 64):  # whole pictures of directions would take gigabytes
        view = every[start : start + 64] @ axes
        looked = view @ matrix[:, :3].T + matrix[:, 3]
        length = np.linalg.norm(looked, axis=-1, keepdims=True)
        looked = looked / np.where(length > 0, length, 1)
        part = _mirror_ball(picture, looked) if sample.is_mirror_ball else None
        out[start : start + 64] = sampled(picture, looked @ axes.T) if part is None else part
    return out


def _mirror_ball(picture: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """Return what a picture of a mirror ball shows in directions (..., 3) of Blender's axes.

    As Cycles' direction_to_mirrorball, with the nearest pixel.
    """
    x, y, z = np.moveaxis(directions, -1, 0)
    divisor = 2 * np.sqrt(np.maximum(-0.5 * (y - 1), 0))
    divisor = np.where(divisor > 0, divisor, 1)
    height, width = picture.shape[:2]
    column = np.clip(0.5 * (x / divisor + 1) * width, 0, width - 1).astype(np.intp)
    row = np.clip((1 - 0.5 * (z / divisor + 1)) * height, 0, height - 1).astype(np.intp)
    return picture[row, column]


def _shorten(remembered: OrderedDict) -> None:
    while len(remembered) > _REMEMBERED:
        remembered.popitem(last=False)
