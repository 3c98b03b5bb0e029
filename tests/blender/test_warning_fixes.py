"""Repairs that the list of warnings offers: each does what it says and can be undone."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from fyn.addon import scene_warnings, warning_store
from fyn.addon.operators.warning_fixes import FIXES
from fyn.addon.sync.causes import Cause
from fyn.addon.sync.repairs import REPAIRS

NAN = float("nan")


@pytest.fixture
def scene(registered, empty_scene):
    bpy.context.preferences.edit.use_global_undo = True
    empty_scene.view_settings.view_transform = "Standard"
    warning_store.forget_all()
    return empty_scene


def check():
    """The causes of the scene's warnings, freshly read."""
    bpy.ops.fyn.check_scene()
    return [warning.cause for warning in scene_warnings.warnings_of(bpy.context.scene)]


def only(cause):
    check()
    (found,) = [
        warning
        for warning in scene_warnings.warnings_of(bpy.context.scene)
        if warning.cause == cause
    ]
    return found


def fix(cause, **arguments):
    """Press the button of the one warning of a cause; undo that, redo it, and look each time."""
    warning = only(cause)
    bpy.ops.ed.undo_push(message="before")
    operator = bpy.ops.fyn.fix_with_file if arguments else bpy.ops.fyn.fix_warning
    result = operator("EXEC_DEFAULT", True, key=warning.key, **arguments)
    assert result == {"FINISHED"}
    assert warning not in scene_warnings.warnings_of(bpy.context.scene)
    assert cause not in check()
    bpy.ops.ed.undo()  # the operator itself has made an undo step
    assert cause in check(), "the repair was not undone"
    bpy.ops.ed.redo()
    assert cause not in check()


def quad(name="quad"):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [], [(0, 1, 2, 3)])
    return mesh


def linked(name, data):
    obj = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def material(name="material"):
    made = bpy.data.materials.new(name)
    if made.node_tree is None:
        made.use_nodes = True
    return made


def with_picture(image, name="material"):
    made = material(name)
    node = made.node_tree.nodes.new("ShaderNodeTexImage")
    node.image = image
    base = made.node_tree.nodes["Principled BSDF"].inputs["Base Color"]
    made.node_tree.links.new(node.outputs["Color"], base)
    return made


def saved_picture(path):
    image = bpy.data.images.new("saved", 4, 4)
    image.pixels.foreach_set(np.ones(64, np.float32))
    image.filepath_raw, image.file_format = str(path), "PNG"
    image.save()
    bpy.data.images.remove(image)
    return str(path)


def test_a_panoramic_camera_becomes_a_perspective_one(scene):
    camera = bpy.data.cameras.new("panorama")
    camera.type = "PANO"
    linked("camera", camera)
    fix("CAMERA_PANORAMIC")
    assert bpy.data.cameras["panorama"].type == "PERSP"


def test_a_lamp_of_negative_power_gets_none(scene):
    light = bpy.data.lights.new("dark", "POINT")
    light.energy = -5
    linked("lamp", light)
    fix("LIGHT_NEGATIVE")
    assert bpy.data.lights["dark"].energy == 0


def test_color_management_is_set_to_standard(scene):
    view = scene.view_settings
    view.view_transform, view.exposure, view.gamma = "AgX", 2.0, 1.5
    view.look = "AgX - Punchy"
    fix("SCENE_COLORS")
    view = bpy.context.scene.view_settings
    assert (view.view_transform, view.look, view.exposure, view.gamma) == ("Standard", "None", 0, 1)


def test_coordinates_that_are_not_numbers_are_mended(scene):
    mesh = quad()
    mesh.vertices[0].co.x = NAN
    linked("object", mesh)
    fix("MESH_NOT_FINITE")
    assert tuple(bpy.data.meshes["quad"].vertices[0].co) == (0, 0, 0)


@pytest.mark.parametrize("what", ["uv", "color"])
def test_attributes_that_are_not_numbers_are_mended(scene, what):
    mesh = quad()
    if what == "uv":
        mesh.uv_layers.new().uv[0].vector.x = NAN
    else:
        color = mesh.color_attributes.new("color", "FLOAT_COLOR", "POINT")
        color.data.foreach_set("color", [NAN, 0, 0, 1] * 4)
    linked("object", mesh)
    fix("MESH_BAD_VALUES")


def test_what_a_modifier_makes_is_not_repaired_on_the_mesh_and_is_said_so(scene):
    """The culprit is the object then; its mesh is left as it is."""
    obj = linked("object", quad())
    tree = bpy.data.node_groups.new("far away", "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    start, end = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    move, product = (
        tree.nodes.new("GeometryNodeSetPosition"),
        tree.nodes.new("ShaderNodeVectorMath"),
    )
    product.operation = "MULTIPLY"
    for socket in product.inputs[:2]:
        socket.default_value = (1e38, 1e38, 1e38)
    tree.links.new(start.outputs[0], move.inputs["Geometry"])
    tree.links.new(product.outputs[0], move.inputs["Offset"])
    tree.links.new(move.outputs[0], end.inputs[0])
    obj.modifiers.new("far away", "NODES").node_group = tree
    warning = only("MESH_NOT_FINITE")
    assert (warning.kind, warning.name) == ("object", "object")
    with pytest.raises(RuntimeError, match="itself is sound"):
        bpy.ops.fyn.fix_warning(key=warning.key)
    assert warning in scene_warnings.warnings_of(scene)


def test_a_mesh_without_uvs_is_unwrapped_and_the_selection_stays(scene):
    mesh = quad()
    mesh.materials.append(with_picture(bpy.data.images.new("picture", 4, 4)))
    linked("object", mesh)
    other = linked("other", None)
    other.select_set(True)
    bpy.context.view_layer.objects.active = other
    fix("MESH_NO_UV")
    assert len(bpy.data.meshes["quad"].uv_layers) == 1
    assert bpy.context.view_layer.objects.active.name == "other"
    assert [obj.name for obj in bpy.context.selected_objects] == ["other"]
    assert bpy.context.mode == "OBJECT"


def test_a_missing_picture_is_found(scene, awkward_path):
    path = saved_picture(awkward_path / "da [1].png")
    image = bpy.data.images.new("picture", 4, 4)
    image.source = "FILE"
    image.filepath = str(awkward_path / "weg.png")
    mesh = quad()
    mesh.uv_layers.new()
    mesh.materials.append(with_picture(image))
    linked("object", mesh)
    fix("IMAGE_MISSING", filepath=path)
    assert tuple(bpy.data.images["picture"].size) == (4, 4)


def test_a_file_that_is_not_there_is_refused_and_the_warning_stays(scene, tmp_path):
    image = bpy.data.images.new("picture", 4, 4)
    image.source, image.filepath = "FILE", str(tmp_path / "weg.png")
    mesh = quad()
    mesh.uv_layers.new()
    mesh.materials.append(with_picture(image))
    linked("object", mesh)
    warning = only("IMAGE_MISSING")
    with pytest.raises(RuntimeError, match="There is no file"):
        bpy.ops.fyn.fix_with_file(key=warning.key, filepath=str(tmp_path / "auch weg.png"))
    assert bpy.data.images["picture"].filepath == str(tmp_path / "weg.png")
    assert warning in scene_warnings.warnings_of(scene)


def test_a_picture_is_chosen_for_a_node_that_has_none(scene, tmp_path):
    path = saved_picture(tmp_path / "bild.png")
    mesh = quad()
    mesh.uv_layers.new()
    mesh.materials.append(with_picture(None))
    linked("object", mesh)
    fix("NODE_NO_PICTURE", filepath=path)
    assert bpy.data.images["bild.png"].users == 1


def test_a_missing_library_is_found_again(scene, tmp_path):
    prop = linked("prop", quad())
    path = tmp_path / "props.blend"
    bpy.data.libraries.write(str(path), {prop})
    bpy.data.objects.remove(prop)
    bpy.data.meshes.remove(bpy.data.meshes["quad"])
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        wanted.objects = ["prop"]
    scene.collection.objects.link(wanted.objects[0])
    main = tmp_path / "main.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(main))
    moved = tmp_path / "elsewhere" / "props.blend"
    moved.parent.mkdir()
    path.rename(moved)
    bpy.ops.wm.open_mainfile(filepath=str(main))
    warning = only("LIBRARY_MISSING")
    assert bpy.ops.fyn.fix_with_file(key=warning.key, filepath=str(moved)) == {"FINISHED"}
    assert "LIBRARY_MISSING" not in check()
    assert len(bpy.data.objects["prop"].data.polygons) == 1


def test_a_material_is_baked(scene):
    made = material()
    nodes, links = made.node_tree.nodes, made.node_tree.links
    noise = nodes.new("ShaderNodeTexNoise")
    links.new(noise.outputs["Color"], nodes["Principled BSDF"].inputs["Base Color"])
    made.fyn_bake.size = min(
        (item.identifier for item in made.fyn_bake.bl_rna.properties["size"].enum_items), key=int
    )
    mesh = quad()
    mesh.uv_layers.new().uv.foreach_set("vector", [0, 0, 1, 0, 1, 1, 0, 1])
    mesh.materials.append(made)
    linked("object", mesh)
    warning = only("NODE_PROCEDURAL")
    assert bpy.ops.fyn.fix_warning(key=warning.key) == {"FINISHED"}
    assert "NODE_PROCEDURAL" not in check()


def test_linked_data_is_not_changed_and_says_where_to(scene, tmp_path):
    light = bpy.data.lights.new("dark", "POINT")
    light.energy = -5
    lamp = linked("lamp", light)
    path = tmp_path / "lamps.blend"
    bpy.data.libraries.write(str(path), {lamp})
    bpy.data.objects.remove(lamp)
    bpy.data.lights.remove(light)
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        wanted.objects = ["lamp"]
    scene.collection.objects.link(wanted.objects[0])
    warning = only("LIGHT_NEGATIVE")
    with pytest.raises(RuntimeError, match=r"is linked from .*lamps\.blend"):
        bpy.ops.fyn.fix_warning(key=warning.key)
    assert wanted.objects[0].data.energy == -5


def test_all_of_one_cause_are_repaired_at_once_and_undone_at_once(scene):
    for index in range(3):
        camera = bpy.data.cameras.new(f"panorama {index}")
        camera.type = "PANO"
        linked(f"camera {index}", camera)
    assert check() == ["CAMERA_PANORAMIC"] * 3
    bpy.ops.ed.undo_push(message="before")
    result = bpy.ops.fyn.fix_all_of_cause("EXEC_DEFAULT", True, cause="CAMERA_PANORAMIC")
    assert result == {"FINISHED"}
    assert check() == []
    bpy.ops.ed.undo()
    assert check() == ["CAMERA_PANORAMIC"] * 3


def test_a_warning_whose_culprit_is_gone_leaves_the_list(scene):
    camera = bpy.data.cameras.new("panorama")
    camera.type = "PANO"
    linked("camera", camera)
    warning = only("CAMERA_PANORAMIC")
    bpy.data.cameras.remove(camera)
    assert bpy.ops.fyn.fix_warning(key=warning.key) == {"CANCELLED"}
    assert scene_warnings.warnings_of(scene) == ()
    assert bpy.ops.fyn.fix_warning(key=warning.key) == {"CANCELLED"}


def test_every_repair_that_a_cause_names_is_there_and_none_is_without_a_cause():
    named = {cause.words.fix for cause in Cause.all().values()} - {""}
    assert named == set(FIXES) == set(REPAIRS)
