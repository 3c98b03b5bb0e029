"""Entities to Blender objects: placed, parented, with their components as properties."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from ...engine_core.world.components import COMPONENT_TYPES, Component
from ...engine_core.world.entity import Entity
from ...engine_core.world.world import World
from ..components import writing
from ..components.fields import authored_fields, sort_of, to_blender
from ..sync.axes import matrix_to_blender
from .lamps import make_camera, make_light


def make_object(entity: Entity, meshes: Mapping[str, Any]) -> Any:
    """Make the object of an entity; where it stands is said later, when all parents are there.

    An entity that is several things at once becomes one of them: mesh, lamp or camera, in this
    order. `also` names the rest.
    """
    obj: Any = bpy.data.objects.new(entity.id, _data(entity, meshes))
    if entity.mesh is not None:
        obj.visible_shadow = entity.mesh.casts_shadow
        obj.visible_camera = entity.mesh.visible_to_camera
    if obj.data is None:
        obj.empty_display_size = 0.25
    return obj


def also(entity: Entity) -> tuple[str, ...]:
    """Return what of an entity one object cannot be beside its first part."""
    parts = [key for key in ("mesh", "light", "camera") if getattr(entity, key) is not None]
    return tuple(parts[1:])


def _data(entity: Entity, meshes: Mapping[str, Any]) -> Any | None:
    if entity.mesh is not None:
        return meshes.get(entity.mesh.mesh)
    if entity.light is not None:
        return make_light(entity.id, entity.light)
    if entity.camera is not None:
        return make_camera(entity.id, entity.camera)
    return None


def is_lamp_or_camera(obj: Any) -> bool:
    """Tell whether the local axes of `obj` are the engine's."""
    return obj.type in {"LIGHT", "CAMERA"}


def place_objects(world: World, objects: Mapping[str, Any]) -> None:
    """Give every object its parent, and the place among its parents that the level says."""
    matrices = {
        key: matrix_to_blender(world.world_from_local(key), is_lamp_or_camera(obj))
        for key, obj in objects.items()
    }
    for key, obj in objects.items():
        parent = world.entities[key].parent
        local = matrices[key]
        if parent is None or parent not in objects:
            obj.matrix_basis = Matrix(local.tolist())
            continue
        obj.parent = objects[parent]
        above = matrices[parent]
        if abs(np.linalg.det(above[:3, :3])) > 1e-12:
            local = np.linalg.inv(above) @ local
        if _is_sheared(local):
            # Blender keeps location, rotation and scale of an object, but all of this one matrix.
            obj.matrix_parent_inverse = Matrix(local.tolist())
        else:
            obj.matrix_basis = Matrix(local.tolist())


def _is_sheared(matrix: np.ndarray) -> bool:
    axes = matrix[:3, :3] / np.maximum(np.linalg.norm(matrix[:3, :3], axis=0), 1e-30)
    return bool(np.abs(axes.T @ axes - np.identity(3)).max() > 1e-5)


def set_materials(obj: Any, entity: Entity, materials: Mapping[str, Any]) -> None:
    """Fill the slots of `obj`: on its mesh, or on the object where the mesh has others already."""
    if entity.mesh is None or obj.data is None:
        return
    slots = obj.data.materials
    wanted = [materials.get(name) for name in entity.mesh.materials]
    if not len(slots):
        for material in wanted:
            slots.append(material)
        return
    if list(slots) == wanted:
        return
    for index, material in enumerate(wanted[: len(obj.material_slots)]):
        obj.material_slots[index].link = "OBJECT"
        obj.material_slots[index].material = material


def set_components(obj: Any, entity: Entity, objects: Mapping[str, Any]) -> list[str]:
    """Give `obj` what people can set on its entity; returns in words what could not be."""
    problems: list[str] = []
    for key, kind in COMPONENT_TYPES.items():
        component = getattr(entity, key)
        if component is None:
            continue
        home = obj if kind.owner == "entity" else obj.data
        if kind.owner != "entity" and not is_lamp_or_camera(obj):
            continue
        if kind.addable:
            writing.add(home, kind)
        problems += set_component(home, component, objects, is_lamp_or_camera(obj))
    return problems


def set_component(
    home: Any, component: Component, objects: Mapping[str, Any], keeps_local_axes: bool = False
) -> list[str]:
    """Set the properties of one component that differ from their defaults."""
    kind = type(component)
    values: dict[str, Any] = {}
    for field in authored_fields(kind):
        value = getattr(component, field.name)
        if value == field.default:
            continue
        sort = sort_of(field)
        if sort == "object":
            values[field.name] = _name_of(objects.get(value))
        elif sort == "objects":
            values[field.name] = [_name_of(objects.get(key)) for key in value]
        else:
            values[field.name] = to_blender(field, value, keeps_local_axes)
    if not values:
        return []
    return [f"{kind.label} of '{home.name}': {text}" for text in
            writing.set_values(home, kind, values)]  # fmt: skip


def _name_of(obj: Any | None) -> str | None:
    return None if obj is None else obj.name_full
