"""Normal Map nodes; bump and everything else at a Normal input is a warning."""

from __future__ import annotations

from typing import Any

from ..material_causes import MaterialCause
from .node_reader import NodeReader, input_named
from .scope import Made, Scope, Unlinked
from .surface import NormalLayer
from .values import Color, affine


def read_normal(reader: NodeReader, node: Any, scope: Scope) -> NormalLayer | None:
    """Return the normal map at a shader's Normal input, None if there is none."""
    socket = input_named(node, "Normal")
    if socket is None:
        return None
    origin = reader.trace(socket, scope)
    while not isinstance(origin, Unlinked) and origin.node.type == "BUMP":
        reader.warn(origin.node, MaterialCause.NORMAL_BUMP)
        origin = reader.trace(origin.node.inputs["Normal"], origin.scope)
    if isinstance(origin, Unlinked):
        return None
    if origin.node.type == "NORMAL_MAP":
        return _normal_map(reader, origin)
    if origin.node.type not in {"NEW_GEOMETRY", "TEX_COORD"}:
        reader.warn(origin.node, MaterialCause.NORMAL_OTHER)
    return None


def _normal_map(reader: NodeReader, made: Made) -> NormalLayer | None:
    node, scope = made.node, made.scope
    if node.space != "TANGENT":
        reader.warn(node, MaterialCause.NORMAL_SPACE, space=node.space.replace("_", " ").title())
        return None
    socket = node.inputs["Color"]
    if isinstance(reader.trace(socket, scope), Unlinked):
        return None
    color = reader.color(socket, scope)
    if getattr(node, "convention", "OPENGL") == "DIRECTX":
        color = Color(color.r, affine(color.g, -1, 1), color.b)
    strength = reader.constant_scalar(node, node.inputs["Strength"], scope, 1.0)
    if all(x.is_constant for x in color) or strength == 0:
        return None
    return NormalLayer(color, strength)
