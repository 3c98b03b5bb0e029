"""What the depsgraph says has changed, sorted by what it means for the sync.

Whenever Blender builds its relations anew (a modifier is added, an edit undone), it reports every
object as to be shaded again. Such mere retagging says nothing about an object but that one of the
few flags in `OBJECT_FLAGS` may have changed, and those are compared for all objects at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import compress
from typing import Any

import bpy
import numpy as np

from .identity import datablock_key

GEOMETRY_DATA = (bpy.types.Mesh, bpy.types.Curve, bpy.types.MetaBall)

OBJECT_FLAGS = ("visible_camera", "visible_shadow", "is_holdout", "is_shadow_catcher")
"""Boolean properties of objects that the sync reads and Blender reports as shading only."""

_UPDATE_FLAGS = ("is_updated_geometry", "is_updated_transform", "is_updated_shading")

FEW_RETAGGED = 32
"""Up to so many of them are looked at one by one."""
FEW_SYNCED = 8
"""Up to so many materials that are reported without a reason are read again."""


@dataclass
class Changes:
    """Session keys of changed datablocks.

    objects, materials: evaluated ones by key. geometry: objects whose evaluated geometry is new.
    data: meshes and curves. images: images that were painted on, loaded or repacked. structure:
    objects may have come, gone, or been hidden. retagged: evaluated objects that Blender reports
    as to be shaded again only; where they are more than `FEW_RETAGGED`, hardly any has changed.
    shading: something is to be shaded again.
    """

    objects: dict[int, Any] = field(default_factory=dict)
    geometry: set[int] = field(default_factory=set)
    data: set[int] = field(default_factory=set)
    materials: dict[int, Any] = field(default_factory=dict)
    images: set[int] = field(default_factory=set)
    retagged: list[Any] = field(default_factory=list)
    structure: bool = False
    shading: bool = False
    scene: bool = False
    world: bool = False


def read_changes(depsgraph: Any) -> Changes:
    """Sort `depsgraph.updates`."""
    changes = Changes()
    synced: dict[int, Any] = {}
    for update in _without_retagged(depsgraph.updates, changes):
        datablock = update.id
        if isinstance(datablock, bpy.types.Object):
            _note_object(update, datablock, changes)
        elif isinstance(datablock, GEOMETRY_DATA):
            # A mesh is also reported if only a material on it is to be shaded again.
            if update.is_updated_geometry:
                changes.data.add(datablock_key(datablock))
        elif isinstance(datablock, bpy.types.Material):
            has_reason = update.is_updated_shading or update.is_updated_geometry
            found = changes.materials if has_reason else synced
            found[datablock_key(datablock)] = datablock
        elif isinstance(datablock, bpy.types.Image):
            changes.images.add(datablock_key(datablock))
        elif isinstance(datablock, bpy.types.Scene):
            changes.structure = changes.scene = True
        elif isinstance(datablock, bpy.types.Collection):
            changes.structure = True
        elif isinstance(datablock, bpy.types.World):
            changes.world = True
    if len(synced) <= FEW_SYNCED:
        # Loading an image again reports its materials like that, and so, for no reason and all of
        # them, does undoing a deletion.
        changes.materials |= synced
    return changes


def _note_object(update: Any, obj: Any, changes: Changes) -> None:
    """Note an object that is reported for more than shading."""
    uid = datablock_key(obj)
    changes.objects[uid] = obj
    if update.is_updated_geometry:
        changes.geometry.add(uid)
    has_reason = update.is_updated_geometry or update.is_updated_transform
    # Drivers and an instancer's own settings show and hide things without a further report.
    if not has_reason or obj.is_instancer or _has_nodes(obj):
        changes.structure = True


def _has_nodes(obj: Any) -> bool:
    """Tell whether geometry nodes may make instances of the object."""
    return any(modifier.type == "NODES" for modifier in obj.modifiers)


def _without_retagged(collection: Any, changes: Changes) -> list[Any]:
    """Put objects that are merely to be shaded again into `changes`; return the other updates."""
    updates = list(collection)
    if len(updates) <= FEW_RETAGGED:
        # Blender looks at everything in the scene each time its updates are asked for.
        columns = [[getattr(one, name) for one in updates] for name in _UPDATE_FLAGS]
        geometry, transform, shading = np.array(columns, bool).reshape(3, -1)
    else:
        geometry, transform, shading = np.empty((3, len(updates)), bool)
        for name, values in zip(_UPDATE_FLAGS, (geometry, transform, shading), strict=True):
            collection.foreach_get(name, values)
    changes.shading = bool(shading.any())
    only_shading = shading & ~geometry & ~transform
    rest = list(compress(updates, ~only_shading))
    kind = bpy.types.Object
    for update in compress(updates, only_shading):
        datablock = update.id
        if type(datablock) is kind:
            changes.retagged.append(datablock)
        else:
            rest.append(update)
    return rest


def object_flags(obj: Any) -> tuple[bool, ...]:
    """Return the `OBJECT_FLAGS` of an object."""
    return tuple(getattr(obj, name) for name in OBJECT_FLAGS)


class ObjectFlags:
    """Tells whether any object's name or `OBJECT_FLAGS` differ from those of the last look."""

    def __init__(self) -> None:
        self._names: list[str] | None = None
        self._flags: list[np.ndarray] = []

    def have_changed(self) -> bool:
        """Look at all objects of the file; True also if there is no telling.

        Objects that come or go shift the others, so that flags can then only be compared if all
        have the same.
        """
        objects = bpy.data.objects
        names, flags = objects.keys(), []
        for name in OBJECT_FLAGS:
            flags.append(np.empty(len(objects), bool))
            objects.foreach_get(name, flags[-1])
        before, self._names = self._names, names
        flags_before, self._flags = self._flags, flags
        if before is None:
            return True
        if names == before:
            return not all(map(np.array_equal, flags_before, flags))
        if not (set(names) <= set(before) or set(names) >= set(before)):
            return True
        return not all(_is_uniform(*pair) for pair in zip(flags_before, flags, strict=True))


def _is_uniform(one: np.ndarray, other: np.ndarray) -> bool:
    both = np.concatenate([one, other])
    return bool(both.all() or not both.any())
