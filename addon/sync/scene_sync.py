"""SceneSync: keeps a World in step with a Blender depsgraph by making deltas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...engine_core.world.components import Environment, RenderSettings
from ...engine_core.world.entity import Entity
from ...engine_core.world.world import WorldDelta
from .asset_table import AssetTable
from .changes import Changes, read_changes
from .geometry import GeometryTable
from .identity import datablock_key
from .libraries import missing_libraries
from .placement import PlacementTable
from .sightings import EntityKey, Sighting, Sources, sight_instance, sight_object
from .sky_sun import SKY_SUN, sky_sun_matrix, sky_sun_sighting
from .surfaces import SurfaceTable
from .warnings import SyncWarning
from .world_environment import read_environment, read_render_settings


class SceneSync:
    """The sync of one depsgraph with one receiver of deltas.

    Call `full` once, then `update` after every change of the depsgraph, from
    `RenderEngine.view_update` or a depsgraph handler (elsewhere Blender has already cleared
    `depsgraph.updates`). Every delta must reach the receiver, in order. `is_shown` leaves out
    evaluated objects that one viewport does not show (Blender's local view).
    """

    def __init__(self, is_shown: Callable[[Any], bool] | None = None) -> None:
        self._is_shown = is_shown
        self._begin()

    def _begin(self) -> None:
        self._geometry = GeometryTable()
        self._surfaces = SurfaceTable()
        self._placements = PlacementTable()
        self._entities: AssetTable[Entity] = AssetTable(lambda a, b: a == b)
        self._instancers: set[int] = set()
        self._instanced: set[int] = set()
        self._environment: Environment | None = None
        self._render: RenderSettings | None = None
        self._camera: str | None = None
        self._frame: tuple[int, float] | None = None
        self._world: int | None = None
        self._world_warnings: tuple[SyncWarning, ...] = ()
        self._library_warnings: tuple[SyncWarning, ...] = ()
        self._world_images: frozenset[int] = frozenset()

    @property
    def warnings(self) -> list[SyncWarning]:
        """Everything that is now approximated or left out, sorted."""
        found: set[SyncWarning] = {*self._world_warnings, *self._library_warnings}
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
        self._walk(depsgraph, everything)
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
            active_camera=delta.active_camera,
        )

    def update(self, depsgraph: Any) -> WorldDelta:
        """Read what `depsgraph.updates` names; cost follows the change where Blender lets it."""
        changes = read_changes(depsgraph)
        if self._needs_walk(changes):
            self._walk(depsgraph, changes)
        else:
            self._revisit(depsgraph, changes)
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

    def _needs_walk(self, changes: Changes) -> bool:
        """Tell whether anything but the named objects themselves may have changed."""
        if changes.structure:
            return True
        touched = changes.objects.keys()
        if not self._instancers.isdisjoint(touched) or not self._instanced.isdisjoint(touched):
            return True
        return any((uid,) not in self._entities for uid in touched)

    def _walk(self, depsgraph: Any, changes: Changes) -> None:
        """Look at everything the depsgraph shows."""
        self._begin_pass(depsgraph, changes)
        sources = self._sources(depsgraph)
        matrices = _instance_matrices(depsgraph)
        sightings: dict[EntityKey, tuple[Sighting, np.ndarray]] = {}
        self._instancers.clear()
        self._instanced.clear()
        for instance, matrix in zip(depsgraph.object_instances, matrices, strict=True):
            if self._is_shown is not None and not self._is_shown(instance.object):
                continue
            if instance.is_instance:
                sighting = sight_instance(instance, sources)
                self._instanced.add(sighting.key[1])
                owner = (sighting.key[0],)
                if owner not in sightings:
                    self._add_instancer(instance.parent, sightings, sources)
                self._instancers.add(owner[0])
            else:
                sighting = sight_object(instance.object, sources, instance.show_self)
            sightings[sighting.key] = (sighting, matrix)
        self._place([s for s, _ in sightings.values()], [m for _, m in sightings.values()])
        shown = {*sightings, SKY_SUN}
        self._entities.keep_only(shown)
        self._placements.keep_only(shown)
        self._geometry.end_whole_pass()
        self._surfaces.end_whole_pass()

    def _sources(self, depsgraph: Any) -> Sources:
        override = depsgraph.view_layer_eval.material_override
        return Sources(depsgraph, self._geometry, self._surfaces, override)

    @staticmethod
    def _add_instancer(
        obj: Any, sightings: dict[EntityKey, tuple[Sighting, np.ndarray]], sources: Sources
    ) -> None:
        """An instancer that is not drawn itself still holds its instances."""
        sighting = sight_object(obj, sources, draws_self=False)
        sightings[sighting.key] = (sighting, np.array(obj.matrix_world, np.float64))

    def _revisit(self, depsgraph: Any, changes: Changes) -> None:
        """Look at the objects that changed, and nothing else."""
        self._begin_pass(depsgraph, changes)
        sources = self._sources(depsgraph)
        sightings = [sight_object(obj, sources) for obj in changes.objects.values()]
        self._place(sightings, [np.array(obj.matrix_world) for obj in changes.objects.values()])
        self._surfaces.drop_unused_images()

    def _begin_pass(self, depsgraph: Any, changes: Changes) -> None:
        self._geometry.begin_pass(changes.data, changes.geometry)
        frame = (depsgraph.scene.frame_current, depsgraph.scene.frame_subframe)
        moved_on = frame != self._frame
        self._surfaces.begin_pass(depsgraph, changes.materials, changes.images, moved_on)
        self._frame = frame

    def _place(self, sightings: list[Sighting], matrices: list[np.ndarray]) -> None:
        for sighting in sightings:
            self._entities.id_of(sighting.key, sighting.wanted_id)
        stacked = np.array(matrices, np.float64).reshape(-1, 4, 4)
        self._placements.place(sightings, stacked)
        for sighting in sightings:
            parent = self._placements.parent_of(sighting.key)
            entity = Entity(
                id=self._entities.id_of(sighting.key, ""),
                name=sighting.name,
                parent=None if parent is None else self._entities.id_of(parent, ""),
                transform=self._placements.transform_of(sighting.key),
                mesh=sighting.mesh,
                light=sighting.light,
                camera=sighting.camera,
            )
            self._entities.put(sighting.key, entity, sighting.warnings)

    def _delta(self, depsgraph: Any, changes: Changes) -> WorldDelta:
        """Gather what has changed in all tables since the last delta."""
        environment, render, camera = None, None, None
        if changes.scene:
            render = self._changed_render(depsgraph.scene)
        if self._is_other_world(depsgraph.scene.world, changes):
            environment = self._changed_environment(depsgraph.scene.world)
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
            active_camera=camera,
        )

    def _is_other_world(self, world: Any | None, changes: Changes) -> bool:
        """Tell whether the world or one of its pictures has changed; some take long to read."""
        before, self._world = self._world, None if world is None else datablock_key(world)
        if changes.world or self._environment is None or before != self._world:
            return True
        return not self._world_images.isdisjoint(changes.images)

    def _changed_environment(self, world: Any | None) -> Environment | None:
        reading = read_environment(world)
        self._world_warnings = reading.warnings
        self._world_images = reading.image_uids
        if reading.sun is None:
            self._entities.drop(SKY_SUN)
        else:
            self._place([sky_sun_sighting(reading.sun, world)], [sky_sun_matrix(reading.sun)])
        if reading.environment == self._environment:
            return None
        self._environment = reading.environment
        return reading.environment

    def _changed_render(self, scene: Any) -> RenderSettings | None:
        render = read_render_settings(scene)
        if render == self._render:
            return None
        self._render = render
        return render

    def _changed_camera(self, camera: Any | None) -> str | None:
        chosen = ""
        if camera is not None:
            key = (datablock_key(camera),)
            chosen = self._entities.id_of(key, "") if key in self._entities else ""
        if chosen == self._camera:
            return None
        self._camera = chosen
        return chosen


def _instance_matrices(depsgraph: Any) -> np.ndarray:
    """Return world matrices (N, 4, 4) float32 of all object instances, read in one call."""
    instances = depsgraph.object_instances
    flat = np.empty(len(instances) * 16, np.float32)
    if len(flat):
        instances.foreach_get("matrix_world", flat)
    return flat.reshape(-1, 4, 4).transpose(0, 2, 1)  # Blender stores columns
