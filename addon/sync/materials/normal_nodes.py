"""Normal Map and Bump nodes; everything else at a Normal input is a warning."""

from __future__ import annotations

from dataclasses import replace
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
    if not isinstance(origin, Unlinked) and origin.node.type == "BUMP":
        return _bump(reader, origin)
    return _map(reader, origin)


def _bump(reader: NodeReader, made: Made) -> NormalLayer | None:
    """A Bump node over the mesh's normal or a normal map; of several in a row the last counts."""
    node, scope = made.node, made.scope
    origin = reader.trace(node.inputs["Normal"], scope)
    while not isinstance(origin, Unlinked) and origin.node.type == "BUMP":
        reader.warn(origin.node, MaterialCause.NORMAL_BUMP)
        origin = reader.trace(origin.node.inputs["Normal"], origin.scope)
    below = _map(reader, origin)
    if isinstance(reader.trace(node.inputs["Height"], scope), Unlinked):
        return below
    height = reader.scalar(node.inputs["Height"], scope)
    strength = max(reader.constant_scalar(node, node.inputs["Strength"], scope, 1.0), 0.0)
    distance = reader.constant_scalar(node, node.inputs["Distance"], scope, 1.0)
    if height.is_constant or strength == 0 or distance == 0:
        return below
    return replace(
        below or NormalLayer(None),
        height=height,
        distance=-distance if node.invert else distance,
        bump_strength=strength,
    )


def _map(reader: NodeReader, origin: Made | Unlinked) -> NormalLayer | None:
    """Return the normal map that makes a normal, None if it is the mesh's own."""
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
