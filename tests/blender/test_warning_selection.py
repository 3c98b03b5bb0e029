"""The select button of a warning: the artist sees what is to blame."""

from __future__ import annotations

import bpy
import pytest

from fyn.addon import scene_warnings, warning_store
from fyn.addon.operators.warning_selection import group_path


@pytest.fixture
def scene(registered, empty_scene):
    empty_scene.view_settings.view_transform = "Standard"
    warning_store.forget_all()
    return empty_scene


def quad(name="quad"):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [], [(0, 1, 2, 3)])
    return mesh


def linked(name, data, collection=None):
    obj = bpy.data.objects.new(name, data)
    (collection or bpy.context.scene.collection).objects.link(obj)
    return obj


def loose(name="loose"):
    mesh = quad(name)
    mesh.vertices.add(1)
    return mesh


def material(name="material"):
    made = bpy.data.materials.new(name)
    if made.node_tree is None:
        made.use_nodes = True
    return made


def press(cause):
    """Press the button of the first warning of a cause."""
    bpy.ops.fyn.check_scene()
    found = scene_warnings.warnings_of(bpy.context.scene)
    warning = next(warning for warning in found if warning.cause == cause)
    assert bpy.ops.fyn.select_culprit(key=warning.key) == {"FINISHED"}
    layer = bpy.context.view_layer
    selected = [obj.name for obj in layer.objects if obj.select_get()]
    return layer.objects.active and layer.objects.active.name, selected


def test_an_object_is_selected_alone_and_active(scene):
    linked("other", quad()).select_set(True)
    linked("culprit", quad("second")).is_shadow_catcher = True
    assert press("OBJECT_SHADOW_CATCHER") == ("culprit", ["culprit"])


def test_a_mesh_selects_an_object_that_shows_it_rather_a_visible_one(scene):
    mesh = loose()
    first, second = linked("first", mesh), linked("second", mesh)
    bpy.context.view_layer.update()
    first.hide_set(True)
    assert press("MESH_LOOSE") == ("second", ["second"])
    first.hide_set(False)
    bpy.context.view_layer.update()
    second.hide_set(True)
    bpy.context.view_layer.objects.active = None
    assert press("MESH_LOOSE") == ("first", ["first"])


def test_the_culprit_is_found_after_it_was_renamed(scene):
    obj = linked("before", loose())
    bpy.ops.fyn.check_scene()
    (warning,) = scene_warnings.warnings_of(scene)
    obj.name, obj.data.name = "after", "renamed"
    assert bpy.ops.fyn.select_culprit(key=warning.key) == {"FINISHED"}
    assert bpy.context.view_layer.objects.active.name == "after"


@pytest.mark.parametrize("nested", [False, True])
def test_what_is_only_in_an_instanced_collection_selects_the_instance(scene, nested):
    collection = bpy.data.collections.new("set")
    linked("inside", loose(), collection)
    if nested:
        outer = bpy.data.collections.new("outer")
        empty = linked("inner instance", None, outer)
        empty.instance_type, empty.instance_collection = "COLLECTION", collection
        collection = outer
    empty = linked("instance", None)
    empty.instance_type, empty.instance_collection = "COLLECTION", collection
    linked("other", quad())
    assert press("MESH_LOOSE") == ("instance", ["instance"])


def test_what_geometry_nodes_instance_selects_their_object(scene):
    collection = bpy.data.collections.new("set")
    linked("inside", loose(), collection)
    tree = bpy.data.node_groups.new("scatter", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    info = tree.nodes.new("GeometryNodeCollectionInfo")
    info.inputs["Collection"].default_value = collection
    end = tree.nodes.new("NodeGroupOutput")
    tree.links.new(info.outputs[0], end.inputs[0])
    host = linked("scatter", quad())
    host.modifiers.new("scatter", "NODES").node_group = tree
    assert press("MESH_LOOSE") == ("scatter", ["scatter"])


def noise(tree, name="noise"):
    node = tree.nodes.new("ShaderNodeTexNoise")
    node.name = name
    return node


def test_a_material_makes_its_slot_and_its_node_active(scene):
    culprit = material("culprit")
    tree = culprit.node_tree
    node = noise(tree)
    tree.links.new(node.outputs["Color"], tree.nodes["Principled BSDF"].inputs["Base Color"])
    mesh = quad()
    for item in (material("first"), culprit, material("third")):
        mesh.materials.append(item)
    mesh.polygons[0].material_index = 1
    obj = linked("object", mesh)
    assert press("NODE_PROCEDURAL") == ("object", ["object"])
    assert obj.active_material_index == 1
    assert tree.nodes.active == node
    assert [one.name for one in tree.nodes if one.select] == ["noise"]


def test_a_node_in_a_group_in_a_group_is_made_active_there(scene):
    inner, outer = (bpy.data.node_groups.new(name, "ShaderNodeTree") for name in ("in", "out"))
    for tree in (inner, outer):
        tree.interface.new_socket("Color", in_out="OUTPUT", socket_type="NodeSocketColor")
    node = noise(inner)
    ends = [tree.nodes.new("NodeGroupOutput") for tree in (inner, outer)]
    inner.links.new(node.outputs["Color"], ends[0].inputs[0])
    middle = outer.nodes.new("ShaderNodeGroup")
    middle.node_tree = inner
    outer.links.new(middle.outputs[0], ends[1].inputs[0])
    made = material()
    tree = made.node_tree
    group = tree.nodes.new("ShaderNodeGroup")
    group.node_tree = outer
    tree.links.new(group.outputs[0], tree.nodes["Principled BSDF"].inputs["Base Color"])
    mesh = quad()
    mesh.materials.append(made)
    linked("object", mesh)
    assert press("NODE_PROCEDURAL") == ("object", ["object"])
    assert inner.nodes.active == node
    assert [one.name for one in group_path(tree, inner)] == [group.name, middle.name]


def test_an_image_opens_in_an_image_editor_and_its_node_is_active(scene, tmp_path):
    image = bpy.data.images.new("culprit", 4, 4)
    image.source, image.filepath = "FILE", str(tmp_path / "weg.png")
    made = material()
    tree = made.node_tree
    node = tree.nodes.new("ShaderNodeTexImage")
    node.image = image
    tree.links.new(node.outputs["Color"], tree.nodes["Principled BSDF"].inputs["Base Color"])
    mesh = quad()
    mesh.uv_layers.new()
    mesh.materials.append(material("other"))
    mesh.materials.append(made)
    mesh.polygons[0].material_index = 1
    obj = linked("object", mesh)
    area = bpy.context.window_manager.windows[0].screen.areas[0]
    before = area.type
    area.type = "IMAGE_EDITOR"
    try:
        assert press("IMAGE_MISSING") == ("object", ["object"])
        assert area.spaces.active.image == image
    finally:
        area.type = before
    assert obj.active_material_index == 1
    assert tree.nodes.active == node


def test_a_lamp_of_shared_data_and_a_world_are_found(scene):
    light = bpy.data.lights.new("spot", "SPOT")
    light.use_square = True
    linked("lamp", light)
    assert press("LIGHT_SQUARE_CONE") == ("lamp", ["lamp"])
    scene.view_settings.view_transform = "AgX"
    assert press("SCENE_COLORS") == ("lamp", ["lamp"]), "a scene selects no object"


def test_selecting_leaves_edit_mode_first(scene):
    obj = linked("edited", quad())
    linked("culprit", loose())
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    assert press("MESH_LOOSE") == ("culprit", ["culprit"])
    assert bpy.context.mode == "OBJECT"


def test_an_object_of_another_view_layer_is_said_to_be_elsewhere(scene, capfd):
    hidden = bpy.data.collections.new("set")
    scene.collection.children.link(hidden)
    linked("culprit", loose(), hidden)
    linked("active", quad())
    bpy.ops.fyn.check_scene()
    (warning,) = scene_warnings.warnings_of(scene)
    bpy.context.view_layer.layer_collection.children["set"].exclude = True
    assert bpy.ops.fyn.select_culprit(key=warning.key) == {"FINISHED"}
    assert "Mesh 'loose'" in capfd.readouterr().out
