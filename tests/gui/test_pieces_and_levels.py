"""Pieces and the import of levels in a real Blender with its window."""

from __future__ import annotations

import json
import subprocess

import pytest

from fyn.addon.pieces.catalogue import PIECES
from fyn.cli.main import main
from fyn.compare.pictures import read_picture
from fyn.engine_core.world.level_file import read_level

MAKE_LEVEL_SCENE = """
import bpy, sys
bpy.ops.wm.read_homefile(use_factory_startup=True)
cube = bpy.data.objects["Cube"]
cube.keyframe_insert("location", frame=1)
cube.location.z = 1.0
cube.keyframe_insert("location", frame=30)
bpy.context.scene.frame_end = 30
bpy.ops.wm.save_as_mainfile(filepath=sys.argv[-1])
"""


@pytest.fixture
def level(real_blender, packages, tmp_path):
    """Blender's first scene with a cube that rises, exported by the real Blender."""
    blend = tmp_path / "scene.blend"
    command = [*real_blender, "-b", "--python-expr", MAKE_LEVEL_SCENE, "--", str(blend)]
    subprocess.run(command, check=True, capture_output=True, timeout=240)
    out = tmp_path / "level"
    assert main(["export", str(blend), "-o", str(out), "--blender", real_blender[0]]) == 0
    return out / "level.fyn"


def test_pieces_are_added_undone_and_offered_by_the_asset_browser(play):
    found = play("pieces").findings
    assert found["libraries"] == [["Fyn"], [], ["Fyn"], ["Fyn"]]
    assert found["enabled_after_reading"]
    assert found["added"] == [piece.name for piece in PIECES]
    assert found["left_by_undo"] == {}
    assert found["failures"] == []
    assert found["appended"] == {"Coin.001": True}


def test_an_imported_level_is_shown_undone_edited_exported_and_linked(play, level):
    played = play("level_import", level)
    found = played.findings
    assert (found["first"], found["engine"]) == (["FINISHED", "level"], "FYN")
    assert found["second"] == ["FINISHED", "level.001"]
    assert (found["left_by_undo"], found["scene_after_undo"]) == ([], "Scene")
    assert found["redone"]
    assert found["failures"] == []
    assert read_picture(played.folder / "imported.png")[:, :, :3].std() > 5
    before = read_level(level)
    for folder in ("again", "linked"):
        after = read_level(played.folder / folder / "level.fyn")
        assert after.clips.keys() == before.clips.keys() == {"scene"}
        lamp = next(entity for entity in after.entities.values() if entity.light)
        cube = next(entity for entity in after.entities.values() if entity.mesh)
        assert lamp.light == before.entities["Light"].light
        assert after.clips["scene"].channels[0].target == cube.id
        moved = cube.transform.translation[0]
        assert moved == pytest.approx(before.entities["Cube"].transform.translation[0] + 0.5)


def test_fyn_import_runs_in_the_blender_that_is_asked_for(level, real_blender, tmp_path, capsys):
    host = ["--blender", real_blender[0]]
    blend = tmp_path / "again [1] ü.blend"
    capsys.readouterr()
    assert main(["import", str(level), "-o", str(blend), "--json", *host]) == 0
    assert json.loads(capsys.readouterr().out)["objects"] == 3
    assert main(["export", str(blend), "-o", str(tmp_path / "b"), *host]) == 0
    first, second = (
        {p.name: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
        for folder in (level.parent, tmp_path / "b")
    )
    assert {name.split(".")[-1] for name in first} == {name.split(".")[-1] for name in second}
    assert sorted(first.values()) == sorted(second.values())
