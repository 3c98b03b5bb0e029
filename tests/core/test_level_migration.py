"""Older versions of the format: every step is taken in order, and the document is left alone."""

from __future__ import annotations

import pytest

from fyn.engine_core.errors import LevelError
from fyn.engine_core.world.level_document import VERSION
from fyn.engine_core.world.level_migration import STEPS, migrate

LEVEL = {"format": "fyn-level", "version": 1, "entities": [{"id": "a", "lamp": {"watts": 2}}]}

RENAMED = {
    1: lambda document: (
        document | {"entities": [{"id": e["id"], "light": e["lamp"]} for e in document["entities"]]}
    ),
    2: lambda document: (
        document
        | {
            "entities": [
                e | {"light": {"strength": e["light"]["watts"] / 4}} for e in document["entities"]
            ]
        }
    ),
}


def test_a_step_stands_for_every_version_before_the_present_one():
    assert sorted(STEPS) == list(range(1, VERSION))


def test_a_level_of_the_present_version_is_taken_as_it_is():
    assert migrate(LEVEL, {}, 1) == LEVEL


def test_every_step_is_taken_in_order():
    assert migrate(LEVEL, RENAMED, 3) == {
        "format": "fyn-level",
        "version": 3,
        "entities": [{"id": "a", "light": {"strength": 0.5}}],
    }


def test_steps_begin_at_the_version_of_the_file():
    newer = {"format": "fyn-level", "version": 2, "entities": [{"id": "a", "light": {"watts": 8}}]}
    assert migrate(newer, RENAMED, 3)["entities"] == [{"id": "a", "light": {"strength": 2.0}}]


def test_the_document_that_was_read_is_not_changed():
    before = repr(LEVEL)
    migrate(LEVEL, RENAMED, 3)
    assert repr(LEVEL) == before


def test_a_level_of_the_future_says_what_to_do():
    with pytest.raises(LevelError, match="version 4, and this Fyn reads up to 3; update Fyn"):
        migrate(LEVEL | {"version": 4}, RENAMED, 3)
