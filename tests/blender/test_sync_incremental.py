"""Edits after which nothing but what they changed is looked at, in scenes of many objects."""

from __future__ import annotations

import bpy
import pytest

from fyn.addon.sync.changes import FEW_RETAGGED
from fyn.addon.sync.scene_sync import SceneSync

OBJECTS = FEW_RETAGGED + 20
"""So many that Blender's reports of all of them are not followed one by one."""


def linked(name, data=None):
    obj = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def triangle(name):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    mesh.uv_layers.new(name="map")
    material = bpy.data.materials.new(name)
    if material.node_tree is None:
        material.use_nodes = True
    mesh.materials.append(material)
    return mesh


@pytest.fixture
def many(follow, monkeypatch):
    """Many objects that share ten meshes, followed by a sync that may not look at all of them."""
    bpy.context.preferences.edit.use_global_undo = True
    meshes = [triangle(f"m{number}") for number in range(10)]
    for number in range(OBJECTS):
        linked(f"o{number}", meshes[number % len(meshes)])
    parent = linked("parent")
    for number in range(3):
        child = linked(f"child{number}", meshes[0])
        child.parent = parent
        child.location = (number, 1, 2)
    bpy.ops.ed.undo_push(message="start")
    follower = follow()
    walk = SceneSync._walk

    def only_fresh(sync, depsgraph):
        assert sync is not follower.sync, "everything was looked at"
        walk(sync, depsgraph)

    monkeypatch.setattr(SceneSync, "_walk", only_fresh)
    return follower


def obj(name):
    return bpy.data.objects[name]


def test_hiding_and_showing_removes_and_adds_that_entity_only(many):
    layer = bpy.context.view_layer
    delta = many.after(lambda: obj("o5").hide_set(True, view_layer=layer))
    assert delta.removed_entities == {"o5"} and not delta.entities and not delta.meshes
    delta = many.after(lambda: obj("o5").hide_set(False, view_layer=layer))
    assert list(delta.entities) == ["o5"] and not delta.meshes
    delta = many.after(lambda: setattr(obj("o5"), "hide_viewport", True))
    assert delta.removed_entities == {"o5"} and not delta.entities


def test_swapping_which_of_two_is_hidden_is_noticed_although_their_number_stays(many):
    layer = bpy.context.view_layer
    many.after(lambda: obj("o1").hide_set(True, view_layer=layer))
    delta = many.after(
        lambda: obj("o1").hide_set(False, view_layer=layer),
        lambda: obj("o2").hide_set(True, view_layer=layer),
    )
    assert delta.removed_entities == {"o2"} and list(delta.entities) == ["o1"]


def test_a_hidden_parent_lets_go_of_its_children_in_place(many):
    delta = many.after(lambda: setattr(obj("parent"), "hide_viewport", True))
    assert set(delta.entities) == {"child0", "child1", "child2"}
    assert {entity.parent for entity in delta.entities.values()} == {None}
    delta = many.after(lambda: setattr(obj("parent"), "hide_viewport", False))
    assert {many.world.entities[f"child{n}"].parent for n in range(3)} == {"parent"}


def test_selecting_changes_nothing(many):
    layer = bpy.context.view_layer
    delta = many.after(lambda: obj("o3").select_set(True, view_layer=layer))
    assert delta is None or delta.is_empty()


def test_objects_come_and_go_with_their_meshes_and_materials(many):
    delta = many.after(lambda: linked("new", triangle("own")))
    assert list(delta.entities) == ["new"]
    assert list(delta.meshes) == ["own"] and list(delta.materials) == ["own"]
    delta = many.after(lambda: bpy.data.objects.remove(obj("new")))
    assert delta.removed_entities == {"new"}
    assert delta.removed_meshes == {"own"} and delta.removed_materials == {"own"}


def test_a_modifier_changes_its_object_only(many):
    delta = many.after(lambda: obj("o4").modifiers.new("m", "TRIANGULATE"))
    assert list(delta.entities) == ["o4"] and list(delta.meshes) == ["o4"]
    delta = many.after(obj("o4").modifiers.clear)
    assert delta.removed_meshes == {"o4"}


def test_undo_and_redo_send_what_they_change(many):
    obj("o7").location.x = 3
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="moved")
    many.deltas.clear()
    bpy.ops.ed.undo()
    bpy.context.view_layer.update()
    assert {key for delta in many.deltas for key in delta.entities} == {"o7"}
    assert not any(delta.meshes or delta.materials for delta in many.deltas)
    many.check()
    many.deltas.clear()
    bpy.ops.ed.redo()
    bpy.context.view_layer.update()
    assert {key for delta in many.deltas for key in delta.entities} == {"o7"}
    assert not any(delta.meshes or delta.materials for delta in many.deltas)
    many.check()


def test_undo_of_a_flag_and_of_a_name_reaches_the_world(many):
    obj("o8").visible_shadow = False
    obj("o9").name = "other"
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="flag and name")
    assert not many.world.entities["o8"].mesh.casts_shadow
    assert many.world.entities["o9"].name == "other"
    bpy.ops.ed.undo()
    bpy.context.view_layer.update()
    many.check()
    assert many.world.entities["o8"].mesh.casts_shadow
    assert many.world.entities["o9"].name == "o9"


def test_a_normal_map_reaches_all_who_use_the_material(many):
    tree = bpy.data.materials["m2"].node_tree
    picture, normal = tree.nodes.new("ShaderNodeTexImage"), tree.nodes.new("ShaderNodeNormalMap")
    picture.image = bpy.data.images.new("normals", 4, 4)
    tree.links.new(picture.outputs["Color"], normal.inputs["Color"])
    shader = next(node for node in tree.nodes if node.type == "BSDF_PRINCIPLED")
    many.after(lambda: tree.links.new(normal.outputs[0], shader.inputs["Normal"]))
    assert many.world.meshes["m2"].tangents is not None
    assert many.world.meshes["m3"].tangents is None


def test_a_colour_that_all_objects_share_is_one_material(many):
    shared = bpy.data.materials["m0"]
    for number in range(1, 10):
        bpy.data.meshes[f"m{number}"].materials[0] = shared
    bpy.context.view_layer.update()
    socket = next(n for n in shared.node_tree.nodes if n.type == "BSDF_PRINCIPLED").inputs[0]
    delta = many.after(lambda: setattr(socket, "default_value", (1, 0, 0, 1)))
    assert list(delta.materials) == ["m0"]
    assert not (delta.meshes or delta.entities)


def test_animated_visibility_is_followed(many):
    scene = bpy.context.scene
    hidden = obj("o6")
    for frame, value in ((1, False), (10, True)):
        hidden.hide_viewport = value
        hidden.keyframe_insert("hide_viewport", frame=frame)
    bpy.app.handlers.frame_change_post.append(many.on_update)
    try:
        scene.frame_set(1)
        assert "o6" in many.world.entities
        scene.frame_set(12)
        assert "o6" not in many.world.entities
    finally:
        bpy.app.handlers.frame_change_post.remove(many.on_update)


def test_a_painted_picture_is_read_without_a_report(many):
    tree = bpy.data.materials["m1"].node_tree
    picture = tree.nodes.new("ShaderNodeTexImage")
    picture.image = image = bpy.data.images.new("canvas", 4, 4)
    shader = next(node for node in tree.nodes if node.type == "BSDF_PRINCIPLED")
    many.after(lambda: tree.links.new(picture.outputs["Color"], shader.inputs["Base Color"]))
    image.pixels.foreach_set([1.0, 0.0, 0.0, 1.0] * 16)
    delta = many.sync.repainted(bpy.context.evaluated_depsgraph_get(), [image])
    assert list(delta.images) == ["canvas"]
    assert (delta.images["canvas"].pixels == (255, 0, 0, 255)).all()
    assert not (delta.meshes or delta.entities)
