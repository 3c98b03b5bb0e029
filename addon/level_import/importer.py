"""A World into the open Blender file: a scene that shows it and exports to the same bytes."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import bpy
from msgspec import structs

from ...engine_core.assets.material import Material
from ...engine_core.world.components import WORLD_COMPONENT_TYPES, Environment, RenderSettings
from ...engine_core.world.entity import Entity
from ...engine_core.world.world import World
from ..components.registration import properties
from ..sync.kept import keep, keep_name
from ..sync.render_depsgraph import with_render_depsgraph
from ..sync.scene_sync import SceneSync
from .animation import keep_animation
from .images import make_image
from .materials import make_material
from .meshes import make_mesh
from .objects import also, make_object, place_objects, set_component, set_components, set_materials
from .renaming import renamed_world
from .surroundings import make_world, set_render


@dataclass
class ImportReport:
    """What an import made, and in words what it could not."""

    scene: Any
    objects: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    renamed: int = 0
    """How many names were taken or too long: what has another name exports under that."""


def import_world(world: World, name: str) -> ImportReport:
    """Make a new scene called `name` of everything in `world`."""
    scene: Any = bpy.data.scenes.new(name)
    with contextlib.suppress(TypeError):  # without the add-on there is no such engine
        scene.render.engine = "FYN"
    report = ImportReport(scene)
    with properties():
        _Import(world, scene, report).run()
    return report


def _needs_the_same(mine: Any, images: Collection[str]) -> bool:
    """Tell whether the pictures that a material of the level names are those that are synced."""
    return not isinstance(mine, Material) or all(
        slot.image in images for slot in mine.texture_slots().values()
    )


def _of_what_is_read(entity: Entity, reading: World) -> Entity:
    """Return `entity` without what the sync passes over: empty meshes, materials of no triangle."""
    if entity.mesh is None:
        return entity
    if entity.mesh.mesh not in reading.meshes:
        return structs.replace(entity, mesh=None, skin=None, morph=None)  # type: ignore[call-arg]
    materials = tuple(key if key in reading.materials else "" for key in entity.mesh.materials)
    return structs.replace(entity, mesh=structs.replace(entity.mesh, materials=materials))


class _Import:
    """One import, while it goes on."""

    def __init__(self, world: World, scene: Any, report: ImportReport) -> None:
        self.world, self.scene, self.report = world, scene, report
        self.images: dict[str, Any] = {}
        self.meshes: dict[str, Any] = {}
        self.materials: dict[str, Any] = {}

    def run(self) -> None:
        self._make_assets()
        self._make_objects()
        self._set_level()
        self._keep_unused()
        tables = {
            "entity": self.report.objects,
            "mesh": self.meshes,
            "material": self.materials,
            "image": self.images,
        }
        names = {kind: {key: one.name for key, one in t.items()} for kind, t in tables.items()}
        level = renamed_world(self.world, names) if self.report.renamed else self.world
        now = {kind: {one.name: one for one in t.values()} for kind, t in tables.items()}
        self._remember(level, now)
        self.report.warnings += keep_animation(level, self.scene, now["entity"], now["material"])

    def _make_assets(self) -> None:
        for key in sorted(self.world.images):
            self.images[key] = self._named(key, make_image(key, self.world.images[key]))
        for key in sorted(self.world.meshes):
            mesh, lost = make_mesh(key, self.world.meshes[key])
            self.meshes[key] = self._named(key, mesh)
            if lost:
                self.report.warnings.append(
                    f"Mesh '{key}': {lost} triangles without an area were left out."
                )
        layouts = self._layouts()
        for key in sorted(self.world.materials):
            uvs, colors = layouts.get(key, ((), ()))
            made = make_material(key, self.world.materials[key], self.images, uvs, colors)
            self.materials[key] = self._named(key, made)

    def _layouts(self) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
        """Names of the UV maps and colours of a mesh that has each material."""
        found: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
        for entity in self.world.entities.values():
            mesh = self.world.meshes.get(entity.mesh.mesh) if entity.mesh is not None else None
            if mesh is None or entity.mesh is None:
                continue
            for name in entity.mesh.materials:
                found.setdefault(name, (mesh.uv_names, mesh.color_names))
        return found

    def _make_objects(self) -> None:
        objects = self.report.objects
        for key in sorted(self.world.entities):
            entity = self.world.entities[key]
            obj = objects[key] = self._named(key, make_object(entity, self.meshes))
            self.scene.collection.objects.link(obj)
            keep_name(obj, entity.name)
            for part in also(entity):
                self.report.warnings.append(
                    f"Entity '{key}': an object of Blender is one thing; its {part} was left out."
                )
        place_objects(self.world, objects)
        for key, obj in objects.items():
            entity = self.world.entities[key]
            set_materials(obj, entity, self.materials)
            self.report.warnings += set_components(obj, entity, objects)
        self.scene.camera = objects.get(self.world.active_camera)

    def _set_level(self) -> None:
        world, objects = self.world, self.report.objects
        self.scene.world = make_world(self.scene.name, world.environment, self.images)
        set_render(self.scene, world.render)
        for key in WORLD_COMPONENT_TYPES:
            component = getattr(world, key, None) or world.components.get(key)
            if component is None:
                continue
            home = self.scene.world if component.owner == "environment" else self.scene
            self.report.warnings += set_component(home, component, objects)

    def _keep_unused(self) -> None:
        """Let Blender save what nothing of the level uses; an export leaves it out."""
        tables = (self.images, self.meshes, self.materials)
        unused = [(key, one) for table in tables for key, one in table.items() if not one.users]
        for _, datablock in unused:
            datablock.use_fake_user = True
        if unused:
            names = ", ".join(repr(key) for key, _ in unused[:3])
            more = f" and {len(unused) - 3} more" if len(unused) > 3 else ""
            self.report.warnings.append(
                f"Nothing in the level uses {names}{more}: kept in the file with a fake user, but"
                " not exported again."
            )

    def _named(self, wanted: str, datablock: Any) -> Any:
        if datablock.name != wanted:
            self.report.renamed += 1
        return datablock

    def _remember(self, level: World, tables: Mapping[str, Mapping[str, Any]]) -> None:
        """Leave the words of `level` with whatever reads otherwise than it came.

        `tables` are the datablocks by kind and by their ids in `level`, which are their names.
        """
        if self.report.renamed:
            self.report.warnings.append(
                f"{self.report.renamed} names are taken in this file or too long for it; what has"
                " another name now is exported under that."
            )
        reading = World()
        reading.apply(with_render_depsgraph(self.scene, SceneSync().full))
        for key in sorted(level.meshes.keys() - reading.meshes.keys()):
            if tables["mesh"][key].users and not level.meshes[key].triangle_count:
                self.report.warnings.append(
                    f"Mesh '{key}' has no triangles: Blender has it, but it is not exported again."
                )
        for mine, read, datablocks in (
            (level.meshes, reading.meshes, tables["mesh"]),
            (level.materials, reading.materials, tables["material"]),
            (level.entities, reading.entities, tables["entity"]),
        ):
            for key in mine.keys() & read.keys() & datablocks.keys():
                words = mine[key]
                if isinstance(words, Entity):
                    words = _of_what_is_read(words, reading)
                if _needs_the_same(words, reading.images.keys()):
                    keep(datablocks[key], read[key], words)
        for datablock, mine, read in (
            (self.scene.world, level.environment, reading.environment),
            (self.scene, level.render, reading.render),
        ):
            assert isinstance(mine, Environment | RenderSettings)
            keep(datablock, read, mine)
