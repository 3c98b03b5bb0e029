"""Components on their way from Blender into the world: by object, lamp, camera, world, scene."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from fyn.addon.components import registration
from fyn.addon.components.writing import add, remove, set_values
from fyn.addon.headless import load_world, read_scene
from fyn.engine_core.world.components import Behaviour, Collider, Tags
from fyn.engine_core.world.level_file import read_level
from fyn.exporters.level import export_level

pytestmark = pytest.mark.usefixtures("registered")


@pytest.fixture
def cube(empty_scene):
    bpy.ops.mesh.primitive_cube_add(size=2)
    return bpy.context.object


def world():
    bpy.context.view_layer.update()
    return read_scene().world


def test_an_object_carries_what_was_added_to_it(cube):
    add(cube, Collider)
    set_values(cube, Tags, {"tags": ["enemy"]})
    add(cube, Tags)
    cube.fyn.collider.friction = 0.25
    entity = world().entities["Cube"]
    assert entity.get(Collider) == Collider(friction=0.25)
    assert entity.get(Tags) == Tags(tags=("enemy",))
    assert entity.get(Behaviour) is None


def test_what_is_set_on_the_mesh_reaches_the_drawn_part(cube):
    cube.fyn.mesh.glow, cube.fyn.mesh.sides = 2, "double"
    cube.fyn.mesh.receives_shadow = False
    mesh = world().entities["Cube"].mesh
    assert (mesh.glow, mesh.sides, mesh.receives_shadow) == (2.0, "double", False)
    assert mesh.mesh


def test_objects_without_geometry_carry_components_too(empty_scene):
    bpy.ops.object.empty_add()
    add(bpy.context.object, Behaviour)
    assert world().entities["Empty"].get(Behaviour) == Behaviour()


def test_what_is_set_on_a_lamp_counts_for_every_object_that_shows_it(empty_scene):
    lamp = bpy.data.lights.new("Lamp", "POINT")
    lamp.fyn.light.importance = 3
    for name in ("A", "B"):
        empty_scene.collection.objects.link(bpy.data.objects.new(name, lamp))
    entities = world().entities
    assert [entities[name].light.importance for name in "AB"] == [3.0, 3.0]


def test_cameras_worlds_and_scenes_give_what_is_set_on_them(empty_scene):
    bpy.ops.object.camera_add()
    bpy.context.object.data.fyn.camera.exposure = 1.5
    empty_scene.world = bpy.data.worlds.new("World")
    empty_scene.world.fyn.environment.ambient = 0.5
    empty_scene.fyn.render.tone_map, empty_scene.fyn.render.samples = "aces", "8"
    empty_scene.fyn.render.bloom = False
    found = world()
    assert found.entities["Camera"].camera.exposure == 1.5
    assert found.environment.ambient == 0.5
    assert (found.render.tone_map, found.render.samples, found.render.bloom) == ("aces", 8, False)
    assert found.render.width == empty_scene.render.resolution_x


def test_the_sun_of_a_sky_is_not_touched_by_the_worlds_own_fields(empty_scene):
    world_data = empty_scene.world = bpy.data.worlds.new("World")
    world_data.fyn.environment.ambient = 0.25
    found = world()
    assert found.environment.ambient == 0.25


# Live ---------------------------------------------------------------------------------------------


def test_one_edit_changes_that_entity_and_nothing_else(follow, cube):
    bpy.ops.mesh.primitive_cube_add(size=1)
    follower = follow()
    add(cube, Collider)
    delta = follower.after(lambda: setattr(cube.fyn.collider, "radius", 3.0))
    assert list(delta.entities) == ["Cube"]
    assert delta.entities["Cube"].get(Collider).radius == 3.0
    assert not delta.meshes
    assert not delta.materials


def test_adding_and_removing_arrive(follow, cube):
    follower = follow()
    delta = follower.after(lambda: add(cube, Behaviour))
    assert delta.entities["Cube"].get(Behaviour) == Behaviour()
    delta = follower.after(lambda: remove(cube, Behaviour))
    assert delta.entities["Cube"].get(Behaviour) is None


def test_an_edit_that_the_level_cannot_see_is_no_change(follow, cube):
    """A value of a component that was not added."""
    follower = follow()
    delta = follower.after(lambda: setattr(cube.fyn.collider, "radius", 3.0))
    assert delta is None or not delta.entities


def test_an_edit_of_a_lamp_arrives_at_all_its_objects(follow, empty_scene):
    lamp = bpy.data.lights.new("Lamp", "POINT")
    for name in ("A", "B"):
        empty_scene.collection.objects.link(bpy.data.objects.new(name, lamp))
    follower = follow()
    delta = follower.after(lambda: setattr(lamp.fyn.light, "importance", 2.0))
    assert sorted(delta.entities) == ["A", "B"]


def test_edits_of_world_scene_and_camera_arrive(follow, empty_scene):
    empty_scene.world = bpy.data.worlds.new("World")
    bpy.ops.object.camera_add()
    camera = bpy.context.object.data
    follower = follow()
    delta = follower.after(lambda: setattr(empty_scene.world.fyn.environment, "ambient", 0.5))
    assert delta.environment.ambient == 0.5
    delta = follower.after(lambda: setattr(empty_scene.fyn.render, "exposure", 1.0))
    assert delta.render.exposure == 1.0
    delta = follower.after(lambda: setattr(camera.fyn.camera, "exposure", 1.0))
    assert delta.entities["Camera"].camera.exposure == 1.0


def test_animated_and_driven_fields_are_read_at_the_frame(cube):
    add(cube, Collider)
    collider = cube.fyn.collider
    collider.radius = 1
    collider.keyframe_insert("radius", frame=1)
    collider.radius = 11
    collider.keyframe_insert("radius", frame=11)
    collider.driver_add("height").driver.expression = "frame * 2"
    mesh = cube.fyn.mesh
    mesh.driver_add("glow").driver.expression = "frame"
    entity = read_scene(frame=6).world.entities["Cube"]
    assert entity.get(Collider).radius == pytest.approx(6, abs=0.1)
    assert entity.get(Collider).height == 12.0
    assert entity.mesh.glow == 6.0


def test_many_animated_components_arrive_with_every_frame(follow, empty_scene):
    """More than are looked at one by one when Blender reports them for no reason."""
    empty = bpy.data.meshes.new("M")
    for number in range(80):
        thing = bpy.data.objects.new(f"T{number:02}", empty)
        empty_scene.collection.objects.link(thing)
        add(thing, Behaviour)
        thing.fyn.behaviour.bob_height = 0
        thing.fyn.behaviour.keyframe_insert("bob_height", frame=1)
        thing.fyn.behaviour.bob_height = 10
        thing.fyn.behaviour.keyframe_insert("bob_height", frame=11)
    empty_scene.frame_set(1)
    follower = follow()
    bpy.app.handlers.frame_change_post.append(follower.on_update)
    try:
        empty_scene.frame_set(6)
    finally:
        bpy.app.handlers.frame_change_post.remove(follower.on_update)
    heights = {e.get(Behaviour).bob_height for e in follower.world.entities.values()}
    assert heights == {5.0}


# Instances ----------------------------------------------------------------------------------------


@pytest.fixture
def coin(empty_scene):
    """A coin with a behaviour in a collection of its own, instanced by two empties."""
    collection = bpy.data.collections.new("Coins")
    thing = bpy.data.objects.new("Coin", bpy.data.meshes.new_from_object(_cube()))
    collection.objects.link(thing)
    add(thing, Behaviour)
    thing.fyn.behaviour.collectible = True
    thing.fyn.mesh.glow = 1
    empties = []
    for name in ("One", "Two"):
        empty = bpy.data.objects.new(name, None)
        empty.instance_type, empty.instance_collection = "COLLECTION", collection
        empty_scene.collection.objects.link(empty)
        empties.append(empty)
    return empties


def _cube():
    bpy.ops.mesh.primitive_cube_add(size=1)
    made = bpy.context.object
    bpy.context.collection.objects.unlink(made)
    return made


def instances(found):
    return {key: entity for key, entity in found.entities.items() if "/" in key}


def test_instances_carry_the_components_of_their_source(coin):
    found = instances(world())
    assert len(found) == 2
    for entity in found.values():
        assert entity.get(Behaviour) == Behaviour(collectible=True)
        assert entity.mesh.glow == 1.0


def test_a_component_on_the_instancer_counts_for_its_instances_instead(coin):
    add(coin[0], Behaviour)
    coin[0].fyn.behaviour.spin_speed = 2
    coin[0].fyn.mesh.glow = 5
    found = world()
    one, two = (
        next(e for k, e in instances(found).items() if k.startswith(n)) for n in ("One", "Two")
    )
    assert one.get(Behaviour) == Behaviour(spin_speed=2.0)
    assert two.get(Behaviour) == Behaviour(collectible=True)
    assert (one.mesh.glow, two.mesh.glow) == (5.0, 1.0)
    assert found.entities["One"].get(Behaviour) is None  # it would move everything twice


def test_a_component_that_no_source_has_is_the_instancers_own(coin):
    add(coin[0], Collider)
    found = world()
    assert found.entities["One"].get(Collider) == Collider()
    assert all(entity.get(Collider) is None for entity in instances(found).values())


def test_editing_the_source_arrives_at_all_instances(follow, coin):
    follower = follow()
    source = bpy.data.objects["Coin"]
    delta = follower.after(lambda: setattr(source.fyn.behaviour, "value", 7))
    assert len(delta.entities) == 2
    assert all(entity.get(Behaviour).value == 7 for entity in delta.entities.values())


def test_instances_of_geometry_nodes_carry_the_components_of_their_source(empty_scene):
    source = bpy.data.objects.new("Source", _cube().data)
    add(source, Behaviour)
    empty_scene.collection.objects.link(source)
    tree = bpy.data.node_groups.new("Instances", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    points = tree.nodes.new("GeometryNodePoints")
    points.inputs["Count"].default_value = 3
    info = tree.nodes.new("GeometryNodeObjectInfo")
    info.inputs["Object"].default_value = source
    info.inputs["As Instance"].default_value = True
    on = tree.nodes.new("GeometryNodeInstanceOnPoints")
    out = tree.nodes.new("NodeGroupOutput")
    tree.links.new(points.outputs[0], on.inputs["Points"])
    tree.links.new(info.outputs["Geometry"], on.inputs["Instance"])
    tree.links.new(on.outputs[0], out.inputs[0])
    host = bpy.data.objects.new("Host", bpy.data.meshes.new("Host"))
    empty_scene.collection.objects.link(host)
    host.modifiers.new("Nodes", "NODES").node_group = tree
    found = instances(world())
    assert len(found) == 3
    assert all(entity.get(Behaviour) == Behaviour() for entity in found.values())


# On disk ------------------------------------------------------------------------------------------


def test_components_reach_the_level_file_and_come_back(cube, tmp_path):
    add(cube, Collider)
    cube.fyn.collider.shape = "sphere"
    set_values(cube, Tags, {"tags": ["a", "b"]})
    add(cube, Tags)
    level = export_level(world(), tmp_path / "level").level
    entity = read_level(level).entities["Cube"]
    assert entity.get(Collider) == Collider(shape="sphere")
    assert entity.get(Tags) == Tags(tags=("a", "b"))


def test_a_blend_is_read_with_its_components_where_fyn_is_not_enabled(cube, tmp_path):
    add(cube, Collider)
    file = tmp_path / "cube.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(file))
    registration.unregister()
    try:
        found = load_world(file).world
        assert not hasattr(bpy.types.Object, "fyn")
    finally:
        registration.register()
    assert found.entities["Cube"].get(Collider) == Collider()


# In Blender's own pictures ------------------------------------------------------------------------


def test_a_render_through_a_camera_has_its_exposure(gl, cube, tmp_path):
    """F12 of a glowing cube; every stop doubles its light until it is white."""
    scene = bpy.context.scene
    scene.render.engine = "FYN"
    scene.render.resolution_x = scene.render.resolution_y = 8
    scene.view_settings.view_transform = "Standard"
    scene.fyn.render.tone_map = "linear"
    scene.fyn.render.bloom = False
    bpy.ops.object.camera_add(location=(0, 0, 3))
    scene.camera = bpy.context.object
    cube.fyn.mesh.glow = 0.25
    means = []
    for stops in (0, 1):
        scene.camera.data.fyn.camera.exposure = stops
        scene.render.filepath = str(tmp_path / f"{stops}.exr")
        scene.render.image_settings.file_format = "OPEN_EXR"
        bpy.ops.render.render(write_still=True)
        image = bpy.data.images.load(scene.render.filepath)
        means.append(np.array(image.pixels[:]).reshape(-1, 4)[:, :3].mean())
    assert means[0] == pytest.approx(0.2, abs=0.01)  # a quarter of Blender's default grey
    assert means[1] == pytest.approx(2 * means[0], rel=0.02)
