"""Symptoms met in add-ons of other engines: instances, libraries, armatures and modifiers."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest

RED, GREEN, BLUE, BLACK = (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 0)


@pytest.fixture
def library(stage, tmp_path):
    """A .blend with the collection "prop": a red square, and a green one in a collection of it."""
    prop = stage.collection("prop", parent=False)
    stage.square("outside", RED, (0, 0), prop)
    stage.square("inside", GREEN, (0, 4), stage.collection("inner", prop))
    path = tmp_path / "Bücher [1] 関卡.blend"
    bpy.data.libraries.write(str(path), {prop})
    for obj in list(prop.all_objects):
        bpy.data.objects.remove(obj)
    for collection in list(bpy.data.collections):
        bpy.data.collections.remove(collection)
    bpy.ops.outliner.orphans_purge(do_recursive=True)
    return path


def linked(path, *, link=True):
    with bpy.data.libraries.load(str(path), link=link) as (_, wanted):
        wanted.collections = ["prop"]
    return wanted.collections[0]


def test_every_instance_of_a_collection_is_drawn_not_the_first_only(stage):
    prop = stage.collection("prop", parent=False)
    stage.square("square", RED, (0, 0), prop)
    for index, x in enumerate((-6, -2, 2, 6)):
        stage.instance(prop, (x, 0), f"instance {index}")
    picture = stage.both()
    assert [picture.at(x) for x in (-6, -2, 0, 2, 6)] == [RED, RED, BLACK, RED, RED]


def test_instances_are_drawn_beside_the_collection_itself(stage):
    prop = stage.collection("prop")
    stage.square("square", RED, (-4, 0), prop)
    stage.instance(prop, (8, 0))
    picture = stage.both()
    assert (picture.at(-4), picture.at(4)) == (RED, RED)


def test_instances_in_instances_in_instances_are_all_drawn(stage):
    inner, middle, outer = (stage.collection(name, parent=False) for name in "abc")
    stage.square("square", RED, (0, 0), inner)
    stage.instance(inner, (0, -4), "low", into=middle)
    stage.instance(inner, (0, 4), "high", into=middle)
    stage.instance(middle, (-4, 0), "left", into=outer)
    stage.instance(middle, (4, 0), "right", into=outer)
    stage.instance(outer)
    picture = stage.both()
    assert all(picture.at(x, y) == RED for x in (-4, 4) for y in (-4, 4))
    assert picture.at(0) == BLACK


def test_the_offset_of_a_collection_moves_its_instances(stage):
    prop = stage.collection("prop", parent=False)
    stage.square("square", RED, (5, 0), prop)
    prop.instance_offset = (5, 0, 0)
    stage.instance(prop)
    assert stage.both().at(0) == RED


def test_a_renamed_instance_and_a_renamed_collection_stay(stage, follow):
    prop = stage.collection("prop", parent=False)
    square = stage.square("square", RED, (0, 0), prop)
    first, second = stage.instance(prop, (-4, 0), "a"), stage.instance(prop, (4, 0), "b")
    follower = follow()
    second.name, prop.name, square.name = "あ [b]", "renamed", "renamed too"
    bpy.context.view_layer.update()  # ids stay for the session, so there is no check by ids
    assert sum(entity.mesh is not None for entity in follower.world.entities.values()) == 2
    picture = stage.both()
    assert (picture.at(-4), picture.at(4)) == (RED, RED)
    assert first.name == "a"


def test_a_linked_collection_is_drawn_by_each_of_its_instances(stage, library):
    prop = linked(library)
    stage.instance(prop, (-4, 0), "first")
    stage.instance(prop, (4, 0), "second")
    picture = stage.both()
    for x in (-4, 4):
        assert (picture.at(x, 0), picture.at(x, 4)) == (RED, GREEN)


def test_a_library_override_moves_alone(stage, library):
    """The override is moved, the library's own instance beside it stays as it is in its file."""
    prop = linked(library)
    stage.instance(prop, (-4, 0), "linked")
    own = prop.override_hierarchy_create(stage.scene, bpy.context.view_layer)
    assert own is not None
    moved = next(obj for obj in own.all_objects if obj.name.startswith("outside"))
    moved.location.x = 4
    picture = stage.both()
    assert (picture.at(-4, 0), picture.at(-4, 4)) == (RED, GREEN)
    assert (picture.at(4, 0), picture.at(0, 0), picture.at(0, 4)) == (RED, BLACK, GREEN)


def test_an_appended_collection_is_drawn_like_a_linked_one(stage, library):
    stage.scene.collection.children.link(linked(library, link=False))
    picture = stage.both()
    assert (picture.at(0, 0), picture.at(0, 4)) == (RED, GREEN)


def test_objects_of_one_name_from_two_places_are_both_drawn(stage, library):
    stage.square("outside", BLUE, (4, 0))
    stage.instance(linked(library), (-4, 0), "outside.001")
    picture = stage.both()
    assert (picture.at(-4), picture.at(4)) == (RED, BLUE)


def armature(stage, scale):
    data = bpy.data.armatures.new("rig")
    rig = bpy.data.objects.new("rig", data)
    stage.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bone = data.edit_bones.new("bone")
    bone.head, bone.tail = (0, 0, 0), (0, 1, 0)
    bpy.ops.object.mode_set(mode="OBJECT")
    rig.scale = scale
    return rig


MIRRORS = [(-1, 1, 1), (1, -1, 1), (-1, -1, 1), (-1, -1, -1), (1, 1, 1)]


@pytest.mark.parametrize("scale", MIRRORS, ids=str)
@pytest.mark.parametrize("how", ["parent", "bone", "deformed"])
def test_what_an_armature_mirrors_is_mirrored_and_keeps_its_front(stage, scale, how):
    """One-sided squares: a triangle whose front was turned would not be drawn at all."""
    rig = armature(stage, scale)
    square = stage.square("square", RED, (4, 2))
    square.data.materials[0].use_backface_culling = True
    if how == "bone":
        square.parent, square.parent_type, square.parent_bone = rig, "BONE", "bone"
        square.location = (4, 1, 0)  # bones' children start at the tail
    else:
        square.parent = rig
    if how == "deformed":
        square.vertex_groups.new(name="bone").add([0, 1, 2, 3], 1.0, "REPLACE")
        square.modifiers.new("rig", "ARMATURE").object = rig
    bpy.context.view_layer.update()
    evaluated = square.evaluated_get(bpy.context.evaluated_depsgraph_get())
    corners = [evaluated.matrix_world @ v.co for v in evaluated.data.vertices]
    x, y, _ = np.mean([list(corner) for corner in corners], axis=0)
    assert (round(x), round(y)) == (4 * scale[0], 2 * scale[1])
    faces_up = (evaluated.matrix_world.to_3x3() @ evaluated.data.polygons[0].normal).z > 0
    # A mirror turns the order of corners; Blender and the engine keep what the normals say.
    picture = stage.both()
    assert picture.at(x, y) == (RED if faces_up else BLACK)


def test_a_pose_is_drawn_and_followed(stage, follow):
    rig = armature(stage, (1, 1, 1))
    square = stage.square("square", RED)
    square.parent = rig
    square.vertex_groups.new(name="bone").add([0, 1, 2, 3], 1.0, "REPLACE")
    square.modifiers.new("rig", "ARMATURE").object = rig
    follower = follow()
    bone = rig.pose.bones["bone"]
    delta = follower.after(lambda: setattr(bone, "location", (4, 0, 0)))
    assert delta is not None and delta.meshes
    picture = stage.both()
    assert (picture.at(0), picture.at(4)) == (BLACK, RED)


def test_a_modifier_is_shown_as_soon_as_it_is_added(stage, follow):
    square = stage.square("square", RED)
    follower = follow()

    def repeat():
        array = square.modifiers.new("twice", "ARRAY")
        array.count = 2
        array.use_relative_offset, array.use_constant_offset = False, True
        array.constant_offset_displace = (4, 0, 0)

    delta = follower.after(repeat)
    assert delta is not None and len(delta.meshes) == 1
    picture = stage.both()
    assert (picture.at(0), picture.at(4)) == (RED, RED)


def test_a_modifier_on_one_of_two_that_share_a_mesh_changes_that_one(stage):
    first = stage.square("first", RED, (-4, 0))
    second = bpy.data.objects.new("second", first.data)
    second.location.x = 4
    stage.scene.collection.objects.link(second)
    array = second.modifiers.new("twice", "ARRAY")
    array.use_relative_offset, array.use_constant_offset = False, True
    array.constant_offset_displace = (0, 4, 0)
    picture = stage.both()
    assert (picture.at(-4, 0), picture.at(-4, 4)) == (RED, BLACK)
    assert (picture.at(4, 0), picture.at(4, 4)) == (RED, RED)


@pytest.mark.parametrize("inside", [False, True], ids=["object", "within an instance"])
def test_modifiers_count_where_they_are_switched_on(stage, inside):
    """On in renders only, or in the viewport only: each shows its own."""
    collection = stage.collection("set", parent=False) if inside else None
    for name, x, in_viewport in (("rendered", -4, False), ("modelled", 4, True)):
        square = stage.square(name, RED, (x, 0), collection)
        array = square.modifiers.new("twice", "ARRAY")
        array.use_relative_offset, array.use_constant_offset = False, True
        array.constant_offset_displace = (0, 4, 0)
        array.show_viewport, array.show_render = in_viewport, not in_viewport
    if inside:
        stage.instance(collection)
    picture = stage.both()
    assert (picture.at(-4, 4), picture.at(4, 4)) == (RED, BLACK)
    shown = stage.viewport()
    triangles = {
        entity.name: shown.meshes[entity.mesh.mesh].triangle_count
        for entity in shown.entities.values()
        if entity.mesh
    }
    assert triangles == {"rendered": 2, "modelled": 4}


def test_instances_of_geometry_nodes_of_an_instanced_collection_are_drawn(stage):
    prop = stage.collection("prop", parent=False)
    square = stage.square("square", RED, (0, 0), prop)
    tree = bpy.data.node_groups.new("row", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    line = tree.nodes.new("GeometryNodeMeshLine")
    line.inputs["Count"].default_value = 3
    line.inputs["Offset"].default_value = (0, 4, 0)
    instance = tree.nodes.new("GeometryNodeInstanceOnPoints")
    start, end = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    tree.links.new(line.outputs[0], instance.inputs["Points"])
    tree.links.new(start.outputs[0], instance.inputs["Instance"])
    tree.links.new(instance.outputs[0], end.inputs[0])
    square.modifiers.new("row", "NODES").node_group = tree
    stage.instance(prop, (-4, -4), "first")
    turned = stage.instance(prop, (4, -4), "second")
    turned.rotation_euler.z = math.pi / 2
    picture = stage.both()
    assert all(picture.at(-4, y) == RED for y in (-4, 0, 4))
    assert all(picture.at(x, -4) == RED for x in (4, 0, -4))
    assert picture.at(4, 0) == BLACK


def test_what_is_instanced_on_vertices_is_drawn_and_its_host_where_it_is_set_to_be(stage):
    host, child = stage.square("host", GREEN, size=8.0), stage.square("child", RED)
    child.parent = host
    host.instance_type = "VERTS"
    host.show_instancer_for_render, host.show_instancer_for_viewport = False, True
    picture = stage.both()
    assert all(picture.at(x, y) == RED for x in (-3.5, 3.5) for y in (-3.5, 3.5))
    assert picture.at(0) == BLACK
    shown = [entity.name for entity in stage.viewport().entities.values() if entity.mesh]
    assert sorted(shown) == ["child"] * 5 + ["host"], "Blender's views show the child itself, too"


AWKWARD = (
    "a/b",
    "..",
    "../../x",
    "a\\b",
    "con",
    "instance/square:0",
    "x" * 63,
    "\t",
    "#?%&",
    "ä.fyn",
)


def test_objects_of_names_that_paths_and_ids_are_made_of_are_all_drawn(stage):
    prop = stage.collection("prop", parent=False)
    stage.square("square", RED, (0, 0), prop)
    stage.instance(prop, (-7, 3), "instance")
    for index, name in enumerate(AWKWARD):
        square = stage.square(
            "temporary", GREEN, (3 * (index % 5) - 6, -3 * (index // 5)), size=1.0
        )
        square.name = square.data.name = square.data.materials[0].name = name
    picture = stage.both()
    assert picture.at(-7, 3) == RED
    places = [(3 * (index % 5) - 6, -3 * (index // 5)) for index in range(len(AWKWARD))]
    assert [picture.at(x, y) for x, y in places] == [GREEN] * len(AWKWARD)


def test_a_render_of_another_scene_shows_that_scene(stage):
    stage.square("first", RED)
    other = bpy.data.scenes.new("other [2]")
    stage.light_up(other)
    stage.square("second", GREEN, (4, 0), other.collection)
    other.render.filepath = str(stage.folder / "f12.png")
    picture = stage.f12(scene=other.name)
    assert (picture.at(0), picture.at(4)) == (BLACK, GREEN)
    assert stage.f12().at(0) == RED
