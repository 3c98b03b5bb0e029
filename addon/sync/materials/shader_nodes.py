"""Shader nodes to Surface: BSDFs, Emission, Transparent, Mix and Add."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..material_causes import MaterialCause
from .gltf_groups import gltf_group
from .node_reader import NodeReader, input_identified, input_named
from .normal_nodes import read_normal
from .principled import SEEN_THROUGH, principled
from .scope import Made, Scope, Unlinked
from .surface import NOTHING, TRANSPARENT, Surface, Warn, emissive, mixed, summed
from .value_nodes import clamped
from .values import Color, Unrepresentable, constant, grey, multiply

MAX_SHADERS = 256
"""Shader nodes that one material may visit; mixtures of mixtures are visited once a path."""
MAX_DEPTH = 48
"""Shaders within mixtures within mixtures; deeper ones, or circles, are cut off."""


class ShaderReader:
    """Evaluates the shader sockets of one tree."""

    def __init__(self, reader: NodeReader) -> None:
        self.reader = reader
        self._left = MAX_SHADERS
        self._depth = 0

    def surface(self, socket: Any | None, scope: Scope) -> Surface:
        """Return what arrives at a shader input; black if nothing does."""
        if socket is None:
            return NOTHING
        origin = self.reader.trace(socket, scope)
        if isinstance(origin, Unlinked):
            return NOTHING
        if self._left <= 0 or self._depth >= MAX_DEPTH:
            self.reader.warn(origin.node, MaterialCause.SHADER_TOO_DEEP)
            return NOTHING
        self._left -= 1
        if origin.socket.type != "SHADER":
            return emissive(self.reader.color(socket, scope))
        handler = _HANDLERS.get(origin.node.type)
        if handler is None:
            self.reader.warn(
                origin.node, MaterialCause.SHADER_UNSUPPORTED, label=origin.node.bl_label
            )
            return Surface()
        self._depth += 1
        try:
            return handler(self, origin)
        except Unrepresentable as reason:
            self.reader.warn(origin.node, MaterialCause.SHADER_INEXACT, reason=reason)
            return Surface()
        finally:
            self._depth -= 1


def _principled(shaders: ShaderReader, made: Made) -> Surface:
    return principled(shaders.reader, made)


def _group(shaders: ShaderReader, made: Made) -> Surface:
    return gltf_group(shaders.reader, made)


def _diffuse(shaders: ShaderReader, made: Made) -> Surface:
    """No reflection at all: an IOR of 1."""
    reader, node, scope = shaders.reader, made.node, made.scope
    return Surface(
        base=reader.color(input_named(node, "Color"), scope),
        roughness=constant(1),
        ior=1.0,
        specular_tint=(0.0, 0.0, 0.0),
        normal=read_normal(reader, node, scope),
        has_specular=False,
    )


def _glossy(shaders: ShaderReader, made: Made) -> Surface:
    """A metal of that colour; Blender's Glossy has no Fresnel, which shows at grazing angles."""
    reader, node, scope = shaders.reader, made.node, made.scope
    base = input_named(node, "Base Color") if made.node.type == "BSDF_METALLIC" else None
    return Surface(
        base=reader.color(base or input_named(node, "Color"), scope),
        metallic=constant(1),
        roughness=reader.scalar(input_named(node, "Roughness"), scope, 0.5),
        normal=read_normal(reader, node, scope),
    )


def _see_through(shaders: ShaderReader, made: Made) -> Surface:
    reader, node, scope = shaders.reader, made.node, made.scope
    reader.warn(node, MaterialCause.SHADER_SEEN_THROUGH, label=node.bl_label)
    return Surface(
        base=reader.color(input_named(node, "Color"), scope),
        roughness=reader.scalar(input_named(node, "Roughness"), scope),
        ior=min(max(reader.constant_scalar(node, input_named(node, "IOR"), scope, 1.45), 1), 10),
        alpha=constant(1 - SEEN_THROUGH),
        normal=read_normal(reader, node, scope),
        double_sided=False,
        is_glass=node.type == "BSDF_GLASS",
    )


def _like_diffuse(shaders: ShaderReader, made: Made) -> Surface:
    shaders.reader.warn(made.node, MaterialCause.SHADER_LIKE_DIFFUSE, label=made.node.bl_label)
    return _diffuse(shaders, made)


def _specular(shaders: ShaderReader, made: Made) -> Surface:
    """EEVEE's Specular BSDF: a dielectric, its specular colour left to the IOR."""
    reader, node, scope = shaders.reader, made.node, made.scope
    reader.warn(node, MaterialCause.SHADER_SPECULAR)
    transparency = reader.scalar(input_named(node, "Transparency"), scope)
    return mixed(
        Surface(
            base=reader.color(input_named(node, "Base Color"), scope),
            roughness=reader.scalar(input_named(node, "Roughness"), scope, 0.2),
            emission=reader.color(input_named(node, "Emissive Color"), scope),
            normal=read_normal(reader, node, scope),
        ),
        TRANSPARENT,
        transparency,
        _warner(reader, node),
    )


def _emission(shaders: ShaderReader, made: Made) -> Surface:
    reader, node, scope = shaders.reader, made.node, made.scope
    color = reader.color(input_named(node, "Color"), scope)
    strength = reader.scalar(input_named(node, "Strength"), scope, 1.0)
    return emissive(Color(*(multiply(x, strength) for x in color)))


def _transparent(shaders: ShaderReader, made: Made) -> Surface:
    color = shaders.reader.color(input_named(made.node, "Color"), made.scope)
    if color != grey(constant(1)):
        shaders.reader.warn(made.node, MaterialCause.SHADER_COLORED_CLEAR)
    return TRANSPARENT


def _holdout(shaders: ShaderReader, made: Made) -> Surface:
    shaders.reader.warn(made.node, MaterialCause.SHADER_HOLDOUT)
    return TRANSPARENT


def _mix(shaders: ShaderReader, made: Made) -> Surface:
    node, scope = made.node, made.scope
    factor = clamped(shaders.reader.scalar(input_identified(node, "Fac", "Factor"), scope, 0.5))
    first, second = _shader_inputs(node)
    if factor == constant(0):
        return shaders.surface(first, scope)
    if factor == constant(1):
        return shaders.surface(second, scope)
    a, b = shaders.surface(first, scope), shaders.surface(second, scope)
    return mixed(a, b, factor, _warner(shaders.reader, node))


def _add(shaders: ShaderReader, made: Made) -> Surface:
    first, second = _shader_inputs(made.node)
    a, b = shaders.surface(first, made.scope), shaders.surface(second, made.scope)
    return summed(a, b, _warner(shaders.reader, made.node))


def _warner(reader: NodeReader, node: Any) -> Warn:
    """Return a function that warns about `node`."""
    return lambda cause, **values: reader.warn(node, cause, **values)


def _shader_inputs(node: Any) -> tuple[Any, Any]:
    first, second = (socket for socket in node.inputs if socket.type == "SHADER")
    return first, second


_HANDLERS: dict[str, Callable[[ShaderReader, Made], Surface]] = {
    "BSDF_PRINCIPLED": _principled,
    "GROUP": _group,
    "BSDF_DIFFUSE": _diffuse,
    "BSDF_GLOSSY": _glossy,
    "BSDF_METALLIC": _glossy,
    "BSDF_ANISOTROPIC": _glossy,
    "BSDF_GLASS": _see_through,
    "BSDF_REFRACTION": _see_through,
    "BSDF_TRANSLUCENT": _like_diffuse,
    "SUBSURFACE_SCATTERING": _like_diffuse,
    "BSDF_SHEEN": _like_diffuse,
    "BSDF_TOON": _like_diffuse,
    "BSDF_HAIR": _like_diffuse,
    "BSDF_HAIR_PRINCIPLED": _like_diffuse,
    "EEVEE_SPECULAR": _specular,
    "EMISSION": _emission,
    "BACKGROUND": _emission,
    "BSDF_TRANSPARENT": _transparent,
    "HOLDOUT": _holdout,
    "MIX_SHADER": _mix,
    "ADD_SHADER": _add,
}
