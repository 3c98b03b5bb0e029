"""Symptoms met in add-ons of other engines: what is hidden, shown, or hidden in one place only."""

from __future__ import annotations

import time

import bpy
import pytest

RED, GREEN, BLUE, BLACK = (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 0)


def hide_viewport(obj):
    obj.hide_viewport = True


def hide_eye(obj):
    obj.hide_set(True)


def hide_layer_collection(obj):
    (collection,) = obj.users_collection
    bpy.context.view_layer.layer_collection.children[collection.name].hide_viewport = True


def hide_collection(obj):
    obj.users_collection[0].hide_viewport = True


@pytest.mark.parametrize(
    "hide",
    [hide_viewport, hide_eye, hide_layer_collection, hide_collection],
    ids=lambda f: f.__name__,
)
def test_what_only_the_viewport_hides_is_rendered_and_exported(stage, hide):
    obj = stage.square("hidden while modelling", RED, collection=stage.collection("set"))
    bpy.context.view_layer.update()
    hide(obj)
    assert "hidden while modelling" not in stage.viewport().entities
    assert stage.both().at(0) == RED


def hide_render(obj):
    obj.hide_render = True


def hide_collection_render(obj):
    obj.users_collection[0].hide_render = True


def hide_parent_collection_render(obj):
    bpy.data.collections["outer"].hide_render = True


@pytest.mark.parametrize(
    "hide",
    [hide_render, hide_collection_render, hide_parent_collection_render],
    ids=lambda f: f.__name__,
)
def test_what_only_renders_hide_stays_in_the_viewport(stage, hide):
    inner = stage.collection("inner", stage.collection("outer"))
    obj = stage.square("guide", RED, collection=inner)
    stage.square("floor", GREEN, (4, 0))
    hide(obj)
    assert stage.viewport().entities["guide"].mesh is not None
    picture = stage.both()
    assert picture.at(0) == BLACK
    assert picture.at(4) == GREEN


@pytest.mark.parametrize("kind", ["MESH", "EMPTY"])
def test_kinds_of_objects_switched_off_in_a_view_are_rendered_all_the_same(stage, kind):
    """An instance is of the kind of what it shows: without empties its meshes stay."""
    inside = stage.collection("set", parent=False)
    stage.square("square", RED, (4, 0), inside)
    stage.square("plain", GREEN)
    stage.instance(inside)
    setattr(stage.space, f"show_object_viewport_{kind.lower()}", False)
    try:
        meshes = [entity.mesh for entity in stage.viewport().entities.values() if entity.mesh]
    finally:
        setattr(stage.space, f"show_object_viewport_{kind.lower()}", True)
    assert len(meshes) == (0 if kind == "MESH" else 2)
    picture = stage.both()
    assert (picture.at(0), picture.at(4)) == (GREEN, RED)


def test_closing_the_eye_of_a_collection_hides_its_instances_and_keeps_others(stage):
    inside = stage.collection("set", parent=False)
    stage.square("square", RED, (0, 0), inside)
    hidden = stage.collection("inner", stage.collection("outer"))
    stage.instance(inside, (-4, 0), "hidden", into=hidden)
    stage.instance(inside, (4, 0), "shown")
    outer = bpy.context.view_layer.layer_collection.children["outer"]
    outer.children["inner"].hide_viewport = True
    shown = [entity.id for entity in stage.viewport().entities.values() if entity.mesh]
    assert len(shown) == 1 and shown[0].startswith("shown/square")
    picture = stage.both()
    assert (picture.at(-4), picture.at(4)) == (RED, RED)


def test_an_excluded_collection_is_nowhere(stage):
    stage.square("excluded", RED, collection=stage.collection("set"))
    bpy.context.view_layer.layer_collection.children["set"].exclude = True
    assert "excluded" not in stage.viewport().entities
    assert stage.both().at(0) == BLACK


def test_an_object_of_another_view_layer_only_is_drawn_in_that_layer(stage):
    first = stage.scene.view_layers[0]
    second = stage.scene.view_layers.new("second")
    stage.square("second only", RED, collection=stage.collection("set"))
    stage.square("both", GREEN, (4, 0))
    first.layer_collection.children["set"].exclude = True
    assert stage.f12(layer=first.name).at(0) == BLACK
    assert stage.exported().at(0) == BLACK
    first.use = False
    picture = stage.f12()
    assert (picture.at(0), picture.at(4)) == (RED, GREEN)
    assert stage.exported().at(0) == RED
    assert second.use


def test_an_object_hidden_by_animation_is_hidden_on_those_frames(stage):
    obj = stage.square("blinking", RED)
    for frame, hidden in ((1, False), (2, True), (3, False)):
        obj.hide_render = hidden
        obj.keyframe_insert("hide_render", frame=frame)
    seen = []
    for frame in (1, 2, 3):
        stage.scene.frame_set(frame)
        seen.append(stage.both().at(0))
    assert seen == [RED, BLACK, RED]


def test_hide_render_counts_within_an_instance(stage):
    hidden = stage.collection("set", parent=False)
    stage.square("shown", GREEN, (0, 0), hidden)
    stage.square("not rendered", RED, (4, 0), hidden).hide_render = True
    stage.instance(hidden, (0, 4))
    outer = stage.collection("outer", parent=False)
    stage.instance(hidden, (0, -8), "nested", into=outer)
    stage.instance(outer, (0, 4), "instance of it")
    picture = stage.both()
    assert (picture.at(0, 4), picture.at(4, 4)) == (GREEN, BLACK)
    assert (picture.at(0, -4), picture.at(4, -4)) == (GREEN, BLACK)


def test_hide_viewport_within_an_instance_does_not_hide_it_from_renders(stage):
    inside = stage.collection("set", parent=False)
    stage.square("rendered only", RED, (0, 0), inside).hide_viewport = True
    stage.instance(inside, (4, 0))
    assert stage.both().at(4) == RED
    assert not any(entity.mesh for entity in stage.viewport().entities.values())


def test_hide_render_counts_within_instances_of_geometry_nodes(stage):
    inside = stage.collection("set", parent=False)
    stage.square("shown", GREEN, (0, 0), inside)
    stage.square("not rendered", RED, (4, 0), inside).hide_render = True
    scatter(stage, inside, (0, 4))
    picture = stage.both()
    assert (picture.at(0, 4), picture.at(4, 4)) == (GREEN, BLACK)


def test_an_instancer_hidden_in_renders_takes_its_instances_along(stage):
    inside = stage.collection("set", parent=False)
    stage.square("shown", GREEN, (0, 0), inside)
    stage.instance(inside, (-4, 0), "first").hide_render = True
    stage.instance(inside, (4, 0), "second")
    picture = stage.both()
    assert (picture.at(-4), picture.at(4)) == (BLACK, GREEN)


def test_a_hidden_parent_does_not_hide_its_children(stage):
    parent, child = stage.square("parent", RED), stage.square("child", GREEN, (4, 0))
    child.parent = parent
    parent.hide_render = True
    picture = stage.both()
    assert (picture.at(0), picture.at(4)) == (BLACK, GREEN)


def test_an_object_in_a_hidden_and_a_shown_collection_is_drawn_once(stage):
    hidden, shown = stage.collection("hidden"), stage.collection("shown")
    obj = stage.square("in both", RED, collection=hidden)
    shown.objects.link(obj)
    hidden.hide_render = True
    assert stage.both().at(0) == RED
    assert sum(entity.mesh is not None for entity in stage.viewport().entities.values()) == 1


def test_camera_rays_switched_off_leave_a_hole(stage):
    stage.square("behind", GREEN)
    front = stage.square("unseen", RED)
    front.location.z = 1
    front.visible_camera = False
    assert stage.both().at(0) == GREEN


def test_four_thousand_objects_of_which_one_is_visible_take_no_seconds(stage):
    shared = stage.square("shown", RED)
    hidden = stage.collection("hidden")
    for index in range(4000):
        obj = bpy.data.objects.new(f"hidden {index}", shared.data)
        hidden.objects.link(obj)
        obj.hide_render = index % 2 == 0
        obj.hide_viewport = index % 2 == 1
    bpy.context.view_layer.layer_collection.children["hidden"].hide_viewport = True
    hidden.hide_render = True
    stage.f12()
    begin = time.process_time()
    picture = stage.f12()
    seconds = time.process_time() - begin
    assert picture.at(0) == RED
    assert seconds < 1.0
    begin = time.process_time()
    assert sum(entity.mesh is not None for entity in stage.viewport().entities.values()) == 1
    assert time.process_time() - begin < 0.5


def scatter(stage, collection, at, count=1):
    """An object whose geometry nodes instance a collection at the origin of the object."""
    host = stage.square("scatter", BLACK, at)
    tree = bpy.data.node_groups.new("scatter", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    points = tree.nodes.new("GeometryNodePoints")
    points.inputs["Count"].default_value = count
    info = tree.nodes.new("GeometryNodeCollectionInfo")
    info.inputs["Collection"].default_value = collection
    instance = tree.nodes.new("GeometryNodeInstanceOnPoints")
    output = tree.nodes.new("NodeGroupOutput")
    tree.links.new(points.outputs[0], instance.inputs["Points"])
    tree.links.new(info.outputs[0], instance.inputs["Instance"])
    tree.links.new(instance.outputs[0], output.inputs[0])
    host.modifiers.new("scatter", "NODES").node_group = tree
    return host
