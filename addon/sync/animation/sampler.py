"""Sampling: everything that a level holds of a depsgraph, frame by frame, as tracks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import compress
from typing import Any

import numpy as np
from msgspec import Struct

from ....engine_core.world.animation.paths import animatable, animatable_paths, read_path
from ....engine_core.world.animation.reduction import Track
from ....engine_core.world.world import World
from ..axes import matrices_to_engine
from ..cameras import read_camera
from ..identity import datablock_key, datablock_name
from ..lights import read_light
from ..scene_sync import SceneSync
from ..sightings import instance_key
from ..transforms import decomposed
from .bones import Deformed
from .kept_values import animated_paths
from .morphs import key_weights
from .motion import animated_materials, is_animated


class Sampler:
    """Looks at one depsgraph at several frames; made at the frame that the world was read at."""

    def __init__(self, world: World, sync: SceneSync, deformed: Deformed, depsgraph: Any) -> None:
        self._world, self._sync, self._deformed = world, sync, deformed
        self._depsgraph = depsgraph
        self._find_rows()
        self._rigs = list(deformed.rigs.values())
        bones = [found for rig in self._rigs for found in rig.bones.values()]
        self._extra = self._hidden_objects()
        self._ids = [*self._row_ids, *self._extra, *bones]
        self._place = {found: index for index, found in enumerate(self._ids)}
        self.arrivals: dict[int, Any] = {}
        """Original objects, by session key, that are shown at samples only."""
        self._data = self._animated_data()
        self._hiding = self._hiding_objects()
        self._first = self._matrices()
        self._changed: list[tuple[np.ndarray, np.ndarray]] = []
        self._seen: list[np.ndarray] = []
        self._weights: dict[str, list[np.ndarray]] = {}
        self._structs: dict[str, list[Struct]] = {}
        self._materials: dict[str, list[Struct]] = {}
        self._rest_readings = {found: read() for found, (_, read) in self._readers().items()}

    def sample(self, whole: bool = True) -> None:
        """Note what the depsgraph shows at its present frame; materials only if `whole`."""
        matrices = self._matrices()
        moved = np.flatnonzero((matrices != self._first).any(axis=(1, 2)))
        for row, obj in self._hiding.items():
            self._is_seen[row] &= not obj.evaluated_get(self._depsgraph).hide_render
        self._changed.append((moved, matrices[moved]))
        self._seen.append(self._is_seen.copy())
        for found, (_, read) in self._readers().items():
            self._structs.setdefault(found, []).append(read())
        for found, obj in self._deformed.morphs.items():
            keys = obj.data.shape_keys.evaluated_get(self._depsgraph)
            values = self._weights.setdefault(found, [])
            values.append(key_weights(keys))
        if whole:
            self._sample_materials()

    def tracks(self, times: np.ndarray, only: set[str] | None = None) -> list[Track]:
        """Return what moved, sampled at `times` (F,) seconds; `only` names entities."""
        tracks = [
            *self._transform_tracks(times, only),
            *self._component_tracks(times, only),
        ]
        if only is None:
            tracks += self._material_tracks(times)
            tracks += self._visibility_tracks(times)
        for found, weights in self._weights.items():
            if only is None or found in only:
                tracks.append(Track("entity", found, "morph.weights", times, np.stack(weights)))
        return tracks

    # Places ---------------------------------------------------------------------------------------

    def _find_rows(self) -> None:
        """Match the rows of the depsgraph's list of instances with entities of the world."""
        entities = self._sync.tables[0]
        ids, keeps, chosen, objects = [], [], [], []
        for index, instance in enumerate(self._depsgraph.object_instances):
            obj = instance.object
            key = instance_key(instance) if instance.is_instance else (datablock_key(obj),)
            found = entities.id_of(key, "") if key in entities else ""
            if found not in self._world.entities:
                continue
            ids.append(found)
            keeps.append(obj.type in {"LIGHT", "CAMERA"})
            chosen.append(index)
            objects.append(None if instance.is_instance else obj.original)
        self._row_ids, self._objects = ids, objects
        self._keeps = np.array(keeps, bool)
        self._rows = np.array(chosen, np.int64)
        self._numbers = _numbers(self._depsgraph)
        self._is_seen = np.ones(len(ids), bool)

    def _hidden_objects(self) -> dict[str, Any]:
        """Return objects that are entities without being shown: hidden armatures."""
        return {
            rig.entity: rig.armature
            for rig in self._deformed.rigs.values()
            if rig.entity not in set(self._row_ids)
        }

    def _matrices(self) -> np.ndarray:
        """Return world matrices of all ids in engine axes, (N, 4, 4) float64."""
        shown = self._row_matrices()
        rows = matrices_to_engine(shown.astype(np.float64), self._keeps)
        hidden = [
            np.array(obj.evaluated_get(self._depsgraph).matrix_world)
            for obj in self._extra.values()
        ]
        extra = matrices_to_engine(
            np.array(hidden, np.float64).reshape(-1, 4, 4), np.zeros(len(hidden), bool)
        )
        out = [rows, extra]
        for rig in self._rigs:
            evaluated = rig.armature.evaluated_get(self._depsgraph)
            base = matrices_to_engine(np.array(evaluated.matrix_world)[None], np.zeros(1, bool))
            out.append(base @ rig.bone_matrices(evaluated) if rig.bones else np.zeros((0, 4, 4)))
        return np.concatenate(out)

    def _row_matrices(self) -> np.ndarray:
        """Return Blender's matrices of the rows; those that are not shown now keep their last."""
        instances = self._depsgraph.object_instances
        flat = np.empty(len(instances) * 16, np.float32)
        if len(flat):
            instances.foreach_get("matrix_world", flat)
        found = flat.reshape(-1, 4, 4).transpose(0, 2, 1)  # Blender stores columns
        numbers = _numbers(self._depsgraph)
        if np.array_equal(numbers, self._numbers):
            self._is_seen[:] = True
            self._last = found[self._rows]
        else:
            place = {number: index for index, number in enumerate(numbers.tolist())}
            wanted = [place.get(number, -1) for number in self._numbers[self._rows].tolist()]
            rows = np.array(wanted, np.int64)
            self._is_seen = rows >= 0
            self._note_arrivals(numbers)
            self._last = self._last.copy()
            self._last[self._is_seen] = found[rows[self._is_seen]]
        return self._last

    def _note_arrivals(self, numbers: np.ndarray) -> None:
        """Remember what is shown now but was not when the world was read."""
        is_new = ~np.isin(numbers, self._numbers)
        if is_new.any():
            for instance in compress(self._depsgraph.object_instances, is_new):
                found = (instance.parent if instance.is_instance else instance.object).original
                self.arrivals[found.session_uid] = found

    def _transform_tracks(self, times: np.ndarray, only: set[str] | None) -> Iterable[Track]:
        moving = np.zeros(len(self._ids), bool)
        for rows, _ in self._changed:
            moving[rows] = True
        for index, found in enumerate(self._ids):
            parent = self._world.entities[found].parent
            above = self._place.get(parent, -1) if parent is not None else -1
            if only is not None:
                if found not in only:
                    continue
            elif not (moving[index] or (above >= 0 and moving[above])):
                continue
            local = self._over_time(index)
            if above >= 0:
                local = np.linalg.solve(_solvable(self._over_time(above)), local)
            elif parent is not None:
                local = np.linalg.solve(self._world.world_from_local(parent)[None], local)
            yield from _split(found, times, local)

    def _over_time(self, index: int) -> np.ndarray:
        """Return the world matrix of an id at every sample, (F, 4, 4)."""
        out = np.repeat(self._first[index][None], len(self._changed), axis=0)
        for frame, (rows, matrices) in enumerate(self._changed):
            at = np.searchsorted(rows, index)
            if at < len(rows) and rows[at] == index:
                out[frame] = matrices[at]
        return out

    # Components and materials ---------------------------------------------------------------------

    def _hiding_objects(self) -> dict[int, Any]:
        """Return, by row, the originals whose visibility is animated.

        The list of instances is that of the frame at which the render began: Blender does not
        take out of it what animation hides later.
        """
        rows = {obj.session_uid: row for row, obj in enumerate(self._objects) if obj is not None}
        found = {}
        for evaluated in self._depsgraph.scene.objects:
            obj = evaluated.original
            if obj.animation_data is None or "hide_render" not in animated_paths(obj):
                continue
            if obj.session_uid in rows:
                found[rows[obj.session_uid]] = obj
            elif obj.hide_render:
                self.arrivals[obj.session_uid] = obj
        return found

    def _animated_data(self) -> dict[str, tuple[str, Any]]:
        """Return, by entity, component key and original data of animated lamps and cameras."""
        found = {}
        for key, obj in zip(self._row_ids, self._objects, strict=True):
            if obj is None or obj.type not in {"LIGHT", "CAMERA"} or obj.data is None:
                continue
            if is_animated(obj.data):
                found[key] = (obj.type.lower(), obj.data)
        return found

    def _readers(self) -> dict[str, tuple[str, Callable[[], Struct]]]:
        return {
            found: (key, lambda key=key, data=data: _component(key, data, self._depsgraph))
            for found, (key, data) in self._data.items()
        }

    def _component_tracks(self, times: np.ndarray, only: set[str] | None) -> Iterable[Track]:
        for found, readings in self._structs.items():
            if only is not None and found not in only:
                continue
            key = self._data[found][0]
            for path in animatable_paths("entity"):
                if path.startswith(f"{key}."):
                    name = path.removeprefix(f"{key}.")
                    rest = self._rest_readings[found]
                    yield from _field_track("entity", found, path, name, times, readings, rest)

    def _sample_materials(self) -> None:
        surfaces = self._sync.tables[2]
        materials = animated_materials(self._depsgraph)
        if materials:
            surfaces.begin_pass(self._depsgraph, materials, set(), False)
            for found in self._world.materials:
                value = surfaces.value(found)
                if value is not None:
                    self._materials.setdefault(found, []).append(value)

    def _material_tracks(self, times: np.ndarray) -> Iterable[Track]:
        for found, readings in self._materials.items():
            rest = self._world.materials[found]
            if len(readings) != len(times) or all(reading == rest for reading in readings):
                continue
            for path in animatable_paths("material"):
                yield from _field_track("material", found, path, path, times, readings, rest)

    def _visibility_tracks(self, times: np.ndarray) -> Iterable[Track]:
        """What is not shown at a frame draws nothing, casts nothing and gives no light then."""
        seen = np.stack(self._seen)
        for index in np.flatnonzero(~seen.all(axis=0)).tolist():
            entity = self._world.entities[self._row_ids[index]]
            shown = seen[:, index, None].astype(np.float32)
            for path in ("mesh.visible_to_camera", "mesh.casts_shadow"):
                if entity.mesh is not None and read_path(entity, path):
                    yield Track("entity", entity.id, path, times, shown)
            if entity.light is not None and entity.id not in self._structs:
                strength = shown * entity.light.strength
                yield Track("entity", entity.id, "light.strength", times, strength)


def _numbers(depsgraph: Any) -> np.ndarray:
    """Return a number for each instance that is the same at every frame."""
    instances = depsgraph.object_instances
    out = np.empty(len(instances), np.int32)
    if len(out):
        instances.foreach_get("random_id", out)
    return out


def _component(key: str, data: Any, depsgraph: Any) -> Struct:
    evaluated = data.evaluated_get(depsgraph)
    if key == "light":
        return read_light(evaluated, datablock_name(data)).component
    return read_camera(evaluated).component


def _field_track(
    kind: Any,
    found: str,
    path: str,
    name: str,
    times: np.ndarray,
    readings: list[Struct],
    rest: Struct,
) -> Iterable[Track]:
    values = [read_path(reading, name) for reading in readings]
    if any(value is None for value in values) or all(v == read_path(rest, name) for v in values):
        return
    assert animatable(kind, path) is not None
    rows = np.array([np.atleast_1d(np.asarray(v, np.float64)) for v in values])
    yield Track(kind, found, path, times, rows)


def _split(found: str, times: np.ndarray, local: np.ndarray) -> Iterable[Track]:
    translation, rotation, scale, sheared = decomposed(local)
    if sheared.any():
        yield Track("entity", found, "transform.matrix", times, local.reshape(-1, 16))
        return
    for path, values in (
        ("transform.translation", translation),
        ("transform.rotation", rotation),
        ("transform.scale", scale),
    ):
        yield Track("entity", found, path, times, values)


def _solvable(matrices: np.ndarray) -> np.ndarray:
    flat = np.abs(np.linalg.det(matrices)) < 1e-30
    return np.where(flat[:, None, None], np.identity(4), matrices)
