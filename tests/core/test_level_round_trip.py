"""Levels written and read back: the same world, the same bytes, a text that people can read."""

from __future__ import annotations

import functools
import json
import tempfile
import time
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fyn.engine_core.assets.image import ImageData
from fyn.engine_core.assets.image_io import decode
from fyn.engine_core.assets.material import Material
from fyn.engine_core.assets.mesh import MeshData, Primitive
from fyn.engine_core.errors import LevelError
from fyn.engine_core.world.components import COMPONENT_TYPES, WORLD_COMPONENT_TYPES, LightComponent
from fyn.engine_core.world.entity import Entity, Transform
from fyn.engine_core.world.level_file import check_level, level_bytes, read_level
from fyn.engine_core.world.level_text import format_document, parse_document
from fyn.engine_core.world.struct_fields import StructField, struct_fields
from fyn.engine_core.world.world import World
from fyn.exporters.level import export_level

# Worlds of anything that the component classes allow ----------------------------------------------

finite = st.floats(width=32, allow_nan=False, allow_infinity=False)
names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
ID_LISTS = {"mesh": "meshes", "material": "materials", "image": "images", "entity": "entities"}
DEFORMED = {"skin", "morph"}
"""Components that have to fit their mesh; tests/core/test_skin_files.py has their round trips."""


def field_values(field: StructField, ids: dict[str, list[str]]) -> st.SearchStrategy[Any]:
    """Values of one field, made from what the field says about itself."""
    if field.kind in ID_LISTS:
        may_be_none = field.kind != "image" or not field.required
        one = st.sampled_from([*ids[ID_LISTS[field.kind]], *([""] if may_be_none else [])])
        return st.lists(one, max_size=3).map(tuple) if get_args(field.base) else one
    if field.choices:
        value = st.sampled_from(field.choices)
    elif field.struct is not None:
        value = structs(field.struct, ids)
    elif field.base is float:
        value = st.floats(field.ge, field.le, width=64, allow_nan=False, allow_infinity=False)
        value = value.filter(lambda number: abs(number) < 3e38)
    elif field.base is int:
        value = st.integers(int(field.ge or 0), int(field.le or 1000))
    elif field.base is bool:
        value = st.booleans()
    elif field.base is str:
        value = names
    elif get_args(field.base) == (str, ...):
        value = st.lists(names, max_size=3).map(tuple)
    else:
        value = st.tuples(*[finite] * len(get_args(field.base)))
    return st.none() | value if field.optional else value


def structs(owner: type, ids: dict[str, list[str]]) -> st.SearchStrategy[Any]:
    fields = struct_fields(owner)
    if any(f.kind == "image" and f.required and not ids["images"] for f in fields):
        return st.nothing()
    required = {f.name: field_values(f, ids) for f in fields if f.required}
    optional = {f.name: field_values(f, ids) for f in fields if not f.required}
    return st.fixed_dictionaries(required, optional=optional).map(lambda given: owner(**given))


def unit(vector: tuple[float, ...]) -> tuple[float, ...]:
    length = float(np.linalg.norm(vector))
    return tuple(float(item / length) for item in vector) if length > 1e-3 else (0.0, 0.0, 0.0, 1.0)


small = st.floats(-10, 10)
transforms = st.builds(
    Transform,
    translation=st.tuples(finite, finite, finite),
    rotation=st.tuples(small, small, small, small).map(unit),
    scale=st.tuples(finite, finite, finite),
    matrix=st.none() | st.tuples(*[finite] * 12).map(lambda rows: (*rows, 0.0, 0.0, 0.0, 1.0)),
)


@functools.cache
def one_triangle() -> MeshData:
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
    up = np.tile(np.array([0, 0, 1], np.float32), (3, 1))
    return MeshData("Dreieck", corners, up, np.arange(3, dtype=np.uint32), (Primitive(0, 3, 0),))


@st.composite
def worlds(draw: st.DrawFn) -> World:
    ids = {table: draw(st.lists(names, unique=True, max_size=3)) for table in ID_LISTS.values()}
    ids["entities"] = draw(st.lists(names, unique=True, max_size=6))
    world = World(
        meshes=dict.fromkeys(ids["meshes"], one_triangle()),
        images={
            key: ImageData(key, pixels=np.full((1, 1, 4), draw(st.integers(0, 255)), np.uint8))
            for key in ids["images"]
        },
        materials={key: draw(structs(Material, ids)) for key in ids["materials"]},
        **{name: draw(structs(owner, ids)) for name, owner in WORLD_COMPONENT_TYPES.items()},
    )
    previous: list[str] = []
    for key in ids["entities"]:
        components = {
            name: draw(st.none() | structs(owner, ids))
            for name, owner in COMPONENT_TYPES.items()
            if name not in DEFORMED
        }
        parent = draw(st.none() | st.sampled_from(previous)) if previous else None
        world.entities[key] = Entity(
            id=key, name=draw(names), parent=parent, transform=draw(transforms), **components
        )
        previous.append(key)
    with_camera = [key for key, entity in world.entities.items() if entity.camera is not None]
    world.active_camera = draw(st.sampled_from(["", *with_camera]))
    return world


def assert_same_world(one: World, other: World) -> None:
    for name in ("entities", "materials", "environment", "render", "active_camera"):
        assert getattr(one, name) == getattr(other, name), name
    assert one.meshes.keys() == other.meshes.keys()
    for key, mesh in one.meshes.items():
        assert mesh.positions.tobytes() == other.meshes[key].positions.tobytes()
        assert mesh.primitives == other.meshes[key].primitives
    assert one.images.keys() == other.images.keys()
    for key, image in one.images.items():
        again = other.images[key]
        assert (image.name, image.color_space, image.missing) == (
            again.name,
            again.color_space,
            again.missing,
        )
        assert np.array_equal(decode(image), decode(again))


@given(worlds())
@settings(max_examples=120, deadline=None)
def test_every_world_comes_back_equal_and_is_written_again_to_the_same_bytes(world):
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        report = export_level(world, first)
        assert check_level(report.level) == []
        again = read_level(report.level)
        assert_same_world(world, again)
        export_level(again, second)
        files = [
            {path.relative_to(root): path.read_bytes() for path in Path(root).rglob("*.*")}
            for root in (first, second)
        ]
        assert files[0] == files[1]


def test_the_order_in_which_a_world_was_built_does_not_show(sample_world, tmp_path):
    world = sample_world
    turned = World(
        entities=dict(reversed(world.entities.items())),
        meshes=dict(reversed(world.meshes.items())),
        materials=dict(reversed(world.materials.items())),
        images=dict(reversed(world.images.items())),
        environment=world.environment,
        render=world.render,
        active_camera=world.active_camera,
    )
    one, other = export_level(world, tmp_path / "1"), export_level(turned, tmp_path / "2")
    assert one.level.read_bytes() == other.level.read_bytes()
    assert one.files == other.files


def test_defaults_are_left_out_by_value_and_not_by_identity():
    spelled = LightComponent(kind="po" + "int", color=(1, 1.0, float("1")), strength=float("1e0"))
    worlds = [
        World(entities={"a": Entity(id="a", light=light, transform=transform)})
        for light, transform in (
            (LightComponent(), Transform()),
            (spelled, Transform(translation=(0.0, -0.0, 0.0))),
        )
    ]
    texts = [level_bytes(world, {}, {}) for world in worlds]
    assert texts[0] == texts[1]
    assert json.loads(texts[0])["entities"] == [{"id": "a", "light": {}}]


def test_a_whole_number_in_a_field_of_floats_is_written_as_a_float():
    worlds = [
        World(entities={"a": Entity(id="a", transform=Transform(translation=place))})
        for place in ((1, 2, 3), (1.0, 2.0, 3.0))
    ]
    assert level_bytes(worlds[0], {}, {}) == level_bytes(worlds[1], {}, {})


def test_the_text_is_the_one_that_the_format_page_shows(sample_world, tmp_path):
    text = export_level(sample_world, tmp_path).level.read_text("utf-8")
    assert text.startswith('{\n  "format": "fyn-level",\n  "version": 2,\n')
    assert text.endswith("}\n")
    assert "\r" not in text
    rock = """\
    {
      "id": "Rock",
      "parent": "Root",
      "transform": {
        "translation": [1.0, 2.5, -3.0],
        "scale": [1.0, -2.0, 1.0]
      },
      "mesh": {
        "mesh": "Rock",
        "materials": ["Stone", ""]
      }
    },
"""
    assert rock in text
    assert '"name": "Wurzel [1]"' in text
    assert '"id": "岩"' in text
    tables = json.loads(text)
    for table in ("entities", "images", "materials", "meshes"):
        ids = [record["id"] for record in tables[table]]
        assert ids == sorted(ids)


def test_moving_one_entity_changes_one_line(sample_world, tmp_path):
    before = export_level(sample_world, tmp_path).level.read_text("utf-8").splitlines()
    moved = Entity(
        id="Rock",
        parent="Root",
        transform=Transform(translation=(1.0, 2.5, 7.0), scale=(1.0, -2.0, 1.0)),
        mesh=sample_world.entities["Rock"].mesh,
    )
    sample_world.entities["Rock"] = moved
    after = export_level(sample_world, tmp_path).level.read_text("utf-8").splitlines()
    changed = [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]
    assert changed == [
        ('        "translation": [1.0, 2.5, -3.0],', '        "translation": [1.0, 2.5, 7.0],')
    ]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_keep_every_bit_in_their_shortest_form(number):
    text = format_document({"x": [number]})
    assert parse_document(text)["x"][0].hex() == number.hex()
    assert repr(number).encode() in text


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf"), 1e39])
def test_a_world_with_a_number_that_no_level_can_hold_is_not_written(number):
    lamp = Entity(id="Lampe", light=LightComponent(strength=number))
    with pytest.raises(LevelError, match=r"entities\[0\]\.light\.strength: .*\(in 'Lampe'\)"):
        level_bytes(World(entities={"Lampe": lamp}), {}, {})


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb"])
def test_a_name_that_is_no_text_is_not_written(text):
    with pytest.raises(LevelError, match="no valid text"):
        level_bytes(World(entities={"a": Entity(id="a", name=text)}), {}, {})


def test_a_level_of_ten_thousand_entities_is_read_and_written_in_seconds_at_most():
    """Measured 0.3 s each on a desktop core; the bound only catches what grows with the square."""
    entities = {
        f"E{i:05}": Entity(
            id=f"E{i:05}",
            parent=f"E{i - 1:05}" if i else None,
            transform=Transform(translation=(i * 0.1, 0.0, 1.0)),
            light=LightComponent(strength=i * 0.3),
        )
        for i in range(10_000)
    }
    begin = time.process_time()
    data = level_bytes(World(entities=entities), {}, {})
    with tempfile.TemporaryDirectory() as folder:
        level = Path(folder, "level.fyn")
        level.write_bytes(data)
        world = read_level(level)
    assert time.process_time() - begin < 8.0
    assert world.entities == entities
