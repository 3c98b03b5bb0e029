"""Shows the artist what a warning is about: selects it and turns open editors to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy

from ..culprits import instancers_of, node_of, objects_showing, tree_of
from ..sync.warnings import SyncWarning

TABS = {
    "material": "MATERIAL",
    "light": "DATA",
    "camera": "DATA",
    "mesh": "DATA",
    "world": "WORLD",
    "scene": "RENDER",
}
"""Tab of the Properties editor by kind of culprit."""


def select(context: Any, warning: SyncWarning, culprit: Any) -> str:
    """Select the culprit as far as it can be; returns what was done, in words."""
    node = node_of(warning, culprit)
    shown_by = _select_object(context, culprit)
    if isinstance(culprit, bpy.types.Image):
        _show_image(context, culprit)
        _activate_image_nodes(culprit)
    if node is not None:
        _activate(node)
        _show_node(context, warning, culprit)
    _show_tab(context, warning.kind)
    if shown_by is not None:
        return _said(culprit, shown_by)
    if node is not None:
        return f"Node '{node.name}' of '{culprit.name}'"
    if isinstance(culprit, bpy.types.Object):
        return f"'{culprit.name}' is not in this view layer"
    return f"{warning.kind.title()} '{culprit.name}'"


def _said(culprit: Any, shown_by: Any) -> str:
    hidden = "" if shown_by.visible_get() else ", which is hidden here"
    if shown_by is culprit:
        return f"Selected '{culprit.name}'{hidden}"
    return f"Selected '{shown_by.name}'{hidden}: it shows '{culprit.name}'"


def _select_object(context: Any, culprit: Any) -> Any | None:
    """Select an object that shows the culprit, or that instances one; None if there is none."""
    if isinstance(culprit, bpy.types.World | bpy.types.Scene | bpy.types.Library):
        return None
    users = objects_showing(culprit, context.scene)
    in_layer = set(context.view_layer.objects)
    chosen = _best([obj for obj in users if obj in in_layer])
    if chosen is None and users:
        chosen = _best(list(instancers_of(users[0], context.view_layer)))
    if chosen is None:
        return None
    if context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    for obj in context.view_layer.objects:
        obj.select_set(obj is chosen or obj == chosen)
    context.view_layer.objects.active = chosen
    if isinstance(culprit, bpy.types.Material | bpy.types.Image):
        _activate_slot(chosen, culprit)
    return chosen


def _best(objects: list[Any]) -> Any | None:
    """Prefer an object that can be seen."""
    return next((obj for obj in objects if obj.visible_get()), objects[0] if objects else None)


def _activate_slot(obj: Any, culprit: Any) -> None:
    """Make the slot active that holds the material, or a material with the image."""
    users = bpy.data.user_map(subset=[culprit]).get(culprit, set())
    wanted = users | {culprit}
    for index, slot in enumerate(obj.material_slots):
        if slot.material in wanted:
            obj.active_material_index = index
            return


def _activate(node: Any) -> None:
    for other in node.id_data.nodes:
        other.select = other == node
    node.id_data.nodes.active = node


def _activate_image_nodes(image: Any) -> None:
    """Make the nodes active that show an image, in each tree that has one."""
    trees = [material.node_tree for material in bpy.data.materials if material.node_tree]
    for tree in [*trees, *bpy.data.node_groups]:
        nodes = (node for node in tree.nodes if getattr(node, "image", None) == image)
        node = next(nodes, None)
        if node is not None and node.id_data.library is None:
            _activate(node)


def _areas(context: Any, kind: str) -> Iterator[Any]:
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == kind:
                yield area


def _show_image(context: Any, image: Any) -> None:
    for area in _areas(context, "IMAGE_EDITOR"):
        area.spaces.active.image = image
        area.tag_redraw()


def _show_tab(context: Any, kind: str) -> None:
    for area in _areas(context, "PROPERTIES"):
        if area == context.area:
            continue  # the list that was pressed is in it, and the next line may be meant next
        try:
            area.spaces.active.context = TABS[kind]
        except (KeyError, TypeError):  # Blender offers only tabs that the active object has
            continue


def _show_node(context: Any, warning: SyncWarning, culprit: Any) -> None:
    """Turn shader editors to the tree of the node, entering the groups that it is in."""
    path = group_path(getattr(culprit, "node_tree", None), tree_of(warning, culprit))
    for area in _areas(context, "NODE_EDITOR"):
        space = area.spaces.active
        if space.tree_type != "ShaderNodeTree" or space.pin:
            continue
        space.shader_type = "WORLD" if warning.kind == "world" else "OBJECT"
        if path:
            space.path.start(culprit.node_tree)
            for group in path:
                space.path.append(group.node_tree, node=group)
        area.tag_redraw()


def group_path(root: Any, wanted: Any) -> list[Any]:
    """Return the group nodes that lead from the tree `root` to the tree `wanted`."""
    waiting: list[tuple[Any, list[Any]]] = [(root, [])] if root is not None else []
    seen = set()
    while waiting:
        tree, path = waiting.pop(0)
        if tree == wanted:
            return path
        if tree in seen:
            continue
        seen.add(tree)
        for node in tree.nodes:
            if node.type == "GROUP" and node.node_tree is not None:
                waiting.append((node.node_tree, [*path, node]))
    return []
