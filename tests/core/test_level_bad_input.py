"""Levels with wrong values: every problem is told at once, each with its path in the document."""

from __future__ import annotations

from typing import Any

import pytest

from fyn.engine_core.errors import LevelError
from fyn.engine_core.world.level_file import check_level, read_level


def paths(level: Any) -> list[str]:
    return [problem.path for problem in check_level(level)]


def test_the_sample_is_sound(level):
    assert check_level(level) == []
    assert list(read_level(level).entities) == ["Camera", "Lamp", "Rock", "Root", "岩"]


def assert_told(level: Any, path: str, words: str) -> None:
    found = [problem for problem in check_level(level) if problem.path == path]
    assert found, check_level(level)
    assert words in found[0].message
    if path.startswith("images") and path.endswith("file"):
        return  # only a picture: drawn pink instead
    with pytest.raises(LevelError) as error:
        read_level(level)
    assert str(level) in str(error.value)
    assert path in str(error.value) or "more problems" in str(error.value)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("entities[1].light.strength", "bright", "expected a number, got text"),
        ("entities[1].light.strength", -1, "expected a number >= 0.0"),
        ("entities[1].light.strength", True, "got true or false"),
        ("entities[1].light.strength", None, "got null"),
        ("entities[1].light.strength", 1e39, "GPU"),
        ("entities[1].light.strength", 10**300, "GPU"),
        ("entities[1].light.color", [1, 2], "length 3"),
        ("entities[1].light.color", "red", "a list"),
        ("entities[1].light.kind", "laser", "one of sun, point, spot, area, got 'laser'"),
        ("entities[1].light.watts", 3, "unknown key"),
        ("entities[1].light", [], "object"),
        ("entities[1].id", "", "empty"),
        ("entities[1].id", 7, "expected text"),
        ("entities[1].parent", "Nobody", "entity 'Nobody' does not exist"),
        ("entities[1].parent", "Lamp", "cycle (Lamp > Lamp)"),
        ("entities[1].grass", {}, "unknown key"),
        ("entities[1]", "Lamp", "expected an object"),
        ("entities", {}, "list"),
        ("entities[2].mesh.mesh", "Stein", "mesh 'Stein'"),
        ("entities[2].mesh.materials[1]", "Gold", "material 'Gold'"),
        ("entities[2].mesh.materials[1]", 1, "expected text"),
        ("entities[2].transform.translation[0]", None, "null"),
        ("entities[2].transform.rotation", [0, 0, 0, 2], "length 2"),
        ("active_camera", "Nobody", "does not exist"),
        ("active_camera", "Rock", "no camera"),
        ("active_camera", 3, "expected text"),
        ("environment.sky_color", [0, 0, 0, 0], "length 3"),
        ("environment.strength", [], "number"),
        ("render.samples", 3, "one of 1, 2, 4, 8"),
        ("render.cascade_count", 2.5, "whole number"),
        ("comment", "hi", "unknown key"),
        ("materials[1].roughness", 2, "<= 1.0"),
        ("materials[1].base_color_texture.image", "Nix", "image 'Nix'"),
        ("images[1].encoding", "rgb9e5", "one of"),
        ("meshes[0].file", "meshes/none.glb", "does not exist"),
        ("meshes[0].file", "meshes", "no plain file"),
        ("meshes[0].file", "level.fyn", "no GLB"),
        ("images[0].file", "level.fyn", "no PNG, JPEG or WebP"),
        ("images[0].file", "textures/none.png", "does not exist"),
    ],
)
def test_a_wrong_value_is_told_with_its_path(spoil, path, value, words):
    assert_told(spoil({path: value}), path, words)


@pytest.mark.parametrize(
    ("changed", "value", "path", "words"),
    [
        ("entities[1].light.color", [1, "2", 3], "entities[1].light.color[1]", "got text"),
        ("entities[1].id", "Rock", "entities[2].id", "already the id of entities[1]"),
        ("entities[4].transform.matrix[15]", 2, "entities[4].transform.matrix", "last row"),
        (
            "materials[1].base_color_texture",
            {},
            "materials[1].base_color_texture.image",
            "is missing",
        ),
        ("images[0].size", [1, 1], "images[0].encoding", "is missing"),
        ("images[1].size", [4, 3], "images[1].file", "take"),
        ("images[1].size", [0, 3], "images[1].size[0]", ">= 1"),
        ("images[1].size", [2**62, 2**62], "images[1].file", "pixels"),
        ("meshes[0]", {"id": "Rock"}, "meshes[0].file", "is missing"),
    ],
)
def test_what_no_longer_fits_a_value_is_told_where_it_stands(spoil, changed, value, path, words):
    assert_told(spoil({changed: value}), path, words)


def test_every_problem_is_told_at_once(spoil):
    level = spoil(
        {
            "entities[1].light": {"strength": "x", "kind": 3, "color": [1, "a", None]},
            "entities[2].parent": "岩",
            "entities[2].mesh.mesh": "gone",
            "entities[3].id": 5,
            "materials[1].normal_texture.image": "gone",
            "meshes[0].file": "../outside.glb",
            "images[0].file": "textures/gone.png",
            "render.samples": "many",
            "extra": [],
        }
    )
    assert sorted(paths(level)) == sorted(
        [
            "extra",
            "render.samples",
            "entities[1].light.kind",
            "entities[1].light.color[1]",
            "entities[1].light.color[2]",
            "entities[1].light.strength",
            "entities[3].id",
            "entities[2].mesh.mesh",
            "materials[1].normal_texture.image",
            "meshes[0].file",
            "entities[2].parent",
            "images[0].file",
        ]
    )


# Parents ------------------------------------------------------------------------------------------


def test_a_cycle_of_parents_is_told_once_however_many_hang_on_it(spoil):
    parents = {"a": "c", "b": "a", "c": "b", "leaf": "a", "x": "y", "y": "x"}
    entities = [{"id": key, "parent": parent} for key, parent in parents.items()]
    problems = check_level(spoil({"entities": entities, "active_camera": ""}))
    assert [problem.path for problem in problems] == ["entities[0].parent", "entities[4].parent"]
    assert "a > c > b > a" in problems[0].message


def test_a_chain_of_fifty_thousand_parents_is_no_problem(spoil):
    entities: list[dict[str, str]] = [
        {"id": f"{i:05}", "parent": f"{i + 1:05}"} for i in range(49_999)
    ]
    level = spoil({"entities": [*entities, {"id": "49999"}], "active_camera": ""})
    assert check_level(level) == []
    assert len(read_level(level).entities) == 50_000


def test_a_cycle_of_fifty_thousand_parents_is_one_short_message(spoil):
    entities = [{"id": f"{i:05}", "parent": f"{(i + 1) % 50_000:05}"} for i in range(50_000)]
    problems = check_level(spoil({"entities": entities, "active_camera": ""}))
    assert [problem.path for problem in problems] == ["entities[0].parent"]
    assert len(problems[0].message) < 200
