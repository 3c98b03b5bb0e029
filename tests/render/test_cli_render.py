"""`fyn render`, `check`, `test` and `info` on a small level, without Blender, as users run them."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from fyn.cli.main import main
from fyn.compare.pictures import read_picture
from fyn.engine_core.assets.material import Material
from fyn.engine_core.world.components import (
    CameraComponent,
    Environment,
    LightComponent,
    MeshComponent,
)
from fyn.engine_core.world.entity import Entity, Transform
from fyn.engine_core.world.world import World
from fyn.exporters.level import export_level


def placed(matrix: np.ndarray) -> Transform:
    return Transform(matrix=tuple(matrix.ravel().tolist()))


def box_world(scene: SimpleNamespace, *, cameras: bool = True) -> World:
    """A red box under a sun, seen from the front; a second camera looks away into the blue."""
    from_front, of_sun = scene.look_at((0, 1, 4)), scene.look_at((2, 4, 3))
    away = scene.look_at((0, 1, 4), (0, 1, 8))
    entities = [
        Entity(id="box", mesh=MeshComponent(mesh="box", materials=("red",))),
        Entity(id="sun", transform=placed(of_sun), light=LightComponent(kind="sun")),
    ]
    if cameras:
        entities += [
            Entity(id="c1", name="Front", transform=placed(from_front), camera=CameraComponent()),
            Entity(id="c2", name="Weg [2] ü", transform=placed(away), camera=CameraComponent()),
        ]
    return World(
        entities={entity.id: entity for entity in entities},
        meshes={"box": scene.box()},
        materials={"red": Material(name="red", base_color=(0.8, 0.05, 0.05, 1.0))},
        environment=Environment(sky_color=(0.02, 0.02, 0.2), ground_color=(0.02, 0.02, 0.2)),
        active_camera="c1" if cameras else "",
    )


@pytest.fixture
def level(gl: str, scene: SimpleNamespace, awkward_path: Path) -> Path:
    """An exported level in a folder with an awkward name."""
    assert gl
    return export_level(box_world(scene), awkward_path / "level").level


@pytest.fixture
def plain_level(gl: str, scene: SimpleNamespace, tmp_path: Path) -> Path:
    """The same in a plain folder."""
    assert gl
    return export_level(box_world(scene), tmp_path / "level").level


def render(level: Path, output: Path, *options: str) -> int:
    return main(["render", str(level), "-o", str(output), "--size", "64x48", *options])


def reds(picture: np.ndarray) -> int:
    """Pixels that are more red than blue: where the box is."""
    return int((picture[:, :, 0] > picture[:, :, 2]).sum())


def test_a_level_is_drawn_from_any_folder(level, capsys):
    output = level.parent.parent / "out" / level.parent.parent.name / "picture [1].png"
    assert render(level, output, "--json") == 0
    result = json.loads(capsys.readouterr().out)
    assert result["pictures"][0]["file"] == str(output)
    assert result["pictures"][0]["size"] == [64, 48]
    assert 100 < reds(read_picture(output)) < 64 * 48 / 2


def test_the_same_command_gives_the_same_file_twice(plain_level, tmp_path):
    for name in ("a.png", "b.png"):
        assert render(plain_level, tmp_path / name) == 0
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_a_camera_is_chosen_by_name_or_id(plain_level, tmp_path):
    for index, name in enumerate(("Weg [2] ü", "c2")):
        assert render(plain_level, tmp_path / f"{index}.png", "--camera", name) == 0
        assert reds(read_picture(tmp_path / f"{index}.png")) == 0


def test_more_samples_soften_edges(plain_level, tmp_path):
    shades = []
    for samples in ("1", "4"):
        assert render(plain_level, tmp_path / "a.png", "--samples", samples) == 0
        shades.append(len(np.unique(read_picture(tmp_path / "a.png").reshape(-1, 4), axis=0)))
    assert shades[1] > shades[0]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--camera", "Nobody"], "'Nobody'"),
        (["--pipeline", "backward"], "backward"),
        (["--frame", "1"], "has no frames"),
        (["--frames", "1..3"], "has no frames"),
        (["--whole", "--camera", "c1"], "exclude each other"),
    ],
)
def test_what_the_level_does_not_have_is_one_sentence_and_exit_code_2(
    plain_level, tmp_path, capsys, options, words
):
    assert render(plain_level, tmp_path / "a.png", *options) == 2
    text = capsys.readouterr().err
    assert words in text
    assert text.strip().count("\n") == 0
    assert not (tmp_path / "a.png").exists()


def test_a_level_without_camera_is_refused_or_shown_whole(gl, scene, tmp_path, capsys):
    level = export_level(box_world(scene, cameras=False), tmp_path / "level").level
    assert render(level, tmp_path / "a.png") == 2
    assert "camera" in capsys.readouterr().err
    assert render(level, tmp_path / "a.png", "--whole") == 0
    assert reds(read_picture(tmp_path / "a.png")) > 100


def test_check_finds_nothing_wrong_with_an_exported_level(level, capsys):
    assert main(["check", str(level)]) == 0
    assert "no problems" in capsys.readouterr().out


def test_check_lists_every_problem_with_its_path_and_render_refuses(plain_level, tmp_path, capsys):
    document = json.loads(plain_level.read_text("utf-8"))
    document["entities"][0]["mesh"] = {"mesh": "nothing", "casts_shadow": 3}
    document["environment"]["strength"] = -1
    document["extra"] = 1
    plain_level.write_text(json.dumps(document), "utf-8")
    assert main(["check", str(plain_level), "--json"]) == 1
    paths = {problem["path"] for problem in json.loads(capsys.readouterr().out)["problems"]}
    assert {"entities[0].mesh.casts_shadow", "environment.strength"} <= paths
    assert len(paths) >= 3
    assert render(plain_level, tmp_path / "a.png") == 1
    assert capsys.readouterr().err.startswith("fyn render: ")


def test_check_of_no_file_is_exit_code_2_and_of_no_level_1(tmp_path, capsys):
    assert main(["check", str(tmp_path / "nothing.fyn")]) == 2
    (tmp_path / "text.fyn").write_text("hello")
    assert main(["check", str(tmp_path / "text.fyn")]) == 1
    assert "text.fyn" in capsys.readouterr().out


def write_tests(folder: Path, level: Path) -> None:
    """Three render tests: two that can be drawn, one that asks for a camera that is not there."""
    folder.mkdir()
    scene = json.dumps(str(level))
    for name, more in (("box", ""), ("empty", 'camera = "c2"'), ("wrong", 'camera = "Nobody"')):
        text = f'title = "About {name}"\nscene = {scene}\nsize = [64, 48]\n{more}'
        (folder / f"{name}.toml").write_text(text, "utf-8")


def run_tests(folder: Path, report: Path, *options: str) -> int:
    return main(["test", str(folder), "--report", str(report), "--json", *options])


def test_a_folder_of_render_tests_from_first_picture_to_failure(level, capsys):
    folder, report = level.parent.parent / "tests", level.parent.parent / "report"
    write_tests(folder, level)
    good = ["--only", "box", "--only", "empty"]

    assert run_tests(folder, report, *good) == 1  # nothing is expected yet
    states = json.loads(capsys.readouterr().out)["tests"]
    assert [test["status"] for test in states] == ["failed", "failed"]

    assert run_tests(folder, report, *good, "--update") == 0
    assert reds(read_picture(folder / "box.png")) > 100
    capsys.readouterr()
    assert run_tests(folder, report, *good) == 0
    states = json.loads(capsys.readouterr().out)["tests"]
    assert [test["measures"]["worst"] for test in states] == [0, 0]

    (folder / "empty.png").write_bytes((folder / "box.png").read_bytes())
    assert run_tests(folder, report, "-j", "2") == 1
    result = json.loads(capsys.readouterr().out)
    assert {test["name"]: test["status"] for test in result["tests"]} == {
        "box": "passed",
        "empty": "failed",
        "wrong": "broken",
    }
    page = (report / "index.html").read_text("utf-8")
    assert "Nobody" in page
    assert "About box" in page
    assert Path(result["junit"]) == report / "junit.xml"
    assert 'failures="1" errors="1"' in (report / "junit.xml").read_text("utf-8")


def test_info_names_the_driver(gl, capsys):
    assert main(["info", "--json"]) == 0
    graphics = json.loads(capsys.readouterr().out)["graphics"]
    assert graphics["renderer"] == gl
    assert graphics["samples by target format"]["rgba8"] >= 1
