"""Arguments of the command line: sizes, frames, seconds, file names; right ones and wrong ones."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from fyn.cli import argument_types
from fyn.cli.main import main
from fyn.cli.render_command import frame_path


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("size", "1280x720", (1280, 720)),
        ("size", "1×16384", (1, 16384)),
        ("frame_range", "1..24", range(1, 25)),
        ("frame_range", "-3..-3", range(-3, -2)),
        ("seconds", "1.5", 1.5),
        ("jobs", "8", 8),
        ("png_path", "out/a [1].PNG", Path("out/a [1].PNG")),
    ],
)
def test_what_is_meant_is_read(kind, text, value):
    assert getattr(argument_types, kind)(text) == value


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        *[("size", text) for text in ("", "0x5", "5x0", "5", "5x", "-5x5", "5x16385", "9" * 50)],
        *[("size", text) for text in ("5x5x5", "٣x٣", "1e3x5", "5.0x5")],
        *[("frame_range", text) for text in ("", "5", "5..", "9..1", "1...5", "1..2..3", "a..b")],
        *[("seconds", text) for text in ("", "nan", "inf", "-inf", "one")],
        *[("jobs", text) for text in ("0", "-1", "257", "two", "")],
        *[("png_path", text) for text in ("a.jpg", "a", ".png", "a.png.txt")],
    ],
)
def test_what_cannot_be_meant_is_refused_in_words(kind, text):
    with pytest.raises(argparse.ArgumentTypeError) as caught:
        getattr(argument_types, kind)(text)
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("output", "frame", "path"),
    [
        ("a.png", 7, "a_0007.png"),
        ("out/walk_###.png", 7, "out/walk_007.png"),
        ("#_##.png", 123, "123_123.png"),
        ("####.png", -5, "-005.png"),
        ("f#older/a [1].png", 20000, "f#older/a [1]_20000.png"),
    ],
)
def test_frames_are_numbered_in_the_file_name(output, frame, path):
    assert frame_path(Path(output), frame) == Path(path)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-o", "a.jpg"], "ends in .png"),
        (["-o", "a.png", "--size", "0x0"], "each side"),
        (["-o", "a.png", "--frames", "5..1"], "ends before it begins"),
        (["-o", "a.png", "--frame", "1", "--frames", "1..2"], "not allowed with"),
        (["-o", "a.png", "--samples", "3"], "invalid choice"),
        ([], "required: -o"),
    ],
)
def test_a_wrong_render_command_is_exit_code_2_before_anything_is_opened(capsys, options, words):
    assert main(["render", "missing.fyn", *options]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("name", ["missing.fyn", "missing.blend", "notes.txt", ""])
def test_a_scene_that_is_no_scene_is_exit_code_2(tmp_path, capsys, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.txt").write_text("hello")
    assert main(["render", name, "-o", "a.png"]) == 2
    assert main(["export", name, "-o", "level"]) == 2
    assert not (tmp_path / "level").exists()
    assert capsys.readouterr().err.count(f"'{name or '.'}'") == 2
