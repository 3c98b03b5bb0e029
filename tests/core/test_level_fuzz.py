"""The reader against junk: whatever a level says, a LevelError or a world, and nothing outside."""

from __future__ import annotations

import contextlib
import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fyn.engine_core.errors import LevelError
from fyn.engine_core.world.level_file import check_level, read_level

FEW = settings(
    max_examples=150,
    deadline=None,
    # The folder is shared by the examples of one test; each writes its level anew.
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
TRAPS = st.sampled_from(
    [
        "", "../x", "/etc/passwd", "C:\\x", "\0", "Rock", "Camera", "岩", "level.fyn", "~",
        "file:///x", "fyn-level", "\u202e", "a" * 5000, 0, -1, 1e308, -1e-308, 2**63, 10**40, 1.5,
        True, None, [], {}, [[]], [{}], {"id": "Rock"}, {"file": "../x"}, {"": None}, [0.0] * 16,
    ]
)  # fmt: skip
JUNK = TRAPS | st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)  # fmt: skip


def read_in_peace(level: Path, opened: list[Path]) -> None:
    """Read and check a level: they agree, raise nothing else, and open nothing outside."""
    opened.clear()
    problems = check_level(level)
    try:
        world = read_level(level)
    except LevelError as error:
        assert problems, error
        assert str(level) in str(error)
    else:
        only_pictures = all(problem.path.startswith("images[") for problem in problems)
        assert only_pictures, problems
        for entity in world.entities:
            world.world_from_local(entity)
    assert all(path.is_relative_to(level.parent) for path in opened), opened


@st.composite
def spoiled(draw: st.DrawFn, document: dict[str, Any]) -> dict[str, Any]:
    """The document with one to four places replaced, removed, doubled or given a new key."""
    document = json.loads(json.dumps(document))

    def junk() -> Any:
        # A copy: the lists and tables among the traps must not be spoiled themselves.
        return copy.deepcopy(draw(JUNK))

    for _ in range(draw(st.integers(1, 4))):
        target: Any = document
        while True:
            if not target:
                break
            key = draw(
                st.sampled_from(list(target if isinstance(target, dict) else range(len(target))))
            )
            inner = target[key]
            if isinstance(inner, dict | list) and inner and draw(st.integers(0, 3)):
                target = inner
                continue
            what = draw(st.sampled_from(["replace", "remove", "double", "add"]))
            if what == "replace":
                target[key] = junk()
            elif what == "remove":
                del target[key]
            elif isinstance(target, list):
                target.insert(key, inner if what == "double" else junk())
            else:
                target[draw(st.text(max_size=4)) if what == "add" else f"{key}2"] = junk()
            break
    return document


def test_spoiled_documents_are_refused_or_read(level, opened):
    document = json.loads(level.read_text("utf-8"))

    @FEW
    @given(spoiled(document))
    def check(changed: dict[str, Any]) -> None:
        level.write_text(json.dumps(changed), "utf-8")
        read_in_peace(level, opened)

    check()


def test_spoiled_bytes_are_refused_or_read(level, opened):
    sound = level.read_bytes()

    @FEW
    @given(
        st.lists(st.tuples(st.integers(0, len(sound) - 1), st.integers(0, 255)), max_size=5),
        st.integers(0, len(sound)),
    )
    def check(changes: list[tuple[int, int]], end: int) -> None:
        data = bytearray(sound)
        for place, value in changes:
            data[place] = value
        level.write_bytes(data[: end if end % 3 == 0 else len(data)])
        read_in_peace(level, opened)

    check()


@pytest.mark.parametrize("folder", ["meshes", "textures"])
def test_spoiled_assets_are_refused_or_read(level, opened, folder):
    files = sorted((level.parent / folder).iterdir())
    sound = {file: file.read_bytes() for file in files}

    @FEW
    @given(st.data())
    def check(data: st.DataObject) -> None:
        file = data.draw(st.sampled_from(files))
        spoiled_bytes = bytearray(sound[file])
        for _ in range(data.draw(st.integers(0, 4))):
            place = data.draw(st.integers(0, len(spoiled_bytes) - 1))
            spoiled_bytes[place] = data.draw(st.integers(0, 255))
        file.write_bytes(spoiled_bytes[: data.draw(st.integers(0, len(spoiled_bytes)))])
        read_in_peace(level, opened)
        file.write_bytes(sound[file])

    check()


def test_random_bytes_are_refused_or_read(tmp_path, opened):
    level = tmp_path / "level.fyn"

    @FEW
    @given(st.binary(max_size=300) | st.text('[]{}":,\\ntfe0-9.', max_size=60).map(str.encode))
    def check(data: bytes) -> None:
        level.write_bytes(data)
        read_in_peace(level, opened)

    check()


@FEW
@given(JUNK)
def test_any_json_at_all_is_refused_or_read(tmp_path, opened, document):
    level = tmp_path / "level.fyn"
    for whole in (document, {"format": "fyn-level", "version": 1, "entities": document}):
        with contextlib.suppress(UnicodeEncodeError):
            level.write_text(json.dumps(whole), "utf-8")
            read_in_peace(level, opened)
