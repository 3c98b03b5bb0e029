"""Node groups of glTF importers and exporters that are understood as a whole."""

from __future__ import annotations

from typing import Any

from ..material_causes import MaterialCause
from .node_reader import NodeReader, input_named
from .samples import ChannelSource, ImageSample
from .scope import Made, Scope, Unlinked
from .surface import MOST_F0, NormalLayer, Surface
from .values import (
    Color,
    Scalar,
    above,
    affine,
    as_product,
    constant,
    constant_color,
    lerp,
    multiply,
    sampled,
    whole_sample,
)

SETTINGS_GROUPS = ("glTF Material Output", "glTF Settings")
"""Groups that hold what Blender's own shaders have no input for."""


def gltf_group(reader: NodeReader, made: Made) -> Surface:
    """Read a "glTF Metallic Roughness" or "glTF Specular Glossiness" group node."""
    node, scope = made.node, made.scope
    specular = node.node_tree.name.startswith("glTF Specular")
    base_name, factor_name = (
        ("Diffuse", "DiffuseFactor") if specular else ("BaseColor", "BaseColorFactor")
    )
    base = _times(
        reader.color(input_named(node, base_name), scope, 1.0),
        reader.color(input_named(node, factor_name), scope, 1.0),
    )
    vertex = reader.scalar(input_named(node, "Use COLOR_0"), scope)
    if vertex != constant(0):
        base = _times(base, reader.color(input_named(node, "COLOR_0"), scope, 1.0))
    if specular:
        mirror = _mirror(reader, node, scope)
        if mirror.metallic == constant(1):
            base = mirror.base
        metallic = mirror.metallic
        roughness = affine(
            multiply(
                reader.scalar(input_named(node, "Glossiness"), scope, 1.0),
                reader.scalar(input_named(node, "GlossinessFactor"), scope, 1.0),
            ),
            -1,
            1,
        )
    else:
        mirror = Surface()
        packed = reader.color(input_named(node, "MetallicRoughness"), scope, 1.0)
        metallic = multiply(
            packed.b, reader.scalar(input_named(node, "MetallicFactor"), scope, 1.0)
        )
        roughness = multiply(
            packed.g, reader.scalar(input_named(node, "RoughnessFactor"), scope, 1.0)
        )
    return Surface(
        base=base,
        metallic=metallic,
        roughness=roughness,
        ior=mirror.ior,
        specular_tint=mirror.specular_tint,
        emission=_times(
            reader.color(input_named(node, "Emissive"), scope),
            reader.color(input_named(node, "EmissiveFactor"), scope, 1.0),
        ),
        alpha=_alpha(reader, node, scope, base),
        normal=_normal(reader, node, scope),
        occlusion=_occlusion(reader, node, scope),
        double_sided=_setting(reader, node, scope, "DoubleSided") > 0.5,
    )


def _mirror(reader: NodeReader, node: Any, scope: Scope) -> Surface:
    """Return a surface that mirrors as much as the specular colour of specular-glossiness says.

    What is mirrored is lost to the diffuse colour there as in the engine (KHR_materials_pbr-
    SpecularGlossiness: c_diff = diffuse * (1 - max(specular))). More than a dielectric can mirror
    makes it a metal.
    """
    specular, factor = input_named(node, "Specular"), input_named(node, "SpecularFactor")
    own = reader.constant_rgb(node, specular, scope, 1.0)
    times = reader.constant_rgb(node, factor, scope, 1.0)
    color = [min(max(x * y, 0.0), 1.0) for x, y in zip(own, times, strict=True)]
    most = max(color)
    red, green, blue = color
    if most > MOST_F0:
        if most < 1:
            reader.warn(node, MaterialCause.SHADER_GLOSSINESS)
        return Surface(base=constant_color((red, green, blue)), metallic=constant(1))
    root = most**0.5
    tint = (red / most, green / most, blue / most) if most > 0 else (1.0, 1.0, 1.0)
    return Surface(ior=(1 + root) / (1 - root), specular_tint=tint)


def settings_occlusion(reader: NodeReader, tree: Any) -> Scalar | None:
    """Return the occlusion that a glTF settings group of the tree holds, None if there is none."""
    for node in tree.nodes:
        if node.type != "GROUP" or node.node_tree is None or node.mute:
            continue
        if not node.node_tree.name.startswith(SETTINGS_GROUPS):
            continue
        socket = input_named(node, "Occlusion")
        if socket is None or isinstance(reader.trace(socket, Scope()), Unlinked):
            continue
        return occlusion_number(reader.color(socket, Scope()))
    return None


def occlusion_number(color: Color) -> Scalar | None:
    """Return the occlusion in a colour; glTF keeps it in the red channel."""
    return None if color.r.is_constant else color.r


def _times(x: Color, y: Color) -> Color:
    return Color(*(multiply(a, b) for a, b in zip(x, y, strict=True)))


def _setting(reader: NodeReader, node: Any, scope: Scope, name: str) -> float:
    value = reader.scalar(input_named(node, name), scope)
    return value.offset if value.is_constant else 0.0


def _alpha(reader: NodeReader, node: Any, scope: Scope, base: Color) -> Scalar:
    """AlphaMode 0 is opaque, 1 masked, 2 blended; an unlinked Alpha is the base picture's own."""
    mode = round(_setting(reader, node, scope, "AlphaMode"))
    if mode == 0:
        return constant(1)
    socket = input_named(node, "Alpha")
    alpha = reader.scalar(socket, scope, 1.0)
    product = as_product(base)
    if alpha == constant(1) and product is not None:
        sample = whole_sample(product.lookups[0])
        if isinstance(sample, ImageSample):
            alpha = sampled(ChannelSource(sample, "a"))
    return above(alpha, _setting(reader, node, scope, "AlphaCutoff")) if mode == 1 else alpha


def _normal(reader: NodeReader, node: Any, scope: Scope) -> NormalLayer | None:
    socket = input_named(node, "Normal")
    if socket is None or isinstance(reader.trace(socket, scope), Unlinked):
        return None
    color = reader.color(socket, scope)
    if all(x.is_constant for x in color):
        return None
    return NormalLayer(color, _setting(reader, node, scope, "NormalScale"))


def _occlusion(reader: NodeReader, node: Any, scope: Scope) -> Scalar | None:
    socket = input_named(node, "Occlusion")
    if socket is None or isinstance(reader.trace(socket, scope), Unlinked):
        return None
    occlusion = occlusion_number(reader.color(socket, scope))
    if occlusion is None:
        return None
    strength = constant(_setting(reader, node, scope, "OcclusionStrength"))
    return lerp(constant(1), occlusion, strength)
