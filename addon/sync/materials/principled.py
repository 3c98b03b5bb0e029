"""Principled BSDF to Surface."""

from __future__ import annotations

import math
from typing import Any

from ..material_causes import MaterialCause
from .node_reader import NodeReader, input_named
from .normal_nodes import read_normal
from .scope import Made
from .surface import MOST_F0, Surface
from .values import Color, Scalar, affine, constant, multiply

LEFT_OUT = (
    (("Subsurface Weight", "Subsurface"), "Subsurface scattering"),
    (("Coat Weight", "Clearcoat"), "Coat"),
    (("Sheen Weight", "Sheen"), "Sheen"),
    (("Anisotropic",), "Anisotropy"),
    (("Thin Film Thickness",), "Thin film"),
    (("Diffuse Roughness",), "Diffuse roughness"),
)
"""Inputs that the engine does not draw: their names by version, and what to call them."""

SEEN_THROUGH = 0.85
"""How transparent full transmission is shown: some of the surface must stay to be seen."""


def principled(reader: NodeReader, made: Made) -> Surface:
    """Read a Principled BSDF node."""
    node, scope = made.node, made.scope

    def number(default: float, *names: str) -> Scalar:
        return reader.scalar(input_named(node, *names), scope, default)

    strength = number(1.0, "Emission Strength")
    emission = reader.color(input_named(node, "Emission Color", "Emission"), scope)
    specular = reader.constant_scalar(
        node, input_named(node, "Specular IOR Level", "Specular"), scope, 0.5
    )
    ior = reader.constant_scalar(node, input_named(node, "IOR"), scope, 1.5)
    _warn_left_out(reader, made)
    transmission = number(0.0, "Transmission Weight", "Transmission")
    alpha = number(1.0, "Alpha")
    return Surface(
        base=reader.color(input_named(node, "Base Color"), scope),
        metallic=number(0.0, "Metallic"),
        roughness=number(0.5, "Roughness"),
        ior=effective_ior(ior, specular),
        specular_tint=reader.constant_rgb(node, input_named(node, "Specular Tint"), scope, 1.0),
        emission=Color(*(multiply(x, strength) for x in emission)),
        alpha=_alpha(reader, made, alpha, transmission),
        normal=read_normal(reader, node, scope),
        # Its inside, which refraction would hide, makes a solid look like a jar.
        double_sided=None if transmission == constant(0) else False,
        is_glass=transmission != constant(0) and alpha == constant(1),
    )


def effective_ior(ior: float, specular_level: float) -> float:
    """Return the IOR whose reflection at normal incidence is that of `ior` scaled by 2 * level.

    Blender scales F0 = ((n-1)/(n+1))^2 by twice the Specular IOR Level (0.5 leaves it).
    """
    ior = min(max(ior, 1.0), 10.0) if ior >= 1 else min(1 / max(ior, 0.1), 10.0)
    f0 = min(((ior - 1) / (ior + 1)) ** 2 * 2 * max(specular_level, 0.0), MOST_F0)
    root = math.sqrt(f0)
    return min((1 + root) / (1 - root), 10.0)


def _alpha(reader: NodeReader, made: Made, alpha: Scalar, transmission: Scalar) -> Scalar:
    """Show transmission as transparency, since nothing is refracted."""
    if transmission == constant(0):
        return alpha
    reader.warn(made.node, MaterialCause.SHADER_TRANSMISSION)
    return multiply(alpha, affine(transmission, -SEEN_THROUGH, 1))


def _warn_left_out(reader: NodeReader, made: Made) -> None:
    for names, label in LEFT_OUT:
        socket: Any = input_named(made.node, *names)
        if socket is None or reader.scalar(socket, made.scope) == constant(0):
            continue
        reader.warn(made.node, MaterialCause.SHADER_FEATURE, feature=label)
