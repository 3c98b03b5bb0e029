"""Baking one material: find what shows it, a UV map, bake its channels, keep the pictures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..sync.materials.baked import Bake, is_mended, keep_bake
from ..sync.materials.fingerprint import tree_fingerprint
from .bake_channels import CannotBake
from .bake_pictures import ChannelBaker
from .bake_scene import bake_scene
from .bake_uv import BAKE_UV, BakedMesh, fit_uv_map, make_uv_map

DEFAULT_SIDE = 1024
SIDES = (64, 128, 256, 512, 1024, 2048, 4096, 8192)
"""Pictures of a bake have so many pixels a side."""


@dataclass(frozen=True)
class Progress:
    """What a bake does next, and how much of it is done (0..1)."""

    what: str
    done: float


def bake_size(material: Any) -> int:
    """Return the size in pixels that the artist has chosen for a material's bake."""
    settings = getattr(material, "fyn_bake", None)
    return DEFAULT_SIDE if settings is None else int(settings.size)


def bake_steps(material: Any, scene: Any, side: int | None = None) -> Iterator[Progress]:
    """Bake a material for the objects of `scene` that show it, a step at a time.

    Yields before each step; close the iterator to cancel, which leaves everything as it was.
    Raises CannotBake with what is in the way.
    """
    side = side or bake_size(material)
    if side not in SIDES:
        raise CannotBake(f"pictures of {side} pixels are not offered; choose one of {SIDES}")
    objects = objects_to_bake(material, scene)
    yield Progress("Looking for a UV map", 0.0)
    with bake_scene(material, objects, side) as baking:
        meshes = [_baked_mesh(obj, material) for obj in objects]
        uv_map = fit_uv_map(meshes)
        if uv_map is None:
            yield Progress("Unwrapping", 0.05)
            make_uv_map(meshes, baking.copies, baking.context(), side)
            uv_map = BAKE_UV
        bake = Bake(tree=tree_fingerprint(material.node_tree), uv_map=uv_map)
        baker = ChannelBaker(baking, material.name, bake)
        try:
            for name, done, step in baker.steps():
                yield Progress(f"Baking {name}", done)
                step()
            yield Progress("Keeping the pictures", 1.0)
        except BaseException:
            baker.discard()
            raise
    keep_bake(material, baker.bake)  # the copy of the material holds the old pictures no more


def bake_now(material: Any, scene: Any, side: int | None = None) -> None:
    """Bake a material at once. Raises CannotBake."""
    for _ in bake_steps(material, scene, side):
        pass


def objects_to_bake(material: Any, scene: Any) -> list[Any]:
    """Return one object of `scene` for each mesh that shows the material. Raises CannotBake."""
    if material.library is not None or material.override_library is not None:
        raise CannotBake("it belongs to another file; bake it there")
    if material.node_tree is None:
        raise CannotBake("it has no nodes")
    found: dict[int, Any] = {}
    others: list[str] = []
    for obj in [*scene.objects, *_instanced(scene)]:
        if not any(slot.material == material for slot in obj.material_slots):
            continue
        if obj.type != "MESH" or obj.data.library is not None:
            others.append(obj.name)
        elif len(obj.data.polygons):
            known = found.get(obj.data.session_uid)
            if known is None or (known.hide_render and not obj.hide_render):
                found[obj.data.session_uid] = obj
    if not found:
        what = f"only '{others[0]}' shows it, which is" if others else "it is on"
        raise CannotBake(f"{what} no mesh of this file with faces")
    edited = next((obj for obj in found.values() if obj.data.is_editmode), None)
    if edited is not None:
        raise CannotBake(f"'{edited.name}' is in edit mode; leave it first")
    return list(found.values())


def _instanced(scene: Any) -> list[Any]:
    """Return the objects of collections that empties of the scene instance."""
    found: dict[Any, None] = {}
    waiting = list(scene.objects)
    while waiting:
        collection = waiting.pop().instance_collection
        for obj in collection.all_objects if collection is not None else ():
            if obj not in found:
                found[obj] = None
                waiting.append(obj)
    return list(found)


def _baked_mesh(obj: Any, material: Any) -> BakedMesh:
    slots = [i for i, slot in enumerate(obj.material_slots) if slot.material == material]
    return BakedMesh(obj.data, tuple(slots))


def materials_that_gain(warnings: Any, scene: Any) -> list[Any]:
    """Return the materials of this file that warnings of a sync say a bake would help."""
    names = {w.name for w in warnings if w.kind == "material" and is_mended(w)}
    used = [
        slot.material for obj in [*scene.objects, *_instanced(scene)] for slot in obj.material_slots
    ]
    unique = dict.fromkeys(material for material in used if material is not None)
    return [material for material in unique if material.name_full in names]
