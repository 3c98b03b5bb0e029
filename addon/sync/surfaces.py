"""SurfaceTable: the materials and images that the scene's objects use."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import bpy
import numpy as np

from ...engine_core.assets.material import Material
from .asset_table import AssetTable
from .identity import datablock_key, datablock_name
from .image_table import ImageKey, ImageTable
from .kept import unchanged
from .material_causes import MaterialCause
from .materials import MaterialReading, read_material
from .materials.pictures import DerivedImage
from .mesh_arrays import MeshLayout
from .ranges import sound_struct
from .uses import Uses
from .warnings import warn_about

log = logging.getLogger("fyn.sync")

MaterialKey = tuple[int, tuple[int, ...]]
"""Session key of a material, and where the UV maps and colours it names stand in the mesh."""


HOLDOUT: MaterialKey = (0, ())
"""Key of the one material that is no datablock."""


@dataclass(frozen=True)
class _Names:
    """Names that a material's tree asks for."""

    uv_maps: tuple[str, ...]
    color_attributes: tuple[str, ...]

    def places_in(self, layout: MeshLayout) -> tuple[int, ...]:
        """Return the index of each name among the mesh's sets, -1 for one that it lacks."""
        uvs = [_index(layout.uv_names, name) for name in self.uv_maps]
        colors = [_index(layout.color_names, name) for name in self.color_attributes]
        has_colors = int(bool(layout.color_names))
        return (*uvs, *colors, has_colors) if self.color_attributes else (*uvs,)


def _index(names: tuple[str, ...], name: str) -> int:
    return names.index(name) if name in names else -1


class SurfaceTable:
    """Materials by material and mesh layout, images by image; each is read when first met.

    Between `begin_pass` and `drop` materials may be read that nobody turns out to use; `take_fresh`
    names them.
    """

    def __init__(self) -> None:
        self.materials: AssetTable[Material] = AssetTable(lambda a, b: a == b)
        self.images = ImageTable()
        self._names: dict[int, _Names] = {}
        self._layouts: dict[MaterialKey, MeshLayout] = {}
        self._keys_of: dict[int, set[MaterialKey]] = {}
        self._pictures: Uses[MaterialKey, ImageKey] = Uses()
        self._sources: Uses[MaterialKey, ImageKey] = Uses()
        self._moving: set[MaterialKey] = set()
        self._fresh: set[str] = set()
        self._lacking: dict[str, tuple[str, ...]] = {}

    def begin_pass(
        self,
        depsgraph: Any,
        dirty_materials: dict[int, Any],
        dirty_images: set[int],
        frame_changed: bool,
    ) -> set[str]:
        """Start looking at objects: read anew what is dirty.

        `dirty_materials` are evaluated ones by session key, `dirty_images` session keys. Returns
        the ids of materials whose users must be looked at again, because the material now wants
        something else of its mesh.
        """
        self.images.begin_pass(dirty_images)
        dirty: set[MaterialKey] = set().union(
            *(self._keys_of.get(uid, ()) for uid in dirty_materials)
        )
        if dirty_images:
            dirty |= self._sources.users_of(self._sources.things_where(0, dirty_images))
        if frame_changed:
            dirty |= self._moving
        found = dict(dirty_materials)
        if lacking := {uid for uid, _ in dirty} - found.keys():
            found |= _evaluated_materials(depsgraph, lacking)
        reshaped: set[str] = set()
        for key in sorted(dirty):
            if key[0] in found:
                before = _demands(self.materials.value(key))
                new_key = self._read(found[key[0]], key[0], self._layouts[key])
                if new_key != key or before != _demands(self.materials.value(key)):
                    reshaped.add(self.materials.id_of(key, ""))
        return reshaped

    def take_fresh(self) -> set[str]:
        """Return the ids of materials that are new since the last call."""
        fresh, self._fresh = self._fresh, set()
        return fresh

    def drop(self, unused: set[str]) -> None:
        """Forget materials by id, and all images that none of the rest uses."""
        for material_id in unused:
            key: Any = self.materials.key_of(material_id)
            if key is not None:
                self._drop(key)
        self.images.drop(self._pictures.take_unused(), self._sources.take_unused())

    def _drop(self, key: MaterialKey) -> None:
        self.materials.drop(key)
        self._pictures.put(key, ())
        self._sources.put(key, ())
        self._moving.discard(key)
        self._layouts.pop(key, None)
        keys = self._keys_of.get(key[0], set())
        keys.discard(key)
        if not keys:
            self._keys_of.pop(key[0], None)
            self._names.pop(key[0], None)

    def material_id(self, material: Any | None, layout: MeshLayout) -> str:
        """Return the id of a material on meshes of a layout, "" for an empty slot."""
        if material is None:
            return ""
        uid = datablock_key(material)
        names = self._names.get(uid)
        key = (uid, names.places_in(layout)) if names is not None else None
        if key is None or key not in self.materials:
            key = self._read(material, uid, layout)
        return self.materials.id_of(key, "")

    def holdout_id(self) -> str:
        """Return the id of the material that stands for all of an object that is held out."""
        found = self.materials.id_of(HOLDOUT, "Holdout")
        if HOLDOUT not in self.materials:
            self.materials.put(HOLDOUT, Material(name="Holdout", shading="holdout"))
            self._keys_of.setdefault(HOLDOUT[0], set()).add(HOLDOUT)
            self._fresh.add(found)
        return found

    def lacking(self, material_ids: Iterable[str]) -> tuple[str, ...]:
        """Return the UV sets that materials ask for and the layout they were read for lacks."""
        found = dict.fromkeys(
            name for one in material_ids if one for name in self._lacking.get(one, ())
        )
        return tuple(found)

    def value(self, material_id: str) -> Material | None:
        """Return the material with an id that `material_id` gave."""
        return self.materials.by_id(material_id)

    def _read(self, material: Any, uid: int, layout: MeshLayout) -> MaterialKey:
        self.images.begin_use()
        name = datablock_name(material)
        reading = self._reading(material, name, layout)
        names = _Names(tuple(sorted(reading.uv_maps)), tuple(sorted(reading.color_attributes)))
        self._names[uid] = names
        key = (uid, names.places_in(layout))
        self._layouts[key] = layout
        self._keys_of.setdefault(uid, set()).add(key)
        material_id = self.materials.id_of(key, name)
        if key not in self.materials:
            self._fresh.add(material_id)
        self._lacking[material_id] = tuple(
            uv_map for uv_map in names.uv_maps if uv_map not in layout.uv_names
        )
        pictures, sources = self.images.end_use()
        self._pictures.put(key, tuple(pictures))
        self._sources.put(key, tuple(sources))
        if any(map(_moves, pictures)):
            self._moving.add(key)
        else:
            self._moving.discard(key)
        sound, more = sound_struct(reading.material, "material", name)
        self.materials.put(key, sound, reading.warnings + more)
        return key

    def _reading(self, material: Any, name: str, layout: MeshLayout) -> MaterialReading:
        """Read a material; one that defeats the reader is grey, and the scene goes on."""
        try:
            reading = read_material(material, name, layout, self.images)
            return replace(reading, material=unchanged(material, reading.material))
        except Exception as error:
            log.exception("material '%s'", name)
            reason = f"{type(error).__name__}: {error}"
            warning = warn_about(material, MaterialCause.MATERIAL_FAILED, reason=reason)
            return MaterialReading(Material(name=name, base_color=(0.8, 0.8, 0.8, 1.0)), (warning,))


def _evaluated_materials(depsgraph: Any, uids: set[int]) -> dict[int, Any]:
    """Return evaluated materials by session key."""
    materials = bpy.data.materials
    keys = np.empty(len(materials), np.int32)
    materials.foreach_get("session_uid", keys)
    places = np.flatnonzero(np.isin(keys, np.fromiter(uids, np.int32)))
    return {
        int(keys[place]): materials[int(place)].evaluated_get(depsgraph)
        for place in places.tolist()
    }


def _demands(material: Material | None) -> tuple[bool, int | None]:
    """Return what a material wants of a mesh: any UV map; the one along which tangents go."""
    if material is None:
        return False, None
    bumps = material.normal_texture
    return bool(material.texture_slots()), None if bumps is None else bumps.uv_set


def _moves(key: ImageKey) -> bool:
    """Tell whether a picture is, or is computed from, a frame of a sequence or movie."""
    if isinstance(key[1], DerivedImage):
        return any(getattr(sample, "frame", 0) for sample in key[1].samples())
    return bool(key[1])
