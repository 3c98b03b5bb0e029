"""A few words for building node trees."""

from __future__ import annotations

from typing import Any

_ROW = 260.0
_COLUMN = 220.0


class Tree:
    """A node tree that is built from its output backwards."""

    def __init__(self, tree: Any) -> None:
        """Start with an empty `tree`."""
        self.tree = tree
        tree.nodes.clear()
        self._count = 0

    def add(self, kind: str, column: int = 0, **settings: Any) -> Any:
        """Add a node of class `kind`, `column` steps left of the output, with `settings`."""
        node = self.tree.nodes.new(kind)
        node.location = (-_COLUMN * column, -_ROW * self._count * 0.5)
        self._count += 1
        for name, value in settings.items():
            setattr(node, name, value)
        return node

    def link(self, source: Any, target: Any) -> None:
        """Connect an output to an input."""
        self.tree.links.new(source, target)

    def product(self, value: Any, factor: tuple[float, ...], column: int) -> Any:
        """Return an output: the colour output `value` times a constant colour."""
        if all(abs(x - 1) < 1e-9 for x in factor[:3]):
            return value
        constant = self.add("ShaderNodeCombineXYZ", column)
        for socket, number in zip(constant.inputs, factor, strict=False):
            socket.default_value = number
        return self.times(value, constant.outputs[0], column)

    def times(self, a: Any, b: Any, column: int) -> Any:
        """Return an output: the product of two colour outputs."""
        node = self.add("ShaderNodeVectorMath", column, operation="MULTIPLY")
        self.link(a, node.inputs[0])
        self.link(b, node.inputs[1])
        return node.outputs[0]

    def scaled(self, value: Any, factor: float, column: int) -> Any:
        """Return an output: a number output times a constant."""
        if abs(factor - 1) < 1e-9:
            return value
        node = self.add("ShaderNodeMath", column, operation="MULTIPLY")
        self.link(value, node.inputs[0])
        node.inputs[1].default_value = factor
        return node.outputs[0]
