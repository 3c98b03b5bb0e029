"""A delta holds what changed and nothing else; all deltas together equal a fresh sync."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from fyn.addon.sync import level_table
from fyn.addon.sync.scene_sync import SceneSync
from fyn.engine_core.assets.image_io import decode
from fyn.engine_core.world.world import World


def linked(name, data=None):
    obj = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def triangle(name="triangle"):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    return mesh


def node_of(material, kind="BSDF_PRINCIPLED"):
    return next(node for node in material.node_tree.nodes if node.type == kind)


def nodes_material(name):
    material = bpy.data.materials.new(name)
    if material.node_tree is None:
        material.use_nodes = True
    return material


def test_moving_one_of_many_objects_touches_that_entity_only(follow):
    mesh = triangle()
    objects = [linked(f"o{index}", mesh) for index in range(50)]
    follower = follow()
    delta = follower.after(lambda: setattr(objects[7], "location", (1, 2, 3)))
    assert list(delta.entities) == ["o7"]
    assert not (delta.meshes or delta.materials or delta.images or delta.removed_entities)


def test_moving_a_parent_moves_its_children_along_without_touching_them(follow):
    parent = linked("parent")
    for index in range(5):
        child = linked(f"child {index}", triangle())
        child.parent = parent
        child.location = (index, 0.1, 0.7)
    follower = follow()
    delta = follower.after(
        lambda: setattr(parent, "matrix_world", Matrix.Rotation(0.3, 4, (1, 2, 3)))
    )
    assert list(delta.entities) == ["parent"]


def test_a_child_crawling_under_a_moving_parent_is_not_left_behind(follow):
    parent, child = linked("parent"), linked("child", triangle())
    child.parent = parent
    follower = follow()
    for step in range(200):
        child.location.x = step * 1e-7
        parent.rotation_euler.z = step * 0.01
        bpy.context.view_layer.update()
    follower.check()
    assert follower.world.entities["child"].transform.translation[0] == pytest.approx(
        199e-7, rel=0.1
    )


def test_added_and_removed_objects_come_and_go_with_their_meshes(follow):
    linked("stays", triangle())
    follower = follow()
    delta = follower.after(lambda: linked("new", triangle("other")))
    assert list(delta.entities) == ["new"] and list(delta.meshes) == ["other"]
    delta = follower.after(lambda: bpy.data.objects.remove(bpy.data.objects["new"]))
    assert delta.removed_entities == {"new"} and delta.removed_meshes == {"other"}
    assert not delta.entities


def test_hiding_and_showing_is_removing_and_adding(follow):
    obj = linked("obj", triangle())
    follower = follow()
    assert follower.after(lambda: obj.hide_set(True)).removed_entities == {"obj"}
    assert list(follower.after(lambda: obj.hide_set(False)).entities) == ["obj"]
    assert follower.after(lambda: setattr(obj, "hide_viewport", True)).removed_entities == {"obj"}


def test_editing_a_mesh_sends_that_mesh_only(follow):
    mesh = triangle()
    for index in range(3):
        linked(f"o{index}", mesh)
    linked("other", triangle("other"))
    follower = follow()

    def edit():
        mesh.vertices[0].co.x = -3
        mesh.update()

    delta = follower.after(edit)
    assert list(delta.meshes) == ["triangle"] and not delta.entities


def test_an_evaluation_that_changes_nothing_sends_nothing(follow):
    mesh = triangle()
    linked("o", mesh)
    follower = follow()
    delta = follower.after(mesh.update_tag)
    assert delta is None or delta.is_empty()


def test_a_modifier_gives_an_object_a_mesh_of_its_own_and_back(follow):
    mesh = triangle()
    linked("plain", mesh)
    obj = linked("modified", mesh)
    follower = follow()
    follower.after(lambda: obj.modifiers.new("subdivide", "SUBSURF"))
    assert follower.world.entities["modified"].mesh.mesh == "modified"
    delta = follower.after(obj.modifiers.clear)
    assert delta.removed_meshes == {"modified"}
    assert follower.world.entities["modified"].mesh.mesh == "triangle"


def test_a_renamed_object_keeps_its_id_for_the_session(follow):
    obj = linked("before", triangle())
    follower = follow()
    obj.name = "after"
    bpy.context.view_layer.update()
    assert set(follower.world.entities) == {"before"}
    assert follower.world.entities["before"].name == "after"
    new = linked("before")
    bpy.context.view_layer.update()
    assert set(follower.world.entities) == {"before", "before.2"}
    assert new.name == "before"


def test_dragging_a_colour_sends_that_material_only(follow):
    mesh = triangle()
    material = nodes_material("paint")
    mesh.materials.append(material)
    mesh.materials.append(nodes_material("other"))
    linked("o", mesh)
    follower = follow()
    socket = node_of(material).inputs["Base Color"]
    delta = follower.after(lambda: setattr(socket, "default_value", (1, 0.5, 0, 1)))
    assert list(delta.materials) == ["paint"]
    assert delta.materials["paint"].base_color == (1, 0.5, 0, 1)
    assert not (delta.meshes or delta.entities)


def test_a_normal_map_brings_tangents_and_their_loss_is_harmless(follow):
    mesh = triangle()
    mesh.uv_layers.new(name="map").uv.foreach_set("vector", [0, 0, 1, 0, 0, 1])
    material = nodes_material("bumpy")
    mesh.materials.append(material)
    linked("o", mesh)
    tree = material.node_tree
    picture, normal = tree.nodes.new("ShaderNodeTexImage"), tree.nodes.new("ShaderNodeNormalMap")
    picture.image = bpy.data.images.new("normals", 4, 4)
    tree.links.new(picture.outputs["Color"], normal.inputs["Color"])
    bpy.context.view_layer.update()
    follower = follow()
    assert follower.world.meshes["triangle"].tangents is None
    delta = follower.after(
        lambda: tree.links.new(normal.outputs[0], node_of(material).inputs["Normal"])
    )
    assert follower.world.meshes["triangle"].tangents is not None
    assert list(delta.images) == ["normals"]


def test_painting_a_picture_sends_that_picture(follow):
    mesh = triangle()
    mesh.uv_layers.new(name="map")
    material = nodes_material("m")
    mesh.materials.append(material)
    linked("o", mesh)
    picture = material.node_tree.nodes.new("ShaderNodeTexImage")
    picture.image = image = bpy.data.images.new("canvas", 2, 2)
    material.node_tree.links.new(picture.outputs["Color"], node_of(material).inputs["Base Color"])
    bpy.context.view_layer.update()
    follower = follow()

    def paint():
        image.pixels.foreach_set([1.0, 0.0, 0.0, 1.0] * 4)
        image.update()
        image.update_tag()

    delta = follower.after(paint)
    assert list(delta.images) == ["canvas"]
    assert (delta.images["canvas"].pixels == (255, 0, 0, 255)).all()


def test_swapping_a_picture_removes_the_old_one(follow):
    mesh = triangle()
    material = nodes_material("m")
    mesh.materials.append(material)
    linked("o", mesh)
    picture = material.node_tree.nodes.new("ShaderNodeTexImage")
    picture.image = bpy.data.images.new("old", 2, 2)
    material.node_tree.links.new(picture.outputs["Color"], node_of(material).inputs["Base Color"])
    bpy.context.view_layer.update()
    follower = follow()
    delta = follower.after(lambda: setattr(picture, "image", bpy.data.images.new("new", 2, 2)))
    assert list(delta.images) == ["new"] and delta.removed_images == {"old"}


def test_lamps_cameras_and_the_world_follow(follow):
    lamp = linked("lamp", bpy.data.lights.new("lamp", "POINT"))
    camera = linked("camera", bpy.data.cameras.new("camera"))
    scene = bpy.context.scene
    scene.world = bpy.data.worlds.new("world")
    follower = follow()
    assert list(follower.after(lambda: setattr(lamp.data, "energy", 5)).entities) == ["lamp"]
    assert list(follower.after(lambda: setattr(camera.data, "lens", 24)).entities) == ["camera"]
    assert follower.after(lambda: setattr(scene, "camera", camera)).active_camera == "camera"
    background = node_of(scene.world, "BACKGROUND") if scene.world.node_tree else None
    if background is not None:
        color = background.inputs["Color"]
        delta = follower.after(lambda: setattr(color, "default_value", (0, 0, 1, 1)))
        assert delta.environment.sky_color == (0, 0, 1) and not delta.entities
    assert follower.after(lambda: setattr(scene, "world", None)).environment is not None


def test_moving_what_is_instanced_moves_its_instances(follow):
    source = bpy.data.collections.new("source")
    part = bpy.data.objects.new("part", triangle())
    source.objects.link(part)
    for index in range(3):
        instancer = linked(f"i{index}")
        instancer.instance_type, instancer.instance_collection = "COLLECTION", source
    follower = follow()
    delta = follower.after(lambda: setattr(part, "location", (0, 0, 4)))
    assert len(delta.entities) == 3 and not delta.meshes
    delta = follower.after(lambda: setattr(bpy.data.objects["i1"], "location", (5, 0, 0)))
    assert list(delta.entities) == ["i1"]


def test_a_full_sync_of_another_scene_removes_the_first_one(empty_scene):
    linked("old", triangle("old mesh"))
    sync, world = SceneSync(), World()
    world.apply(sync.full(bpy.context.evaluated_depsgraph_get()))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    linked("old", triangle("new mesh"))
    linked("new")
    world.apply(sync.full(bpy.context.evaluated_depsgraph_get()))
    assert set(world.entities) == {"old", "new"} and set(world.meshes) == {"new mesh"}


def test_an_animation_sends_only_what_moves(follow):
    mover, still = linked("mover", triangle()), linked("still", triangle("still"))
    for frame in (1, 5):
        mover.location.x = frame
        mover.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    follower = follow()
    seen = []
    bpy.app.handlers.frame_change_post.append(
        lambda scene, depsgraph: seen.append(follower.sync.update(depsgraph))
    )
    try:
        bpy.context.scene.frame_set(3)
    finally:
        bpy.app.handlers.frame_change_post.pop()
    assert [list(delta.entities) for delta in seen] == [["mover"]]
    assert still.name not in seen[0].entities and not seen[0].meshes


def test_a_sequence_shows_its_next_picture_when_the_frame_changes(follow, tmp_path):
    for frame in (1, 2):
        image = bpy.data.images.new("x", 2, 2)
        image.pixels.foreach_set(([frame / 4] * 3 + [1.0]) * 4)
        image.filepath_raw, image.file_format = str(tmp_path / f"s{frame:04d}.png"), "PNG"
        image.save()
    mesh = triangle()
    material = nodes_material("m")
    mesh.materials.append(material)
    linked("o", mesh)
    picture = material.node_tree.nodes.new("ShaderNodeTexImage")
    picture.image = bpy.data.images.load(str(tmp_path / "s0001.png"))
    picture.image.source = "SEQUENCE"
    picture.image_user.frame_duration, picture.image_user.use_auto_refresh = 2, True
    material.node_tree.links.new(picture.outputs["Color"], node_of(material).inputs["Base Color"])
    bpy.context.scene.frame_set(1)
    follower = follow()
    bpy.app.handlers.frame_change_post.append(follower.on_update)
    try:
        bpy.context.scene.frame_set(2)
    finally:
        bpy.app.handlers.frame_change_post.pop()
    (slot,) = follower.world.materials["m"].texture_slots().values()
    shown = decode(follower.world.images[slot.image])
    assert np.allclose(shown[..., :3] / 255.0, 0.5, atol=0.003)
    assert len(follower.world.images) == 1


def test_a_change_within_a_shared_group_reaches_all_its_materials(follow):
    group = bpy.data.node_groups.new("shared", "ShaderNodeTree")
    group.interface.new_socket("Out", in_out="OUTPUT", socket_type="NodeSocketFloat")
    value, end = group.nodes.new("ShaderNodeValue"), group.nodes.new("NodeGroupOutput")
    group.links.new(value.outputs[0], end.inputs[0])
    for name in ("a", "b"):
        mesh, material = triangle(name), nodes_material(name)
        node = material.node_tree.nodes.new("ShaderNodeGroup")
        node.node_tree = group
        material.node_tree.links.new(node.outputs[0], node_of(material).inputs["Roughness"])
        mesh.materials.append(material)
        linked(name, mesh)
    follower = follow()
    delta = follower.after(lambda: setattr(value.outputs[0], "default_value", 0.25))
    assert {m.roughness for m in delta.materials.values()} == {0.25}
    assert set(delta.materials) == {"a", "b"}


def test_the_layers_override_replaces_every_material_and_comes_off_again(follow):
    mesh = triangle()
    mesh.materials.append(nodes_material("own"))
    linked("o", mesh)
    layer, override = bpy.context.view_layer, nodes_material("override")
    follower = follow()
    follower.after(lambda: setattr(layer, "material_override", override))
    assert follower.world.entities["o"].mesh.materials == ("override",)
    follower.after(lambda: setattr(layer, "material_override", None))
    assert follower.world.entities["o"].mesh.materials == ("own",)


def test_a_mesh_in_edit_mode_is_drawn_as_edited(follow):
    bpy.ops.mesh.primitive_cube_add()
    obj = bpy.context.object
    follower = follow()
    with bpy.context.temp_override(active_object=obj, object=obj, edit_object=obj):
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.select_all(action="SELECT")
        bpy.ops.mesh.subdivide()
    bpy.context.view_layer.update()
    assert follower.world.meshes["Cube"].triangle_count == 48
    bpy.ops.object.mode_set(mode="OBJECT")


def test_undo_and_redo_are_followed(follow):
    bpy.context.preferences.edit.use_global_undo = True
    linked("o", triangle())
    bpy.ops.ed.undo_push(message="start")
    follower = follow()
    bpy.data.objects["o"].location.x = 5
    bpy.context.view_layer.update()
    linked("new", triangle("other"))
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="moved")
    bpy.ops.ed.undo()
    bpy.context.view_layer.update()
    follower.check()
    bpy.ops.ed.redo()
    bpy.context.view_layer.update()
    follower.check()


def test_a_world_is_not_read_again_when_only_objects_change(follow, monkeypatch):
    obj = linked("o", triangle())
    bpy.context.scene.world = bpy.data.worlds.new("w")
    follower = follow()
    reads = []
    monkeypatch.setattr(level_table, "read_environment", reads.append)
    follower.sync.update(bpy.context.evaluated_depsgraph_get())
    obj.hide_viewport = True
    bpy.context.view_layer.update()
    assert reads == []
