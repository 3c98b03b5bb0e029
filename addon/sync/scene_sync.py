"""SceneSync: keeps a World in step with a Blender depsgraph by making deltas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from msgspec import structs

from ...engine_core.world.components import Component
from ...engine_core.world.entity import Entity
from ...engine_core.world.world import WorldDelta
from .asset_table import AssetTable
from .authored import entity_components
from .changes import FEW_RETAGGED, Changes, ObjectFlags, object_flags, read_changes
from .geometry import GeometryKey, GeometryTable
from .identity import datablock_key
from .kept import unchanged_entity
from .level_table import LevelTable
from .libraries import missing_libraries
from .placement import PlacementTable, instance_matrices
from .shown import ShownTable, number_of
from .sightings import (
    EntityKey,
    Sighting,
    Sources,
    draws,
    is_mesh_of_shown_curve,
    sight_instance,
    sight_object,
)
from .sky_sun import SKY_SUN, sky_sun_matrix, sky_sun_sighting
from .soundness import fitting_deforms, with_sound_values, without_nowhere
from .surfaces import SurfaceTable
from .uses import Uses
from .visibility import LayerState
from .warnings import SyncWarning


class SceneSync:
    """The sync of one depsgraph with one receiver of deltas.

    Call `full` once, then `update` after every change of the depsgraph, from
    `RenderEngine.view_update` or a depsgraph handler (elsewhere Blender has already cleared
    `depsgraph.updates`). Every delta must reach the receiver, in order. `is_shown` leaves out
    evaluated objects that one viewport does not show (Blender's local view).
    """

    def __init__(
        self, is_shown: Callable[[Any], bool] | None = None, keeps_origins: bool = False
    ) -> None:
        self._is_shown = is_shown
        self._keeps_origins = keeps_origins
        self._begin()

    def _begin(self) -> None:
        self._geometry = GeometryTable()
        self._geometry.origins = {} if self._keeps_origins else None
        self._surfaces = SurfaceTable()
        self._placements = PlacementTable()
        self._entities: AssetTable[Entity] = AssetTable(lambda a, b: a == b)
        self._shown = ShownTable()
        self._flags = ObjectFlags()
        self._mesh_uses: Uses[EntityKey, GeometryKey] = Uses()
        self._material_uses: Uses[EntityKey, str] = Uses()
        self._linked: dict[int, tuple[bool, ...]] = {}
        self._layer = LayerState()
        self._camera: str | None = None
        self._level = LevelTable(self._surfaces.images.images)
        self._has_references = False
        self._arriving: set[EntityKey] = set()
        self._frame: tuple[int, float] | None = None
        self._library_warnings: tuple[SyncWarning, ...] = ()

    @property
    def tables(self) -> tuple[AssetTable[Entity], GeometryTable, SurfaceTable]:
        """What has been handed over: entities, geometry, and materials with their pictures."""
        return self._entities, self._geometry, self._surfaces

    @property
    def warnings(self) -> list[SyncWarning]:
        """Everything that is now approximated or left out, sorted."""
        found: set[SyncWarning] = {*self._level.warnings, *self._library_warnings}
        for table in (
            self._entities,
            self._geometry.meshes,
            self._surfaces.materials,
            self._surfaces.images.images,
        ):
            found.update(table.warnings())
        return sorted(found)

    def full(self, depsgraph: Any) -> WorldDelta:
        """Read everything anew; the delta also removes what earlier deltas left behind."""
        before = self._known_ids()
        self._begin()
        everything = Changes(structure=True, scene=True, world=True)
        self._begin_pass(depsgraph, everything)
        self._walk(depsgraph)
        self._drop_unused()
        self._flags.have_changed()  # from here on
        self._library_warnings = missing_libraries()
        delta = self._delta(depsgraph, everything)
        return WorldDelta(
            entities=delta.entities,
            meshes=delta.meshes,
            materials=delta.materials,
            images=delta.images,
            removed_entities=before[0] - delta.entities.keys(),
            removed_meshes=before[1] - delta.meshes.keys(),
            removed_materials=before[2] - delta.materials.keys(),
            removed_images=before[3] - delta.images.keys(),
            environment=delta.environment,
            render=delta.render,
            components=delta.components,
            active_camera=delta.active_camera,
        )

    def update(self, depsgraph: Any) -> WorldDelta:
        """Read what `depsgraph.updates` names; cost follows the change where Blender lets it."""
        return self._follow(depsgraph, read_changes(depsgraph))

    def repainted(self, depsgraph: Any, images: list[Any]) -> WorldDelta:
        """Read `images` again, whose pixels have changed without a report of the depsgraph."""
        return self._follow(depsgraph, Changes(images={datablock_key(one) for one in images}))

    def _follow(self, depsgraph: Any, changes: Changes) -> WorldDelta:
        reshaped = self._begin_pass(depsgraph, changes)
        if not self._revisit(depsgraph, changes, reshaped):
            self._walk(depsgraph)
        self._drop_unused()
        return self._delta(depsgraph, changes)

    def _known_ids(self) -> tuple[frozenset[str], ...]:
        return tuple(
            table.known_ids()
            for table in (
                self._entities,
                self._geometry.meshes,
                self._surfaces.materials,
                self._surfaces.images.images,
            )
        )

    def _walk(self, depsgraph: Any) -> None:
        """Look at everything the depsgraph shows."""
        self._layer = LayerState.of(depsgraph.view_layer_eval)
        sources = self._sources(depsgraph)
        matrices = instance_matrices(depsgraph)
        shown: list[tuple[int, EntityKey | None]] = []
        sightings: dict[EntityKey, tuple[Sighting, np.ndarray]] = {}
        self._linked.clear()
        for instance, matrix in zip(depsgraph.object_instances, matrices, strict=True):
            if self._is_shown is not None and not self._is_shown(instance.object):
                shown.append((number_of(instance), None))
                continue
            if instance.is_instance:
                if is_mesh_of_shown_curve(instance, sightings):
                    shown.append((number_of(instance), None))
                    continue
                sighting = sight_instance(instance, sources)
                owner = (sighting.key[0],)
                if owner not in sightings:
                    self._add_instancer(instance.parent, sightings, sources)
                for uid, obj in zip(sighting.key, (instance.parent, instance.object), strict=False):
                    if uid not in self._linked:
                        self._linked[uid] = object_flags(obj)
            else:
                sighting = sight_object(instance.object, sources, draws(instance))
            sightings[sighting.key] = (sighting, matrix)
            shown.append((number_of(instance), sighting.key))
        self._shown.remember([number for number, _ in shown], [key for _, key in shown])
        present = {*sightings, SKY_SUN}
        self._entities.keep_only(present)
        self._placements.keep_only(present)
        self._has_references = False
        kept = [sources.authored.kept(sighting) for sighting, _ in sightings.values()]
        self._place(kept, [m for _, m in sightings.values()])
        self._mesh_uses.keep_users(present)
        self._material_uses.keep_users(present)

    def _drop_unused(self) -> None:
        """Forget the meshes, materials and images that no entity uses any more."""
        self._geometry.drop(self._mesh_uses.take_unused())
        unused = self._material_uses.take_unused()
        unused |= {one for one in self._surfaces.take_fresh() if not self._material_uses.has(one)}
        self._surfaces.drop(unused)

    def _sources(self, depsgraph: Any) -> Sources:
        layer = depsgraph.view_layer_eval
        flagged = layer if self._layer.flags else None
        override = layer.material_override
        return Sources(depsgraph, self._geometry, self._surfaces, override, flagged)

    @staticmethod
    def _add_instancer(
        obj: Any, sightings: dict[EntityKey, tuple[Sighting, np.ndarray]], sources: Sources
    ) -> None:
        """An instancer that is not drawn itself still holds its instances."""
        sighting = sight_object(obj, sources, draws_self=False)
        sightings[sighting.key] = (sighting, np.array(obj.matrix_world, np.float64))

    def _revisit(self, depsgraph: Any, changes: Changes, reshaped: set[str]) -> bool:
        """Look at what has changed, and nothing else; False if everything must be looked at."""
        objects = self._touched(depsgraph, changes)
        layer = LayerState.of(depsgraph.view_layer_eval)
        if objects is None or layer != self._layer or (layer.flags and changes.structure):
            return False
        if any((uid,) not in self._entities for uid in objects):
            changes.structure = True
        come, gone = set(), set()
        if changes.structure:
            difference = self._shown.difference(depsgraph)
            if difference is None or (difference.is_any and self._has_references):
                return False
            arrivals = {datablock_key(obj): obj for obj in self._not_left_out(difference.come)}
            objects |= arrivals
            come = {(uid,) for uid in arrivals}
            gone = set(difference.gone) - come
        stale = self._users_to_revisit(changes, reshaped, objects)
        if stale is None:
            return False
        objects |= stale
        for key in gone:
            self._forget(key)
        self._sight(depsgraph, [
            obj for uid, obj in objects.items() if (uid,) in self._entities or (uid,) in come
        ])  # fmt: skip
        self._place_again(self._placements.below(come | gone))
        return True

    def _touched(self, depsgraph: Any, changes: Changes) -> dict[int, Any] | None:
        """Return the objects that may differ by session key; None if instances may, too.

        What is merely to be shaded again may differ in the flags of objects, or by animation in
        what people set by Fyn's own properties.
        """
        objects = dict(changes.objects)
        if not self._linked.keys().isdisjoint(objects):
            return None
        retagged = changes.retagged
        if len(retagged) > FEW_RETAGGED and not self._flags.have_changed():
            retagged = [obj for obj in retagged if obj.animation_data is not None]
        for obj in retagged:
            uid = datablock_key(obj)
            if uid not in self._linked:
                objects[uid] = obj
            elif self._linked[uid] != object_flags(obj) or obj.animation_data is not None:
                return None
        return objects

    def _not_left_out(self, objects: list[Any]) -> list[Any]:
        return objects if self._is_shown is None else [o for o in objects if self._is_shown(o)]

    def _users_to_revisit(
        self, changes: Changes, reshaped: set[str], objects: dict[int, Any]
    ) -> dict[int, Any] | None:
        """Return those who show a changed mesh or material and are not in `objects` yet.

        None if instances do, or if Blender has not reported one of them.
        """
        users = self._material_uses.users_of(reshaped)
        users |= self._mesh_uses.users_of(("data", uid) for uid in changes.data)
        users -= {(uid,) for uid in objects}
        if not users:
            return {}
        reported: dict[EntityKey, Any] = {(datablock_key(obj),): obj for obj in changes.retagged}
        if not users <= reported.keys():
            return None
        return {datablock_key(reported[key]): reported[key] for key in users}

    def _sight(self, depsgraph: Any, objects: list[Any]) -> None:
        sources = self._sources(depsgraph)
        sightings = [sight_object(obj, sources) for obj in objects]
        self._place(sightings, [np.array(obj.matrix_world) for obj in objects])

    def _forget(self, key: EntityKey) -> None:
        self._entities.drop(key)
        self._placements.drop(key)
        self._mesh_uses.put(key, ())
        self._material_uses.put(key, ())

    def _place_again(self, keys: set[EntityKey]) -> None:
        """Hang `keys` on those of their ancestors that are shown now."""
        self._placements.place_again(keys)
        for key in keys:
            old = self._entities.value(key)
            assert old is not None, "what is placed is an entity"
            changed = structs.replace(
                old, parent=self._parent_id(key), transform=self._placements.transform_of(key)
            )
            self._entities.put(key, changed, self._entities.warnings_of(key))

    def _begin_pass(self, depsgraph: Any, changes: Changes) -> set[str]:
        """Take note of what is dirty; returns materials whose users must be looked at again."""
        self._geometry.begin_pass(changes.data, changes.geometry)
        frame = (depsgraph.scene.frame_current, depsgraph.scene.frame_subframe)
        moved_on = frame != self._frame
        self._frame = frame
        if moved_on and changes.shading:
            changes.structure = True  # animation shows and hides objects without another report
        return self._surfaces.begin_pass(depsgraph, changes.materials, changes.images, moved_on)

    def _place(self, sightings: list[Sighting], matrices: list[np.ndarray]) -> None:
        self._arriving = {sighting.key for sighting in sightings}
        for sighting in sightings:
            self._entities.id_of(sighting.key, sighting.wanted_id)
        stacked = np.array(matrices, np.float64).reshape(-1, 4, 4)
        sightings = without_nowhere(sightings, stacked)
        self._placements.place(sightings, stacked)
        for sighting in sightings:
            entity = Entity(
                id=self._entities.id_of(sighting.key, ""),
                name=sighting.name,
                parent=self._parent_id(sighting.key),
                transform=self._placements.transform_of(sighting.key),
                mesh=sighting.mesh,
                light=sighting.light,
                camera=sighting.camera,
                **self._components_of(sighting),  # type: ignore[arg-type]
            )
            entity, warnings = with_sound_values(entity, sighting)
            mesh = self._geometry.meshes.value(sighting.geometry)
            entity, lost = fitting_deforms(unchanged_entity(sighting.kept, entity), mesh, sighting)
            self._entities.put(sighting.key, entity, warnings + lost)
            made_of = () if sighting.geometry is None else (sighting.geometry,)
            self._mesh_uses.put(sighting.key, made_of)
            self._material_uses.put(sighting.key, sighting.materials)

    def _parent_id(self, key: EntityKey) -> str | None:
        parent = self._placements.parent_of(key)
        return None if parent is None else self._entities.id_of(parent, "")

    def _components_of(self, sighting: Sighting) -> dict[str, Component]:
        """Return what people added to an entity; objects that are not shown are not referred to."""

        def id_of(uid: int) -> str:
            is_there = (uid,) in self._entities or (uid,) in self._arriving
            return self._entities.id_of((uid,), "") if is_there else ""

        components, refers = entity_components(sighting.components, id_of)
        self._has_references |= refers
        return components

    def _delta(self, depsgraph: Any, changes: Changes) -> WorldDelta:
        """Gather what has changed in all tables since the last delta."""
        environment, render, camera = None, None, None
        components: dict[str, Component] = {}
        if changes.scene or changes.world:
            components = self._level.changed_components(depsgraph.scene)
        if changes.scene:
            render = self._level.changed_render(depsgraph.scene)
        world = depsgraph.scene.world
        if self._level.is_other_world(world, changes):
            environment = self._level.changed_environment(world)
            self._place_sun(world)
        if changes.scene or changes.structure:
            camera = self._changed_camera(depsgraph.scene.camera)
        entities, removed_entities = self._entities.take_changes()
        meshes, removed_meshes = self._geometry.meshes.take_changes()
        materials, removed_materials = self._surfaces.materials.take_changes()
        images, removed_images = self._surfaces.images.images.take_changes()
        return WorldDelta(
            entities=entities,
            meshes=meshes,
            materials=materials,
            images=images,
            removed_entities=removed_entities,
            removed_meshes=removed_meshes,
            removed_materials=removed_materials,
            removed_images=removed_images,
            environment=environment,
            render=render,
            components=components,
            active_camera=camera,
        )

    def _place_sun(self, world: Any | None) -> None:
        """Put the sun of the world's sky among the lamps, or take it away."""
        sun = self._level.sun
        if sun is None:
            self._entities.drop(SKY_SUN)
        else:
            self._place([sky_sun_sighting(sun, world)], [sky_sun_matrix(sun)])

    def _changed_camera(self, camera: Any | None) -> str | None:
        chosen = ""
        if camera is not None:
            key = (datablock_key(camera),)
            chosen = self._entities.id_of(key, "") if key in self._entities else ""
        if chosen == self._camera:
            return None
        self._camera = chosen
        return chosen
