"""Pictures of the whole sphere: equirectangular, twin of shaders/sky/panorama.glsl in NumPy.

The middle column looks along +X and the columns go on towards +Z; the top row is +Y. That is how
Blender and Cycles lay them out, seen in the engine's axes.
"""

from __future__ import annotations

import hashlib
import weakref
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np

from ..assets.image import ImageData
from ..assets.image_io import decode
from .tone import srgb_decode

LARGEST_HALF = 65504.0
"""Most that a pixel of the panorama's texture can hold."""


def directions_of(rows: int) -> np.ndarray:
    """Return the unit directions (rows, 2 rows, 3) of a panorama's pixels."""
    polar = (np.arange(rows) + 0.5) / rows * np.pi
    around = ((np.arange(2 * rows) + 0.5) / (2 * rows) - 0.5) * 2 * np.pi
    flat, height = np.sin(polar)[:, None], np.cos(polar)[:, None]
    parts = np.broadcast_arrays(flat * np.cos(around), height, flat * np.sin(around))
    return np.stack(parts, axis=-1)


def sampled(picture: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """Return a panorama (rows, columns, C), filtered bilinearly, in `directions` (..., 3)."""
    index, weight = corners(picture.shape[0], picture.shape[1], directions)
    flat = picture.reshape(-1, picture.shape[-1])
    out = flat[index[0]] * weight[0][..., None]
    for where, share in zip(index[1:], weight[1:], strict=True):
        out += flat[where] * share[..., None]
    return out


def corners(rows: int, columns: int, directions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the four pixels around each direction and their shares, both (4, ...).

    Pixels are counted row by row; shares are float32. Columns go around, rows over the poles.
    """
    x, y, z = np.moveaxis(directions, -1, 0)
    u = (0.5 + np.arctan2(z, x) / (2 * np.pi)) * columns - 0.5
    v = (0.5 - np.arctan2(y, np.hypot(x, z)) / np.pi) * rows - 0.5
    column, row = np.floor(u).astype(np.intp), np.floor(v).astype(np.intp)
    across, down = (u - column).astype(np.float32), (v - row).astype(np.float32)
    # Beyond a pole lies the same row, half around.
    upper, lower = np.maximum(row, 0), np.minimum(row + 1, rows - 1)
    above, below = (row < 0) * (columns // 2), (row + 1 > rows - 1) * (columns // 2)
    index = np.stack(
        [
            line * columns + (column + right + turned) % columns
            for line, turned in ((upper, above), (lower, below))
            for right in (0, 1)
        ]
    )
    shares = [(1 - across) * (1 - down), across * (1 - down), (1 - across) * down, across * down]
    return index, np.stack(shares)


def linear_light(image: ImageData) -> tuple[np.ndarray, int]:
    """Return the light (H, W, 3) float32 of an image, and how many of its pixels are no light.

    Those (not finite, or negative) are black. Raises LevelError if the image cannot be decoded.
    """
    pixels = decode(image)[..., :3]
    if pixels.dtype == np.uint8:
        values = np.arange(256) / 255
        table = srgb_decode(values) if image.color_space == "srgb" else values
        return table.astype(np.float32)[pixels], 0
    sound = np.isfinite(pixels) & (pixels >= 0)
    if sound.all():
        return pixels, 0
    return np.where(sound, pixels, np.float32(0)), int((~sound).any(axis=-1).sum())


def reduced(light: np.ndarray, rows: int) -> np.ndarray:
    """Return a panorama as (rows, 2 rows, 3) float32: means of areas, or filtered if it is smaller.

    The light that arrives in all stays the same to rounding.
    """
    height, width = light.shape[:2]
    if height % rows == 0 and width % (2 * rows) == 0:
        if height == rows and width == 2 * rows:
            return light
        blocks = light.reshape(rows, height // rows, 2 * rows, width // (2 * rows), 3)
        return blocks.mean(axis=(1, 3), dtype=np.float32)
    down, across = _area_shares(height, rows), _area_shares(width, 2 * rows)
    return _averaged(_averaged(light, down), across, axis=1)


def _area_shares(size: int, wanted: int) -> np.ndarray:
    """Return where the edges of `wanted` even parts fall among `size` pixels, (wanted + 1,)."""
    return np.linspace(0, size, wanted + 1)


def _averaged(light: np.ndarray, edges: np.ndarray, axis: int = 0) -> np.ndarray:
    """Return the means between `edges` along an axis, from differences of a running sum."""
    light = np.moveaxis(light, axis, 0)
    sums = np.zeros((len(light) + 1, *light.shape[1:]))
    np.cumsum(light, axis=0, out=sums[1:], dtype=np.float64)
    whole = np.minimum(edges.astype(np.intp), len(light) - 1)
    rest = (edges - whole)[:, None, None]
    at_edges = sums[whole] + rest * light[whole]
    means = np.diff(at_edges, axis=0) / np.diff(edges)[:, None, None]
    return np.moveaxis(np.maximum(means, 0).astype(np.float32), 0, axis)


@dataclass(frozen=True)
class ImageKey:
    """Hash of an image's content: equal for equal pictures, however often they are read."""

    digest: bytes


class ContentKeys:
    """Keys of images by identity, so that each is hashed once."""

    def __init__(self, remembered: int = 16) -> None:
        self._remembered = remembered
        self._keys: OrderedDict[int, tuple[weakref.ref[ImageData], ImageKey]] = OrderedDict()

    def key(self, image: ImageData) -> ImageKey:
        """Return the key of `image`."""
        known = self._keys.get(id(image))
        if known is not None and known[0]() is image:
            return known[1]
        hashed = hashlib.blake2b(image.color_space.encode(), digest_size=16)
        if image.encoded is not None:
            hashed.update(image.encoded)
        elif image.pixels is not None:
            hashed.update(f"{image.pixels.shape} {image.pixels.dtype}".encode())
            hashed.update(np.ascontiguousarray(image.pixels).reshape(-1).data)
        key = ImageKey(hashed.digest())
        self._keys[id(image)] = (weakref.ref(image), key)
        while len(self._keys) > self._remembered:
            self._keys.popitem(last=False)
        return key
