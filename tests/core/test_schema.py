"""The JSON Schema and the component page: generated, up to date, and of one mind with the check."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

from fyn.engine_core.assets.material import Material, TextureSlot
from fyn.engine_core.world.component_docs import components_markdown
from fyn.engine_core.world.components import (
    ALL_TYPES,
    COMPONENT_TYPES,
    WORLD_COMPONENT_TYPES,
    Behaviour,
    Collider,
    Component,
    EntityComponents,
    MeshComponent,
)
from fyn.engine_core.world.entity import Entity, Transform
from fyn.engine_core.world.fields import Factor, LinearColor, field_meta
from fyn.engine_core.world.level_check import document_problems
from fyn.engine_core.world.level_document import RECORD_TABLES, LevelDocument
from fyn.engine_core.world.schema import level_schema, schema_text
from fyn.engine_core.world.struct_fields import MISSING, references, struct_fields
from fyn.engine_core.world.world import World

EVERY_STRUCT = [
    *COMPONENT_TYPES.values(),
    *WORLD_COMPONENT_TYPES.values(),
    *RECORD_TABLES.values(),
    Material,
    TextureSlot,
    Transform,
    LevelDocument,
]


@pytest.fixture(scope="module")
def validator() -> Any:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema checks the schema")
    jsonschema.Draft202012Validator.check_schema(level_schema())
    return jsonschema.Draft202012Validator(level_schema())


@pytest.mark.parametrize(
    ("file", "text"), [("components.md", components_markdown), ("level.schema.json", schema_text)]
)
def test_the_pages_in_docs_are_up_to_date(repository: Path, file, text):
    """Run scripts/generate_docs.py when this fails."""
    assert (repository / "docs" / file).read_text("utf-8") == text()


@pytest.mark.parametrize("owner", EVERY_STRUCT, ids=lambda owner: owner.__name__)
def test_every_field_says_what_it_means(owner):
    for field in struct_fields(owner):
        assert field.description or field.struct, field.name
        assert field.title or field.name in COMPONENT_TYPES, field.name


@pytest.mark.parametrize("owner", ALL_TYPES.values(), ids=lambda owner: owner.__name__)
def test_every_component_says_how_it_is_shown_and_when_its_fields_matter(owner):
    assert owner.label
    assert owner.icon
    fields = {field.name: field for field in struct_fields(owner)}
    for field in fields.values():
        if field.when is not None:
            other, values = field.when
            allowed = fields[other].choices or (True, False)
            assert set(values) < set(allowed), field.name


def test_every_component_is_in_the_schema_and_on_the_page():
    schema, page = level_schema()["$defs"], components_markdown()
    for name, owner in COMPONENT_TYPES.items():
        assert name in schema["Entity"]["properties"]
        assert f"## {owner.__name__} (entity key `{name}`)" in page
    for name in WORLD_COMPONENT_TYPES:
        assert name in schema["LevelDocument"]["properties"]
    for owner in EVERY_STRUCT:
        assert schema.get(owner.__name__, schema["MaterialRecord"])["additionalProperties"] is False


def test_whatever_carries_components_has_a_place_for_each():
    assert set(COMPONENT_TYPES) == set(EntityComponents.__struct_fields__)
    assert set(COMPONENT_TYPES) < set(Entity.__struct_fields__)
    assert set(WORLD_COMPONENT_TYPES) < set(LevelDocument.__struct_fields__)
    for kind in WORLD_COMPONENT_TYPES.values():
        assert World().get(kind) == kind()


def test_an_entity_gives_its_components_by_class():
    entity = Entity(id="Coin", behaviour=Behaviour(collectible=True))  # type: ignore[call-arg]
    assert entity.get(Behaviour) == Behaviour(collectible=True)
    assert entity.get(Collider) is None
    assert entity.get(MeshComponent) is None


def test_the_schema_accepts_what_the_exporter_writes(validator, level):
    assert [error.message for error in validator.iter_errors(json.loads(level.read_text()))] == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("entities[1].light.strength", -1),
        ("entities[1].light.strength", "1"),
        ("entities[1].light.kind", "laser"),
        ("entities[1].light.color", [1, 2]),
        ("entities[1].light.color", [1, 2, None]),
        ("entities[1].light.extra", 1),
        ("entities[1].id", None),
        ("entities[2].mesh.materials", [1]),
        ("entities[4].transform.matrix", [0.0] * 15),
        ("environment.kind", 1),
        ("render.samples", 3),
        ("render.cascade_count", 5),
        ("materials[1].roughness", 1.5),
        ("materials[1].base_color_texture", {}),
        ("images[1].encoding", "rgb8"),
        ("images[1].size", [0, 1]),
        ("meshes[0]", {"id": "Rock"}),
        ("version", 0),
        ("format", "glTF"),
        ("anything", 1),
    ],
)
def test_the_schema_refuses_what_the_check_refuses(validator, spoil, path, value):
    document = json.loads(spoil({path: value}).read_text("utf-8"))
    assert not validator.is_valid(document)
    assert document_problems(document)


# What a field says about itself -------------------------------------------------------------------


class Blade(Component, frozen=True):
    """A nested struct."""

    image: Annotated[str, field_meta("Image", "Its picture", kind="image")]
    others: Annotated[tuple[str, ...], field_meta("Others", "More", kind="entity")] = ()


class Grass(Component, frozen=True):
    """A component that only this test knows."""

    density: Annotated[float, field_meta("Density", "Blades", ge=0.0, soft_max=50.0, unit="m")] = (
        9.0
    )
    bend: Annotated[Factor, field_meta("Bend", "How far")] = 0.5
    tint: Annotated[LinearColor, field_meta("Tint", "Colour")] = (0.0, 1.0, 0.0)
    season: Annotated[Literal["summer", "autumn"], field_meta("Season", "When")] = "summer"
    ground: Annotated[str, field_meta("Ground", "Grows on", kind="mesh")] = ""
    blade: Annotated[Blade | None, field_meta("Blade", "Looks")] = None


def test_a_field_tells_its_type_limits_unit_and_choices():
    fields = {field.name: field for field in struct_fields(Grass)}
    density = fields["density"]
    assert (density.base, density.default, density.ge, density.le) == (float, 9.0, 0.0, None)
    assert (density.unit, density.soft_max, density.title) == ("m", 50.0, "Density")
    bend = fields["bend"]
    assert (bend.ge, bend.le, bend.unit, bend.description) == (0.0, 1.0, "factor", "How far")
    assert fields["tint"].kind == "color"
    assert fields["season"].choices == ("summer", "autumn")
    assert (fields["blade"].struct, fields["blade"].optional) == (Blade, True)
    assert [field.default is MISSING for field in struct_fields(Blade)] == [True, False]


def test_references_are_found_however_deep_they_stand():
    plain = {"ground": "Rock", "blade": {"image": "grass.png", "others": ["A", "", "B", 3]}}
    assert list(references(plain, Grass)) == [
        ("ground", "mesh", "Rock"),
        ("blade.image", "image", "grass.png"),
        ("blade.others[0]", "entity", "A"),
        ("blade.others[2]", "entity", "B"),
    ]
    assert list(references({"ground": 3, "blade": ["x"]}, Grass)) == []
