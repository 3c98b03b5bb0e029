"""NodeReader: evaluates sockets of a shader tree to Scalars and Colors, and gathers warnings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..causes import Cause
from ..material_causes import MaterialCause
from ..mesh_arrays import MeshLayout
from ..warnings import SyncWarning, WarningKind, named_warning
from .scope import Links, Made, Scope, Unlinked
from .values import (
    Color,
    Scalar,
    Unrepresentable,
    average,
    constant,
    constant_color,
    grey,
    luminance,
)

Value = Scalar | Color
Evaluator = Callable[["NodeReader", Made], Value]

MAX_DEPTH = 100
"""Nodes in a row; deeper trees are cut off with a warning, before Python's own limit is met."""


@dataclass
class NodeReader:
    """State of reading one tree.

    owner_kind and owner_name (and owner_uid, its session uid) say whose tree it is;
    evaluators: by `node.type`. uv_maps and color_attributes collect the names that the tree asks
    for.
    """

    owner_kind: WarningKind
    owner_name: str
    evaluators: dict[str, Evaluator]
    layout: MeshLayout = field(default_factory=MeshLayout)
    warnings: dict[SyncWarning, None] = field(default_factory=dict)
    uv_maps: set[str] = field(default_factory=set)
    color_attributes: set[str] = field(default_factory=set)
    owner_uid: int = 0
    _memo: dict[tuple, Value] = field(default_factory=dict)
    _links: Links = field(default_factory=Links)
    _depth: int = 0

    def warn(self, node: Any | None, cause: Cause, **values: object) -> None:
        """Record a warning about `node` (None: about the whole tree); `values` fill its words."""
        warning = named_warning(
            self.owner_kind, self.owner_name, cause, node, uid=self.owner_uid, values=values
        )
        self.warnings[warning] = None

    def trace(self, socket: Any, scope: Scope) -> Made | Unlinked:
        """Find out where the value of an input socket comes from."""
        return self._links.trace(socket, scope)

    def scalar(self, socket: Any | None, scope: Scope, default: float = 0.0) -> Scalar:
        """Return the number that arrives at an input; `default` if there is no such input."""
        if socket is None:
            return constant(default)
        origin = self.trace(socket, scope)
        if isinstance(origin, Unlinked):
            return self._default_scalar(origin.socket, default)
        value = self.output(origin)
        if isinstance(value, Scalar):
            return value
        try:
            return average(value) if origin.socket.type == "VECTOR" else luminance(value)
        except Unrepresentable:
            self.warn(origin.node, MaterialCause.NODE_COLOR_AS_NUMBER)
            return value.g

    def color(self, socket: Any | None, scope: Scope, default: float = 0.0) -> Color:
        """Return the colour or vector that arrives at an input."""
        if socket is None:
            return grey(constant(default))
        origin = self.trace(socket, scope)
        if isinstance(origin, Unlinked):
            return self._default_color(origin.socket, default)
        value = self.output(origin)
        return value if isinstance(value, Color) else grey(value)

    def constant_scalar(self, node: Any, socket: Any | None, scope: Scope, default: float) -> float:
        """Return the number at an input that the engine keeps as one number per material."""
        value = self.scalar(socket, scope, default)
        if not value.is_constant:
            self.warn(node, MaterialCause.NODE_MEAN, socket=_name(socket))
            return float(value.on_grid().mean())
        return value.offset

    def constant_rgb(
        self, node: Any, socket: Any | None, scope: Scope, default: float
    ) -> tuple[float, float, float]:
        """Return the colour at an input that the engine keeps as one colour per material."""
        value = self.color(socket, scope, default)
        if not all(x.is_constant for x in value):
            self.warn(node, MaterialCause.NODE_MEAN, socket=_name(socket))
        r, g, b = (x.offset if x.is_constant else float(x.on_grid().mean()) for x in value)
        return (r, g, b)

    def output(self, made: Made) -> Value:
        """Evaluate the output socket of a node."""
        key = (made.node.as_pointer(), made.socket.identifier, made.scope)
        known = self._memo.get(key)
        if known is None:
            if self._depth >= MAX_DEPTH:
                self.warn(made.node, MaterialCause.NODE_TOO_DEEP, limit=MAX_DEPTH)
                return constant(0.5)
            self._memo[key] = constant(0.5)  # what a node in a circle sees of itself
            self._depth += 1
            try:
                known = self._memo[key] = self._evaluate(made)
            finally:
                self._depth -= 1
        return known

    def _evaluate(self, made: Made) -> Value:
        evaluator = self.evaluators.get(made.node.type)
        if evaluator is None:
            self.warn(made.node, MaterialCause.NODE_UNSUPPORTED, label=made.node.bl_label)
            return self._stand_in(made)
        try:
            return evaluator(self, made)
        except Unrepresentable as reason:
            self.warn(made.node, MaterialCause.NODE_INEXACT, reason=reason)
            return self._stand_in(made)

    def _stand_in(self, made: Made) -> Value:
        """Return the first input that varies, else the first constant one, else mid grey."""
        first: Value | None = None
        for socket in made.node.inputs:
            if not socket.is_linked or socket.type not in {"RGBA", "VALUE", "VECTOR"}:
                continue
            value = (
                self.scalar(socket, made.scope)
                if socket.type == "VALUE"
                else self.color(socket, made.scope)
            )
            parts = (value,) if isinstance(value, Scalar) else value
            if any(not part.is_constant for part in parts):
                return value
            first = first if first is not None else value
        return first if first is not None else constant(0.5)

    @staticmethod
    def _default_scalar(socket: Any | None, default: float) -> Scalar:
        value = _numbers(socket)
        if len(value) < 2:
            return constant(value[0] if value else default)
        is_vector = getattr(socket, "type", "") == "VECTOR"
        return average(_padded(value)) if is_vector else luminance(_padded(value))

    @staticmethod
    def _default_color(socket: Any | None, default: float) -> Color:
        value = _numbers(socket)
        return _padded(value) if len(value) > 1 else grey(constant(value[0] if value else default))


def _numbers(socket: Any | None) -> tuple[float, ...]:
    """Return an input's own value as numbers; none for a shader, a menu, a string or no input."""
    value = getattr(socket, "default_value", None)
    if isinstance(value, int | float):
        return (float(value),)
    if value is None or isinstance(value, str):
        return ()
    try:
        return tuple(float(number) for number in value)
    except TypeError:
        return ()


def _padded(numbers: tuple[float, ...]) -> Color:
    """Return the first three numbers as a colour; 0 for those that a shorter vector lacks."""
    return constant_color((*numbers, 0.0, 0.0)[:3])


def _name(socket: Any | None) -> str:
    return "" if socket is None else socket.name


def input_named(node: Any, *names: str) -> Any | None:
    """Return the first input that has one of `names`, which differ between Blender versions."""
    for name in names:
        socket = node.inputs.get(name)
        if socket is not None:
            return socket
    return None


def input_identified(node: Any, *identifiers: str) -> Any | None:
    """Return the input with one of these identifiers; sockets of a Mix node share their names."""
    for socket in node.inputs:
        if socket.identifier in identifiers:
            return socket
    return None
