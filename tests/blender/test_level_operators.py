"""File > Import and Export > Fyn Level: what they write and what they say."""

from __future__ import annotations

import bpy
import pytest

from fyn.addon import registration
from fyn.addon.headless import new_file
from fyn.engine_core.world.level_file import read_level


@pytest.fixture
def enabled():
    new_file()
    registration.register()
    yield
    registration.unregister()
    new_file()


@pytest.fixture
def cube_scene(enabled):
    bpy.ops.mesh.primitive_cube_add(location=(1, 2, 3))
    return bpy.context.scene


def test_the_export_writes_the_scene_and_names_its_warnings(cube_scene, tmp_path):
    cube_scene.objects[0].name = "Würfel [1]"
    assert bpy.ops.fyn.export_level(filepath=str(tmp_path / "my level.fyn")) == {"FINISHED"}
    world = read_level(tmp_path / "my level.fyn")
    assert world.entities["Würfel [1]"].transform.translation == (1.0, 3.0, -2.0)


def test_the_import_makes_a_scene_beside_the_others(cube_scene, tmp_path):
    bpy.ops.fyn.export_level(filepath=str(tmp_path / "level.fyn"))
    new_file()
    mine = bpy.context.scene
    assert bpy.ops.fyn.import_level(filepath=str(tmp_path / "level.fyn")) == {"FINISHED"}
    assert set(bpy.data.scenes.keys()) == {mine.name, "level"}
    assert [obj.name for obj in bpy.data.scenes["level"].objects] == ["Cube"]


def test_a_level_that_is_broken_is_an_error_and_makes_nothing(enabled, tmp_path):
    (tmp_path / "bad.fyn").write_text('{"format": "fyn-level", "version": 1, "entities": 3}')
    before = len(bpy.data.scenes)
    with pytest.raises(RuntimeError, match="entities"):
        bpy.ops.fyn.import_level(filepath=str(tmp_path / "bad.fyn"))
    assert len(bpy.data.scenes) == before


def test_a_folder_that_cannot_be_written_is_an_error(cube_scene, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RuntimeError, match="file"):
        bpy.ops.fyn.export_level(filepath=str(tmp_path / "file" / "level.fyn"))


def test_the_menus_have_their_entries_only_while_fyn_is_enabled(enabled):
    def entries(menu):
        return [f for f in menu._dyn_ui_initialize() if f.__module__.endswith("level_files")]

    menus = (bpy.types.TOPBAR_MT_file_import, bpy.types.TOPBAR_MT_file_export)
    assert [len(entries(menu)) for menu in menus] == [1, 1]
    registration.unregister()
    assert [len(entries(menu)) for menu in menus] == [0, 0]
