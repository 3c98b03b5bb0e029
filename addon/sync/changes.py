"""What the depsgraph says has changed, sorted by what it means for the sync."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import bpy

from .identity import datablock_key

GEOMETRY_DATA = (bpy.types.Mesh, bpy.types.Curve, bpy.types.MetaBall)


@dataclass
class Changes:
    """Session keys of changed datablocks.

    objects, materials: evaluated ones by key. geometry: objects whose evaluated geometry is new.
    data: meshes and curves. structure: objects may have come, gone, or been hidden.
    """

    objects: dict[int, Any] = field(default_factory=dict)
    geometry: set[int] = field(default_factory=set)
    data: set[int] = field(default_factory=set)
    materials: dict[int, Any] = field(default_factory=dict)
    images: set[int] = field(default_factory=set)
    structure: bool = False
    scene: bool = False
    world: bool = False


def read_changes(depsgraph: Any) -> Changes:
    """Sort `depsgraph.updates`."""
    changes = Changes()
    for update in depsgraph.updates:
        datablock = update.id
        if isinstance(datablock, bpy.types.Object):
            uid = datablock_key(datablock)
            changes.objects[uid] = datablock
            if update.is_updated_geometry:
                changes.geometry.add(uid)
        elif isinstance(datablock, GEOMETRY_DATA):
            changes.data.add(datablock_key(datablock))
        elif isinstance(datablock, bpy.types.Material):
            changes.materials[datablock_key(datablock)] = datablock
        elif isinstance(datablock, bpy.types.Image):
            changes.images.add(datablock_key(datablock))
        elif isinstance(datablock, bpy.types.Scene):
            changes.structure = changes.scene = True
        elif isinstance(datablock, bpy.types.Collection):
            changes.structure = True
        elif isinstance(datablock, bpy.types.World):
            changes.world = True
    return changes
