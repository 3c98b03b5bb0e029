"""Following links through reroutes, muted nodes and groups to where a value is made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MAX_STEPS = 10_000
"""Links followed for one value; a tree that needs more is taken to be damaged."""

PLAIN_GROUPS = ("glTF Metallic Roughness", "glTF Specular Glossiness")
"""Node groups that are understood as a whole instead of being looked into."""


@dataclass(frozen=True)
class Scope:
    """The node tree being read: `group` is the group node that it was entered by, if any."""

    group: Any = None
    outer: Scope | None = None


@dataclass(frozen=True)
class Made:
    """The output socket of the node that makes a value."""

    node: Any
    socket: Any
    scope: Scope


@dataclass(frozen=True)
class Unlinked:
    """An input that nothing feeds; its own default counts. `socket` None: no value at all."""

    socket: Any


class Links:
    """Links by the input they lead to, gathered once a tree; `NodeSocket.links` searches all."""

    def __init__(self) -> None:
        self._into: dict[int, dict[int, Any]] = {}

    def trace(self, socket: Any, scope: Scope) -> Made | Unlinked:
        """Find out where the value of an input socket comes from."""
        for _ in range(MAX_STEPS):
            link = self._link(socket)
            if link is None:
                return Unlinked(socket)
            node, output = link.from_node, link.from_socket
            if node.mute:
                socket = _through_muted(node, output)
            elif node.type == "REROUTE":
                socket = node.inputs[0]
            elif node.type == "GROUP_INPUT":
                if scope.group is None or scope.outer is None:
                    return Unlinked(None)
                socket = _by_identifier(scope.group.inputs, output.identifier)
                scope = scope.outer
            elif node.type == "GROUP" and not is_plain_group(node):
                socket = _group_output(node, output.identifier)
                scope = Scope(node, scope)
            else:
                return Made(node, output, scope)
            if socket is None:
                return Unlinked(None)
        return Unlinked(None)

    def _link(self, socket: Any) -> Any | None:
        if not socket.is_linked:
            return None
        tree = socket.id_data
        into = self._into.get(tree.as_pointer())
        if into is None:
            into = {
                link.to_socket.as_pointer(): link
                for link in tree.links
                if link.is_valid and not link.is_muted
            }
            self._into[tree.as_pointer()] = into
        return into.get(socket.as_pointer())


def is_plain_group(node: Any) -> bool:
    """Tell whether a group node is one that is understood by its name."""
    return node.node_tree is not None and node.node_tree.name.startswith(PLAIN_GROUPS)


def _through_muted(node: Any, output: Any) -> Any | None:
    return next(
        (link.from_socket for link in node.internal_links if link.to_socket == output), None
    )


def _group_output(node: Any, identifier: str) -> Any | None:
    """Return the input of the group's output node that feeds `identifier`."""
    if node.node_tree is None:
        return None
    outputs = [inner for inner in node.node_tree.nodes if inner.type == "GROUP_OUTPUT"]
    active = next((inner for inner in outputs if inner.is_active_output), None)
    chosen = active or next(iter(outputs), None)
    return None if chosen is None else _by_identifier(chosen.inputs, identifier)


def _by_identifier(sockets: Any, identifier: str) -> Any | None:
    return next((socket for socket in sockets if socket.identifier == identifier), None)
