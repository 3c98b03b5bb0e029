"""SurfaceTable: the materials and images that the scene's objects use."""

from __future__ import annotations

from typing import Any

from ...engine_core.assets.image import ImageData
from ...engine_core.assets.material import Material
from .asset_table import AssetTable
from .identity import datablock_key, datablock_name
from .images import read_image
from .materials import read_material


class SurfaceTable:
    """Materials by material, images by image; each is read when first met and when dirty."""

    def __init__(self) -> None:
        self.materials: AssetTable[Material] = AssetTable(lambda a, b: a == b)
        self.images: AssetTable[ImageData] = AssetTable()
        self._images_of: dict[int, set[int]] = {}
        self._met: set[int] = set()
        self._dirty_materials: set[int] = set()
        self._dirty_images: set[int] = set()
        self._reading: set[int] = set()

    def begin_pass(self, dirty_materials: set[int], dirty_images: set[int]) -> None:
        """Start looking at objects; what is dirty is read again when it is met."""
        self._met.clear()
        self._dirty_images = set(dirty_images)
        touched = {uid for uid, images in self._images_of.items() if images & self._dirty_images}
        self._dirty_materials = dirty_materials | touched

    def end_whole_pass(self) -> None:
        """Forget the materials that were not met, and the images that none of the rest uses."""
        self.materials.keep_only(self._met)
        self._images_of = {uid: self._images_of[uid] for uid in self._met}
        self.drop_unused_images()

    def drop_unused_images(self) -> None:
        """Forget the images that no material uses any more."""
        self.images.keep_only(set().union(*self._images_of.values()) if self._images_of else ())

    def material_id(self, material: Any | None) -> str:
        """Return the id of a material, "" for an empty slot."""
        if material is None:
            return ""
        uid = datablock_key(material)
        material_id = self.materials.id_of(uid, datablock_name(material))
        self._met.add(uid)
        if uid not in self.materials or uid in self._dirty_materials:
            self._dirty_materials.discard(uid)
            self._reading = set()
            reading = read_material(material, material_id, self._image_id)
            self._images_of[uid] = self._reading
            self.materials.put(uid, reading.material, reading.warnings)
        return material_id

    def _image_id(self, image: Any) -> str:
        uid = datablock_key(image)
        image_id = self.images.id_of(uid, datablock_name(image))
        self._reading.add(uid)
        if uid not in self.images or uid in self._dirty_images:
            self._dirty_images.discard(uid)
            reading = read_image(image.original, image_id)
            self.images.put(uid, reading.data, reading.warnings)
        return image_id
