"""Operators of components: add, remove, reset, copy, paste, copy to the selected, fit, presets."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import pytest
from mathutils import Matrix

from fyn.addon.components import clipboard, presets, writing
from fyn.addon.components.reading import read_components
from fyn.engine_core.world.components import ALL_TYPES, Behaviour, Collider, Tags

pytestmark = pytest.mark.usefixtures("registered")


@pytest.fixture
def cube(empty_scene):
    bpy.ops.mesh.primitive_cube_add(size=2)
    return bpy.context.object


@pytest.fixture
def beside(cube):
    """Another selected object, while the cube stays the active one."""
    bpy.ops.mesh.primitive_cube_add(size=1)
    other = bpy.context.object
    cube.select_set(True)
    bpy.context.view_layer.objects.active = cube
    return other


def op(name, component="collider", **more):
    return getattr(bpy.ops.fyn, name)(component=component, **more)


def test_a_component_is_added_and_removed(cube):
    assert op("component_add", "behaviour") == {"FINISHED"}
    assert read_components(cube) == {"behaviour": Behaviour()}
    cube.fyn.behaviour.spin_speed = 2
    assert op("component_remove", "behaviour") == {"FINISHED"}
    assert read_components(cube) == {}
    op("component_add", "behaviour")
    assert read_components(cube) == {"behaviour": Behaviour()}


def test_adding_what_is_there_changes_nothing(cube):
    op("component_add", "behaviour")
    cube.fyn.behaviour.spin_speed = 2
    assert op("component_add", "behaviour") == {"CANCELLED"}
    assert cube.fyn.behaviour.spin_speed == 2


def test_a_component_can_be_added_to_all_selected(cube, beside):
    op("component_add", "tags", use_selected_objects=True)
    assert set(read_components(cube)) == set(read_components(beside)) == {"tags"}


def test_a_new_collider_fits_its_object(cube):
    cube.data.transform(Matrix.Translation((1, 2, 3)))
    op("component_add")
    assert read_components(cube)["collider"].center == (1.0, 3.0, -2.0)
    assert read_components(cube)["collider"].size == (2.0, 2.0, 2.0)


def test_fitting_sees_modifiers(cube):
    op("component_add")
    cube.modifiers.new("Array", "ARRAY").count = 3
    op("collider_fit")
    assert tuple(cube.fyn.collider.size) == pytest.approx((6, 2, 2))
    assert tuple(cube.fyn.collider.center) == pytest.approx((2, 0, 0))


def test_an_object_without_geometry_cannot_be_fitted_and_says_so(empty_scene):
    bpy.ops.object.empty_add()
    op("component_add")
    with pytest.raises(RuntimeError, match="shows nothing that a collider could fit"):
        op("collider_fit")


def test_reset_gives_every_field_its_default_and_keeps_the_component(cube):
    op("component_add")
    cube.fyn.collider.friction = 0.25
    op("component_reset")
    assert read_components(cube) == {"collider": Collider()}


def test_native_components_are_reset_too(cube):
    cube.fyn.mesh.glow = 3
    op("component_reset", "mesh")
    assert cube.fyn.mesh.glow == 0


def test_copy_and_paste_carry_values_to_another_object(cube, beside):
    op("component_add")
    cube.fyn.collider.shape, cube.fyn.collider.friction = "capsule", 0.25
    op("component_copy")
    bpy.context.view_layer.objects.active = beside
    assert bpy.ops.fyn.component_paste_new() == {"FINISHED"}
    assert read_components(beside) == read_components(cube)


def test_pasting_replaces_all_values(cube, beside):
    op("component_add", "behaviour")
    op("component_add", "behaviour", use_selected_objects=True)
    beside.fyn.behaviour.spin_speed = 5
    cube.fyn.behaviour.bob_height = 1
    op("component_copy", "behaviour")
    bpy.context.view_layer.objects.active = beside
    op("component_paste", "behaviour")
    assert read_components(beside)["behaviour"] == Behaviour(bob_height=1.0)


def test_pasting_without_a_component_in_the_clipboard_says_what_to_do(cube, monkeypatch):
    monkeypatch.setattr("fyn.addon.operators.components._kept_text", "hello")
    with pytest.raises(RuntimeError, match="copy one first"):
        bpy.ops.fyn.component_paste_new()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"component": "rocket"}, "does not know"),
        ({"version": 999}, "newer Fyn"),
        ({"version": "1"}, "does not know"),
        ({"values": []}, "does not know"),
        ({"format": "x"}, "copy one first"),
    ],
)
def test_a_text_that_is_no_component_is_refused_in_words(cube, change, words):
    op("component_add")
    text = json.dumps(json.loads(clipboard.to_text(cube, Collider)) | change)
    with pytest.raises(Exception, match=words):
        clipboard.from_text(text)


def test_values_of_a_wrong_type_are_left_out_and_named(cube):
    op("component_add")
    problems = writing.set_values(
        cube, Collider, {"radius": "wide", "shape": "round", "height": 3.0, "color": 1}
    )
    assert len(problems) == 3
    assert read_components(cube)["collider"] == Collider(height=3.0)


def test_copy_to_selected_gives_the_others_the_same_values(cube, beside):
    op("component_add", "tags")
    op("list_add", "tags", field="tags")
    cube.fyn.tags.tags[0].word = "enemy"
    op("component_copy_to_selected", "tags")
    assert read_components(beside) == {"tags": Tags(tags=("enemy",))}


def test_copy_to_selected_with_nothing_else_selected_says_so(cube):
    op("component_add", "tags")
    with pytest.raises(RuntimeError, match="No other object"):
        op("component_copy_to_selected", "tags")


def test_values_of_a_lamp_go_to_the_selected_lamps(empty_scene):
    bpy.ops.object.light_add(type="POINT")
    first = bpy.context.object
    bpy.ops.object.light_add(type="SPOT")
    first.select_set(True)
    bpy.context.object.data.fyn.light.importance = 4
    op("component_copy_to_selected", "light")
    assert first.data.fyn.light.importance == 4


def test_lines_of_a_list_are_added_and_removed(cube):
    op("component_add", "tags")
    for word in ("a", "b", "c"):
        op("list_add", "tags", field="tags")
        cube.fyn.tags.tags[-1].word = word
    op("list_remove", "tags", field="tags", index=1)
    assert read_components(cube)["tags"] == Tags(tags=("a", "c"))


def test_there_is_a_message_where_nothing_could_have_it(empty_scene):
    with pytest.raises(RuntimeError, match="nothing here"):
        op("component_add")


def test_a_linked_object_says_that_it_needs_an_override(cube, tmp_path):
    library = tmp_path / "library.blend"
    bpy.data.libraries.write(str(library), {cube})
    bpy.data.objects.remove(cube)
    with bpy.data.libraries.load(str(library), link=True) as (source, target):
        target.objects = source.objects
    linked = target.objects[0]
    bpy.context.collection.objects.link(linked)
    bpy.context.view_layer.objects.active = linked
    with pytest.raises(RuntimeError, match="make a library override"):
        op("component_add")


def test_adding_and_removing_can_be_undone(cube):
    bpy.context.preferences.edit.use_global_undo = True
    bpy.ops.ed.undo_push(message="before")
    op("component_add", "behaviour")
    bpy.ops.ed.undo_push(message="added")
    bpy.ops.ed.undo()
    assert read_components(bpy.context.object) == {}
    bpy.ops.ed.redo()
    assert set(read_components(bpy.context.object)) == {"behaviour"}


# Presets ------------------------------------------------------------------------------------------


@pytest.fixture
def user_presets(tmp_path, monkeypatch):
    """Presets go to a folder of the test's own."""

    def user_resource(kind, *, path="", create=False):
        folder = tmp_path / path
        folder.mkdir(parents=True, exist_ok=True)
        return str(folder)

    monkeypatch.setattr(bpy.utils, "user_resource", user_resource)
    monkeypatch.setattr(
        bpy.utils, "preset_paths", lambda folder: [str(tmp_path / "presets" / folder)]
    )
    return tmp_path


def test_a_preset_keeps_all_values_and_gives_them_back(cube, user_presets):
    op("component_add")
    cube.fyn.collider.shape, cube.fyn.collider.friction = "sphere", 0.125
    bpy.ops.fyn.collider_preset_add(name="Ball")
    (file,) = (user_presets / "presets" / "fyn" / "collider").glob("*.py")
    before = read_components(cube)
    op("component_reset")
    bpy.ops.fyn.component_preset(filepath=str(file), menu_idname="FYN_PT_collider_presets")
    assert read_components(cube) == before


def test_a_preset_of_lists_replaces_the_list(cube, user_presets):
    op("component_add", "tags")
    writing.set_values(cube, Tags, {"tags": ["a", "b"]})
    bpy.ops.fyn.tags_preset_add(name="Two")
    writing.set_values(cube, Tags, {"tags": ["c"]})
    (file,) = (user_presets / "presets" / "fyn" / "tags").glob("*.py")
    bpy.ops.fyn.component_preset(filepath=str(file), menu_idname="FYN_PT_tags_presets")
    assert read_components(cube)["tags"] == Tags(tags=("a", "b"))


def test_what_a_preset_does_not_name_stays_as_it_is(cube, user_presets):
    """So that one about ice keeps the size that was fitted."""
    op("component_add")
    cube.fyn.collider.restitution = 0.75
    file = user_presets / "old.py"
    file.write_text(
        "import bpy\ncomponent = bpy.context.object.fyn.collider\ncomponent.friction = 0.25\n"
    )
    bpy.ops.fyn.component_preset(filepath=str(file), menu_idname="FYN_PT_collider_presets")
    assert read_components(cube)["collider"] == Collider(friction=0.25, restitution=0.75)


@pytest.mark.parametrize("key", ["light", "camera", "environment", "render"])
def test_presets_work_for_lamps_cameras_worlds_and_scenes(empty_scene, user_presets, key):
    if key in ("light", "camera"):
        getattr(bpy.ops.object, f"{key}_add")()
        datablock = bpy.context.object.data
    else:
        empty_scene.world = empty_scene.world or bpy.data.worlds.new("World")
        datablock = empty_scene if key == "render" else empty_scene.world
    name = {"light": "importance", "environment": "ambient"}.get(key, "exposure")
    group = getattr(datablock.fyn, key)
    setattr(group, name, 0.5)
    getattr(bpy.ops.fyn, f"{key}_preset_add")(name="Half")
    op("component_reset", key)
    (file,) = (user_presets / "presets" / "fyn" / key).glob("*.py")
    bpy.ops.fyn.component_preset(filepath=str(file), menu_idname=f"FYN_PT_{key}_presets")
    assert getattr(group, name) == 0.5


def shipped():
    return [
        (key, file)
        for key in ALL_TYPES
        for folder in bpy.utils.preset_paths(f"fyn/{key}")
        for file in sorted(Path(folder).glob("*.py"))
        if Path(folder).is_relative_to(presets.SHIPPED)
    ]


def test_every_preset_that_comes_with_fyn_changes_its_component(cube):
    found = shipped()
    assert {key for key, _ in found} == {"collider", "behaviour"}
    for key, file in found:
        op("component_add", key)
        before = read_components(cube)
        name = f"FYN_PT_{key}_presets"
        assert bpy.ops.fyn.component_preset(filepath=str(file), menu_idname=name) == {"FINISHED"}
        assert read_components(cube)[key] != before[key], file.name
        assert getattr(bpy.types, name).bl_label == file.stem
        op("component_remove", key)
