"""The datablock that a warning is about, and who uses it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy

from .sync.warnings import SyncWarning

_IRREGULAR = {"mesh": "meshes", "library": "libraries", "nodetree": "node_groups"}


def culprit_of(warning: SyncWarning) -> Any | None:
    """Return the datablock that a warning is about; None if it is gone."""
    found = getattr(bpy.data, _IRREGULAR.get(warning.kind, f"{warning.kind}s"), ())
    if warning.uid:
        return next((one for one in found if one.session_uid == warning.uid), None)
    return next((one for one in found if one.name_full == warning.name), None)


def tree_of(warning: SyncWarning, culprit: Any) -> Any | None:
    """Return the node tree that holds the warning's node: the culprit's own or a node group."""
    if warning.group:
        groups = bpy.data.node_groups
        return next((group for group in groups if group.name_full == warning.group), None)
    return getattr(culprit, "node_tree", None)


def node_of(warning: SyncWarning, culprit: Any) -> Any | None:
    """Return the node that a warning is about, None if it is about none or that is gone."""
    tree = tree_of(warning, culprit)
    if tree is None or not warning.node_name:
        return None
    return tree.nodes.get(warning.node_name)


def objects_showing(culprit: Any, scene: Any) -> list[Any]:
    """Return the objects of a scene that show a datablock, those that use it most directly first.

    Objects within instanced collections count; they come after the scene's own.
    """
    if isinstance(culprit, bpy.types.Object):
        return [culprit]
    users = _all_users(culprit)
    own = [obj for obj in scene.objects if obj in users]
    inside = [obj for obj in bpy.data.objects if obj in users and obj not in set(own)]
    return own + inside


def instancers_of(obj: Any, view_layer: Any) -> Iterator[Any]:
    """Yield the objects of a view layer that instance a collection with `obj` somewhere inside."""
    for candidate in view_layer.objects:
        if obj in _instanced_objects(candidate):
            yield candidate


def _instanced_objects(obj: Any) -> set[Any]:
    """Return the objects that an object's instances show, however deeply nested."""
    found: set[Any] = set()
    waiting = list(_collections_of(obj))
    seen: set[Any] = set()
    while waiting:
        collection = waiting.pop()
        if collection in seen:
            continue
        seen.add(collection)
        for inner in collection.all_objects:
            found.add(inner)
            waiting += _collections_of(inner)
    return found


def _collections_of(obj: Any) -> list[Any]:
    """Return the collections that an object instances, itself or by its geometry nodes."""
    found = []
    if obj.instance_type == "COLLECTION" and obj.instance_collection is not None:
        found.append(obj.instance_collection)
    groups = [m.node_group for m in obj.modifiers if m.type == "NODES" and m.node_group]
    if groups:
        used = bpy.data.user_map(key_types={"COLLECTION"})
        found += [c for c, users in used.items() if obj in users or users.intersection(groups)]
    return found


def _all_users(culprit: Any) -> set[Any]:
    """Return everything that uses a datablock, through other datablocks, too."""
    used_by = bpy.data.user_map()
    found: set[Any] = set()
    waiting = [culprit]
    while waiting:
        one = waiting.pop()
        if isinstance(one, bpy.types.Object):
            continue  # children and constraints of an object do not show what it shows
        for user in used_by.get(one, ()):
            if user not in found:
                found.add(user)
                waiting.append(user)
    return found
