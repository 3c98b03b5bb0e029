"""How the direction in which a World is looked at becomes one in its picture: one affine map."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from mathutils import Euler, Matrix, Quaternion

from ..material_causes import MaterialCause
from .node_reader import NodeReader, input_named
from .samples import LOOKS_STRAIGHT
from .scope import Made, Scope, Unlinked

MAX_CHAIN = 64
"""Nodes in a row between a texture and the direction."""


class UnsupportedDirection(Exception):  # noqa: N818 - a signal within this module
    """A direction that is no affine function of the direction of view."""


def sky_mapping(reader: NodeReader, node: Any, scope: Scope) -> tuple[float, ...]:
    """Return rows of the (3, 4) map from the direction of view to that which `node` looks up.

    Both are in Blender's axes. What is no affine map is left out, with a warning.
    """
    socket = node.inputs.get("Vector")  # physical skies have none
    if socket is None:
        return LOOKS_STRAIGHT
    try:
        matrix = _vector(reader, socket, scope, MAX_CHAIN)
    except UnsupportedDirection:
        reader.warn(node, MaterialCause.NODE_ENVIRONMENT_MAPPING)
        return LOOKS_STRAIGHT
    return tuple(matrix[:3].ravel().tolist())


def _vector(reader: NodeReader, socket: Any, scope: Scope, left: int) -> np.ndarray:
    origin = reader.trace(socket, scope)
    if isinstance(origin, Unlinked):
        return np.identity(4)
    handler = _HANDLERS.get(origin.node.type)
    if handler is None or left == 0:
        raise UnsupportedDirection
    return handler(reader, origin, left - 1)


def _texture_coordinate(reader: NodeReader, made: Made, left: int) -> np.ndarray:
    name = made.socket.name
    if name in {"Normal", "Reflection"}:
        return np.diag([-1.0, -1.0, -1.0, 1.0])
    if name == "Object" and made.node.object is not None:
        return np.linalg.pinv(np.array(made.node.object.matrix_world, np.float64))
    if name not in {"Generated", "Object"}:
        raise UnsupportedDirection
    return np.identity(4)


def _geometry(reader: NodeReader, made: Made, left: int) -> np.ndarray:
    if made.socket.name == "Position":
        return np.identity(4)
    if made.socket.name not in {"Normal", "True Normal", "Incoming"}:
        raise UnsupportedDirection
    return np.diag([-1.0, -1.0, -1.0, 1.0])


def _mapping(reader: NodeReader, made: Made, left: int) -> np.ndarray:
    """The Mapping node: Point is R S p + t, Texture its inverse, Vector without t."""
    node = made.node
    if node.vector_type == "NORMAL":
        raise UnsupportedDirection
    inner = _vector(reader, node.inputs["Vector"], made.scope, left)
    place, angles, scale = (
        _constants(reader, node, name, made.scope, default)
        for name, default in (("Location", 0.0), ("Rotation", 0.0), ("Scale", 1.0))
    )
    turned = np.array(Euler(angles, "XYZ").to_matrix().to_4x4(), np.float64)
    if node.vector_type == "TEXTURE":
        inverse = [1 / s if s else 0.0 for s in scale]
        return np.diag([*inverse, 1.0]) @ turned.T @ _shift(-np.array(place)) @ inner
    moved = _shift(place) if node.vector_type == "POINT" else np.identity(4)
    return moved @ turned @ np.diag([*scale, 1.0]) @ inner


def _vector_rotate(reader: NodeReader, made: Made, left: int) -> np.ndarray:
    node, scope = made.node, made.scope
    inner = _vector(reader, node.inputs["Vector"], scope, left)
    center = np.array(_constants(reader, node, "Center", scope, 0.0))
    kind = node.rotation_type
    if kind == "EULER_XYZ":
        angles = _constants(reader, node, "Rotation", scope, 0.0)
        turn = Euler(angles, "XYZ").to_matrix().to_4x4()
    else:
        angle = reader.scalar(input_named(node, "Angle"), scope)
        if not angle.is_constant:
            raise UnsupportedDirection
        axes = {"X_AXIS": (1.0, 0.0, 0.0), "Y_AXIS": (0.0, 1.0, 0.0), "Z_AXIS": (0.0, 0.0, 1.0)}
        axis = axes.get(kind) or _constants(reader, node, "Axis", scope, 0.0)
        turn = Quaternion(axis, angle.offset).to_matrix().to_4x4() if any(axis) else Matrix()
    turned = np.array(turn, np.float64)
    return _shift(center) @ (turned.T if node.invert else turned) @ _shift(-center) @ inner


def _vector_math(reader: NodeReader, made: Made, left: int) -> np.ndarray:
    node, scope, operation = made.node, made.scope, made.node.operation
    if operation == "NORMALIZE":
        return _vector(reader, node.inputs[0], scope, left)  # what is looked up is normalised
    if operation == "SCALE":
        factor = reader.scalar(input_named(node, "Scale"), scope, 1.0)
        if not factor.is_constant:
            raise UnsupportedDirection
        return np.diag([*[factor.offset] * 3, 1.0]) @ _vector(reader, node.inputs[0], scope, left)
    varying, fixed = node.inputs[0], node.inputs[1]
    if isinstance(reader.trace(varying, scope), Unlinked) and operation in {"ADD", "MULTIPLY"}:
        varying, fixed = fixed, varying
    numbers = np.array(_numbers_of(reader, fixed, scope, 0.0))
    inner = _vector(reader, varying, scope, left)
    if operation in {"ADD", "SUBTRACT"}:
        return _shift(numbers if operation == "ADD" else -numbers) @ inner
    if operation == "DIVIDE":
        numbers = np.array([1 / x if x else 0.0 for x in numbers])
    elif operation != "MULTIPLY":
        raise UnsupportedDirection
    return np.diag([*numbers, 1.0]) @ inner


def _constants(
    reader: NodeReader, node: Any, name: str, scope: Scope, default: float
) -> tuple[float, float, float]:
    return _numbers_of(reader, input_named(node, name), scope, default)


def _numbers_of(
    reader: NodeReader, socket: Any | None, scope: Scope, default: float
) -> tuple[float, float, float]:
    vector = reader.color(socket, scope, default)
    if not all(x.is_constant for x in vector):
        raise UnsupportedDirection
    x, y, z = (component.offset for component in vector)
    return (x, y, z)


def _shift(vector: Any) -> np.ndarray:
    out = np.identity(4)
    out[:3, 3] = vector
    return out


def rotation_about_z(matrix: tuple[float, ...]) -> float | None:
    """Return the angle of a map that only turns around Z, None for any other map."""
    rows = np.array(matrix).reshape(3, 4)
    angle = math.atan2(rows[1, 0], rows[0, 0])
    cos, sin = math.cos(angle), math.sin(angle)
    plain = np.array([[cos, -sin, 0, 0], [sin, cos, 0, 0], [0, 0, 1, 0]])
    return angle if np.allclose(rows, plain, atol=1e-5) else None


_HANDLERS = {
    "TEX_COORD": _texture_coordinate,
    "NEW_GEOMETRY": _geometry,
    "MAPPING": _mapping,
    "VECTOR_ROTATE": _vector_rotate,
    "VECT_MATH": _vector_math,
}
