"""Surface: one shader while a tree is being evaluated, and mixtures of two. Knows no bpy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ..material_causes import MaterialCause
from .values import (
    Color,
    Scalar,
    Unrepresentable,
    add,
    affine,
    constant,
    constant_color,
    grey,
    lerp,
    multiply,
)

Warn = Callable[..., None]

OPAQUE = constant(1)
CLEAR = constant(0)
BLACK = constant_color((0, 0, 0))
DEFAULT_GREY = grey(constant(0.8))
HALF = constant(0.5)
MOST_F0 = 0.66
"""The most that a dielectric of the engine reflects at normal incidence: its IOR ends at 10."""


@dataclass(frozen=True)
class NormalLayer:
    """What bends normals: a tangent-space normal map, a height over the surface, or both.

    color: of the map, as sampled (0.5, 0.5, 1 is flat), +Y up. height: times `distance` in metres.
    """

    color: Color | None
    strength: float = 1.0
    height: Scalar | None = None
    distance: float = 0.0
    bump_strength: float = 1.0


@dataclass(frozen=True)
class Surface:
    """What a shader node describes, in the engine's terms.

    has_specular: it reflects; a surface that does not leaves roughness and IOR to the other one of
    a mixture. is_lit: false for pure emission. alpha 0 everywhere is Transparent BSDF. is_glass:
    its reflections are not thinned by alpha.
    """

    base: Color = DEFAULT_GREY
    metallic: Scalar = CLEAR
    roughness: Scalar = HALF
    ior: float = 1.5
    specular_tint: tuple[float, float, float] = (1.0, 1.0, 1.0)
    emission: Color = BLACK
    alpha: Scalar = OPAQUE
    normal: NormalLayer | None = None
    occlusion: Scalar | None = None
    has_specular: bool = True
    is_lit: bool = True
    double_sided: bool | None = None
    is_glass: bool = False


TRANSPARENT = Surface(alpha=CLEAR)
NOTHING = Surface(base=BLACK, ior=1.0, has_specular=False, is_lit=False)
"""What a material without a shader shows: black."""


def emissive(color: Color) -> Surface:
    """Return a surface that only shines."""
    return replace(NOTHING, emission=color)


def mixed(a: Surface, b: Surface, factor: Scalar, warn: Warn) -> Surface:
    """Return a * (1 - factor) + b * factor."""
    if factor.is_constant and factor.offset <= 0:
        return a
    if factor.is_constant and factor.offset >= 1:
        return b
    if a == b:
        return a
    if a.alpha == CLEAR:
        return replace(b, alpha=_product(b.alpha, factor, warn), is_glass=False)
    if b.alpha == CLEAR:
        share = affine(factor, -1, 1)
        return replace(a, alpha=_product(a.alpha, share, warn), is_glass=False)
    return _blend(a, b, factor, warn)


def _product(x: Scalar, y: Scalar, warn: Warn) -> Scalar:
    try:
        return multiply(x, y)
    except Unrepresentable as reason:
        warn(MaterialCause.MIX_TRANSPARENCY, reason=reason)
        return y


def _blend(a: Surface, b: Surface, factor: Scalar, warn: Warn) -> Surface:
    """Mix two surfaces that are both there, field by field."""
    coated = _coated(a, b, factor, warn)
    if coated is not None:
        return coated
    reflecting = [surface for surface in (a, b) if surface.has_specular]
    only = reflecting[0] if len(reflecting) == 1 else None
    weight = factor.offset if factor.is_constant else 0.5
    if a.is_lit and b.is_lit:
        warn(MaterialCause.MIX_MEAN)

    def number(x: Scalar, y: Scalar) -> Scalar:
        try:
            return lerp(x, y, factor)
        except Unrepresentable as reason:
            warn(MaterialCause.MIX_STRONGER, reason=reason)
            return x if weight < 0.5 else y

    def color(x: Color, y: Color) -> Color:
        return Color(*(number(p, q) for p, q in zip(x, y, strict=True)))

    def plain(x: float, y: float) -> float:
        return x * (1 - weight) + y * weight

    return Surface(
        base=color(a.base, b.base),
        metallic=number(a.metallic, b.metallic),
        roughness=only.roughness if only else number(a.roughness, b.roughness),
        ior=only.ior if only else plain(a.ior, b.ior),
        specular_tint=only.specular_tint if only else _mean_tint(a, b, plain),
        emission=color(a.emission, b.emission),
        alpha=number(a.alpha, b.alpha),
        normal=a.normal or b.normal,
        occlusion=a.occlusion or b.occlusion,
        has_specular=bool(reflecting),
        is_lit=a.is_lit or b.is_lit,
        double_sided=a.double_sided if a.double_sided is not None else b.double_sided,
    )


def _coated(a: Surface, b: Surface, factor: Scalar, warn: Warn) -> Surface | None:
    """Return matt paint mixed with one metal as a dielectric that reflects so much; else None.

    The mean of base colours would bleach the paint. Reflection at normal incidence is the metal's
    times its share; what is reflected is lost to the paint in the engine, so it gets that back.
    """
    share = factor.offset
    if a.has_specular:
        a, b, share = b, a, 1 - share
    fits = factor.is_constant and not a.has_specular and a.is_lit and b.metallic == constant(1)
    shines = a.emission != BLACK or b.emission != BLACK
    if not fits or shines or a.alpha != b.alpha or not all(x.is_constant for x in b.base):
        return None
    f0 = [min(max(x.offset * share, 0.0), MOST_F0) for x in b.base]
    most = max(*f0, 1e-4)
    paint = min((1 - share) / (1 - most), 1.0)
    try:
        base = Color(*(affine(x, paint, 0) for x in a.base))
    except Unrepresentable:
        return None
    warn(MaterialCause.MIX_PAINT)
    root = most**0.5
    red, green, blue = (x / most for x in f0)
    return replace(
        b,
        base=base,
        metallic=constant(0),
        ior=(1 + root) / (1 - root),
        specular_tint=(red, green, blue),
        normal=a.normal or b.normal,
        occlusion=a.occlusion or b.occlusion,
        double_sided=a.double_sided if a.double_sided is not None else b.double_sided,
    )


def _mean_tint(
    a: Surface, b: Surface, plain: Callable[[float, float], float]
) -> tuple[float, float, float]:
    red, green, blue = (plain(x, y) for x, y in zip(a.specular_tint, b.specular_tint, strict=True))
    return (red, green, blue)


def summed(a: Surface, b: Surface, warn: Warn) -> Surface:
    """Return a + b: exact for light added to a surface, else a mean."""
    if a == NOTHING:
        return b
    if b == NOTHING:
        return a
    if not a.is_lit and a.alpha == OPAQUE:
        a, b = b, a
    if not b.is_lit and b.alpha == OPAQUE:
        if a.alpha == CLEAR:
            warn(MaterialCause.ADD_CLEAR_LIGHT)
            return replace(b, alpha=constant(0.5))
        try:
            light = Color(*(add(x, y) for x, y in zip(a.emission, b.emission, strict=True)))
        except Unrepresentable as reason:
            warn(MaterialCause.ADD_LIGHT, reason=reason)
            light = b.emission
        return replace(a, emission=light)
    if a.alpha == CLEAR or b.alpha == CLEAR:
        warn(MaterialCause.ADD_CLEAR)
        return replace(b if a.alpha == CLEAR else a, alpha=constant(0.5))
    return _blend(a, b, constant(0.5), warn)
