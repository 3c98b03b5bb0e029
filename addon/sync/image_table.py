"""ImageTable: the images that materials use, read or computed once."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from ...engine_core.assets.image import ImageData
from ...engine_core.assets.image_io import decode
from ...engine_core.errors import LevelError
from .asset_table import AssetTable
from .derived_images import (
    alpha_kind,
    border_of,
    bump_pixels,
    compute,
    linear_pixels,
    with_border,
)
from .images import ImageReading, read_image
from .materials.pictures import AlphaKind, BumpImage, DerivedImage, samples_of
from .materials.samples import ImageSample
from .materials.values import Scalar

ImageKey = tuple[Hashable, ...]
"""(uid, frame) of an image; ("derived", recipe, versions of its images) of a computed picture."""


class ImageTable:
    """Answers a material's questions about pictures (see `ImageSource`) and keeps what it used.

    Between `begin_use` and `end_use`, `used` gathers the keys that one material needs.
    """

    def __init__(self) -> None:
        self.images: AssetTable[ImageData] = AssetTable()
        self._readings: dict[ImageKey, ImageReading] = {}
        self._is_grey: dict[ImageKey, bool] = {}
        self._linear: dict[ImageKey, np.ndarray] = {}
        self._bump_units: dict[ImageKey, float] = {}
        self._alpha_kinds: dict[Scalar, tuple[tuple[int, ...], AlphaKind]] = {}
        self._dirty: set[int] = set()
        self._used: set[ImageKey] = set()
        self._looked: set[ImageKey] = set()

    def begin_pass(self, dirty: set[int]) -> None:
        """Take note of the images (session keys) that have changed."""
        self._dirty = set(dirty)
        self._linear.clear()

    def begin_use(self) -> None:
        """Start gathering what a material uses."""
        self._used, self._looked = set(), set()

    def end_use(self) -> tuple[set[ImageKey], set[ImageKey]]:
        """Return the keys of shown pictures and those, (uid, frame), of all images looked at."""
        return self._used, self._looked

    def drop(self, pictures: set[ImageKey], looked: set[ImageKey]) -> None:
        """Forget pictures that nobody shows, images that nobody looks at, and decoded pixels."""
        for key in pictures:
            self.images.drop(key)
            self._bump_units.pop(key, None)
        if looked:
            self._alpha_kinds.clear()
        for key in looked:
            self._readings.pop(key, None)
            self._is_grey.pop(key, None)
        self._linear.clear()

    def image_id(self, sample: ImageSample) -> str:
        """Return the id of the sampled image, reading it if it is new or dirty."""
        if sample.is_clipped:
            return self._clipped_id(sample)
        key = _key(sample)
        reading = self._reading(sample)
        self._used.add(key)
        image_id = self._id(sample)
        if key not in self.images or self.images.value(key) is not reading.data:
            self.images.put(key, reading.data, reading.warnings)
        return image_id

    def _clipped_id(self, sample: ImageSample) -> str:
        """Return the id of an image's picture with a clear border round it."""
        reading = self._reading(sample)
        key = ("clipped", *_key(sample), id(reading.data))
        image_id = self.images.id_of(key, f"{sample.name} (clipped)")
        self._used.add(key)
        if key not in self.images:
            pixels = with_border(self._decoded(reading))
            data = ImageData(image_id, reading.data.color_space, pixels=pixels)
            self.images.put(key, data, reading.warnings)
        return image_id

    def border(self, sample: ImageSample) -> tuple[float, float]:
        """Return the clear border that a clipped image's picture has got, in tiles of the image."""
        reading = self._reading(sample)
        height, width = self._decoded(reading).shape[:2]
        columns, rows = reading.tile_grid
        return columns * border_of(width) / width, rows * border_of(height) / height

    def derived_id(self, recipe: DerivedImage) -> str:
        """Return the id of a computed picture; it is computed anew if one of its images changed."""
        key, image_id = self._computed(recipe, "colour" if recipe.is_color else "data")
        if key not in self.images:
            pixels = compute(recipe, self._linear_pixels)
            space = "srgb" if recipe.is_color else "linear"
            self._put_computed(key, recipe, ImageData(image_id, space, pixels=pixels))
        return image_id

    def bump_id(self, recipe: BumpImage) -> tuple[str, float]:
        """Return the id of a bump's picture, and its rise a unit of UV where x / z is 1."""
        key, image_id = self._computed(recipe, "bump")
        if key not in self.images or key not in self._bump_units:
            pixels, self._bump_units[key] = bump_pixels(recipe, self._linear_pixels)
            self._put_computed(key, recipe, ImageData(image_id, "linear", pixels=pixels))
        return image_id, self._bump_units[key]

    def _computed(self, recipe: DerivedImage | BumpImage, what: str) -> tuple[ImageKey, str]:
        """Return key and id of a computed picture, which is now in use."""
        samples = [sample for sample in recipe.samples() if isinstance(sample, ImageSample)]
        versions = tuple(id(self._reading(sample).data) for sample in samples)
        key = ("derived", recipe, versions)
        self._used.add(key)
        name = "+".join(dict.fromkeys(sample.name for sample in recipe.samples()))
        return key, self.images.id_of(key, f"{name} ({what})")

    def _put_computed(
        self, key: ImageKey, recipe: DerivedImage | BumpImage, data: ImageData
    ) -> None:
        samples = [sample for sample in recipe.samples() if isinstance(sample, ImageSample)]
        self.images.put(key, data, self._warnings(samples))

    def _warnings(self, samples: list[ImageSample]) -> tuple:
        return tuple(w for sample in samples for w in self._reading(sample).warnings)

    def is_missing(self, sample: ImageSample) -> bool:
        """Tell whether the image cannot be read; if so it is kept, for its warning."""
        missing = self._reading(sample).data.missing
        if missing:
            self.image_id(sample)
        return missing

    def tile_grid(self, sample: ImageSample) -> tuple[int, int]:
        """Return columns and rows of the UV tiles that the picture covers."""
        return self._reading(sample).tile_grid

    def is_grey(self, sample: ImageSample) -> bool:
        """Tell whether red, green and blue are the same in every pixel."""
        key = _key(sample)
        reading = self._reading(sample)
        if key not in self._is_grey:
            pixels = self._decoded(reading)
            grey = (pixels[..., 0] == pixels[..., 1]) & (pixels[..., 1] == pixels[..., 2])
            self._is_grey[key] = bool(grey.all())
        return self._is_grey[key]

    def alpha_kind(self, alpha: Scalar) -> AlphaKind:
        """Tell what a varying alpha looks like over its pictures."""
        samples = [sample for sample in samples_of(alpha) if isinstance(sample, ImageSample)]
        versions = tuple(id(self._reading(sample).data) for sample in samples)
        known = self._alpha_kinds.get(alpha)
        if known is None or known[0] != versions:
            known = self._alpha_kinds[alpha] = versions, alpha_kind(alpha, self._linear_pixels)
        return known[1]

    def _id(self, sample: ImageSample) -> str:
        wanted = sample.name if sample.frame == 0 else f"{sample.name}/{sample.frame}"
        return self.images.id_of(_key(sample), wanted)

    def _reading(self, sample: ImageSample) -> ImageReading:
        key = _key(sample)
        self._looked.add(key)
        known = self._readings.get(key)
        if known is None or sample.uid in self._dirty:
            self._dirty.discard(sample.uid)
            self._is_grey.pop(key, None)
            for is_clipped in (False, True):
                self._linear.pop((*key, is_clipped), None)
            known = read_image(sample.image, self._id(sample), sample.user)
            self._readings[key] = known
        return known

    @staticmethod
    def _decoded(reading: ImageReading) -> np.ndarray:
        """Return the pixels; pink, which a damaged file deserves, if they cannot be decoded."""
        try:
            return decode(reading.data)
        except LevelError:
            return np.array([[[255, 0, 255, 255]]], np.uint8)

    def _linear_pixels(self, sample: ImageSample) -> np.ndarray:
        key = (*_key(sample), sample.is_clipped)
        reading = self._reading(sample)
        if key not in self._linear:
            pixels = self._decoded(reading)
            pixels = with_border(pixels) if sample.is_clipped else pixels
            self._linear[key] = linear_pixels(pixels, reading.data.color_space == "srgb")
        return self._linear[key]


def _key(sample: ImageSample) -> ImageKey:
    return (sample.uid, sample.frame)
