"""Lookups to TextureSlots: picture id, UV set, wrap, filter and transform."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import msgspec

from ....engine_core.assets.material import TextureSlot
from ..material_causes import MaterialCause
from .node_reader import NodeReader
from .pictures import BumpImage, DerivedImage, ImageSource, samples_of
from .samples import CheckerSample, ImageSample, Sample, UvMapping, slot_transform
from .values import Scalar, constant

CHECKER_MAPPING = (0.5, 0.0, 0.0, 0.0, 0.5, 0.0)
"""A checkerboard repeats after two squares, and the picture of it holds just those."""


@dataclass(frozen=True)
class TextureBuilder:
    """Turns lookups into slots for one material."""

    reader: NodeReader
    images: ImageSource

    def slot(self, sample: ImageSample) -> TextureSlot:
        """Return the slot of an image as it is."""
        return self._slot(self.images.image_id(sample), sample)

    def derived(self, channels: tuple[Scalar, Scalar, Scalar, Scalar], is_color: bool) -> Any:
        """Return the slot of a picture computed from others; laid out as the first of them."""
        first = self._first(samples_of(*channels))
        return self._slot(self.images.derived_id(DerivedImage(channels, is_color)), first)

    def bump(
        self, height: Scalar, normal: tuple[Scalar, Scalar] | None
    ) -> tuple[TextureSlot, float]:
        """Return the slot of a bump's picture, and its rise a unit of UV where x / z is 1."""
        first = self._first(samples_of(height, *(normal or ())))
        slot = self._slot("", first)
        image_id, unit = self.images.bump_id(BumpImage(height, normal, slot.wrap_u, slot.wrap_v))
        return msgspec.structs.replace(slot, image=image_id), unit

    def _first(self, samples: list[Sample]) -> Sample:
        """Return the lookup that a picture of all of them is laid out by."""
        first = samples[0]
        if any(_layout(sample) != _layout(first) for sample in samples[1:]):
            self.reader.warn(None, MaterialCause.MATERIAL_LAYOUTS, first=first.name)
        return first

    def _slot(self, image_id: str, sample: Sample) -> TextureSlot:
        mapping = self._mapping(sample)
        transform = slot_transform(mapping)
        if transform.sheared:
            self.reader.warn(None, MaterialCause.MATERIAL_SHEARED, picture=sample.name)
        wrap = sample.wrap if isinstance(sample, ImageSample) else "repeat"
        return TextureSlot(
            image=image_id,
            uv_set=self._uv_set(mapping.uv_map),
            wrap_u=mapping.wrap_u or wrap,
            wrap_v=mapping.wrap_v or wrap,
            filter="nearest" if isinstance(sample, ImageSample) and sample.nearest else "linear",
            offset=_rounded(transform.offset),
            rotation=round(transform.rotation, 9),
            scale=_rounded(transform.scale),
        )

    def _mapping(self, sample: Sample) -> UvMapping:
        if isinstance(sample, CheckerSample):
            return sample.mapping.then(CHECKER_MAPPING)
        if not isinstance(sample, ImageSample):
            raise TypeError("a colour attribute has no texture coordinates")
        columns, rows = self.images.tile_grid(sample)
        if sample.is_clipped:
            x, y = self.images.border(sample)
            u, v = columns + 2 * x, rows + 2 * y
            return sample.mapping.then((1 / u, 0, x / u, 0, 1 / v, y / v))
        if (columns, rows) == (1, 1):
            return sample.mapping
        mapping = sample.mapping.then((1 / columns, 0, 0, 0, 1 / rows, 0))
        return replace(mapping, wrap_u="clamp", wrap_v="clamp")

    def _uv_set(self, name: str) -> int:
        names = self.reader.layout.uv_names
        return names.index(name) if name in names else 0


def _layout(sample: Sample) -> Any:
    return getattr(sample, "mapping", None), getattr(sample, "wrap", None)


def _rounded(pair: tuple[float, float]) -> tuple[float, float]:
    """Drop float32 noise, so that an untouched Mapping node gives exactly no transform."""
    return (round(pair[0], 7) + 0.0, round(pair[1], 7) + 0.0)


def white() -> Scalar:
    """Return 1, for the channels of a computed picture that are not used."""
    return constant(1)
