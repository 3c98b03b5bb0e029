"""Symptoms met in add-ons of other engines: components lost, doubled, or on the first one only.

Each is read from the level that an export writes.
"""

from __future__ import annotations

import bpy
import pytest

import fyn
from fyn.addon.components.reading import read_components
from fyn.addon.components.writing import add
from fyn.addon.headless import read_scene
from fyn.engine_core.world.components import Collider, Tags
from fyn.engine_core.world.level_file import read_level
from fyn.exporters.level import export_level

RED, GREEN, BLACK = (1, 0, 0), (0, 1, 0), (0, 0, 0)


@pytest.fixture
def level(stage):
    """Exports the scene and returns the entities that have tags: their words by id."""

    def export():
        report = export_level(read_scene().world, stage.folder / "level")
        entities = read_level(report.level).entities
        found = {key: entity.get(Tags) for key, entity in entities.items()}
        return {key: tags.tags for key, tags in found.items() if tags is not None}

    return export


def tagged(obj, *words):
    add(obj, Tags)
    for word in words:
        obj.fyn.tags.tags.add().word = word
    return obj


def words_of(obj):
    """The words as the artist sees them in the panel."""
    return tuple(item.word for item in obj.fyn.tags.tags)


def has_collider(name):
    return "collider" in read_components(bpy.data.objects[name])


def test_every_instance_of_a_collection_has_the_components_not_the_first_only(stage, level):
    coins = stage.collection("coins", parent=False)
    tagged(stage.square("coin", RED, (0, 0), coins), "coin")
    for index in range(4):
        stage.instance(coins, (4 * index - 6, 0), f"instance {index}")
    found = level()
    assert len(found) == 4
    assert set(found.values()) == {("coin",)}
    assert {key.split("/")[0] for key in found} == {f"instance {index}" for index in range(4)}


def test_instances_in_instances_have_the_components_each_once(stage, level):
    inner, outer = stage.collection("inner", parent=False), stage.collection("outer", parent=False)
    tagged(stage.square("coin", RED, (0, 0), inner), "coin")
    for y in (-4, 4):
        stage.instance(inner, (0, y), f"row {y}", into=outer)
    for x in (-4, 0, 4):
        stage.instance(outer, (x, 0), f"column {x}")
    found = level()
    assert list(found.values()) == [("coin",)] * 6


def test_linked_duplicates_keep_components_of_their_own(stage, level):
    """They share a mesh, not what each is in the game."""
    first = tagged(stage.square("first", RED, (-4, 0)), "a")
    second = first.copy()
    second.name = "second"
    stage.scene.collection.objects.link(second)
    second.fyn.tags.tags[0].word = "b"
    third = bpy.data.objects.new("third", first.data)
    stage.scene.collection.objects.link(third)
    assert level() == {"first": ("a",), "second": ("b",)}


@pytest.fixture
def library(stage, tmp_path):
    """A .blend with a collection "coins" of a tagged coin, and of a gem in a collection of it."""
    coins = stage.collection("coins", parent=False)
    tagged(stage.square("coin", RED, (0, 0), coins), "coin")
    tagged(stage.square("gem", GREEN, (0, 4), stage.collection("inner", coins)), "gem")
    path = tmp_path / "Münzen [1].blend"
    bpy.data.libraries.write(str(path), {coins})
    for obj in list(coins.all_objects):
        bpy.data.objects.remove(obj)
    for collection in list(bpy.data.collections):
        bpy.data.collections.remove(collection)
    bpy.ops.outliner.orphans_purge(do_recursive=True)
    return str(path)


def linked(path, link=True):
    with bpy.data.libraries.load(path, link=link) as (_, wanted):
        wanted.collections = ["coins"]
    return wanted.collections[0]


def test_a_linked_collection_keeps_its_components_in_each_instance(stage, level, library):
    coins = linked(library)
    stage.instance(coins, (-4, 0), "one")
    stage.instance(coins, (4, 0), "two")
    assert sorted(level().values()) == [("coin",), ("coin",), ("gem",), ("gem",)]


def test_they_are_still_there_after_saving_and_opening_the_scene(stage, level, library, tmp_path):
    stage.instance(linked(library), (0, 0), "one")
    path = str(tmp_path / "szene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert sorted(level().values()) == [("coin",), ("gem",)]


def test_they_are_still_there_after_the_library_was_changed_and_reloaded(stage, level, library):
    coins = linked(library)
    stage.instance(coins, (0, 0), "one")
    coins.library.reload()
    assert sorted(level().values()) == [("coin",), ("gem",)]


def test_an_override_of_a_linked_collection_changes_its_own_components(stage, level, library):
    coins = linked(library)
    stage.instance(coins, (-4, 0), "linked")
    own = coins.override_hierarchy_create(stage.scene, bpy.context.view_layer)
    coin = next(obj for obj in own.all_objects if obj.name.startswith("coin"))
    add(coin, Collider)
    coin.fyn.collider.friction = 0.25
    found = level()
    assert sorted(found.values()) == [("coin",), ("coin",), ("gem",), ("gem",)]
    report = export_level(read_scene().world, stage.folder / "again")
    entities = read_level(report.level).entities.values()
    colliders = [entity.get(Collider) for entity in entities if entity.get(Collider)]
    assert [round(collider.friction, 6) for collider in colliders] == [0.25]


def test_an_appended_collection_brings_its_components(stage, level, library):
    stage.scene.collection.children.link(linked(library, link=False))
    assert level() == {"coin": ("coin",), "gem": ("gem",)}


def test_a_renamed_object_keeps_its_components(stage, level):
    obj = tagged(stage.square("before", RED), "a")
    obj.name = "関 [2]"
    assert level() == {"関 [2]": ("a",)}


def test_components_of_what_a_render_hides_are_not_in_the_level(stage, level):
    tagged(stage.square("hidden", RED), "a").hide_render = True
    tagged(stage.square("shown", GREEN, (4, 0)), "b")
    assert level() == {"shown": ("b",)}


def test_components_on_things_without_geometry_are_in_the_level(stage, level):
    empty = bpy.data.objects.new("spawn", None)
    lamp = bpy.data.objects.new("lamp", bpy.data.lights.new("lamp", "POINT"))
    for obj in (empty, lamp):
        stage.scene.collection.objects.link(obj)
        tagged(obj, obj.name)
    assert level() == {"spawn": ("spawn",), "lamp": ("lamp",)}


def test_adding_a_component_is_undone_and_the_picture_and_the_rest_stay(stage, level):
    bpy.context.preferences.edit.use_global_undo = True
    obj = tagged(stage.square("square", RED), "before")
    other = tagged(stage.square("other", GREEN, (4, 0)), "other")
    bpy.context.view_layer.objects.active = obj
    bpy.ops.ed.undo_push(message="start")
    assert bpy.ops.fyn.component_add("EXEC_DEFAULT", True, component="collider") == {"FINISHED"}
    assert has_collider("square")
    bpy.ops.ed.undo()
    obj, other = bpy.data.objects["square"], bpy.data.objects["other"]
    assert not has_collider("square")
    assert (words_of(obj), words_of(other)) == (("before",), ("other",))
    assert level() == {"square": ("before",), "other": ("other",)}
    picture = stage.f12()
    assert (picture.at(0), picture.at(4)) == (RED, GREEN)
    bpy.ops.ed.redo()
    assert has_collider("square")


def test_undo_while_a_world_follows_the_scene_keeps_the_two_alike(stage, follow):
    """What an interactive render lives through: undo replaces every datablock."""
    bpy.context.preferences.edit.use_global_undo = True
    obj = tagged(stage.square("square", RED), "a")
    bpy.context.view_layer.objects.active = obj
    bpy.ops.ed.undo_push(message="start")
    follower = follow()
    for _ in range(3):
        bpy.ops.fyn.component_add("EXEC_DEFAULT", True, component="collider")
        bpy.context.view_layer.update()
        follower.check()
        assert follower.world.entities["square"].get(Collider) is not None
        bpy.ops.ed.undo()
        bpy.context.view_layer.update()
        follower.check()
        assert follower.world.entities["square"].get(Collider) is None
        assert follower.world.entities["square"].get(Tags).tags == ("a",)
    assert stage.f12().at(0) == RED


def test_disabling_leaves_no_property_and_loses_nothing(stage, level):
    """Properties go with the add-on, what was set stays in the file for when it is back."""
    tagged(stage.square("square", RED), "a")
    bpy.ops.fyn.check_scene()
    kinds = (
        bpy.types.Object, bpy.types.Scene, bpy.types.World, bpy.types.Material, bpy.types.Light,
        bpy.types.Camera, bpy.types.WindowManager, bpy.types.Mesh, bpy.types.Collection,
    )  # fmt: skip
    fyn.unregister()
    try:
        left = {
            f"{kind.__name__}.{name}"
            for kind in kinds
            for name in kind.bl_rna.properties.keys()  # noqa: SIM118 - no dict
            if "fyn" in name
        }
        assert left == set()
        assert not hasattr(bpy.types.Object, "fyn")
        groups = [g.__name__ for g in bpy.types.PropertyGroup.__subclasses__() if _is_ours(g)]
        assert groups == []
        handlers = [
            handler
            for name in dir(bpy.app.handlers)
            if isinstance(found := getattr(bpy.app.handlers, name), list)
            for handler in found
            if (getattr(handler, "__module__", "") or "").startswith("fyn.")
        ]
        assert handlers == []
    finally:
        fyn.register()
    assert level() == {"square": ("a",)}


def _is_ours(group):
    return group.__module__.startswith("fyn.") and getattr(group, "is_registered", False)
