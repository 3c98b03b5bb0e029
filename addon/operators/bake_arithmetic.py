"""Numbers and colours of a node tree being built: constants are folded, sockets get a node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Number = Any
"""A float or an output socket that makes one."""
Color = Any
"""A tuple of three floats or an output socket that makes a colour."""

BLACK = (0.0, 0.0, 0.0)


def feed(tree: Any, socket: Any, value: Any) -> None:
    """Set an input to a value, or link what makes it."""
    if isinstance(value, tuple):
        socket.default_value = (*value, 1.0)[: len(socket.default_value)]
    elif isinstance(value, float | int):
        width = len(socket.default_value) if hasattr(socket.default_value, "__len__") else 0
        socket.default_value = (value,) * width if width else value
    else:
        tree.links.new(value, socket)


_FOLD: dict[str, Callable[[float, float], float]] = {
    "ADD": lambda a, b: a + b,
    "SUBTRACT": lambda a, b: a - b,
    "MULTIPLY": lambda a, b: a * b,
    "DIVIDE": lambda a, b: a / b if b else 0.0,
    "MINIMUM": min,
    "MAXIMUM": max,
}


def math(tree: Any, operation: str, a: Number, b: Number) -> Number:
    """Return what a Math node makes of two numbers."""
    a, b = as_number(a), as_number(b)
    if isinstance(a, float | int) and isinstance(b, float | int):
        return float(_FOLD[operation](a, b))
    if operation == "MULTIPLY" and 1.0 in (a, b):
        return b if a == 1.0 else a
    node = tree.nodes.new("ShaderNodeMath")
    node.operation = operation
    feed(tree, node.inputs[0], a)
    feed(tree, node.inputs[1], b)
    return node.outputs[0]


def as_number(value: Any) -> Number:
    """A colour's own value at a number's place is its brightness."""
    return sum(value) / 3 if isinstance(value, tuple) else value


def scaled(tree: Any, color: Color, number: Number) -> Color:
    """Return the colour times the number."""
    number = as_number(number)
    if isinstance(number, float | int):
        if number == 1.0:
            return color
        if isinstance(color, tuple):
            return tuple(x * number for x in color)
    if isinstance(color, float | int):
        color = (color,) * 3
    node = tree.nodes.new("ShaderNodeVectorMath")
    node.operation = "SCALE"
    feed(tree, node.inputs[0], color)
    feed(tree, input_named(node, "Scale"), number)
    return node.outputs[0]


def add_colors(tree: Any, a: Color, b: Color) -> Color:
    """Return a + b."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return tuple(x + y for x, y in zip(a, b, strict=True))
    if BLACK in (a, b):
        return b if a == BLACK else a
    node = tree.nodes.new("ShaderNodeVectorMath")
    node.operation = "ADD"
    feed(tree, node.inputs[0], a)
    feed(tree, node.inputs[1], b)
    return node.outputs[0]


def add_numbers(tree: Any, a: Number, b: Number) -> Number:
    """Return a + b."""
    return math(tree, "ADD", a, b)


def lerp_colors(tree: Any, a: Color, b: Color, factor: Number) -> Color:
    """Return a * (1 - factor) + b * factor."""
    rest = math(tree, "SUBTRACT", 1.0, factor)
    return a if a == b else add_colors(tree, scaled(tree, a, rest), scaled(tree, b, factor))


def lerp_numbers(tree: Any, a: Number, b: Number, factor: Number) -> Number:
    """Return a * (1 - factor) + b * factor."""
    if isinstance(a, float) and a == b:
        return a
    rest = math(tree, "SUBTRACT", 1.0, factor)
    return add_numbers(tree, math(tree, "MULTIPLY", a, rest), math(tree, "MULTIPLY", b, factor))


# Following links


def read_input(socket: Any) -> Any:
    """Return what feeds an input of a node: an output socket, or the input's own value."""
    source = link_into(socket)
    while source is not None and source.node.mute:
        source = passed_through(source)
    if source is not None:
        return source
    value = socket.default_value
    return float(value) if isinstance(value, int | float) else tuple(float(x) for x in value)[:3]


def input_named(node: Any, *names: str) -> Any | None:
    """Return the first input that has one of the names."""
    return next((node.inputs[name] for name in names if name in node.inputs), None)


def identified(sockets: Any, identifier: str) -> Any:
    """Return the socket with an identifier."""
    return next(socket for socket in sockets if socket.identifier == identifier)


def link_into(socket: Any) -> Any | None:
    """Return the output socket that feeds an input, None if nothing does."""
    for link in socket.links:
        if link.is_valid and not link.is_muted:
            return link.from_socket
    return None


def passed_through(source: Any) -> Any | None:
    """Return what feeds the input that a reroute or muted node passes on to `source`."""
    node = source.node
    if node.type == "REROUTE":
        return link_into(node.inputs[0])
    inner = next((link for link in node.internal_links if link.to_socket == source), None)
    return None if inner is None else link_into(inner.from_socket)
