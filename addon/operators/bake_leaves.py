"""What single shaders describe, as numbers and colours for a bake (`Channels`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..sync.materials.principled import SEEN_THROUGH
from .bake_arithmetic import BLACK, Color, Number, input_named, math, read_input, scaled


@dataclass(frozen=True)
class Channels:
    """What a shader describes, weighted by its share of the surface.

    base, emission: colours. roughness, metallic: numbers, weighted by `gloss` and `lit`. lit: the
    share that reflects light of any kind, gloss: the share that mirrors. clear: the transparent
    share.
    """

    base: Color = BLACK
    emission: Color = BLACK
    roughness: Number = 0.0
    metallic: Number = 0.0
    lit: Number = 0.0
    gloss: Number = 0.0
    clear: Number = 0.0


def leaf(tree: Any, node: Any) -> Channels:
    """Return the channels of a BSDF or of Emission."""
    reader = _LEAVES.get(node.type, _matt)
    return reader(tree, node)


def _principled(tree: Any, node: Any) -> Channels:
    through = math(
        tree, "MULTIPLY", read_input(input_named(node, "Transmission Weight")), -SEEN_THROUGH
    )
    alpha = math(
        tree, "MULTIPLY", read_input(input_named(node, "Alpha")), math(tree, "ADD", through, 1.0)
    )
    alpha = math(tree, "MAXIMUM", math(tree, "MINIMUM", alpha, 1.0), 0.0)
    light = scaled(
        tree,
        read_input(input_named(node, "Emission Color")),
        read_input(input_named(node, "Emission Strength")),
    )
    return Channels(
        base=scaled(tree, read_input(input_named(node, "Base Color")), alpha),
        emission=scaled(tree, light, alpha),
        roughness=math(tree, "MULTIPLY", read_input(input_named(node, "Roughness")), alpha),
        metallic=math(tree, "MULTIPLY", read_input(input_named(node, "Metallic")), alpha),
        lit=alpha,
        gloss=alpha,
        clear=math(tree, "SUBTRACT", 1.0, alpha),
    )


def _matt(tree: Any, node: Any) -> Channels:
    color = input_named(node, "Color", "Base Color")
    base = (0.8, 0.8, 0.8) if color is None else read_input(color)
    return Channels(base=base, lit=1.0)


def _metal(tree: Any, node: Any) -> Channels:
    rough = input_named(node, "Roughness")
    return Channels(
        base=read_input(input_named(node, "Base Color", "Color")),
        roughness=0.5 if rough is None else read_input(rough),
        metallic=1.0,
        lit=1.0,
        gloss=1.0,
    )


def _glass(tree: Any, node: Any) -> Channels:
    there = 1.0 - SEEN_THROUGH
    return Channels(
        base=scaled(tree, read_input(input_named(node, "Color")), there),
        roughness=math(tree, "MULTIPLY", read_input(input_named(node, "Roughness")), there),
        lit=there,
        gloss=there,
        clear=SEEN_THROUGH,
    )


def _emission(tree: Any, node: Any) -> Channels:
    strength = read_input(input_named(node, "Strength"))
    return Channels(emission=scaled(tree, read_input(input_named(node, "Color")), strength))


def _specular(tree: Any, node: Any) -> Channels:
    clear = read_input(input_named(node, "Transparency"))
    alpha = math(tree, "SUBTRACT", 1.0, clear)
    return Channels(
        base=scaled(tree, read_input(input_named(node, "Base Color")), alpha),
        emission=read_input(input_named(node, "Emissive Color")),
        roughness=math(tree, "MULTIPLY", read_input(input_named(node, "Roughness")), alpha),
        lit=alpha,
        gloss=alpha,
        clear=clear,
    )


def _transparent(tree: Any, node: Any) -> Channels:
    return Channels(clear=1.0)


_LEAVES: dict[str, Callable[[Any, Any], Channels]] = {
    "BSDF_PRINCIPLED": _principled,
    "BSDF_GLOSSY": _metal,
    "BSDF_METALLIC": _metal,
    "BSDF_ANISOTROPIC": _metal,
    "BSDF_GLASS": _glass,
    "BSDF_REFRACTION": _glass,
    "EMISSION": _emission,
    "BACKGROUND": _emission,
    "EEVEE_SPECULAR": _specular,
    "BSDF_TRANSPARENT": _transparent,
    "HOLDOUT": _transparent,
}
"""By `node.type`; other shaders are matt."""
