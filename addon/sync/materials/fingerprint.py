"""A node tree as a short text that changes when what it computes may have changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import bpy

_LAYOUT = frozenset(
    {
        "name",
        "label",
        "location",
        "location_absolute",
        "width",
        "height",
        "dimensions",
        "select",
        "color",
        "use_custom_color",
        "hide",
        "parent",
        "show_options",
        "show_preview",
        "show_texture",
        "color_tag",
        "warning_propagation",
        "is_active_output",
        "internal_links",
        "inputs",
        "outputs",
        "rna_type",
        "type",
        "debug_zone_body_lazy_function_graph",
        "debug_zone_lazy_function_graph",
    }
)
"""Properties of nodes that say how they lie in the editor."""

_MAX_DEPTH = 32


def tree_fingerprint(tree: Any | None) -> str:
    """Return 16 hexadecimal digits for a `bpy.types.ShaderNodeTree`; "" for none.

    It covers nodes, their settings, values and links, groups, ramps and curves, and which pictures
    are used (not their pixels). Where nodes lie and what they are labelled is left out.
    """
    if tree is None:
        return ""
    digest = hashlib.sha256()
    for line in _tree(tree, 0):
        digest.update(line.encode())
    return digest.hexdigest()[:16]


def _tree(tree: Any, depth: int) -> Iterator[str]:
    for node in sorted(tree.nodes, key=lambda node: node.name):
        if node.type not in {"FRAME", "REROUTE"}:
            yield f"node {node.name} {node.bl_idname}\n"
            yield from _properties(node, depth)
            for socket in node.inputs:
                if not socket.is_linked and hasattr(socket, "default_value"):
                    yield f"in {socket.identifier} {_plain(socket.default_value)}\n"
            if node.type in {"VALUE", "RGB"}:
                yield f"out {_plain(node.outputs[0].default_value)}\n"
    for link in tree.links:
        ends = (link.from_node.name, link.from_socket.identifier)
        yield f"link {ends} {link.to_node.name} {link.to_socket.identifier} {link.is_muted}\n"


def _properties(owner: Any, depth: int) -> Iterator[str]:
    """Every setting that is not as Blender has it at first; newer versions may add such ones."""
    rna = owner.bl_rna
    for setting in _settings(rna, isinstance(owner, bpy.types.Node)):
        value = getattr(owner, setting.name)
        if setting.kind == "POINTER":
            yield from _pointer(setting.name, value, depth)
        elif setting.kind == "COLLECTION":
            for item in value:
                yield from _properties(item, depth)
        else:
            plain = _plain(value)
            if plain != setting.default:
                yield f"{setting.name} {plain}\n"


class _Setting(NamedTuple):
    name: str
    kind: str
    default: str


_of_type: dict[str, tuple[_Setting, ...]] = {}


def _settings(rna: Any, is_node: bool) -> tuple[_Setting, ...]:
    """Return what there is to look at in structs of a type; asking Blender anew takes long."""
    known = _of_type.get(rna.identifier)
    if known is None:
        known = _of_type[rna.identifier] = tuple(
            _Setting(prop.identifier, prop.type, _default(prop))
            for prop in rna.properties
            if _counts(prop, is_node)
        )
    return known


def _counts(prop: Any, is_node: bool) -> bool:
    """Tell whether a setting may change what a tree computes."""
    name = prop.identifier
    if name == "rna_type" or name.startswith("bl_") or (is_node and name in _LAYOUT):
        return False
    if prop.type == "COLLECTION":
        return name in {"elements", "curves", "points"}
    return prop.type == "POINTER" or not prop.is_readonly


def _pointer(name: str, value: Any, depth: int) -> Iterator[str]:
    if value is None or depth >= _MAX_DEPTH:
        return
    if hasattr(value, "nodes"):
        yield f"{name}\n"
        yield from _tree(value, depth + 1)
    elif hasattr(value, "session_uid"):
        settings = [getattr(value, key, "") for key in ("filepath", "source", "alpha_mode")]
        space = getattr(getattr(value, "colorspace_settings", None), "name", "")
        yield f"{name} {value.name_full} {settings} {space}\n"
    else:
        yield f"{name}\n"
        yield from _properties(value, depth + 8)


def _default(prop: Any) -> str:
    """Return the value that a property has at first, as text; "" if it has none."""
    if prop.type in {"POINTER", "COLLECTION"}:
        return ""
    if getattr(prop, "is_array", False):
        return _plain(prop.default_array)
    return _plain(getattr(prop, "default", None))


def _plain(value: Any) -> str:
    """Return numbers, text and vectors as text."""
    if value is None or isinstance(value, str | bool | int | float):
        return repr(value)
    if hasattr(value, "name_full"):
        return str(value.name_full)
    try:
        return repr([float(number) for number in value])
    except (TypeError, ValueError):
        return str(value) if isinstance(value, set | frozenset) else ""
