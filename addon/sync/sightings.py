"""Sighting: one thing the depsgraph shows, with the components it becomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...engine_core.world.components import CameraComponent, LightComponent, MeshComponent
from .cameras import read_camera
from .geometry import GeometryTable
from .identity import datablock_key, datablock_name
from .lights import read_light
from .surfaces import SurfaceTable
from .warnings import SyncWarning

EntityKey = tuple[int, ...]
"""(uid,) of an object; (instancer uid, uid, *persistent id) of an instance."""

UNUSED_PERSISTENT_ID = 0x7FFFFFFF


@dataclass(frozen=True, slots=True)
class Sighting:
    """What an object or instance is, apart from where it stands.

    `ancestors` are keys from the nearest parent outwards; the first that is shown becomes the
    entity's parent. `keeps_local_axes` is true for lamps and cameras (see axes.py).
    """

    key: EntityKey
    wanted_id: str
    name: str
    ancestors: tuple[EntityKey, ...]
    keeps_local_axes: bool
    mesh: MeshComponent | None = None
    light: LightComponent | None = None
    camera: CameraComponent | None = None
    warnings: tuple[SyncWarning, ...] = ()


@dataclass(frozen=True)
class Sources:
    """What sightings are made with."""

    depsgraph: Any
    geometry: GeometryTable
    surfaces: SurfaceTable


def sight_object(obj: Any, sources: Sources, draws_self: bool = True) -> Sighting:
    """Describe an evaluated object that stands in the scene by itself."""
    name = datablock_name(obj)
    ancestors: list[EntityKey] = []
    parent = obj.parent
    while parent is not None:
        ancestors.append((datablock_key(parent),))
        parent = parent.parent
    return _sighting((datablock_key(obj),), name, tuple(ancestors), obj, sources, draws_self)


def sight_instance(instance: Any, sources: Sources) -> Sighting:
    """Describe a `DepsgraphObjectInstance` that an instancer made."""
    obj, instancer = instance.object, instance.parent
    path = [number for number in instance.persistent_id if number != UNUSED_PERSISTENT_ID]
    owner = datablock_key(instancer)
    key = (owner, datablock_key(obj), *path)
    numbers = ".".join(str(number) for number in path)
    wanted = f"{datablock_name(instancer)}/{datablock_name(obj)}:{numbers}"
    return _sighting(key, wanted, ((owner,),), obj, sources, instance.show_self)


def _sighting(
    key: EntityKey,
    wanted_id: str,
    ancestors: tuple[EntityKey, ...],
    obj: Any,
    sources: Sources,
    draws_self: bool,
) -> Sighting:
    kind = obj.type
    if kind == "LIGHT":
        light = read_light(obj.data, datablock_name(obj.data))
        return Sighting(
            key, wanted_id, obj.name, ancestors, True,
            light=light.component, warnings=light.warnings,
        )  # fmt: skip
    if kind == "CAMERA":
        camera = read_camera(obj.data, obj.name)
        return Sighting(
            key, wanted_id, obj.name, ancestors, True,
            camera=camera.component, warnings=camera.warnings,
        )  # fmt: skip
    mesh = _mesh_component(obj, sources) if draws_self else None
    return Sighting(key, wanted_id, obj.name, ancestors, False, mesh=mesh)


def _mesh_component(obj: Any, sources: Sources) -> MeshComponent | None:
    geometry_key = sources.geometry.key_of(obj, sources.depsgraph)
    if geometry_key is None:
        return None
    mesh = sources.geometry.meshes.value(geometry_key)
    if mesh is None:
        return None
    casts_shadow, visible = obj.visible_shadow, obj.visible_camera
    if not casts_shadow and not visible:
        return None
    slots = max((p.material_slot for p in mesh.primitives), default=0) + 1
    return MeshComponent(
        mesh=sources.geometry.meshes.id_of(geometry_key, mesh.name),
        materials=_material_ids(obj, slots, sources.surfaces),
        casts_shadow=casts_shadow,
        visible_to_camera=visible,
    )


def _material_ids(obj: Any, slot_count: int, surfaces: SurfaceTable) -> tuple[str, ...]:
    """Return a material id for each slot that the mesh uses, as Blender resolves slots.

    The geometry's own materials count, unless the object's slot overrides one; a face whose slot
    does not exist shows the last material.
    """
    materials = [surfaces.material_id(material) for material in obj.data.materials]
    for index, slot in enumerate(obj.material_slots):
        if slot.link == "OBJECT":
            if index < len(materials):
                materials[index] = surfaces.material_id(slot.material)
            elif index == len(materials):
                materials.append(surfaces.material_id(slot.material))
    if not materials:
        return ("",) * slot_count
    return tuple(materials[min(index, len(materials) - 1)] for index in range(slot_count))
