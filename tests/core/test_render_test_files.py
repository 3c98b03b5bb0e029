"""The TOML files of render tests: how they are found and read, and every way they can be wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from fyn.compare.render_test import find_tests, read_test
from fyn.compare.tolerance import Tolerance
from fyn.engine_core.errors import UsageError

WHOLE = """
title = "A sun throws shadows"
scene = "../levels/hills.fyn"
camera = "Kamera [2] ü"
frame = 12
time = 1
size = [320, 200]
samples = 8
pipeline = "forward"

[tolerance]
mean = 2
pixel = 8
share = 0.01
ssim = 0.9
edge_width = 1
"""


def write(folder: Path, name: str, text: str = 'scene = "a.fyn"') -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_every_key_is_read(tmp_path):
    test = read_test(write(tmp_path, "a.toml", WHOLE))
    assert (test.title, test.scene) == ("A sun throws shadows", "../levels/hills.fyn")
    assert (test.camera, test.frame, test.time) == ("Kamera [2] ü", 12, 1.0)
    assert (test.size, test.samples, test.pipeline) == ((320, 200), 8, "forward")
    assert test.tolerance == Tolerance(mean=2, pixel=8, share=0.01, ssim=0.9, edge_width=1)


def test_a_scene_is_all_that_is_needed(tmp_path):
    test = read_test(write(tmp_path, "a.toml"))
    assert test.camera is test.frame is test.time is test.samples is test.pipeline is None
    assert test.tolerance == Tolerance()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('scene = "a"\ncamra = "C"', "unknown key 'camra' (did you mean 'camera'?)"),
        ('scene = "a"\n[tolerance]\nmaen = 1', "unknown key 'tolerance.maen' (did you mean 'mean'"),
        ('scene = "a"\nx1 = 1\ny1 = 2', "unknown key 'x1'"),
        ('scene = "a"\nx1 = 1\ny1 = 2', "unknown key 'y1'"),
        ("title = 'no scene'", "scene"),
        ("scene = ''", "scene: "),
        ("scene = 3", "scene: Expected `str`, got `int`"),
        ('scene = "a"\nsize = [0, 10]', "size[0]: "),
        ('scene = "a"\nsize = [10, 99999]', "size[1]: "),
        ('scene = "a"\nsize = [10]', "size: "),
        ('scene = "a"\nsize = "10x10"', "size: "),
        ('scene = "a"\nsamples = 3', "samples: "),
        ('scene = "a"\ntime = nan', "time is nan"),
        ('scene = "a"\nframe = 1.5', "frame: "),
        ('scene = "a"\ntolerance = 3', "tolerance: "),
        ('scene = "a"\n[tolerance]\nshare = 2', "tolerance.share is 2"),
        ('scene = "a"\n[tolerance]\nmean = nan', "tolerance.mean is nan"),
        ('scene = "a"\n[tolerance]\nmean = "1"', "tolerance.mean: "),
        ("scene = [", "is no valid TOML"),
        ("a = " + "[" * 5000, "is no valid TOML"),
    ],
)
def test_a_mistake_names_file_and_key(tmp_path, text, words):
    file = write(tmp_path, "wrong [1] ü.toml", text)
    with pytest.raises(UsageError) as caught:
        read_test(file)
    assert str(file) in str(caught.value)
    assert words in str(caught.value)


def test_bytes_that_are_no_text_are_no_toml(tmp_path):
    (tmp_path / "a.toml").write_bytes(b"scene = '\xff\xfe'")
    with pytest.raises(UsageError, match="no valid TOML"):
        read_test(tmp_path / "a.toml")


def test_tests_are_found_in_subfolders_in_the_order_of_their_names(tmp_path):
    for name in ("b.toml", "lights/sun.toml", "a [1].toml", ".hidden/c.toml", "notes.txt"):
        write(tmp_path, name)
    found = find_tests(tmp_path)
    assert [test.name for test in found] == ["a [1]", "b", "lights/sun"]
    assert found[2].expected == tmp_path / "lights" / "sun.png"
    assert found[2].scene == tmp_path / "lights" / "a.fyn"


def test_patterns_choose_tests(tmp_path):
    for name in ("b.toml", "lights/sun.toml", "lights/spot.toml"):
        write(tmp_path, name)
    assert [test.name for test in find_tests(tmp_path, ["lights/s[u]n", "b"])] == [
        "b",
        "lights/sun",
    ]


def test_one_file_is_one_test(tmp_path):
    assert [test.name for test in find_tests(write(tmp_path, "sun.toml"))] == ["sun"]


def test_mistakes_of_all_files_are_reported_at_once(tmp_path):
    for name in ("a", "b"):
        write(tmp_path, f"{name}.toml", "scene = 1")
    with pytest.raises(UsageError) as caught:
        find_tests(tmp_path)
    assert "a.toml" in str(caught.value)
    assert "b.toml" in str(caught.value)


def test_a_folder_without_tests_and_a_missing_folder_are_mistakes(tmp_path):
    with pytest.raises(UsageError, match="no render test"):
        find_tests(tmp_path)
    with pytest.raises(UsageError, match="no folder of render tests"):
        find_tests(tmp_path / "nothing")
    write(tmp_path, "a.toml")
    with pytest.raises(UsageError, match=r"matches z\*"):
        find_tests(tmp_path, ["z*"])
