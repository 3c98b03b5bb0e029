"""Who sees an object: its own rays, its instancer's, and the collections of the view layer."""

from __future__ import annotations

import bpy
import pytest

from fyn.addon.sync.render_depsgraph import with_render_depsgraph
from fyn.addon.sync.scene_sync import SceneSync
from fyn.engine_core.world.world import World


def synced():
    sync, world = SceneSync(), World()
    world.apply(with_render_depsgraph(bpy.context.scene, sync.full))
    return world, sync


def triangle():
    mesh = bpy.data.meshes.new("triangle")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    return mesh


def collection(name):
    made = bpy.data.collections.new(name)
    bpy.context.scene.collection.children.link(made)
    return made


def placed(name, data, where):
    obj = bpy.data.objects.new(name, data)
    where.objects.link(obj)
    return obj


def instance_of(source, name, where):
    obj = placed(name, None, where)
    obj.instance_type, obj.instance_collection = "COLLECTION", source
    return obj


@pytest.fixture
def stage(empty_scene):
    """Collection "stage" with a triangle and an instance of collection "source" (elsewhere)."""
    source = bpy.data.collections.new("source")
    placed("part", triangle(), source)
    stage = collection("stage")
    placed("own", triangle(), stage)
    instance_of(source, "instancer", stage)
    return empty_scene.view_layers[0].layer_collection.children["stage"]


def seen(world):
    return {
        entity.name: (entity.mesh.visible_to_camera, entity.mesh.casts_shadow)
        for entity in world.entities.values()
        if entity.mesh is not None
    }


def test_everything_is_seen_where_nobody_says_otherwise(stage):
    world, sync = synced()
    assert seen(world) == {"own": (True, True), "part": (True, True)}
    assert sync.warnings == []


def test_a_collection_seen_indirectly_only_casts_shadows(stage):
    stage.indirect_only = True
    world, _ = synced()
    assert seen(world) == {"own": (False, True), "part": (False, True)}


def held_out(world):
    return {
        entity.name
        for entity in world.entities.values()
        if entity.mesh is not None
        and {world.materials[name].shading for name in entity.mesh.materials if name} == {"holdout"}
    }


def test_everything_in_a_collection_that_is_held_out_is_a_hole(stage):
    stage.holdout = True
    world, sync = synced()
    assert held_out(world) == {"own", "part"} and sync.warnings == []


def test_an_object_is_held_out_and_comes_back(stage, follow):
    follower = follow()
    bpy.data.objects["own"].is_holdout = True
    bpy.context.view_layer.update()
    assert held_out(follower.world) == {"own"}
    bpy.data.objects["own"].is_holdout = False
    bpy.context.view_layer.update()
    assert held_out(follower.world) == set() and follower.world.materials == {}


def test_an_instancers_rays_are_those_of_its_instances(stage):
    bpy.data.objects["instancer"].visible_camera = False
    world, _ = synced()
    assert seen(world) == {"own": (True, True), "part": (False, True)}


def test_each_view_layer_has_its_own_flags(stage, empty_scene):
    other = empty_scene.view_layers.new("other")
    other.layer_collection.children["stage"].indirect_only = True
    assert seen(synced()[0])["own"] == (True, True)
    empty_scene.view_layers[0].use = False
    assert seen(synced()[0])["own"] == (False, True)


def test_a_collection_that_becomes_indirect_is_followed(stage, follow):
    follower = follow()
    assert seen(follower.world)["own"] == (True, True)
    stage.indirect_only = True
    bpy.context.view_layer.update()
    assert seen(follower.world) == {"own": (False, True), "part": (False, True)}
    stage.indirect_only = False
    bpy.context.view_layer.update()
    assert seen(follower.world)["own"] == (True, True)
