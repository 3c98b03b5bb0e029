"""Sighting: one thing the depsgraph shows, with the components it becomes."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ...engine_core.assets.mesh import MeshData
from ...engine_core.world.components import (
    CameraComponent,
    Component,
    LightComponent,
    MeshComponent,
)
from .authored import AuthoredObjects
from .cameras import read_camera
from .geometry import CURVES, GeometryKey, GeometryTable, Shown
from .identity import datablock_key, datablock_name
from .kept import entity_name, kept_words
from .lights import read_light
from .particle_hair import draws_hair
from .scene_causes import SceneCause
from .surfaces import SurfaceTable
from .visibility import Visibility, visibility
from .warnings import SyncWarning, warn_about

EntityKey = tuple[int, ...]
"""(uid,) of an object; (instancer uid, uid, *persistent id) of an instance."""

STRANDS = frozenset({"PATH", "HALO", "LINE"})
"""Ways of rendering particles that make no objects."""

UNUSED_PERSISTENT_ID = 0x7FFFFFFF


@dataclass(frozen=True, slots=True)
class Sighting:
    """What an object or instance is, apart from where it stands.

    `ancestors` are keys from the nearest parent outwards; the first that is shown becomes the
    entity's parent. `keeps_local_axes` is true for lamps and cameras (see axes.py). `geometry` and
    `materials` (ids) are what it was made of, whether or not they are to be seen. `components` are
    those that people added, by key. `kept` is what an import left with it (see kept.py).
    """

    key: EntityKey
    wanted_id: str
    name: str
    ancestors: tuple[EntityKey, ...]
    keeps_local_axes: bool = False
    mesh: MeshComponent | None = None
    light: LightComponent | None = None
    camera: CameraComponent | None = None
    warnings: tuple[SyncWarning, ...] = ()
    geometry: GeometryKey | None = None
    materials: tuple[str, ...] = ()
    components: Mapping[str, Component] = field(default_factory=dict)
    kept: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Sources:
    """What sightings are made with, for one pass over the depsgraph.

    `flagged_layer` is the view layer if its collections say who sees them; see `visibility`.
    """

    depsgraph: Any
    geometry: GeometryTable
    surfaces: SurfaceTable
    override: Any | None = None
    flagged_layer: Any | None = None
    authored: AuthoredObjects = field(default_factory=AuthoredObjects)
    _material_ids: dict[tuple, tuple[str, ...]] = field(default_factory=dict)

    def material_ids(self, obj: Any, shown: Shown) -> tuple[str, ...]:
        """Return the materials of a geometry's slots, as Blender resolves slots.

        The view layer's override counts first, then the object's slots that are set to override,
        then the geometry's own materials.
        """
        if self.override is not None:
            return (self.surfaces.material_id(self.override, shown.layout),)
        overrides = [
            (index, slot.material)
            for index, slot in enumerate(obj.material_slots)
            if slot.link == "OBJECT"
        ]
        if overrides:
            return self._overridden(obj, shown, overrides)
        known = self._material_ids.get((shown.key, shown.layout))
        if known is None:
            known = tuple(
                self.surfaces.material_id(material, shown.layout)
                for material in getattr(obj.data, "materials", ())  # light probes have none
            )
            self._material_ids[shown.key, shown.layout] = known
        return known

    def dressed(self, obj: Any, shown: Shown) -> tuple[Shown, tuple[str, ...]]:
        """Return the geometry with all UV sets that its materials ask for, and the materials."""
        materials = self.material_ids(obj, shown)
        lacking = self.surfaces.lacking(materials)
        if not lacking:
            return shown, materials
        wider = self.geometry.with_uv_sets(shown, obj, lacking)
        return wider, materials if wider == shown else self.material_ids(obj, wider)

    def _overridden(
        self, obj: Any, shown: Shown, overrides: list[tuple[int, Any]]
    ) -> tuple[str, ...]:
        materials = list(obj.data.materials)
        for index, material in overrides:
            materials += [None] * (index + 1 - len(materials))
            materials[index] = material
        return tuple(self.surfaces.material_id(item, shown.layout) for item in materials)


def sight_object(obj: Any, sources: Sources, draws_self: bool = True) -> Sighting:
    """Describe an evaluated object that stands in the scene by itself."""
    ancestors: list[EntityKey] = []
    parent = obj.parent
    while parent is not None:
        ancestors.append((datablock_key(parent),))
        parent = parent.parent
    name = datablock_name(obj)
    key = (datablock_key(obj),)
    sighting = _sighting(key, name, tuple(ancestors), obj, None, sources, draws_self)
    kept = kept_words(obj)
    if kept is not None:
        sighting = replace(sighting, kept=kept)
    return sources.authored.joined(sighting, obj)


def instance_key(instance: Any) -> EntityKey:
    """Return the key of a `DepsgraphObjectInstance` that an instancer made."""
    path = [number for number in instance.persistent_id if number != UNUSED_PERSISTENT_ID]
    return (datablock_key(instance.parent), datablock_key(instance.object), *path)


def draws(instance: Any) -> bool:
    """Tell whether the object of an instance or its hair is drawn."""
    return instance.show_self or instance.show_particles


def is_mesh_of_shown_curve(instance: Any, shown: Container[EntityKey]) -> bool:
    """Tell whether an instance is just the mesh of a curve, text or metaball that is in `shown`.

    Blender shows those twice: as themselves and, one number further, as the mesh made of them.
    """
    obj = instance.object
    if obj.type != "MESH" or obj.original.type not in CURVES:
        return False
    owner, uid, first, *path = instance_key(instance)
    curve = (uid,) if owner == uid and not path else (owner, uid, *path)
    return first == 0 and curve in shown


def sight_instance(instance: Any, sources: Sources) -> Sighting:
    """Describe a `DepsgraphObjectInstance` that an instancer made."""
    obj, instancer = instance.object, instance.parent
    key = instance_key(instance)
    owner = key[0]
    numbers = ".".join(map(str, key[2:]))
    wanted = f"{datablock_name(instancer)}/{datablock_name(obj)}:{numbers}"
    sighting = _sighting(key, wanted, ((owner,),), obj, instancer, sources, draws(instance))
    return sources.authored.joined(sighting, obj, instancer)


def _sighting(
    key: EntityKey,
    wanted: str,
    ancestors: tuple[EntityKey, ...],
    obj: Any,
    instancer: Any | None,
    sources: Sources,
    draws_self: bool,
) -> Sighting:
    if obj.type == "LIGHT":
        light = read_light(obj.data, datablock_name(obj.data))
        return Sighting(
            key, wanted, entity_name(obj), ancestors, True,
            light=light.component, warnings=light.warnings + _linking_warnings(obj),
        )  # fmt: skip
    if obj.type == "CAMERA":
        camera = read_camera(obj.data)
        return Sighting(
            key, wanted, entity_name(obj), ancestors, True,
            camera=camera.component, warnings=camera.warnings,
        )  # fmt: skip
    shown = sources.geometry.shown_by(obj, sources.depsgraph) if draws_self else None
    if shown is None:
        return Sighting(key, wanted, entity_name(obj), ancestors)
    seen = visibility(obj, instancer, sources.flagged_layer)
    materials = (sources.surfaces.holdout_id(),) if seen.holdout else None
    if materials is None:
        shown, materials = sources.dressed(obj, shown)
    mesh, warnings = _mesh_component(obj, shown, materials, seen, sources)
    return Sighting(
        key, wanted, entity_name(obj), ancestors, mesh=mesh, warnings=warnings,
        geometry=shown.key, materials=tuple(filter(None, materials)),
    )  # fmt: skip


def _mesh_component(
    obj: Any, shown: Shown, materials: tuple[str, ...], seen: Visibility, sources: Sources
) -> tuple[MeshComponent | None, tuple[SyncWarning, ...]]:
    mesh = sources.geometry.mesh(shown, obj, _tangent_uv(materials, shown, sources.surfaces))
    if mesh is None or not (seen.shadow or seen.camera):
        return None, ()
    slots = max((p.material_slot for p in mesh.primitives), default=0) + 1
    component = MeshComponent(
        mesh=sources.geometry.meshes.id_of(shown.key, mesh.name),
        materials=_for_slots(materials, slots),
        casts_shadow=seen.shadow,
        visible_to_camera=seen.camera,
    )
    warnings = _object_warnings(obj, mesh, component.materials, sources.surfaces)
    return component, warnings


def _for_slots(materials: tuple[str, ...], count: int) -> tuple[str, ...]:
    """Return one id for each of `count` slots; a missing slot shows the last material."""
    if not materials:
        return ("",) * count
    if len(materials) >= count:
        return materials[:count]
    return materials + (materials[-1],) * (count - len(materials))


def _tangent_uv(materials: tuple[str, ...], shown: Shown, surfaces: SurfaceTable) -> str | None:
    """Return the UV map along which the first normal-mapped material wants tangents."""
    for material_id in materials:
        material = surfaces.value(material_id) if material_id else None
        if material is not None and material.normal_texture is not None:
            names = shown.layout.uv_names
            wanted = material.normal_texture.uv_set
            return names[wanted] if wanted < len(names) else None
    return None


def _object_warnings(
    obj: Any, mesh: MeshData, materials: tuple[str, ...], surfaces: SurfaceTable
) -> tuple[SyncWarning, ...]:
    warnings: list[SyncWarning] = []
    if not mesh.uv_sets:
        textured = [surfaces.value(material_id) for material_id in materials if material_id]
        if any(material is not None and material.texture_slots() for material in textured):
            # About the mesh where that lacks them: it may be shown by thousands of objects.
            own = obj.original.data if obj.original.type == "MESH" else None
            has_own = own is None or len(own.uv_layers) > 0
            warnings.append(warn_about(obj if has_own else own, SceneCause.MESH_NO_UV))
    systems = obj.particle_systems
    if any(s.settings.render_type in STRANDS and not draws_hair(s) for s in systems):
        warnings.append(warn_about(obj, SceneCause.OBJECT_PARTICLES))
    if obj.is_shadow_catcher:
        warnings.append(warn_about(obj, SceneCause.OBJECT_SHADOW_CATCHER))
    return tuple(warnings)


def _linking_warnings(obj: Any) -> tuple[SyncWarning, ...]:
    linking = obj.light_linking
    if linking.receiver_collection is None and linking.blocker_collection is None:
        return ()
    return (warn_about(obj, SceneCause.LIGHT_LINKING),)
