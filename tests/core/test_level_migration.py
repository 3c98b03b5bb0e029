"""Older versions of the format: every step is taken in order, and the document is left alone."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from fyn.engine_core.errors import LevelError
from fyn.engine_core.world import component_changes as changes
from fyn.engine_core.world.components import Collider, Tags
from fyn.engine_core.world.level_document import VERSION
from fyn.engine_core.world.level_file import read_level
from fyn.engine_core.world.level_migration import STEPS, component_step, migrate

RECORDS = Path(__file__).with_name("data") / "levels"

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


# Changes of components ----------------------------------------------------------------------------

CHANGES: dict[int, tuple[changes.Change, ...]] = {
    VERSION: (
        changes.Renamed("collider", "grip", "friction"),
        changes.Scaled("collider", "friction", 0.5),
        changes.ChoiceRenamed("collider", "shape", "pill", "capsule"),
        changes.DefaultChanged("collider", "restitution", 0.125),
        changes.Renamed("environment", "mood", "ambient"),
    )
}
"""What a version after the present one might change."""


def test_changes_of_components_are_carried_out_on_every_entity_and_on_the_level():
    document = {
        "format": "fyn-level",
        "version": VERSION,
        "environment": {"mood": 0.5},
        "entities": [
            {"id": "a", "collider": {"grip": 0.5, "shape": "pill"}},
            {"id": "b", "collider": {"restitution": 1.0}},
            {"id": "c", "collider": "nonsense"},
            {"id": "d"},
            "nonsense",
        ],
    }
    before = copy.deepcopy(document)
    step = {VERSION: component_step(VERSION, CHANGES)}
    found = migrate(document, step, VERSION + 1)
    assert document == before
    assert found["environment"] == {"ambient": 0.5}
    assert found["entities"] == [
        {"id": "a", "collider": {"friction": 0.25, "shape": "capsule", "restitution": 0.125}},
        {"id": "b", "collider": {"restitution": 1.0}},
        {"id": "c", "collider": "nonsense"},
        {"id": "d"},
        "nonsense",
    ]


@pytest.mark.parametrize("version", range(1, VERSION + 1))
def test_the_record_of_every_version_is_still_read(version):
    """Files that each version wrote; a change of the format must leave what they say alone."""
    world = read_level(RECORDS / f"version_{version}.fyn")
    rock, lamp, eye = (world.entities[key] for key in ("Rock", "Lamp", "Eye"))
    assert rock.transform.translation == (1.0, 2.5, -3.0)
    assert rock.mesh is not None
    assert (rock.mesh.casts_shadow, rock.mesh.receives_shadow) == (False, False)
    assert lamp.light is not None
    assert (lamp.light.kind, lamp.light.strength, lamp.light.spot_blend) == ("spot", 3.0, 0.5)
    assert (lamp.parent, lamp.light.range, lamp.light.radius) == ("Rock", 8.0, 0.0)
    assert eye.camera is not None
    assert (eye.camera.fov, eye.camera.near, eye.camera.far) == (0.9, 0.1, 50.0)
    assert (world.environment.kind, world.environment.strength) == ("hemisphere", 2.0)
    assert (world.render.samples, world.render.tone_map) == (8, "hable")
    assert world.render.bloom_knee == 0.5
    assert world.active_camera == "Eye"
    stone = world.materials["Stone"]
    assert (stone.roughness, stone.alpha_mode, stone.alpha_cutoff) == (0.9, "mask", 0.25)
    has_own = version >= 2
    assert rock.get(Collider) == (Collider(shape="capsule", friction=0.25) if has_own else None)
    assert rock.get(Tags) == (Tags(tags=("enemy", "opens_at_night")) if has_own else None)
    assert rock.mesh.glow == (1.5 if has_own else 0.0)
    assert lamp.light.importance == (2.0 if has_own else 1.0)
    assert eye.camera.exposure == (-1.0 if has_own else 0.0)
    assert world.environment.ambient == (0.5 if has_own else 1.0)
