"""Real scenes made by others: all of them sync, and show what Blender evaluates."""

from __future__ import annotations

import os
from pathlib import Path

import bpy
import msgspec
import numpy as np
import pytest

from fyn.addon.headless import load_world
from fyn.addon.sync.axes import ENGINE_FROM_BLENDER
from fyn.addon.sync.render_depsgraph import with_render_depsgraph
from fyn.addon.sync.scene_report import markdown_table, report_scene
from fyn.engine_core.assets.image_io import decode

pytestmark = pytest.mark.one_blender

ROOT = Path(os.environ.get("FYN_TEST_DATA") or Path(__file__).parents[3] / "shared" / "data")
SCENES = sorted(ROOT.rglob("*.blend"))


@pytest.fixture(scope="module", params=SCENES, ids=lambda path: path.stem)
def scene(request, shared_data):
    return load_world(request.param)


if not SCENES:

    @pytest.fixture
    def scene(shared_data):
        pytest.skip("no .blend file in the shared data")


CURVES = {"CURVE", "SURFACE", "FONT", "META"}


def names_of_points(depsgraph):
    """Names of objects without faces that are drawn as triangles around their points."""
    instances = depsgraph.object_instances
    return {one.object.name for one in instances if one.object.type in {"POINTCLOUD", "CURVES"}}


def by_blender(depsgraph):
    """(name, triangles, least corner, greatest corner) of everything with faces, engine axes."""
    found = []
    for instance in depsgraph.object_instances:
        obj = instance.object
        if obj.type not in {"MESH", "CURVE", "SURFACE", "FONT", "META"} or not instance.show_self:
            continue
        if not (obj.visible_camera or obj.visible_shadow):
            continue
        if instance.is_instance and obj.type == "MESH" and obj.original.type in CURVES:
            continue  # Blender shows the mesh of a curve once more
        mesh = obj.to_mesh()
        if mesh is not None and len(mesh.polygons):
            used = (
                np.unique([loop.vertex_index for loop in mesh.loops])
                if len(mesh.loops) < 500_000
                else slice(None)
            )
            points = np.empty(len(mesh.vertices) * 3)
            mesh.vertices.foreach_get("co", points)
            matrix = ENGINE_FROM_BLENDER @ np.array(instance.matrix_world)
            points = points.reshape(-1, 3)[used] @ matrix[:3, :3].T + matrix[:3, 3]
            count = (
                sum(polygon.loop_total - 2 for polygon in mesh.polygons)
                if len(mesh.polygons) < 500_000
                else len(mesh.loop_triangles)
            )
            found.append((obj.name, count, points.min(axis=0), points.max(axis=0)))
        obj.to_mesh_clear()
    return found


def by_engine(world):
    found = []
    for entity in world.entities.values():
        if entity.mesh is None:
            continue
        mesh, matrix = world.meshes[entity.mesh.mesh], world.world_from_local(entity.id)
        points = mesh.positions @ matrix[:3, :3].T + matrix[:3, 3]
        found.append((entity.name, mesh.triangle_count, points.min(axis=0), points.max(axis=0)))
    return found


def sortable(row):
    return (row[0], row[1], *row[2].round(3), *row[3].round(3))


def test_every_object_has_blenders_triangles_and_bounds(scene):
    expected = sorted(with_render_depsgraph(bpy.context.scene, by_blender), key=sortable)
    points = with_render_depsgraph(bpy.context.scene, names_of_points)
    points -= {row[0] for row in expected}
    found = [row for row in by_engine(scene.world) if row[0] not in points]
    found.sort(key=sortable)
    assert [row[:2] for row in found] == [row[:2] for row in expected]
    for mine, theirs in zip(found, expected, strict=True):
        size = max(1.0, float(np.abs(theirs[2]).max()), float(np.abs(theirs[3]).max()))
        assert np.allclose(mine[2], theirs[2], atol=1e-4 * size), mine[0]
        assert np.allclose(mine[3], theirs[3], atol=1e-4 * size), mine[0]


def test_everything_that_is_named_exists_and_every_picture_decodes(scene):
    world = scene.world
    for entity in world.entities.values():
        assert entity.parent is None or entity.parent in world.entities
        world.world_from_local(entity.id)
        if entity.mesh is not None:
            assert entity.mesh.mesh in world.meshes
            assert all(name in world.materials for name in entity.mesh.materials if name)
            slots = {p.material_slot for p in world.meshes[entity.mesh.mesh].primitives}
            assert max(slots) < len(entity.mesh.materials)
    for material in world.materials.values():
        assert all(slot.image in world.images for slot in material.texture_slots().values())
    for thing in (*world.entities.values(), *world.materials.values(), world.environment):
        assert msgspec.convert(msgspec.to_builtins(thing), type(thing)) == thing
    assert all(decode(image).ndim == 3 for image in world.images.values())
    assert world.active_camera == "" or world.entities[world.active_camera].camera is not None
    used = {entity.mesh.mesh for entity in world.entities.values() if entity.mesh}
    assert used == set(world.meshes)


def test_the_report_counts_and_names_what_differs(scene):
    report = report_scene("scene", scene.world, scene.warnings)
    assert len(report.approximated) + len(report.left_out) == len(scene.warnings)
    table = markdown_table([report])
    assert table.count("\n") == 3
    assert all(str(warning).replace("|", "\\|") in table for warning in scene.warnings)
