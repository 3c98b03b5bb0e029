"""The whole scene as entities: who stands where, under whom, showing what."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from fyn.addon.sync import surfaces
from fyn.addon.sync.axes import ENGINE_FROM_BLENDER
from fyn.addon.sync.render_depsgraph import with_render_depsgraph
from fyn.addon.sync.scene_sync import SceneSync
from fyn.engine_core.world.world import World


def synced(read=None):
    """The scene as its viewport shows it, and the sync that read it."""
    sync, world = SceneSync(), World()
    if read is None:
        world.apply(sync.full(bpy.context.evaluated_depsgraph_get()))
    else:
        world.apply(with_render_depsgraph(bpy.context.scene, sync.full))
    return world, sync


def linked(name, data=None, collection=None):
    obj = bpy.data.objects.new(name, data)
    (collection or bpy.context.scene.collection).objects.link(obj)
    return obj


def cube_mesh(name="cube"):
    mesh = bpy.data.meshes.new(name)
    corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh.from_pydata(corners, [], faces)
    mesh.update()
    return mesh


def engine_matrix(matrix):
    return ENGINE_FROM_BLENDER @ np.array(matrix) @ ENGINE_FROM_BLENDER.T


def test_an_empty_scene_is_an_empty_world(empty_scene):
    world, sync = synced()
    assert world.entities == {} and world.active_camera == ""
    assert sync.warnings == []


def test_a_mesh_object_stands_where_blender_has_it(empty_scene):
    obj = linked("Würfel [1]", cube_mesh())
    obj.matrix_world = Matrix.Translation((1, 2, 3)) @ Matrix.Rotation(0.4, 4, (1, 2, 3))
    world, _ = synced()
    entity = world.entities["Würfel [1]"]
    assert entity.name == "Würfel [1]"
    assert world.meshes[entity.mesh.mesh].triangle_count == 12
    assert np.allclose(world.world_from_local(entity.id), engine_matrix(obj.matrix_world))


def test_objects_share_the_mesh_they_share_in_blender(empty_scene):
    mesh = cube_mesh()
    for index in range(5):
        linked(f"o{index}", mesh)
    bent = linked("bent", mesh)
    bent.modifiers.new("subdivide", "SUBSURF").levels = 1
    world, _ = synced()
    assert len(world.meshes) == 2
    assert {world.entities[f"o{i}"].mesh.mesh for i in range(5)} == {"cube"}
    assert world.meshes[world.entities["bent"].mesh.mesh].triangle_count == 48


def test_children_hang_on_their_parents_and_stand_in_the_same_place(empty_scene):
    parent = linked("parent")
    parent.matrix_world = Matrix.Translation((4, 0, 0)) @ Matrix.Diagonal((1, 2, 1, 1))
    child = linked("child", cube_mesh())
    child.parent = parent
    child.matrix_local = Matrix.Rotation(0.7, 4, "Z") @ Matrix.Translation((0, 1, 0))
    grandchild = linked("grandchild", cube_mesh())
    grandchild.parent = child
    world, _ = synced()
    assert world.entities["child"].parent == "parent"
    assert world.entities["grandchild"].parent == "child"
    assert world.entities["grandchild"].transform.matrix is None
    for obj in (parent, child, grandchild):
        found = world.world_from_local(obj.name)
        assert np.allclose(found, engine_matrix(obj.matrix_world), atol=1e-5)


@pytest.mark.parametrize("scale", [(-1, 1, 1), (-2, -1, -1), (1, -1, 1), (0, 1, 1), (0, 0, 0)])
def test_negative_and_zero_scales_stand_where_blender_has_them(empty_scene, scale):
    parent = linked("parent", cube_mesh())
    parent.scale = scale
    child = linked("child", cube_mesh())
    child.parent = parent
    child.location = (1, 2, 3)
    child.rotation_euler = (0.1, 0.2, 0.3)
    bpy.context.view_layer.update()
    world, _ = synced()
    for obj in (parent, child):
        found = world.world_from_local(obj.name)
        assert np.allclose(found, engine_matrix(obj.matrix_world), atol=1e-5)


def test_a_hidden_parent_leaves_its_child_under_the_grandparent(empty_scene):
    top, middle, leaf = linked("top"), linked("middle", cube_mesh()), linked("leaf", cube_mesh())
    middle.parent, leaf.parent = top, middle
    middle.location.x = leaf.location.y = 3
    middle.hide_viewport = True
    world, _ = synced()
    assert "middle" not in world.entities
    assert world.entities["leaf"].parent == "top"
    found = world.world_from_local("leaf")
    assert np.allclose(found, engine_matrix(leaf.matrix_world))


def test_a_sheared_object_keeps_its_whole_matrix(empty_scene):
    parent, child = linked("parent"), linked("child", cube_mesh())
    parent.scale = (3, 1, 1)
    child.parent = parent
    child.rotation_euler = (0, 0, 0.6)
    parent.hide_viewport = True
    world, _ = synced()
    entity = world.entities["child"]
    assert entity.parent is None and entity.transform.matrix is not None
    assert np.allclose(entity.transform.to_matrix(), engine_matrix(child.matrix_world), atol=1e-6)


def test_a_material_that_defeats_the_reader_is_grey_and_named(empty_scene, monkeypatch):
    mesh = cube_mesh()
    mesh.materials.append(bpy.data.materials.new("böse"))
    linked("cube", mesh)

    def defeat(*args):
        raise ZeroDivisionError("by accident")

    monkeypatch.setattr(surfaces, "read_material", defeat)
    world, sync = synced()
    assert world.materials["böse"].base_color == (0.8, 0.8, 0.8, 1.0)
    assert any("by accident" in str(w) and w.name == "böse" for w in sync.warnings)


def test_the_viewport_and_a_render_each_show_their_own(empty_scene):
    linked("only viewport", cube_mesh()).hide_render = True
    linked("only render", cube_mesh()).hide_viewport = True
    hidden = linked("eye closed", cube_mesh())
    hidden.hide_set(True)
    subdivided = linked("levels", cube_mesh("levels"))
    modifier = subdivided.modifiers.new("subdivide", "SUBSURF")
    modifier.levels, modifier.render_levels = 0, 1
    viewport, render = synced()[0], synced("render")[0]
    assert set(viewport.entities) == {"only viewport", "levels"}
    assert set(render.entities) == {"only render", "eye closed", "levels"}
    assert viewport.meshes[viewport.entities["levels"].mesh.mesh].triangle_count == 12
    assert render.meshes[render.entities["levels"].mesh.mesh].triangle_count == 48


def test_reading_a_render_leaves_the_scene_as_it_was(empty_scene):
    engine = empty_scene.render.engine
    objects, cameras = len(bpy.data.objects), len(bpy.data.cameras)
    synced("render")
    assert empty_scene.render.engine == engine and empty_scene.camera is None
    assert (len(bpy.data.objects), len(bpy.data.cameras)) == (objects, cameras)
    assert not hasattr(bpy.types, "DepsgraphReader")


def test_camera_rays_and_shadow_rays_can_be_switched_off(empty_scene):
    linked("shadow only", cube_mesh()).visible_camera = False
    linked("no shadow", cube_mesh()).visible_shadow = False
    neither = linked("neither", cube_mesh())
    neither.visible_camera = neither.visible_shadow = False
    world, _ = synced()
    only, none = world.entities["shadow only"].mesh, world.entities["no shadow"].mesh
    assert (only.visible_to_camera, only.casts_shadow) == (False, True)
    assert (none.visible_to_camera, none.casts_shadow) == (True, False)
    assert world.entities["neither"].mesh is None


def test_every_collection_instance_is_there_with_an_id_of_its_own(empty_scene):
    source = bpy.data.collections.new("source")
    linked("part", cube_mesh(), source).location = (0, 0, 1)
    for index in range(3):
        instancer = linked(f"instance {index}")
        instancer.instance_type = "COLLECTION"
        instancer.instance_collection = source
        instancer.location = (index * 5, 0, 0)
        instancer.scale = (1, 1, -2)
    world, _ = synced()
    parts = [entity for entity in world.entities.values() if entity.mesh is not None]
    assert len(parts) == 3 and len(world.meshes) == 1
    assert {part.parent for part in parts} == {f"instance {index}" for index in range(3)}
    placed = {tuple(world.world_from_local(part.id)[:3, 3].round(4)) for part in parts}
    assert placed == {(0, -2, 0), (5, -2, 0), (10, -2, 0)}
    again, _ = synced()
    assert list(again.entities) == list(world.entities)
    assert again.entities == world.entities


def test_instances_within_instances_are_there(empty_scene):
    inner, outer = bpy.data.collections.new("inner"), bpy.data.collections.new("outer")
    linked("part", cube_mesh(), inner)
    for index in range(2):
        nested = linked(f"nested {index}", None, outer)
        nested.instance_type, nested.instance_collection = "COLLECTION", inner
        nested.location.y = index
    for index in range(2):
        top = linked(f"top {index}")
        top.instance_type, top.instance_collection = "COLLECTION", outer
        top.location.x = index
    world, _ = synced()
    parts = [entity for entity in world.entities.values() if entity.mesh is not None]
    assert len(parts) == len({part.id for part in parts}) == 4
    places = {tuple(world.world_from_local(part.id)[:3, 3]) for part in parts}
    assert places == {(x, 0, -y) for x in (0, 1) for y in (0, 1)}


def test_what_is_not_drawn_is_named(empty_scene):
    linked("Wolke", bpy.data.volumes.new("cloud"))
    _, sync = synced()
    assert [(w.name, w.left_out) for w in sync.warnings] == [("Wolke", True)]


def test_slots_follow_the_object_where_it_overrides_its_mesh(empty_scene):
    mesh = cube_mesh()
    red, blue = bpy.data.materials.new("red"), bpy.data.materials.new("blue")
    mesh.materials.append(red)
    linked("by mesh", mesh)
    other = linked("by object", mesh)
    other.material_slots[0].link = "OBJECT"
    other.material_slots[0].material = blue
    linked("none", cube_mesh("bare"))
    world, _ = synced()
    assert world.entities["by mesh"].mesh.materials == ("red",)
    assert world.entities["by object"].mesh.materials == ("blue",)
    assert world.entities["none"].mesh.materials == ("",)
    assert set(world.materials) == {"red", "blue"}


def test_a_face_whose_slot_is_missing_shows_the_last_material(empty_scene):
    mesh = cube_mesh()
    mesh.materials.append(bpy.data.materials.new("only"))
    mesh.polygons[2].material_index = 0
    mesh.attributes.new("material_index", "INT", "FACE") if not mesh.attributes.get(
        "material_index"
    ) else None
    mesh.attributes["material_index"].data.foreach_set("value", [0, 0, 0, 0, 0, 4])
    linked("cube", mesh)
    world, _ = synced()
    assert world.entities["cube"].mesh.materials == ("only",) * 5


def test_the_scene_camera_is_the_active_one_and_markers_switch_it(empty_scene):
    first = linked("first", bpy.data.cameras.new("c"))
    second = linked("second", bpy.data.cameras.new("c"))
    empty_scene.camera = first
    assert synced()[0].active_camera == "first"
    empty_scene.timeline_markers.new("cut", frame=10).camera = second
    empty_scene.timeline_markers.new("begin", frame=1).camera = first
    empty_scene.frame_set(12)
    assert synced()[0].active_camera == "second"


def test_lamps_and_cameras_look_along_their_own_axes(empty_scene):
    camera = linked("camera", bpy.data.cameras.new("c"))
    camera.rotation_euler = (math.pi / 2, 0, 0)
    lamp = linked("lamp", bpy.data.lights.new("l", "SUN"))
    child = linked("child", bpy.data.lights.new("s", "SPOT"))
    child.parent = camera
    child.location = (0, 0, -1)
    world, _ = synced()
    assert np.allclose(-world.world_from_local("camera")[:3, 2], (0, 0, -1), atol=1e-6)
    assert np.allclose(-world.world_from_local("lamp")[:3, 2], (0, -1, 0), atol=1e-6)
    assert np.allclose(world.world_from_local("child")[:3, 3], (0, 0, -1), atol=1e-6)
    assert lamp.name in world.entities


def test_linked_objects_of_one_name_keep_apart(empty_scene, tmp_path):
    library = str(tmp_path / "props [ö].blend")
    linked("Prop", cube_mesh("local mesh"))
    bpy.data.libraries.write(library, {bpy.data.objects["Prop"]})
    with bpy.data.libraries.load(library, link=True) as (_, wanted):
        wanted.objects = ["Prop"]
    empty_scene.collection.objects.link(wanted.objects[0])
    world, _ = synced()
    assert set(world.entities) == {"Prop", "Prop [props [ö].blend]"}


def test_a_missing_library_is_named(empty_scene, tmp_path):
    library = tmp_path / "gone.blend"
    linked("Prop", cube_mesh())
    bpy.data.libraries.write(str(library), {bpy.data.objects["Prop"]})
    bpy.data.objects.remove(bpy.data.objects["Prop"])
    with bpy.data.libraries.load(str(library), link=True) as (_, wanted):
        wanted.objects = ["Prop"]
    empty_scene.collection.objects.link(wanted.objects[0])
    scene = tmp_path / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(scene))
    library.unlink()
    bpy.ops.wm.open_mainfile(filepath=str(scene))
    _, sync = synced()
    assert any(w.kind == "library" and "gone.blend" in w.name for w in sync.warnings)


def test_hundreds_of_objects_of_one_wish_get_different_ids(empty_scene):
    mesh = cube_mesh()
    for _ in range(300):
        linked("same", mesh)
    world, _ = synced()
    assert len(world.entities) == 300


def test_the_same_scene_gives_the_same_world_twice(empty_scene):
    for index in range(10):
        linked(f"o{index}", cube_mesh()).location = (index, index * 0.37, -index)
    first, second = synced()[0], synced()[0]
    assert list(first.entities.items()) == list(second.entities.items())
    assert list(first.meshes) == list(second.meshes)
