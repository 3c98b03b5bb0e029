"""Properties of Blender's datablocks, made from component classes: names, ranges, units, values."""

from __future__ import annotations

import math
from typing import Annotated, ClassVar, Literal

import bpy
import pytest

from fyn.addon.components import rna
from fyn.addon.components.fields import authored_fields, choice_number, sort_of, to_blender
from fyn.addon.components.homes import HOMES, components_of, group_of
from fyn.addon.components.reading import read_component, read_components
from fyn.addon.components.writing import add, set_values
from fyn.engine_core.world.components import (
    ALL_TYPES,
    Behaviour,
    Collider,
    Component,
    MeshComponent,
    RenderSettings,
    Tags,
)
from fyn.engine_core.world.fields import Factor, LinearColor, Vec3, field_meta
from fyn.engine_core.world.struct_fields import struct_fields

pytestmark = pytest.mark.usefixtures("registered")

OFFERED = [kind for owner in HOMES for kind in components_of(owner).values()]


@pytest.fixture
def homes(empty_scene):
    """A datablock of each kind, by owner."""
    return {
        "entity": bpy.data.objects.new("Thing", bpy.data.meshes.new("Thing")),
        "light": bpy.data.lights.new("Lamp", "POINT"),
        "camera": bpy.data.cameras.new("Camera"),
        "environment": bpy.data.worlds.new("World"),
        "level": empty_scene,
    }


@pytest.mark.parametrize("kind", OFFERED, ids=lambda kind: kind.key)
def test_every_authored_field_is_a_property_and_no_other_is(homes, kind):
    group = group_of(homes[kind.owner], kind)
    names = {
        name for name, _ in group.bl_rna.properties.items() if name not in ("rna_type", "name")
    }
    assert names == {"is_added"} | {
        field.name for field in struct_fields(kind) if not field.derived
    }


@pytest.mark.parametrize("kind", OFFERED, ids=lambda kind: kind.key)
def test_an_untouched_component_reads_as_all_defaults(homes, kind):
    assert read_component(homes[kind.owner], kind) == kind()
    group = group_of(homes[kind.owner], kind)
    for field in authored_fields(kind):  # touched, but left at the default
        if sort_of(field) != "words":
            setattr(group, field.name, getattr(group, field.name))
    assert read_component(homes[kind.owner], kind) == kind()


@pytest.mark.parametrize("kind", OFFERED, ids=lambda kind: kind.key)
def test_titles_tooltips_and_limits_are_those_of_the_class(homes, kind):
    properties = group_of(homes[kind.owner], kind).bl_rna.properties
    for field in authored_fields(kind):
        made = properties[field.name]
        assert made.name == field.title
        assert made.description == rna.tooltip(field)
        assert made.is_overridable
        if sort_of(field) == "number":
            single = pytest.approx
            assert made.hard_min == single(field.ge) if field.ge is not None else True
            assert made.hard_max == single(field.le) if field.le is not None else True
            assert made.is_animatable
        if sort_of(field) == "choice":
            names = [str(choice) for choice in field.choices]
            assert [item.identifier for item in made.enum_items] == names


def test_units_are_blenders_and_stand_in_the_tooltip(homes):
    properties = homes["entity"].fyn.collider.bl_rna.properties
    assert (properties["radius"].unit, properties["radius"].subtype) == ("LENGTH", "DISTANCE")
    assert properties["center"].unit == "LENGTH"
    assert properties["radius"].description.endswith("(a length)")
    behaviour = homes["entity"].fyn.behaviour.bl_rna.properties
    assert behaviour["spin_speed"].unit == "ROTATION"
    assert behaviour["spin_speed"].description.endswith("(an angle a second)")
    assert behaviour["bob_period"].unit == "TIME_ABSOLUTE"
    assert behaviour["bob_phase"].subtype == "FACTOR"


def test_vectors_turn_from_blenders_axes_to_the_engines(homes):
    thing = homes["entity"]
    add(thing, Collider)
    thing.fyn.collider.center, thing.fyn.collider.size = (1, 2, 3), (4, 5, 6)
    collider = read_components(thing)["collider"]
    assert (collider.center, collider.size) == ((1.0, 3.0, -2.0), (4.0, 6.0, 5.0))
    assert tuple(thing.fyn.behaviour.spin_axis) == (0, 0, 1)  # the engine's Y


def test_lamps_and_cameras_keep_their_local_axes(homes):
    lamp = bpy.data.objects.new("Lamp", homes["light"])
    add(lamp, Collider)
    lamp.fyn.collider.center, lamp.fyn.collider.size = (1, 2, 3), (4, 5, 6)
    collider = read_components(lamp)["collider"]
    assert (collider.center, collider.size) == ((1.0, 2.0, 3.0), (4.0, 5.0, 6.0))


@pytest.mark.parametrize("keeps", [False, True])
@pytest.mark.parametrize("kind", ["point", "direction", "size"])
def test_there_and_back_is_the_same_vector(kind, keeps):
    from fyn.addon.sync.axes import authored_vector_to_blender, authored_vector_to_engine

    there = authored_vector_to_engine((1.0, 2.0, 3.0), kind, keeps)
    assert authored_vector_to_blender(there, kind, keeps) == (1.0, 2.0, 3.0)


def test_single_floats_are_read_as_the_decimals_that_were_typed(homes):
    thing = homes["entity"]
    thing.fyn.collider.friction = 0.3
    assert read_component(thing, Collider).friction == 0.3


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_none_are_read_as_the_default(homes, value):
    from fyn.addon.components.fields import to_engine

    friction = next(f for f in authored_fields(Collider) if f.name == "friction")
    center = next(f for f in authored_fields(Collider) if f.name == "center")
    assert to_engine(friction, value, False) == 0.5
    assert to_engine(center, (value, 1.0, 2.0), False) == (0.0, 2.0, -1.0)


def test_values_beyond_a_range_are_brought_into_it(homes):
    """Older files and drivers may hold any."""
    from fyn.addon.components.fields import to_engine

    fields = {field.name: field for field in authored_fields(Collider)}
    assert to_engine(fields["restitution"], 7.0, False) == 1.0
    assert to_engine(fields["radius"], -1.0, False) == 0.0
    samples = {field.name: field for field in authored_fields(RenderSettings)}
    assert to_engine(samples["cascade_count"], 99, False) == 4
    assert to_engine(samples["samples"], "3", False) == 4


def test_words_are_read_without_empty_ones_and_repetitions(homes):
    set_values(homes["entity"], Tags, {"tags": ["a", " b ", "", "a"]})
    assert read_component(homes["entity"], Tags) == Tags(tags=("a", "b"))


def test_whole_numbers_with_choices_are_menus(homes):
    homes["level"].fyn.render.samples = "8"
    assert read_component(homes["level"], RenderSettings).samples == 8
    assert choice_number(8) == 8


def test_choices_keep_their_numbers_when_others_are_added_before_them():
    """A .blend holds the number; it comes from the choice alone, and animation curves hold it."""
    numbers = [choice_number(name) for name in ("box", "sphere", "material", "fyn")]
    assert numbers == [608314, 616071, 947605, 843872]
    assert all(number < 2**24 for number in numbers)


def test_setting_a_property_from_a_script_tells_blender(homes, empty_scene):
    thing = homes["entity"]
    empty_scene.collection.objects.link(thing)
    bpy.context.view_layer.update()
    thing.fyn.mesh.glow = 2
    depsgraph = bpy.context.evaluated_depsgraph_get()
    assert thing.evaluated_get(depsgraph).fyn.mesh.glow == 2


def test_nothing_is_read_of_what_nobody_touched_or_where_fyn_is_not_registered(homes):
    assert read_components(homes["entity"]) == {}
    assert read_components(bpy.data.materials.new("M")) == {}


# Components of any sort ---------------------------------------------------------------------------


class Everything(Component, frozen=True):
    """A field of every sort that a panel can offer."""

    key: ClassVar[str] = "everything"
    label: ClassVar[str] = "Everything"

    number: Annotated[float, field_meta("Number", "A number", le=2.0)] = 1.0
    bend: Annotated[Factor, field_meta("Bend", "A factor")] = 0.5
    whole: Annotated[int, field_meta("Whole", "A whole number", ge=-3, unit="px")] = 4
    flag: Annotated[bool, field_meta("Flag", "Yes or no")] = True
    text: Annotated[str, field_meta("Text", "Some text")] = "hello"
    season: Annotated[Literal["spring", "autumn"], field_meta("Season", "When")] = "autumn"
    tint: Annotated[LinearColor, field_meta("Tint", "A colour")] = (1.0, 0.5, 0.25)
    place: Annotated[Vec3, field_meta("Place", "A point", kind="point", unit="m")] = (1.0, 2.0, 3.0)
    flat: Annotated[tuple[float, float], field_meta("Flat", "Two numbers")] = (1.0, 2.0)
    words: Annotated[tuple[str, ...], field_meta("Words", "Some words")] = ()
    friend: Annotated[str, field_meta("Friend", "An object", kind="entity")] = ""
    friends: Annotated[tuple[str, ...], field_meta("Friends", "Objects", kind="entity")] = ()
    mesh: Annotated[str, field_meta("Mesh", "A mesh", kind="mesh", derived=True)] = ""


@pytest.fixture
def everything():
    group = rna.component_group(Everything)
    bpy.utils.register_class(group)
    bpy.types.Collection.everything = bpy.props.PointerProperty(type=group)
    yield group
    del bpy.types.Collection.everything
    bpy.utils.unregister_class(group)


def test_every_sort_of_field_has_its_property(everything, empty_scene):
    made = bpy.data.collections.new("C").everything
    assert (made.number, made.bend, made.whole, made.flag, made.text) == (1, 0.5, 4, True, "hello")
    assert made.season == "autumn"
    assert tuple(made.tint) == (1, 0.5, 0.25)
    assert tuple(made.place) == (1, -3, 2)
    assert tuple(made.flat) == (1, 2)
    assert made.friend is None
    assert len(made.words) == len(made.friends) == 0
    properties = made.bl_rna.properties
    assert properties["tint"].subtype == "COLOR"
    assert properties["friend"].fixed_type.identifier == "Object"
    assert "mesh" not in properties


@pytest.mark.parametrize(
    ("annotation", "default", "words"),
    [
        (Annotated[str, field_meta("M", "M", kind="mesh")], "", "of no sort"),
        (Annotated[dict, field_meta("M", "M")], None, "of no sort"),
        (Annotated[float | None, field_meta("M", "M")], None, "of no sort"),
    ],
)
def test_a_field_that_no_panel_can_offer_is_refused_in_words(annotation, default, words):
    import msgspec

    kind = msgspec.defstruct(
        "Odd", [("thing", annotation, default)], bases=(Component,), frozen=True, kw_only=True
    )
    with pytest.raises(TypeError, match=words):
        rna.component_group(kind)


@pytest.mark.parametrize("name", ["is_added", "values", "keys"])
def test_a_field_whose_name_blender_uses_is_refused_in_words(name):
    import msgspec

    meta = Annotated[float, field_meta("Odd", "Odd")]
    kind = msgspec.defstruct(
        "Odd", [(name, meta, 0.0)], bases=(Component,), frozen=True, kw_only=True
    )
    with pytest.raises(TypeError, match="use that name"):
        rna.component_group(kind)


def test_every_component_can_be_offered():
    for kind in ALL_TYPES.values():
        for field in authored_fields(kind):
            sort_of(field)
            if not field.required:
                to_blender(field, field.default, keeps_local_axes=False)


def test_there_are_the_components_that_the_documentation_names():
    assert {kind.key for kind in OFFERED} >= {
        "mesh", "light", "camera", "environment", "render", "collider", "behaviour", "tags",
    }  # fmt: skip
    assert MeshComponent.key == "mesh"
    assert Behaviour.addable
