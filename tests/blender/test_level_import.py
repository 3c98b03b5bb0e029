"""Levels come back as Blender scenes: what nobody changed is exported to the same bytes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np
import pytest

from fyn.addon.components.registration import properties
from fyn.addon.headless import load_world, new_file, read_scene, save_blend
from fyn.addon.level_import.importer import import_world
from fyn.addon.sync.kept import DIGEST, WORDS
from fyn.cli.main import main
from fyn.compare.comparison import compare_images
from fyn.compare.tolerance import Tolerance
from fyn.engine_core.assets.material import Material
from fyn.engine_core.assets.mesh import MeshData, Primitive
from fyn.engine_core.render.framing import framing
from fyn.engine_core.render.world_renderer import render_world
from fyn.engine_core.world.components import (
    COMPONENT_TYPES,
    CameraComponent,
    Environment,
    LightComponent,
    MeshComponent,
    RenderSettings,
)
from fyn.engine_core.world.entity import Entity, Transform
from fyn.engine_core.world.level_file import read_level
from fyn.engine_core.world.world import World
from fyn.exporters.level import export_level

SCENES = (
    "khronos_gltf_io/scenes/01_principled_material.blend",
    "khronos_gltf_io/scenes/02_node_hierarchy.blend",
    "khronos_gltf_io/scenes/08_combine_orm.blend",
    "khronos_gltf_io/scenes/22_vertex_colors_and_attributes.blend",
    "khronos_gltf_io/scenes/25_mesh_instances.blend",
    "khronos_gltf_io/scenes/33_udim.blend",
    "khronos_gltf_io/scenes/gn_nested_instances.blend",
    "khronos_gltf_io/scenes/00_all_negative_crop.blend",
    "armory_examples/light_area/light_area.blend",
    "armory_examples/render_bloom/render_bloom.blend",
    "armory_examples/material_alpha/material_alpha.blend",
    "armory_examples/material_normalmap/material_normalmap.blend",
    "armory_examples/game_bowling/game_bowling.blend",
)


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def round_trip(blend: Path, tmp_path: Path) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Export, import, save, open, export; return the files of both exports."""
    first = export_level(load_world(blend).world, tmp_path / "first")
    new_file()
    report = import_world(read_level(first.level), "Level")
    saved = tmp_path / "again.blend"
    save_blend(saved, report.scene)
    export_level(load_world(saved).world, tmp_path / "second")
    return files_of(tmp_path / "first"), files_of(tmp_path / "second")


@pytest.mark.one_blender
@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: Path(scene).stem)
def test_export_import_export_gives_the_same_bytes(scene, shared_data, tmp_path):
    first, second = round_trip(shared_data / scene, tmp_path)
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []


def without_words() -> None:
    """Forget what the import left, so that the datablocks alone speak."""
    for name in ("objects", "meshes", "materials", "worlds", "scenes"):
        for datablock in getattr(bpy.data, name):
            for key in (DIGEST, WORDS):
                if key in datablock:
                    del datablock[key]


@pytest.mark.one_blender
@pytest.mark.parametrize("scene", SCENES[:-1], ids=lambda scene: Path(scene).stem)
def test_what_blender_holds_after_an_import_looks_like_the_level(scene, shared_data, tmp_path):
    level = read_level(export_level(load_world(shared_data / scene).world, tmp_path).level)
    new_file()
    import_world(level, "Level")
    without_words()
    again = read_scene(scene="Level").world
    assert again.entities.keys() == level.entities.keys()
    added = framing(level, 16 / 9)
    for world in (level, again):
        world.apply(added)
    pictures = [
        render_world(world, None, (160, 90)).outputs["frame_color"] for world in (level, again)
    ]
    # Normals are kept in 16 bits, colours of lamps and tints in singles.
    assert_alike(pictures[1], pictures[0])


def assert_alike(actual: np.ndarray, expected: np.ndarray) -> None:
    tolerance = Tolerance(mean=0.5, pixel=8.0, share=0.004, ssim=0.98)
    comparison = compare_images(actual, expected, tolerance)
    assert comparison.passed, comparison.reasons


def small_level() -> World:
    """Everything that needs no picture: hierarchy, components, references, lamps, a camera."""
    triangle = MeshData(
        name="tri",
        positions=np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32),
        normals=np.array([[0, 0, 1]] * 3, np.float32),
        indices=np.array([0, 1, 2], np.uint32),
        primitives=(Primitive(0, 3, 0),),
    )
    world = World(meshes={"tri": triangle}, active_camera="eye")
    world.materials["red"] = Material(name="red", base_color=(0.7, 0.1, 0.05, 1.0), roughness=0.3)
    for entity in (
        Entity(
            id="table",
            name="Table",
            transform=Transform(
                translation=(1.1, 2.2, -3.3), rotation=(0.0, 0.6, 0.0, 0.8), scale=(2.0, 1.0, 0.5)
            ),
            mesh=MeshComponent(
                mesh="tri", materials=("red",), casts_shadow=False, receives_shadow=False, glow=0.5
            ),
        ),
        Entity(
            id="sheared",
            name="Vase",
            parent="table",
            transform=Transform(matrix=(1, 0.5, 0, 0.1, 0, 1, 0, 0.2, 0, 0, 1, 0.3, 0, 0, 0, 1)),
            mesh=MeshComponent(mesh="tri", materials=("",)),
        ),
        Entity(
            id="sun",
            light=LightComponent(kind="sun", strength=1.3, color=(1.0, 0.9, 0.7), angle=0.01),
        ),
        Entity(id="lamp", light=LightComponent(kind="spot", strength=2.5, radius=0.1, range=9.0)),
        Entity(
            id="eye",
            name="Eye",
            transform=Transform(translation=(0.0, 1.0, 6.0)),
            camera=CameraComponent(fov=0.7, shift=(0.1, -0.05), near=0.2, far=80.0),
        ),
    ):
        world.entities[entity.id] = entity
    for key, kind in COMPONENT_TYPES.items():
        if kind.addable:
            world.entities[key] = Entity(id=key, **{key: kind()})
    world.environment = Environment(
        kind="hemisphere", sky_color=(0.3, 0.5, 0.9), ground_color=(0.2, 0.15, 0.1), ambient=0.7
    )
    world.render = RenderSettings(exposure=0.5, tone_map="aces", width=320, height=200)
    return world


def test_components_and_settings_come_back(tmp_path):
    level = read_level(export_level(small_level(), tmp_path / "a").level)
    new_file()
    assert import_world(level, "Level").warnings == []
    save_blend(tmp_path / "level.blend", bpy.data.scenes["Level"])
    again = load_world(tmp_path / "level.blend").world
    assert again.entities == level.entities
    assert (again.environment, again.render) == (level.environment, level.render)
    export_level(again, tmp_path / "b")
    assert files_of(tmp_path / "a") == files_of(tmp_path / "b")


def test_a_change_in_blender_counts_and_leaves_the_rest_as_it_came(tmp_path):
    level = read_level(export_level(small_level(), tmp_path).level)
    new_file()
    import_world(level, "Level")
    bpy.data.objects["table"].location.x += 1
    bpy.data.lights["lamp"].energy *= 2
    with properties():
        bpy.data.scenes["Level"].fyn.render.exposure = 1.5
    again = read_scene(scene="Level").world
    assert again.entities["table"].transform.translation[0] == pytest.approx(2.1)
    assert again.entities["lamp"].light.strength == pytest.approx(5.0, rel=1e-5)
    assert again.render.exposure == 1.5
    for key in ("sun", "eye"):
        assert again.entities[key] == level.entities[key]
    assert again.entities["sheared"].name == "Vase"
    np.testing.assert_allclose(
        again.entities["sheared"].transform.to_matrix(),
        level.entities["sheared"].transform.to_matrix(),
        atol=1e-5,
    )
    assert again.environment == level.environment


def test_lamps_and_cameras_mean_the_same_without_the_levels_words(tmp_path):
    level = read_level(export_level(small_level(), tmp_path).level)
    new_file()
    import_world(level, "Level")
    without_words()
    again = read_scene(scene="Level").world
    for key in ("sun", "lamp"):
        assert again.entities[key].light.strength == pytest.approx(
            level.entities[key].light.strength, rel=1e-5
        )
    assert again.entities["eye"].camera.fov == pytest.approx(0.7, rel=1e-5)
    for key in ("table", "sheared", "eye"):
        np.testing.assert_allclose(
            again.world_from_local(key), level.world_from_local(key), atol=1e-5
        )


def test_names_that_are_taken_are_said_and_nothing_of_the_file_is_changed(tmp_path):
    level = read_level(export_level(small_level(), tmp_path).level)
    new_file()
    mine = bpy.data.objects.new("table", None)
    mine.location = (7, 8, 9)
    report = import_world(level, "Level")
    assert report.objects["table"].name == "table.001"
    assert any("names are taken" in text for text in report.warnings)
    assert tuple(mine.location) == (7, 8, 9)
    again = read_scene(scene="Level").world
    assert again.entities["table.001"].mesh == level.entities["table"].mesh


def test_triangles_without_an_area_are_left_out_and_said():
    world = small_level()
    mesh = world.meshes["tri"]
    broken = np.array([0, 1, 2, 1, 1, 2], np.uint32)
    world.meshes["tri"] = replace(mesh, indices=broken, primitives=(Primitive(0, 6, 0),))
    new_file()
    report = import_world(world, "Level")
    assert any("1 triangle" in text for text in report.warnings)
    assert len(bpy.data.meshes["tri"].polygons) == 1


def test_the_command_writes_a_blend_that_exports_alike(tmp_path, capsys):
    level = export_level(small_level(), tmp_path / "a").level
    blend = tmp_path / "täble [1].blend"
    assert main(["import", str(level), "-o", str(blend), "--quiet"]) == 0
    assert main(["export", str(blend), "-o", str(tmp_path / "b"), "--quiet"]) == 0
    assert files_of(tmp_path / "a") == files_of(tmp_path / "b")


def test_the_command_says_what_cannot_be_imported(tmp_path, capsys):
    level = export_level(small_level(), tmp_path / "a").level
    assert main(["import", str(level), "-o", str(tmp_path / "x.png")]) == 2
    assert main(["import", str(level), "-o", str(tmp_path / "no" / "x.blend")]) == 2
    (tmp_path / "bad.fyn").write_text("{")
    assert main(["import", str(tmp_path / "bad.fyn"), "-o", str(tmp_path / "x.blend")]) == 1
    assert "bad.fyn" in capsys.readouterr().err
