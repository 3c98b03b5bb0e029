"""Alpha to alpha mode: opaque, cut out, or blended. Knows no bpy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from .pictures import ImageSource, uses_vertex_colors
from .values import Scalar, affine

ALMOST_OPAQUE = 0.9995


@dataclass(frozen=True)
class AlphaPlan:
    """How alpha is drawn: mode, cutoff, the constant factor, and the number that varies, if any."""

    mode: Literal["opaque", "mask", "blend"]
    factor: float = 1.0
    cutoff: float = 0.5
    number: Scalar | None = None


def plan_alpha(alpha: Scalar, blended: bool, images: ImageSource) -> AlphaPlan:
    """Decide how to draw `alpha`; `blended`: the material asks for blending instead of dithering.

    Dithered transparency is noise that settles, which a frame drawn once has no time for. What a
    picture cuts out (its alpha is nearly always 0 or 1) is drawn as a cut-out, which sorts and
    casts shadows exactly; everything between is blended.
    """
    if alpha.is_constant:
        if alpha.offset >= ALMOST_OPAQUE:
            return AlphaPlan("opaque")
        return AlphaPlan("blend", factor=max(alpha.offset, 0.0))
    if alpha.cutoff is not None:
        return _cut_out(alpha, alpha.cutoff)
    factor, number = _split_factor(alpha)
    if blended or uses_vertex_colors(alpha):
        return AlphaPlan("blend", factor, number=number)
    kind = images.alpha_kind(alpha)
    if kind == "opaque":
        return AlphaPlan("opaque")
    if kind == "cutout":
        return AlphaPlan("mask", factor, number=number)
    return AlphaPlan("blend", factor, number=number)


def _cut_out(alpha: Scalar, cutoff: float) -> AlphaPlan:
    """v > cutoff, where a falling v is replaced by 1 + v and 1 + cutoff, which lie in 0..1."""
    number = replace(alpha, cutoff=None)
    if number.scale < 0:
        number, cutoff = affine(number, 1, 1), cutoff + 1
    factor, number = _split_factor(number)
    return AlphaPlan("mask", factor, min(max(cutoff, 0.0), 1.0), number)


def _split_factor(number: Scalar) -> tuple[float, Scalar]:
    """Take a factor of at most 1 out of a plain lookup, so that the picture can stay as it is."""
    if number.is_pure and 0 < number.scale <= 1:
        return number.scale, replace(number, scale=1.0)
    return 1.0, number
