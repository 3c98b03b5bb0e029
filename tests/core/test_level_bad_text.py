"""Level files whose text is damaged or a trap: one clear problem, and never a crash."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fyn.engine_core.errors import LevelError
from fyn.engine_core.world import level_text
from fyn.engine_core.world.level_file import check_level, read_level


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not valid JSON"),
        (b"{", "not valid JSON"),
        (b'{\n  "format": "fyn-level",\n  oops\n}', "line 3, column 3: not valid JSON"),
        (b'{"x": NaN}', "line 1, column 7"),
        (b'{"x": -Infinity}', "line 1, column"),
        (b'{"x": 1e999}', "out of range"),
        (b'{"x": ' + b"9" * 5000 + b"}", "out of range"),
        (b'{"x": "\xff"}', "line 1, column 8: not UTF-8"),
        ('{"ü": "'.encode() + b"\xc3", "line 1, column 8: not UTF-8"),
        (b'{"x": "\\ud800"}', "not valid JSON"),
        (b"[" * 10_000 + b"]" * 10_000, "nested 10000 deep"),
        (b'{"a":' * 10_000, "nested 10000 deep"),
        (b'{"x": ' + b"[" * 40 + b"]" * 40 + b"}", "nested 41 deep"),
        (b"[]", "one object"),
        (b"null", "one object"),
        (b"{}", "format: expected"),
        (b'{"format": "gltf", "version": 1}', "format: expected"),
        (b'{"format": "fyn-level"}', "version: expected"),
        (b'{"format": "fyn-level", "version": "1"}', "version: expected"),
        (b'{"format": "fyn-level", "version": true}', "version: expected"),
        (b'{"format": "fyn-level", "version": 0}', "version: expected"),
        (b'{"format": "fyn-level", "version": 999}', "version 999, and this Fyn reads up to"),
    ],
)  # fmt: skip
def test_a_text_that_is_no_level_is_one_clear_problem(tmp_path, data, words):
    level = tmp_path / "bad.fyn"
    level.write_bytes(data)
    (problem,) = check_level(level)
    assert problem.path == ""
    assert words in problem.message
    with pytest.raises(LevelError, match=r"bad\.fyn"):
        read_level(level)


def test_brackets_inside_strings_are_no_nesting(spoil):
    name = '[[{{ \\" \\\\ " ' * 100
    level = spoil({"entities[1].name": name})
    assert check_level(level) == []
    assert read_level(level).entities["Lamp"].name == name


def test_a_byte_order_mark_is_read_over(level):
    level.write_bytes(b"\xef\xbb\xbf" + level.read_bytes())
    assert check_level(level) == []


def test_a_level_beyond_the_limit_is_not_even_opened(level, monkeypatch):
    size = level.stat().st_size
    monkeypatch.setattr("fyn.engine_core.world.level_file.MAX_LEVEL_BYTES", size - 1)
    monkeypatch.setattr(Path, "read_bytes", lambda self: pytest.fail(f"read {self}"))
    (problem,) = check_level(level)
    assert f"has {size} bytes" in problem.message


def test_text_beyond_the_limit_is_refused_by_the_parser_too(monkeypatch):
    monkeypatch.setattr(level_text, "MAX_LEVEL_BYTES", 10)
    with pytest.raises(LevelError, match="at most 10"):
        level_text.parse_document(b'{"a": 1234}')


def test_a_level_that_is_not_there_or_no_file_is_told_in_words(tmp_path):
    for path, words in ((tmp_path / "no.fyn", "does not exist"), (tmp_path, "no plain file")):
        assert [problem.message for problem in check_level(path)] != []
        assert words in check_level(path)[0].message
        with pytest.raises(LevelError, match=words):
            read_level(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_waited_for(level, spoil):
    os.mkfifo(level.parent / "pipe.glb")
    assert [problem.path for problem in check_level(spoil({"meshes[0].file": "pipe.glb"}))] == [
        "meshes[0].file"
    ]
    os.mkfifo(level.parent / "pipe.fyn")
    assert "no plain file" in check_level(level.parent / "pipe.fyn")[0].message
