"""`fyn` with a real Blender program: as the host of a .blend, and around render tests."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from fyn.cli.main import main
from fyn.compare.pictures import read_picture

MAKE_SCENE = """
import bpy, sys
bpy.ops.wm.read_homefile(use_factory_startup=True)
bpy.ops.wm.save_as_mainfile(filepath=sys.argv[-1])
"""


@pytest.fixture(scope="module")
def blend(gl, real_blender, packages, tmp_path_factory) -> Path:
    """Blender's own first scene, a cube under a lamp, saved by the real Blender."""
    assert gl
    file = tmp_path_factory.mktemp("Real [1] ü") / "Würfel [2].blend"
    command = [*real_blender, "-b", "--python-expr", MAKE_SCENE, "--", str(file)]
    subprocess.run(command, check=True, capture_output=True, timeout=240)
    return file


def test_a_blend_is_drawn_by_the_blender_that_is_asked_for(blend, real_blender, tmp_path, capsys):
    arguments = ["-o", str(tmp_path / "a.png"), "--size=64x36", "--blender", real_blender[0]]
    assert main(["render", str(blend), "--json", *arguments]) == 0
    assert json.loads(capsys.readouterr().out)["pictures"][0]["size"] == [64, 36]
    assert read_picture(tmp_path / "a.png")[:, :, :3].std() > 5  # a cube is to be seen


def test_a_level_exported_by_blender_looks_the_same_without_it(blend, real_blender, tmp_path):
    size, host = ["--size", "64x36"], ["--blender", real_blender[0]]
    assert main(["export", str(blend), "-o", str(tmp_path / "level"), *host]) == 0
    level = tmp_path / "level" / "level.fyn"
    assert main(["render", str(blend), "-o", str(tmp_path / "a.png"), *size, *host]) == 0
    assert main(["render", str(level), "-o", str(tmp_path / "b.png"), *size]) == 0
    pictures = [str(tmp_path / "a.png"), str(tmp_path / "b.png")]
    assert main(["compare", *pictures, "--mean", "0.5", "--worst", "2", "--edge-width", "2"]) == 0


def test_exit_codes_and_errors_come_back_from_blender(blend, real_blender, tmp_path, capfd):
    arguments = ["-o", str(tmp_path / "a.png"), "--blender", real_blender[0]]
    assert main(["render", str(blend), "--camera", "Nobody", *arguments]) == 2
    assert "'Nobody'" in capfd.readouterr().err


def test_render_tests_run_inside_blender(blend, real_blender, repository, tmp_path):
    shutil.copy(blend, tmp_path / "scene.blend")
    (tmp_path / "cube.toml").write_text('scene = "scene.blend"\nsize = [64, 36]\n', "utf-8")
    script = [str(repository / "scripts" / "render_tests.py"), "--", str(tmp_path)]
    command = [*real_blender, "-b", "--factory-startup", "--python", *script]
    command += ["--report", str(tmp_path / "report")]

    def run(*options: str) -> int:
        done = subprocess.run([*command, *options], capture_output=True, timeout=240, check=False)
        return done.returncode

    assert run() == 1
    assert (tmp_path / "report" / "index.html").is_file()
    assert run("--update") == 0
    assert read_picture(tmp_path / "cube.png")[:, :, :3].std() > 5
    assert run() == 0
    (tmp_path / "cube.toml").write_text("colour = 3", "utf-8")
    assert run() == 2
