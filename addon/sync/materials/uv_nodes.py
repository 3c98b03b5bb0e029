"""Where texture coordinates come from: UV Map, Mapping and vector maths as one affine mapping."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from ..extra_uvs import GENERATED
from ..material_causes import MaterialCause
from .node_reader import NodeReader, input_named
from .samples import UvMapping, Wrap
from .scope import Made, Scope, Unlinked
from .values import Color

MAX_CHAIN = 64
"""Nodes in a row between a texture and its coordinates."""


class UnsupportedCoordinates(Exception):  # noqa: N818 - a signal within this module
    """Coordinates that are no affine function of a UV map."""


def uv_mapping(reader: NodeReader, node: Any, socket: Any | None, scope: Scope) -> UvMapping:
    """Return how the coordinates at a texture's vector input come from a UV map.

    Coordinates of another kind are replaced by the UV map that renders, with a warning.
    """
    if socket is None:
        return UvMapping()
    try:
        mapping = _vector(reader, socket, scope, MAX_CHAIN)
    except UnsupportedCoordinates as reason:
        reader.warn(node, MaterialCause.NODE_COORDINATES, reason=reason)
        return UvMapping()
    if mapping.uv_map:
        reader.uv_maps.add(mapping.uv_map)
    if mapping.uv_map and mapping.uv_map not in reader.layout.uv_names:
        reader.warn(node, MaterialCause.NODE_NO_UV_MAP, name=mapping.uv_map)
        return replace(mapping, uv_map="")
    return mapping


def _vector(reader: NodeReader, socket: Any, scope: Scope, left: int) -> UvMapping:
    origin = reader.trace(socket, scope)
    if left == 0:
        raise UnsupportedCoordinates("a chain of too many nodes")
    if isinstance(origin, Unlinked):
        return UvMapping()
    handler = _HANDLERS.get(origin.node.type)
    if handler is None:
        raise UnsupportedCoordinates(f"a '{origin.node.bl_label}' node")
    return handler(reader, origin, left - 1)


def _texture_coordinate(reader: NodeReader, made: Made, left: int) -> UvMapping:
    if made.socket.name == "Generated" and made.node.object is None:
        return UvMapping(GENERATED)
    if made.socket.name != "UV":
        raise UnsupportedCoordinates(f"{made.socket.name} coordinates")
    return UvMapping()


def _uv_map(reader: NodeReader, made: Made, left: int) -> UvMapping:
    return UvMapping(made.node.uv_map)


def _attribute(reader: NodeReader, made: Made, left: int) -> UvMapping:
    name = made.node.attribute_name
    if made.node.attribute_type == "GEOMETRY":
        reader.uv_maps.add(name)  # a mesh that has it as an attribute makes a set of it
    if made.node.attribute_type != "GEOMETRY" or name not in reader.layout.uv_names:
        raise UnsupportedCoordinates(f"the attribute '{name}'")
    return UvMapping(name)


def _mapping(reader: NodeReader, made: Made, left: int) -> UvMapping:
    """The Mapping node: Point is R S p + t, Texture its inverse, Vector without t."""
    node, scope = made.node, made.scope
    inner = _vector(reader, node.inputs["Vector"], scope, left)
    location, rotation, scale = (
        _constants(reader.color(input_named(node, name), scope, default))
        for name, default in (("Location", 0.0), ("Rotation", 0.0), ("Scale", 1.0))
    )
    if node.vector_type == "NORMAL":
        raise UnsupportedCoordinates("a Mapping node of type Normal")
    if abs(math.sin(rotation[0])) > 1e-6 or abs(math.sin(rotation[1])) > 1e-6:
        raise UnsupportedCoordinates("a Mapping node that rotates about X or Y")
    cos, sin = math.cos(rotation[2]), math.sin(rotation[2])
    if node.vector_type == "TEXTURE":
        u, v = (1 / s if s else 0.0 for s in scale[:2])
        return inner.then((1, 0, -location[0], 0, 1, -location[1])).then(
            (cos * u, sin * u, 0, -sin * v, cos * v, 0)
        )
    t = location if node.vector_type == "POINT" else (0.0, 0.0, 0.0)
    return inner.then((cos * scale[0], -sin * scale[1], t[0], sin * scale[0], cos * scale[1], t[1]))


def _constants(vector: Color) -> tuple[float, float, float]:
    if not all(x.is_constant for x in vector):
        raise UnsupportedCoordinates("a Mapping node whose settings vary")
    x, y, z = (component.offset for component in vector)
    return (x, y, z)


def _vector_math(reader: NodeReader, made: Made, left: int) -> UvMapping:
    node, scope = made.node, made.scope
    operation = node.operation
    if operation == "SCALE":
        factor = reader.scalar(input_named(node, "Scale"), scope, 1.0)
        if not factor.is_constant:
            raise UnsupportedCoordinates("a scale that varies")
        inner = _vector(reader, node.inputs[0], scope, left)
        return inner.then((factor.offset, 0, 0, 0, factor.offset, 0))
    varying, fixed = node.inputs[0], node.inputs[1]
    if isinstance(reader.trace(varying, scope), Unlinked) and operation in {"ADD", "MULTIPLY"}:
        varying, fixed = fixed, varying
    x, y, _ = _constants(reader.color(fixed, scope))
    matrix = {
        "ADD": (1.0, 0.0, x, 0.0, 1.0, y),
        "SUBTRACT": (1.0, 0.0, -x, 0.0, 1.0, -y),
        "MULTIPLY": (x, 0.0, 0.0, 0.0, y, 0.0),
        "DIVIDE": (1 / x if x else 0.0, 0.0, 0.0, 0.0, 1 / y if y else 0.0, 0.0),
    }.get(operation)
    if matrix is None:
        raise UnsupportedCoordinates(f"a Vector Math node ({operation})")
    return _vector(reader, varying, scope, left).then(matrix)


@dataclass(frozen=True)
class _Row:
    """One coordinate: row of `mapping` (0: u, 1: v), folded into 0..1 as `wrap` says."""

    mapping: UvMapping
    row: tuple[float, float, float]
    wrap: Wrap | None = None


def _combined(reader: NodeReader, made: Made, left: int) -> UvMapping:
    """Combine XYZ of coordinates that were taken apart, as importers do for a wrap mode an axis."""
    x, y = (_row(reader, socket, made.scope, left) for socket in made.node.inputs[:2])
    if x.mapping.uv_map != y.mapping.uv_map:
        raise UnsupportedCoordinates("two UV maps at once")
    return UvMapping(x.mapping.uv_map, (*x.row, *y.row), x.wrap, y.wrap)


def _row(reader: NodeReader, socket: Any, scope: Scope, left: int) -> _Row:
    origin = reader.trace(socket, scope)
    if isinstance(origin, Unlinked) or left == 0:
        raise UnsupportedCoordinates("a coordinate that does not come from a UV map")
    node = origin.node
    if node.type in {"SEPXYZ", "SEPARATE_COLOR"}:
        index = list(node.outputs).index(origin.socket)
        mapping = _vector(reader, node.inputs[0], origin.scope, left - 1)
        if index > 1:
            raise UnsupportedCoordinates("the third coordinate of a UV map")
        a, b, c = mapping.matrix[index * 3 : index * 3 + 3]
        return _Row(mapping, (a, b, c))
    if node.type != "MATH":
        raise UnsupportedCoordinates(f"a '{node.bl_label}' node")
    return _math_row(reader, origin, left)


def _math_row(reader: NodeReader, made: Made, left: int) -> _Row:
    node, scope = made.node, made.scope
    fixed = reader.scalar(node.inputs[1], scope)
    third = reader.scalar(node.inputs[2], scope)
    inner = _row(reader, node.inputs[0], scope, left - 1)
    if inner.wrap is not None or not (fixed.is_constant and third.is_constant):
        raise UnsupportedCoordinates("computed coordinates")
    (a, b, c), k = inner.row, fixed.offset
    operation = node.operation
    if operation == "PINGPONG" and k == 1:
        return replace(inner, wrap="mirror")
    if (operation == "WRAP" and {k, third.offset} == {0.0, 1.0}) or operation == "FRACT":
        return replace(inner, wrap="repeat")
    if operation == "ADD":
        return replace(inner, row=(a, b, c + k))
    if operation == "SUBTRACT":
        return replace(inner, row=(a, b, c - k))
    if operation == "MULTIPLY":
        return replace(inner, row=(a * k, b * k, c * k))
    if operation == "DIVIDE" and k:
        return replace(inner, row=(a / k, b / k, c / k))
    raise UnsupportedCoordinates(f"a Math node ({operation})")


_HANDLERS = {
    "TEX_COORD": _texture_coordinate,
    "UVMAP": _uv_map,
    "ATTRIBUTE": _attribute,
    "MAPPING": _mapping,
    "VECT_MATH": _vector_math,
    "COMBXYZ": _combined,
}
