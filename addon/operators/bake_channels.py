"""A copy of a shader tree, rewired so that Cycles' emission bake gives one channel of its surface.

Every shader socket is replaced by numbers and colours that say what it describes (`Channels`);
Mix and Add Shader become mixtures and sums of those. Only copies are rewired: the artist's tree and
its groups stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

from .bake_arithmetic import (
    Color,
    Number,
    add_colors,
    add_numbers,
    feed,
    identified,
    lerp_colors,
    lerp_numbers,
    link_into,
    math,
    passed_through,
    read_input,
    scaled,
)
from .bake_leaves import Channels, leaf

MAX_SHADERS = 512
"""Shaders that a tree may hold, one within another; a larger one is taken to be damaged."""


COLORS = frozenset({"base", "emission"})
"""Those of the channels that are colours."""

_Join = Callable[[Any, Any, Any], Any]


class CannotBake(Exception):  # noqa: N818 - said to the artist, not an error of the program
    """A material or object that cannot be baked, in words."""


@dataclass(frozen=True)
class _Place:
    """A tree being rewired, and the group node (in the tree of `outer`) that it was entered by."""

    tree: Any
    group: Any | None = None
    outer: _Place | None = None


class ChannelTree:
    """The rewired tree of a material copy; `copies` are the node groups that it made for that.

    bends_normals: a shader's normal may be another than the mesh's.
    """

    def __init__(self, material: Any) -> None:
        self.tree = material.node_tree
        self.copies: list[Any] = []
        self._left = MAX_SHADERS
        self._entered: dict[int, _Place] = {}
        self._output = self._only_output()
        self.bends_normals = self._output.inputs["Displacement"].is_linked or _bends(self.tree)
        self._set_light_paths(self.tree)
        surface = self._output.inputs["Surface"]
        self._original = link_into(surface)
        self.channels = self._channels(_Place(self.tree), surface)
        self._emission = self.tree.nodes.new("ShaderNodeEmission")

    def _only_output(self) -> Any:
        """Leave the output that a viewport uses as the only one, so that Cycles takes it too."""
        output = self.tree.get_output_node("EEVEE")
        if output is None:
            raise CannotBake("it has no Material Output node")
        for node in list(self.tree.nodes):
            if node.type == "OUTPUT_MATERIAL" and node != output:
                self.tree.nodes.remove(node)
        output.target = "ALL"
        output.is_active_output = True
        return output

    def is_constant(self, *values: Number | Color) -> bool:
        """Tell whether these need no bake."""
        return all(isinstance(value, float | int | tuple) for value in values)

    # What is baked

    def show_base(self) -> None:
        """Make the material emit its base colour."""
        opaque = self._minus(1.0, self.channels.clear)
        self._show(self._scaled(self.channels.base, self._inverse(opaque)))

    def show_emission(self) -> None:
        """Make the material emit its own light."""
        opaque = self._minus(1.0, self.channels.clear)
        self._show(self._scaled(self.channels.emission, self._inverse(opaque)))

    def show_numbers(self) -> None:
        """Make the material emit alpha as red, roughness as green, metallic as blue."""
        found = self.channels
        place = _Place(self.tree)
        node = self.tree.nodes.new("ShaderNodeCombineXYZ")
        numbers = (
            self._minus(1.0, found.clear),
            self._times(place, found.roughness, self._inverse(found.gloss, 1e-4)),
            self._times(place, found.metallic, self._inverse(found.lit, 1e-4)),
        )
        for socket, number in zip(node.inputs, numbers, strict=True):
            feed(self.tree, socket, number)
        self._show(node.outputs[0])

    def show_surface(self) -> None:
        """Make the material what it was, for its normals."""
        if self._original is not None:
            self.tree.links.new(self._original, self._output.inputs["Surface"])

    def _show(self, color: Color) -> None:
        for link in list(self._emission.inputs["Color"].links):
            self.tree.links.remove(link)
        feed(self.tree, self._emission.inputs["Color"], color)
        self.tree.links.new(self._emission.outputs[0], self._output.inputs["Surface"])

    def _minus(self, a: Number, b: Number) -> Number:
        return math(self.tree, "SUBTRACT", a, b)

    def _inverse(self, number: Number, least: float = 1e-3) -> Number:
        """Return 1 / number, limited where hardly anything is left to divide by."""
        return math(self.tree, "DIVIDE", 1.0, math(self.tree, "MAXIMUM", number, least))

    def _scaled(self, color: Color, number: Number) -> Color:
        return scaled(self.tree, color, number)

    @staticmethod
    def _times(place: _Place, a: Number, b: Number) -> Number:
        return math(place.tree, "MULTIPLY", a, b)

    # From shader sockets to channels

    def _channels(self, place: _Place, socket: Any) -> Channels:
        """Return what arrives at a shader input, as sockets of `place`'s tree."""
        self._left -= 1
        if self._left < 0:
            raise CannotBake(f"it has more than {MAX_SHADERS} shaders, one within another")
        source = link_into(socket)
        while source is not None and (source.node.mute or source.node.type == "REROUTE"):
            source = passed_through(source)
        if source is None:
            return Channels()
        node = source.node
        if node.type == "GROUP_INPUT":
            return self._from_outside(place, node, source)
        if source.type != "SHADER":
            return Channels(emission=source)
        if node.type == "GROUP":
            return self._from_group(place, node, source)
        if node.type == "MIX_SHADER":
            return self._mixed(place, node)
        if node.type == "ADD_SHADER":
            return self._joined(place, node, add_colors, add_numbers)
        return leaf(place.tree, node)

    def _mixed(self, place: _Place, node: Any) -> Channels:
        first, second = _shader_inputs(node)
        factor = read_input(next(s for s in node.inputs if s.type == "VALUE"))
        factor = math(place.tree, "MAXIMUM", math(place.tree, "MINIMUM", factor, 1.0), 0.0)
        if factor in (0.0, 1.0) and isinstance(factor, float):
            return self._channels(place, second if factor else first)
        return self._joined(
            place,
            node,
            lambda tree, a, b: lerp_colors(tree, a, b, factor),
            lambda tree, a, b: lerp_numbers(tree, a, b, factor),
        )

    def _joined(self, place: _Place, node: Any, colors: _Join, numbers: _Join) -> Channels:
        first, second = (self._channels(place, socket) for socket in _shader_inputs(node))
        joined: dict[str, Any] = {}
        for field in fields(Channels):
            join = colors if field.name in COLORS else numbers
            joined[field.name] = join(
                place.tree, getattr(first, field.name), getattr(second, field.name)
            )
        return Channels(**joined)

    def _from_group(self, place: _Place, node: Any, source: Any) -> Channels:
        """Enter a copy of a node group and hand its channels out by outputs of their own."""
        if node.node_tree is None:
            return Channels()
        inner = self._enter(place, node)
        ends = [end for end in inner.tree.nodes if end.type == "GROUP_OUTPUT"]
        end = next((end for end in ends if end.is_active_output), None)
        if end is None:
            return Channels()
        found = self._channels(inner, identified(end.inputs, source.identifier))

        def hand_out(value: Any, is_color: bool) -> Any:
            kind = "NodeSocketColor" if is_color else "NodeSocketFloat"
            item = inner.tree.interface.new_socket("channel", in_out="OUTPUT", socket_type=kind)
            inner.tree.links.new(value, identified(end.inputs, item.identifier))
            return identified(node.outputs, item.identifier)

        return _moved(found, hand_out)

    def _enter(self, place: _Place, node: Any) -> _Place:
        known = self._entered.get(node.as_pointer())
        if known is None:
            node.node_tree = node.node_tree.copy()
            self.copies.append(node.node_tree)
            self._set_light_paths(node.node_tree)
            known = self._entered[node.as_pointer()] = _Place(node.node_tree, node, place)
        return known

    def _from_outside(self, place: _Place, node: Any, source: Any) -> Channels:
        """Fetch the channels of a shader that is fed into a group, by inputs of their own."""
        if place.group is None or place.outer is None:
            return Channels()
        outer_socket = identified(place.group.inputs, source.identifier)
        if source.type != "SHADER":
            return Channels(emission=source)
        found = self._channels(place.outer, outer_socket)

        def hand_in(value: Any, is_color: bool) -> Any:
            kind = "NodeSocketColor" if is_color else "NodeSocketFloat"
            item = place.tree.interface.new_socket("channel", in_out="INPUT", socket_type=kind)
            outer = place.outer
            if outer is not None and place.group is not None:
                outer.tree.links.new(value, identified(place.group.inputs, item.identifier))
            return identified(node.outputs, item.identifier)

        return _moved(found, hand_in)

    @staticmethod
    def _set_light_paths(tree: Any) -> None:
        """Show what the camera sees: a bake's rays are no camera's."""
        for node in tree.nodes:
            if node.type != "LIGHT_PATH":
                continue
            for output in node.outputs:
                value = 1.0 if output.name == "Is Camera Ray" else 0.0
                for link in list(output.links):
                    target = link.to_socket
                    tree.links.remove(link)
                    if target.type == "VALUE":
                        target.default_value = value


def _shader_inputs(node: Any) -> tuple[Any, Any]:
    first, second = (socket for socket in node.inputs if socket.type == "SHADER")
    return first, second


def _moved(channels: Channels, move: Callable[[Any, bool], Any]) -> Channels:
    """Return the channels with every socket sent through `move`; constants stay."""
    changed: dict[str, Any] = {}
    for field in fields(Channels):
        value = getattr(channels, field.name)
        if not isinstance(value, float | int | tuple):
            changed[field.name] = move(value, field.name in COLORS)
    return replace(channels, **changed)


def _bends(tree: Any, depth: int = 0) -> bool:
    """Tell whether a normal of a shader, here or in a group, comes from a node."""
    for node in tree.nodes:
        if node.type == "GROUP" and node.node_tree is not None and depth < MAX_SHADERS:
            if _bends(node.node_tree, depth + 1):
                return True
        elif any(socket.type == "SHADER" for socket in node.outputs):
            normal = node.inputs.get("Normal")
            if normal is not None and normal.is_linked:
                return True
    return False
