"""What material reading asks of images, and pictures computed from others. Knows no bpy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from .samples import ImageSample, Sample, VertexColorSample, Wrap
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


@dataclass(frozen=True)
class BumpImage:
    """The picture of a bump: slopes of `height`, over the normals of a normal map if there is one.

    See `Material` for what its channels hold. wrap_u, wrap_v: what lies beyond its edges.
    """

    height: Scalar
    normal: tuple[Scalar, Scalar] | None
    wrap_u: Wrap
    wrap_v: Wrap

    def samples(self) -> list[Sample]:
        """Return the lookups that it needs, each once, that of the height first."""
        return samples_of(self.height, *(self.normal or ()))


class ImageSource(Protocol):
    """Gives ids to pictures and answers questions about what is in them."""

    def image_id(self, sample: ImageSample) -> str:
        """Return the id of the sampled image, reading it if it is new."""
        ...

    def derived_id(self, recipe: DerivedImage) -> str:
        """Return the id of a computed picture, computing it if it is new."""
        ...

    def bump_id(self, recipe: BumpImage) -> tuple[str, float]:
        """Return the id of a bump's picture, and its rise a unit of UV where x / z is 1."""
        ...

    def is_missing(self, sample: ImageSample) -> bool:
        """Tell whether the image cannot be read."""
        ...

    def tile_grid(self, sample: ImageSample) -> tuple[int, int]:
        """Return columns and rows of the UV tiles that the picture covers; (1, 1) if not tiled."""
        ...

    def border(self, sample: ImageSample) -> tuple[float, float]:
        """Return the clear border that a clipped image's picture has got, in parts of the image."""
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
