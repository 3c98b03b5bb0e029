"""`fyn` on .blend files with the bpy of this process: frames, cameras, exports, broken files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fyn.cli.main import main
from fyn.compare.pictures import read_picture


def save_scene(file: Path, scene: Any) -> Path:
    """A cube that moves to the right, under a sun, with two cameras; `scene` is an empty one."""
    import bpy

    bpy.ops.mesh.primitive_cube_add()
    cube = bpy.context.object
    for frame, x in ((1, -2.0), (11, 2.0)):
        cube.location.x = x
        cube.keyframe_insert("location", index=0, frame=frame)
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    sun.rotation_euler = (0.7, 0.0, 0.3)
    for name, rotation in (("Kamera [1] ü", (np.pi / 2, 0, 0)), ("Away", (-np.pi / 2, 0, 0))):
        camera = bpy.data.objects.new(name, bpy.data.cameras.new(name))
        camera.location, camera.rotation_euler = (0, -10, 0), rotation
        scene.collection.objects.link(camera)
        scene.camera = scene.camera or camera
    scene.collection.objects.link(sun)
    scene.world = bpy.data.worlds.new("Black")
    scene.world.color = (0, 0, 0)
    scene.render.resolution_x, scene.render.resolution_y = 160, 90
    scene.render.resolution_percentage = 50
    scene.frame_set(11)
    bpy.ops.wm.save_as_mainfile(filepath=str(file))
    return file


@pytest.fixture
def blend(gl, empty_scene, awkward_path) -> Path:
    """The scene in a folder with an awkward name."""
    assert gl
    return save_scene(awkward_path / "Szene [2].blend", empty_scene)


@pytest.fixture
def plain_blend(gl, empty_scene, tmp_path) -> Path:
    """The scene in a plain folder."""
    assert gl
    return save_scene(tmp_path / "scene.blend", empty_scene)


def center_of_light(file: Path) -> float:
    """Column of the picture's centre of brightness, 0 left to 1 right."""
    columns = read_picture(file)[:, :, :3].astype(float).sum(axis=(0, 2))
    return float((columns * np.linspace(0, 1, len(columns))).sum() / columns.sum())


def test_a_blend_is_drawn_in_its_own_size_at_its_own_frame(blend, capsys):
    output = blend.parent / "out [1].png"
    assert main(["render", str(blend), "-o", str(output), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["pictures"][0]["size"] == [80, 45]
    assert result["pictures"][0]["frame"] == 11
    assert center_of_light(output) > 0.6


def test_frames_are_drawn_as_the_scene_moves_on(plain_blend, tmp_path):
    output = str(tmp_path / "f_##.png")
    assert main(["render", str(plain_blend), "-o", output, "--frames", "1..3"]) == 0
    centers = [center_of_light(tmp_path / f"f_0{frame}.png") for frame in (1, 2, 3)]
    assert centers[0] < centers[1] < centers[2] < 0.5
    assert main(["render", str(plain_blend), "-o", str(tmp_path / "a.png"), "--frame", "2"]) == 0
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "f_02.png").read_bytes()


def test_the_level_looks_like_the_blend(blend, capsys):
    folder = blend.parent
    size = ["--size", "80x45"]
    assert main(["render", str(blend), "-o", str(folder / "a.png"), *size]) == 0
    assert main(["export", str(blend), "-o", str(folder / "level"), "--json"]) == 0
    level = folder / "level" / "level.fyn"
    assert main(["check", str(level)]) == 0
    for camera in ([], ["--camera", "Kamera [1] ü"]):
        assert main(["render", str(level), "-o", str(folder / "b.png"), *size, *camera]) == 0
        pictures = [str(folder / "a.png"), str(folder / "b.png")]
        assert main(["compare", *pictures, "--mean", "0.1", "--worst", "1"]) == 0
    assert main(["render", str(level), "-o", str(folder / "c.png"), *size, "--camera=Away"]) == 0
    assert main(["compare", str(folder / "a.png"), str(folder / "c.png")]) == 1


def test_a_wrong_camera_or_file_is_one_sentence_and_exit_code_2(plain_blend, tmp_path, capsys):
    output = ["-o", str(tmp_path / "a.png")]
    for arguments in ([str(plain_blend), "--camera", "Nobody"], [str(tmp_path / "no.blend")]):
        assert main(["render", *arguments, *output]) == 2
        assert capsys.readouterr().err.strip().count("\n") == 0
    assert not (tmp_path / "a.png").exists()


def test_a_file_that_blender_cannot_read_is_exit_code_1(gl, tmp_path, capsys):
    (tmp_path / "a.blend").write_bytes(b"BLENDER-v300 and then nothing that makes sense")
    assert main(["render", str(tmp_path / "a.blend"), "-o", str(tmp_path / "a.png")]) == 1
    assert "a.blend" in capsys.readouterr().err


def test_what_blender_prints_stays_out_of_the_result(plain_blend, tmp_path, capfd):
    arguments = ["render", str(plain_blend), "-o", str(tmp_path / "a.png"), "--json"]
    assert main(arguments) == 0
    assert json.loads(capfd.readouterr().out)["ok"]
