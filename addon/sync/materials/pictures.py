"""What material reading asks of images, and pictures computed from others. Knows no bpy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from .samples import ImageSample, Sample, VertexColorSample
from .values import Color, Scalar

AlphaKind = Literal["opaque", "cutout", "smooth"]


@dataclass(frozen=True)
class DerivedImage:
    """A picture whose four channels are computed from other pictures, limited to 0..1.

    is_color: it is stored sRGB-encoded, as a colour texture is.
    """

    channels: tuple[Scalar, Scalar, Scalar, Scalar]
    is_color: bool

    def samples(self) -> list[Sample]:
        """Return the lookups that it needs, each once, in order of use."""
        return samples_of(*self.channels)


class ImageSource(Protocol):
    """Gives ids to pictures and answers questions about what is in them."""

    def image_id(self, sample: ImageSample) -> str:
        """Return the id of the sampled image, reading it if it is new."""
        ...

    def derived_id(self, recipe: DerivedImage) -> str:
        """Return the id of a computed picture, computing it if it is new."""
        ...

    def is_missing(self, sample: ImageSample) -> bool:
        """Tell whether the image cannot be read."""
        ...

    def tile_grid(self, sample: ImageSample) -> tuple[int, int]:
        """Return columns and rows of the UV tiles that the picture covers; (1, 1) if not tiled."""
        ...

    def is_grey(self, sample: ImageSample) -> bool:
        """Tell whether red, green and blue are the same in every pixel."""
        ...

    def alpha_kind(self, alpha: Scalar) -> AlphaKind:
        """Tell whether a varying alpha is 1 everywhere, nearly always 0 or 1, or in between."""
        ...


def samples_of(*numbers: Scalar) -> list[Sample]:
    """Return the lookups that numbers depend on, each once, in order of use."""
    found: dict[Sample, None] = {}
    for number in numbers:
        for source in (number.source, *number.times):
            if source is not None:
                found[source.sample] = None
    return list(found)


def uses_vertex_colors(*numbers: Scalar) -> bool:
    """Tell whether numbers depend on a colour attribute, which no picture can hold."""
    return any(isinstance(sample, VertexColorSample) for sample in samples_of(*numbers))


def is_varying(color: Color) -> bool:
    """Tell whether a colour depends on anything."""
    return any(not x.is_constant for x in color)
