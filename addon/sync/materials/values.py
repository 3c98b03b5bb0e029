"""Numbers that may vary over a surface, and what can be computed with them. Knows no bpy.

A shader tree is evaluated with these instead of plain numbers. Whatever depends on one channel of
one picture stays exact: first as scale and offset, then as a table over the channel's range.
Products of several pictures are kept as such. Anything else raises Unrepresentable, and the node
reader says so to the artist.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from .samples import ChannelSource, Sample

TABLE_SIZE = 256
GRID = np.linspace(0.0, 1.0, TABLE_SIZE)
"""Values of a channel at which tables are sampled."""

LUMINANCE = (0.2126, 0.7152, 0.0722)
"""Rec.709 weights, with which Blender turns a colour into a number."""


class Unrepresentable(Exception):  # noqa: N818 - a signal between two modules, not an error
    """A computation whose result this algebra cannot hold."""


@dataclass(frozen=True)
class Scalar:
    """(scale * table(source) + offset) * product(times); a constant has no source.

    table: TABLE_SIZE values over the source's 0..1, None for the identity. cutoff: if given, the
    number is 1 where all that exceeds the cutoff and 0 elsewhere.
    """

    offset: float = 0.0
    scale: float = 0.0
    source: ChannelSource | None = None
    table: tuple[float, ...] | None = None
    times: tuple[ChannelSource, ...] = ()
    cutoff: float | None = None

    @property
    def is_constant(self) -> bool:
        """Tell whether the number is the same everywhere."""
        return self.source is None

    @property
    def is_pure(self) -> bool:
        """Tell whether it is a mere multiple of its sources."""
        return self.offset == 0 and self.table is None and self.cutoff is None

    def on_grid(self) -> np.ndarray:
        """Return the value for each grid value of the source, (TABLE_SIZE,) float64."""
        inner = GRID if self.table is None else np.array(self.table)
        return self.scale * inner + self.offset


class Color(NamedTuple):
    """Three numbers: linear red, green, blue, or the x, y, z of a vector."""

    r: Scalar
    g: Scalar
    b: Scalar


def constant(value: float) -> Scalar:
    """Return a number that is the same everywhere; NaN and infinity become 0."""
    value = float(value)
    return Scalar(offset=value if np.isfinite(value) else 0.0)


def constant_color(rgb: tuple[float, ...]) -> Color:
    """Return a colour that is the same everywhere."""
    return Color(constant(rgb[0]), constant(rgb[1]), constant(rgb[2]))


def sampled(source: ChannelSource) -> Scalar:
    """Return the plain value of a channel."""
    return Scalar(scale=1.0, source=source)


def affine(x: Scalar, factor: float, summand: float) -> Scalar:
    """Return factor * x + summand."""
    if x.cutoff is not None:
        if (factor, summand) == (1, 0):
            return x
        if (factor, summand) == (-1, 1):  # 1 - (v > c) is (-v > -c), but for v == c
            return replace(x, scale=-x.scale, offset=-x.offset, cutoff=-x.cutoff)
        raise Unrepresentable("a threshold is changed afterwards")
    if x.times and summand != 0:
        raise Unrepresentable("a number is added to a product of pictures")
    if factor == 0:
        return constant(summand)
    return replace(x, scale=x.scale * factor, offset=x.offset * factor + summand)


def add(x: Scalar, y: Scalar) -> Scalar:
    """Return x + y."""
    if y.is_constant:
        return affine(x, 1, y.offset)
    if x.is_constant:
        return affine(y, 1, x.offset)
    same = (x.source, x.table, x.times) == (y.source, y.table, y.times)
    if same and x.cutoff is None and y.cutoff is None:
        return _tidy(replace(x, scale=x.scale + y.scale, offset=x.offset + y.offset))
    return combine(lambda a, b: a + b, x, y)


def _tidy(x: Scalar) -> Scalar:
    return constant(x.offset) if x.scale == 0 and not x.times else x


def multiply(x: Scalar, y: Scalar) -> Scalar:
    """Return x * y."""
    if y.is_constant:
        return affine(x, y.offset, 0)
    if x.is_constant:
        return affine(y, x.offset, 0)
    if x.cutoff is not None or y.cutoff is not None:
        raise Unrepresentable("a threshold is multiplied with a picture")
    if y.is_pure and y.source is not None and x.source != y.source:
        return replace(
            x,
            scale=x.scale * y.scale,
            offset=x.offset * y.scale,
            times=(*x.times, y.source, *y.times),
        )
    if x.is_pure and x.source != y.source:
        return multiply(y, x)
    return combine(lambda a, b: a * b, x, y)


def lerp(x: Scalar, y: Scalar, factor: Scalar) -> Scalar:
    """Return x * (1 - factor) + y * factor."""
    if x == y:
        return x
    if factor.is_constant:
        if factor.offset in {0.0, 1.0}:
            return y if factor.offset else x
        return add(affine(x, 1 - factor.offset, 0), affine(y, factor.offset, 0))
    if x.is_constant and y.is_constant:
        return affine(factor, y.offset - x.offset, x.offset)
    if x == constant(0):
        return multiply(y, factor)
    if y == constant(0):
        return multiply(x, affine(factor, -1, 1))
    return combine(lambda a, b, f: a * (1 - f) + b * f, x, y, factor)


def combine(function: Callable[..., np.ndarray], *numbers: Scalar) -> Scalar:
    """Return function(*numbers), elementwise on arrays, if at most one picture is involved."""
    varying = [x for x in numbers if not x.is_constant]
    with np.errstate(all="ignore"):
        if not varying:
            return constant(float(function(*(np.float64(x.offset) for x in numbers))))
        if any(x.times or x.cutoff is not None for x in varying):
            raise Unrepresentable("a product or threshold goes through a further function")
        source = varying[0].source
        if any(x.source != source for x in varying):
            raise Unrepresentable("several pictures are combined in a way other than a product")
        values = function(*(x.offset if x.is_constant else x.on_grid() for x in numbers))
    values = np.nan_to_num(np.broadcast_to(values, GRID.shape), nan=0.0, posinf=0.0, neginf=0.0)
    return Scalar(scale=1.0, source=source, table=tuple(values.tolist()))


def above(x: Scalar, cutoff: float) -> Scalar:
    """Return 1 where x > cutoff, else 0."""
    if x.is_constant:
        return constant(float(x.offset > cutoff))
    if x.cutoff is not None:
        raise Unrepresentable("a threshold of a threshold")
    return replace(x, cutoff=cutoff)


def grey(x: Scalar) -> Color:
    """Return a colour whose three channels are `x`."""
    return Color(x, x, x)


def luminance(color: Color) -> Scalar:
    """Return the brightness of a colour, as Blender turns colours into numbers."""
    if color.r == color.g == color.b:
        return color.r
    if all(x.is_constant for x in color):
        weighted = zip(color, LUMINANCE, strict=True)
        return constant(sum(x.offset * weight for x, weight in weighted))
    product = as_product(color)
    if product is not None and len(product.lookups) == 1:
        sample = whole_sample(product.lookups[0])
        if sample is not None and max(product.factors) - min(product.factors) < 1e-6:
            return Scalar(scale=product.factors[0], source=ChannelSource(sample, "luminance"))
    parts = [affine(x, weight, 0) for x, weight in zip(color, LUMINANCE, strict=True)]
    return add(add(parts[0], parts[1]), parts[2])


def average(vector: Color) -> Scalar:
    """Return the mean of three numbers, as Blender turns vectors into numbers."""
    if vector.r == vector.g == vector.b:
        return vector.r
    third = 1 / 3
    return add(
        add(affine(vector.r, third, 0), affine(vector.g, third, 0)), affine(vector.b, third, 0)
    )


class Product(NamedTuple):
    """A colour that is factors times whole lookups; each lookup has a source for r, g and b."""

    factors: tuple[float, float, float]
    lookups: tuple[tuple[ChannelSource, ChannelSource, ChannelSource], ...]


def as_product(color: Color) -> Product | None:
    """Return the colour as a product of lookups, None if more was done to it."""
    if any(x.source is None or not x.is_pure for x in color):
        return None
    sources = [(x.source, *x.times) for x in color]
    if len({len(chain) for chain in sources}) != 1:
        return None
    lookups = tuple(zip(*sources, strict=True))
    return Product((color.r.scale, color.g.scale, color.b.scale), lookups)  # type: ignore[arg-type]


def whole_sample(lookup: tuple[ChannelSource, ChannelSource, ChannelSource]) -> Sample | None:
    """Return the sample whose red, green and blue these three sources are, else None."""
    sample = lookup[0].sample
    for source, channel in zip(lookup, "rgb", strict=True):
        if source.sample != sample or source.channel != channel:
            return None
    return sample
