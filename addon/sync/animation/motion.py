"""Whether anything in a depsgraph can change with time, found out before any frame is sampled."""

from __future__ import annotations

from typing import Any

import bpy

from ..identity import datablock_key

TIME_NODES = frozenset({"GeometryNodeInputSceneTime", "GeometryNodeSimulationInput"})


def is_animated(datablock: Any) -> bool:
    """Tell whether a datablock, or the node tree inside it, has actions, NLA tracks or drivers."""
    for owner in (datablock, getattr(datablock, "node_tree", None)):
        data = getattr(owner, "animation_data", None)
        if data is not None and (data.action or len(data.nla_tracks) or len(data.drivers)):
            return True
    return False


def has_rigid_bodies(scene: Any) -> bool:
    """Tell whether physics move objects of a scene."""
    world = scene.rigidbody_world
    return bool(world and world.enabled and world.collection and len(world.collection.objects))


def simulate(scene: Any, frames: range) -> None:
    """Let Blender move rigid bodies from the start of their cache to the end of `frames`.

    It does so in the scene's own depsgraph alone; that of a render finds the cache.
    """
    world = scene.rigidbody_world
    if world.point_cache.is_baked:
        return
    frame, subframe = scene.frame_current, scene.frame_subframe
    for at in range(min(world.point_cache.frame_start, frames.start), frames.stop):
        scene.frame_set(at)
    scene.frame_set(frame, subframe=subframe)


def may_move(depsgraph: Any) -> bool:
    """Tell whether any value that a level holds may differ from frame to frame.

    What follows something animated (constraints, parents) needs no look: without that, it rests.
    """
    if has_rigid_bodies(depsgraph.scene):
        return True
    for datablock in depsgraph.ids:
        if is_animated(datablock):
            return True
        if isinstance(datablock, bpy.types.Object) and len(datablock.particle_systems):
            return True
        if isinstance(datablock, bpy.types.GeometryNodeTree) and _knows_time(datablock):
            return True
    return False


def _knows_time(tree: Any) -> bool:
    return any(node.bl_idname in TIME_NODES for node in tree.nodes)


def animated_materials(depsgraph: Any) -> dict[int, Any]:
    """Return evaluated materials that may change, by session key.

    Those whose trees hold node groups that are animated are among them.
    """
    found = {}
    for datablock in depsgraph.ids:
        if isinstance(datablock, bpy.types.Material) and (
            is_animated(datablock) or _has_animated_group(datablock.node_tree, 0)
        ):
            found[datablock_key(datablock)] = datablock
    return found


def _has_animated_group(tree: Any | None, depth: int) -> bool:
    if tree is None or depth > 16:
        return False
    groups = [node.node_tree for node in tree.nodes if node.type == "GROUP" and node.node_tree]
    return any(is_animated(group) or _has_animated_group(group, depth + 1) for group in groups)
