"""SurfaceTable: the materials and images that the scene's objects use."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

import bpy

from ...engine_core.assets.material import Material
from .asset_table import AssetTable
from .identity import datablock_key, datablock_name
from .image_table import ImageKey, ImageTable
from .material_causes import MaterialCause
from .materials import MaterialReading, read_material
from .materials.pictures import DerivedImage
from .mesh_arrays import MeshLayout
from .warnings import warn_about

log = logging.getLogger("fyn.sync")

MaterialKey = tuple[int, tuple[int, ...]]
"""Session key of a material, and where the UV maps and colours it names stand in the mesh."""


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
    """Materials by material and mesh layout, images by image; each is read when first met."""

    def __init__(self) -> None:
        self.materials: AssetTable[Material] = AssetTable(lambda a, b: a == b)
        self.images = ImageTable()
        self._names: dict[int, _Names] = {}
        self._images_of: dict[MaterialKey, set[ImageKey]] = {}
        self._image_uids_of: dict[MaterialKey, set[int]] = {}
        self._met: set[MaterialKey] = set()
        self._layouts: dict[MaterialKey, MeshLayout] = {}

    def begin_pass(
        self,
        depsgraph: Any,
        dirty_materials: dict[int, Any],
        dirty_images: set[int],
        frame_changed: bool,
    ) -> None:
        """Start looking at objects: read anew what is dirty.

        `dirty_materials` are evaluated ones by session key, `dirty_images` session keys.
        """
        self._met.clear()
        self.images.begin_pass(dirty_images)
        dirty = {
            key
            for key, uids in self._image_uids_of.items()
            if key[0] in dirty_materials or not uids.isdisjoint(dirty_images)
        }
        if frame_changed:
            dirty |= {
                key for key, images in self._images_of.items() if any(_moves(i) for i in images)
            }
        found = dict(dirty_materials)
        if not found.keys() >= {uid for uid, _ in dirty}:
            found |= _materials_of(depsgraph)
        for key in sorted(dirty):
            if key[0] in found:
                self._read(found[key[0]], key[0], self._layouts[key])

    def end_whole_pass(self) -> None:
        """Forget the materials that were not met, and the images that none of the rest uses."""
        self.materials.keep_only(self._met)
        self._images_of = {key: self._images_of[key] for key in self._met}
        self._image_uids_of = {key: self._image_uids_of[key] for key in self._met}
        self._layouts = {key: self._layouts[key] for key in self._met}
        known = {uid for uid, _ in self._met}
        self._names = {uid: names for uid, names in self._names.items() if uid in known}
        self.drop_unused_images()

    def drop_unused_images(self) -> None:
        """Forget the images that no material uses any more."""
        used = set().union(*self._images_of.values())
        uids: set[int] = set().union(*self._image_uids_of.values())
        self.images.end_pass(used, uids)

    def material_id(self, material: Any | None, layout: MeshLayout) -> str:
        """Return the id of a material on meshes of a layout, "" for an empty slot."""
        if material is None:
            return ""
        uid = datablock_key(material)
        names = self._names.get(uid)
        key = (uid, names.places_in(layout)) if names is not None else None
        if key is None or key not in self.materials:
            key = self._read(material, uid, layout)
        self._met.add(key)
        return self.materials.id_of(key, "")

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
        self.materials.id_of(key, name)
        self._images_of[key], self._image_uids_of[key] = self.images.end_use()
        self.materials.put(key, reading.material, reading.warnings)
        return key

    def _reading(self, material: Any, name: str, layout: MeshLayout) -> MaterialReading:
        """Read a material; one that defeats the reader is grey, and the scene goes on."""
        try:
            return read_material(material, name, layout, self.images)
        except Exception as error:
            log.exception("material '%s'", name)
            reason = f"{type(error).__name__}: {error}"
            warning = warn_about(material, MaterialCause.MATERIAL_FAILED, reason=reason)
            return MaterialReading(Material(name=name, base_color=(0.8, 0.8, 0.8, 1.0)), (warning,))


def _materials_of(depsgraph: Any) -> dict[int, Any]:
    """Return all evaluated materials by session key."""
    return {
        datablock_key(item): item for item in depsgraph.ids if isinstance(item, bpy.types.Material)
    }


def _moves(key: ImageKey) -> bool:
    """Tell whether a picture is, or is computed from, a frame of a sequence or movie."""
    if isinstance(key[1], DerivedImage):
        return any(getattr(sample, "frame", 0) for sample in key[1].samples())
    return bool(key[1])
