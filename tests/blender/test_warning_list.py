"""The list of warnings: what it holds, how it is searched, and when it is emptied."""

from __future__ import annotations

import bpy
import pytest

from fyn.addon import scene_warnings, warning_store
from fyn.addon.panels import warnings as panel
from fyn.addon.scene_world import SceneWorld
from fyn.addon.sync.causes import Cause
from fyn.addon.sync.scene_causes import SceneCause
from fyn.addon.sync.warnings import warn_about


@pytest.fixture
def listed(registered, empty_scene):
    """Fills the list of the scene and returns it."""
    empty_scene.view_settings.view_transform = "Standard"
    warning_store.forget_all()

    def fill():
        panel.fill(bpy.context.window_manager.fyn_warnings, bpy.context.scene)
        return bpy.context.window_manager.fyn_warnings

    yield fill
    panel.after_load()


def cube(name="cube"):
    mesh = bpy.data.meshes.new(name)
    corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh.from_pydata(corners, [], faces)
    return mesh


def linked(name, data, collection=None):
    obj = bpy.data.objects.new(name, data)
    (collection or bpy.context.scene.collection).objects.link(obj)
    return obj


def noisy(name="noisy"):
    material = bpy.data.materials.new(name)
    if material.node_tree is None:
        material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    noise = nodes.new("ShaderNodeTexNoise")
    links.new(noise.outputs["Color"], nodes["Principled BSDF"].inputs["Base Color"])
    return material


def texts(listed):
    return [(row.title, row.count) if not row.key else row.label for row in listed.rows]


def test_warnings_stand_under_the_titles_of_their_causes(listed):
    for index in range(3):
        mesh = cube(f"cube {index}")
        mesh.materials.append(noisy(f"noisy {index}"))
        linked(f"object {index}", mesh)
    camera = bpy.data.cameras.new("panorama")
    camera.type = "PANO"
    linked("camera", camera)
    bpy.ops.fyn.check_scene()
    assert texts(listed()) == [
        ("Panoramic cameras", 1),
        "panorama",
        ("Procedural textures", 3),
        *(f"noisy {index}: Noise Texture" for index in range(3)),
    ]


def test_four_thousand_instances_of_one_culprit_are_one_line(listed):
    mesh = cube()
    mesh.vertices.add(1)
    mesh.materials.append(noisy())
    collection = bpy.data.collections.new("set")
    linked("cube", mesh, collection)
    for index in range(2000):
        empty = bpy.data.objects.new(f"instance {index}", None)
        empty.instance_type, empty.instance_collection = "COLLECTION", collection
        bpy.context.scene.collection.objects.link(empty)
        linked(f"duplicate {index}", mesh)
    bpy.ops.fyn.check_scene()
    assert texts(listed()) == [
        ("Loose points and edges", 1),
        "cube",
        ("Procedural textures", 1),
        "noisy: Noise Texture",
    ]


def test_lamps_of_one_kind_are_one_line(listed):
    light = bpy.data.lights.new("spot", "SPOT")
    light.use_square = True
    for index in range(20):
        linked(f"lamp {index}", light)
    bpy.ops.fyn.check_scene()
    assert texts(listed()) == [("Square spot lamps", 1), "spot"]


def test_a_material_on_meshes_of_different_layouts_is_one_line(listed):
    material = noisy()
    node = material.node_tree.nodes.new("ShaderNodeUVMap")
    node.uv_map = "second"
    image = material.node_tree.nodes.new("ShaderNodeTexImage")
    image.image = bpy.data.images.new("picture", 4, 4)
    links = material.node_tree.links
    links.new(node.outputs[0], image.inputs["Vector"])
    principled = material.node_tree.nodes["Principled BSDF"]
    links.new(image.outputs["Color"], principled.inputs["Emission Color"])
    for index, names in enumerate((("second",), ("first", "second"), ("a", "b", "second"))):
        mesh = cube(f"cube {index}")
        mesh.materials.append(material)
        for name in names:
            mesh.uv_layers.new(name=name)
        linked(f"object {index}", mesh)
    bpy.ops.fyn.check_scene()
    assert texts(listed()) == [("Procedural textures", 1), "noisy: Noise Texture"]


def test_the_search_finds_words_under_closed_titles_and_shows_their_title(listed):
    for index in range(3):
        mesh = cube(f"cube {index}")
        mesh.materials.append(noisy(f"Wände {index}"))
        linked(f"object {index}", mesh)
    camera = bpy.data.cameras.new("panorama")
    camera.type = "PANO"
    linked("camera", camera)
    bpy.ops.fyn.check_scene()
    rows = listed().rows
    assert panel.shown_rows(rows, "") == [True] * 6
    rows[2].is_open = False
    assert panel.shown_rows(rows, "") == [True, True, True, False, False, False]
    assert panel.shown_rows(rows, " wände 1") == [False, False, True, False, True, False]
    assert panel.shown_rows(rows, "bake") == [False, False, True, True, True, True]
    assert panel.shown_rows(rows, "wände 1", inverted=True) == [True, True, True, True, False, True]
    assert panel.shown_rows(rows, "nothing of the kind") == [False] * 6


def test_the_list_keeps_closed_titles_and_the_active_line_when_it_is_filled_anew(listed):
    for index in range(2):
        mesh = cube(f"cube {index}")
        mesh.materials.append(noisy(f"noisy {index}"))
        linked(f"object {index}", mesh)
    bpy.ops.fyn.check_scene()
    found = listed()
    found.rows[0].is_open = False
    found.active = 2
    camera = bpy.data.cameras.new("panorama")
    camera.type = "PANO"
    linked("camera", camera)
    bpy.ops.fyn.check_scene()
    found = listed()
    assert texts(found)[:2] == [("Panoramic cameras", 1), "panorama"]
    assert not found.rows[2].is_open
    assert found.rows[found.active].label == "noisy 1: Noise Texture"


def test_a_render_fills_the_list_of_its_scene_only(listed, stage):
    mesh = cube()
    mesh.materials.append(noisy())
    linked("cube", mesh)
    other = bpy.data.scenes.new("other")
    stage.f12()
    assert [w.cause for w in scene_warnings.warnings_of(stage.scene)] == ["NODE_PROCEDURAL"]
    other.view_settings.view_transform = "Standard"
    assert scene_warnings.warnings_of(other) == ()
    mesh.materials.clear()
    stage.f12()
    assert scene_warnings.warnings_of(stage.scene) == ()


def test_color_management_is_listed_while_it_changes_colors(listed):
    bpy.context.scene.view_settings.view_transform = "Filmic" if bpy.app.version < (4, 0) else "AgX"
    assert texts(listed()) == [("Color management", 1), "Scene"]
    bpy.context.scene.view_settings.view_transform = "Standard"
    assert texts(listed()) == []


def test_another_file_empties_the_list_and_no_row_is_saved(listed, tmp_path):
    mesh = cube()
    mesh.vertices.add(1)
    linked("cube", mesh)
    bpy.ops.fyn.check_scene()
    assert len(listed().rows) == 2
    path = tmp_path / "saved.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    assert len(bpy.context.window_manager.fyn_warnings.rows) == 0
    assert b"Loose points and edges" not in path.read_bytes()
    assert len(listed().rows) == 2
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.context.scene.view_settings.view_transform = "Standard"
    assert len(listed().rows) == 0


def test_every_cause_has_a_title_and_a_sentence_of_its_own():
    causes = Cause.all()
    assert len(causes) == sum(len(part.__members__) for part in Cause.__subclasses__())
    for name, cause in causes.items():
        words = cause.words
        assert words.title and words.title[0].isupper() and not words.title.endswith("."), name
        assert words.what.endswith((".", "}")), name
        assert not words.advice or words.advice.endswith("."), name
        assert Cause.named(name) is cause


def test_values_with_braces_and_percent_signs_are_kept_as_they_are(empty_scene):
    scene = bpy.context.scene
    scene.name = "{0} 100% {changes}"
    warning = warn_about(scene, SceneCause.SCENE_COLORS, changes="look '{x}'")
    assert "look '{x}'" in str(warning) and "{0} 100% {changes}" in str(warning)


def test_a_view_that_hides_something_lists_its_warnings_and_a_preview_lists_none(listed, gl):
    shown, hidden = cube("shown"), cube("hidden")
    for mesh in (shown, hidden):
        mesh.vertices.add(1)
        linked(mesh.name, mesh)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    view = SceneWorld(lambda obj: obj.name != "hidden")
    preview = SceneWorld(lists_warnings=False)
    view.update(depsgraph)
    preview.update(depsgraph)
    assert texts(listed()) == [("Loose points and edges", 1), "shown"]
    assert len(preview.warnings) == 2
    view.release()
    preview.release()
