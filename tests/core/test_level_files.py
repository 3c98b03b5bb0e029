"""Files that a level names: nothing outside its folder is opened, and damage is told by name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fyn.engine_core.assets.asset_path import RESERVED_NAMES, unsafe_because
from fyn.engine_core.assets.image_io import decode, missing_image
from fyn.engine_core.errors import LevelError
from fyn.engine_core.world.level_file import check_level, read_level


def paths(level: Path) -> list[str]:
    return [problem.path for problem in check_level(level)]


UNSAFE = [
    "", "/etc/passwd", "../secret.glb", "meshes/../../secret.glb", "..", "meshes/..", "./a.glb",
    "meshes//a.glb", "meshes/", "C:/secret.glb", "c:secret.glb", "meshes\\a.glb", "..\\secret.glb",
    "\\\\server\\share\\a.glb", "//server/share/a.glb", "file:///etc/passwd", "a\0.glb", "a\n.glb",
    "meshes/CON", "aux.glb", "nul .glb", "textures/com1.png", "lpt¹.glb", "a.glb.", "a.glb ",
    "a.glb::$DATA",
]  # fmt: skip


@pytest.mark.parametrize("file", UNSAFE)
@pytest.mark.parametrize("table", ["meshes", "images"])
def test_a_path_that_could_leave_the_folder_is_refused_before_anything_is_opened(
    spoil, table, file, opened
):
    level = spoil({f"{table}[0].file": file})
    assert unsafe_because(file)
    assert f"{table}[0].file" in paths(level)
    with pytest.raises(LevelError, match=rf"{table}\[0\]\.file"):
        read_level(level)
    assert level in opened
    assert all(path.is_relative_to(level.parent) for path in opened), opened


@pytest.mark.parametrize(
    "file", ["meshes/a.glb", "岩/ü [1].glb", "...a/b..c.glb", "connect/com.glb", ".x/~a"]
)
def test_a_path_of_plain_names_is_allowed(file):
    assert unsafe_because(file) == ""


def test_every_name_that_windows_reserves_is_refused_in_any_case_and_with_any_extension():
    for name in RESERVED_NAMES:
        for file in (name, name.upper(), f"{name}.glb", f"meshes/{name}.tar.gz", f"{name}/a.glb"):
            assert unsafe_because(file), file


@pytest.mark.parametrize("table", ["meshes", "images"])
@pytest.mark.parametrize("kind", ["file", "folder", "loop"])
def test_a_link_that_leads_out_of_the_folder_is_not_followed(
    level, spoil, tmp_path, table, kind, opened
):
    record = json.loads(level.read_text("utf-8"))[table][0]
    secret = tmp_path / "outside" / Path(record["file"]).name
    secret.parent.mkdir()
    secret.write_bytes((level.parent / record["file"]).read_bytes())
    try:
        if kind == "file":
            (level.parent / "link").symlink_to(secret)
        elif kind == "folder":
            (level.parent / "way").symlink_to(secret.parent)
        else:
            (level.parent / "link").symlink_to(level.parent / "link")
    except OSError as reason:
        pytest.skip(f"no links here: {reason}")
    file = f"way/{secret.name}" if kind == "folder" else "link"
    spoil({f"{table}[0].file": file})
    opened.clear()
    assert paths(level) == [f"{table}[0].file"]
    if table == "meshes":
        with pytest.raises(LevelError, match=r"meshes\[0\]\.file"):
            read_level(level)
    else:
        assert read_level(level).images[record["id"]].missing
    assert level in opened
    assert all(path.is_relative_to(level.parent) for path in opened), opened


def test_a_link_that_stays_inside_the_folder_is_followed(level, spoil):
    file = json.loads(level.read_text("utf-8"))["meshes"][0]["file"]
    try:
        (level.parent / "link.glb").symlink_to(level.parent / file)
    except OSError as reason:
        pytest.skip(f"no links here: {reason}")
    assert check_level(spoil({"meshes[0].file": "link.glb"})) == []


# Assets -------------------------------------------------------------------------------------------


def test_a_broken_mesh_is_told_with_its_file_and_the_place_in_it(level):
    file = next((level.parent / "meshes").glob("rock-*.glb"))
    file.write_bytes(file.read_bytes()[:-4])
    (problem,) = check_level(level)
    assert problem.path == "meshes[0].file"
    assert file.name in problem.message
    assert "promises" in problem.message
    with pytest.raises(LevelError, match=r"meshes\[0\]\.file: 'meshes/rock-"):
        read_level(level)


@pytest.mark.parametrize("damage", ["gone", "text", "cut"])
def test_a_broken_picture_is_told_and_drawn_pink(level, damage):
    file = next((level.parent / "textures").glob("bark-*.png"))
    if damage == "gone":
        file.unlink()
    else:
        file.write_bytes(b"no picture" if damage == "text" else file.read_bytes()[:-30])
    assert paths(level) == ["images[0].file"]
    image = read_level(level).images["bark.png"]
    if damage == "cut":  # its header is fine; whoever needs the pixels finds out
        with pytest.raises(LevelError, match=r"'bark\.png'"):
            decode(image)
    else:
        assert image.missing
        assert (decode(image) == decode(missing_image("x"))[0, 0]).all()
