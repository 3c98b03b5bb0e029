"""Components through all that files go through: append, link, copies, overrides, versions."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from fyn.addon.components import migration
from fyn.addon.components.fields import choice_number
from fyn.addon.components.migration import FIRST_VERSION, stored_values, update_datablocks
from fyn.addon.components.reading import read_components
from fyn.addon.components.writing import add, set_values
from fyn.addon.headless import read_scene
from fyn.engine_core.world import component_changes as changes
from fyn.engine_core.world.components import Behaviour, Collider, Tags
from fyn.engine_core.world.level_document import VERSION

pytestmark = pytest.mark.usefixtures("registered")

RECORDS = Path(__file__).with_name("data")
WORDS = Tags(tags=("enemy", "opens_at_night"))
SOLID = Collider(shape="capsule", friction=0.25, center=(1.0, 3.0, -2.0))


@pytest.fixture
def cube(empty_scene):
    """A cube with a collider and tags."""
    bpy.ops.mesh.primitive_cube_add(size=2)
    made = bpy.context.object
    dress(made)
    return made


def dress(made):
    add(made, Collider)
    add(made, Tags)
    set_values(made, Collider, {"shape": "capsule", "friction": 0.25, "center": (1, 2, 3)})
    set_values(made, Tags, {"tags": list(WORDS.tags)})


def carries_all(obj):
    return read_components(obj) == {"collider": SOLID, "tags": WORDS}


def saved(path):
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return str(path)


def emptied():
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)


def test_saving_and_opening(cube, tmp_path):
    file = saved(tmp_path / "a.blend")
    emptied()
    bpy.ops.wm.open_mainfile(filepath=file)
    assert carries_all(bpy.data.objects["Cube"])


@pytest.mark.parametrize("link", [False, True], ids=["append", "link"])
def test_append_and_link(cube, tmp_path, link):
    file = saved(tmp_path / "a.blend")
    emptied()
    operator = bpy.ops.wm.link if link else bpy.ops.wm.append
    operator(directory=f"{file}/Object/", filename="Cube")
    found = bpy.data.objects["Cube"]
    assert (found.library is not None) == link
    assert carries_all(found)


def test_a_linked_collection_that_is_instanced(cube, tmp_path):
    collection = bpy.data.collections.new("Props")
    collection.objects.link(cube)
    bpy.context.scene.collection.children.link(collection)
    file = saved(tmp_path / "a.blend")
    emptied()
    with bpy.data.libraries.load(file, link=True) as (_, target):
        target.collections = ["Props"]
    empty = bpy.data.objects.new("Instance", None)
    empty.instance_type, empty.instance_collection = "COLLECTION", target.collections[0]
    bpy.context.scene.collection.objects.link(empty)
    (entity,) = (e for key, e in read_scene().world.entities.items() if "/" in key)
    assert entity.get(Collider) == SOLID


def test_copy_and_paste_between_files(cube):
    cube.select_set(True)
    bpy.ops.view3d.copybuffer()
    emptied()
    bpy.ops.view3d.pastebuffer()
    assert carries_all(bpy.data.objects["Cube"])


@pytest.mark.parametrize("linked", [False, True], ids=["Shift D", "Alt D"])
def test_duplicates(cube, linked):
    bpy.ops.object.duplicate(linked=linked)
    copy = bpy.context.object
    assert copy != cube
    assert carries_all(copy)
    copy.fyn.collider.friction = 0.75  # its own from now on
    assert carries_all(cube)


def test_renames_of_objects_and_collections(cube):
    cube.name = "Anders"
    folder = bpy.data.collections.new("Folder")
    folder.objects.link(cube)
    bpy.context.scene.collection.children.link(folder)
    folder.name = "Ordner"
    assert carries_all(bpy.data.objects["Anders"])
    assert read_scene().world.entities["Anders"].get(Collider) == SOLID


def test_joining_and_making_single_users_keep_those_of_the_object(cube):
    bpy.ops.object.duplicate(linked=True)
    bpy.ops.object.make_single_user(object=True, obdata=True)
    assert carries_all(bpy.context.object)


def test_a_library_override_changes_what_it_changes_and_keeps_the_rest(cube, tmp_path):
    cube.data.name = "Cube"
    library = saved(tmp_path / "library.blend")
    emptied()
    with bpy.data.libraries.load(library, link=True) as (_, target):
        target.objects = ["Cube"]
    linked = target.objects[0]
    bpy.context.scene.collection.objects.link(linked)
    override = linked.override_create(remap_local_usages=True)
    override.fyn.collider.friction = 0.75
    level = saved(tmp_path / "level.blend")
    emptied()
    bpy.ops.wm.open_mainfile(filepath=level)
    found = next(o for o in bpy.data.objects if o.override_library is not None)
    collider = read_components(found)["collider"]
    assert collider.friction == 0.75
    assert collider.center == SOLID.center
    assert read_components(found)["tags"] == WORDS


def test_what_is_set_survives_a_session_without_fyn(cube, tmp_path):
    import fyn

    file = saved(tmp_path / "a.blend")
    fyn.unregister()
    try:
        bpy.ops.wm.open_mainfile(filepath=file)
        saved(tmp_path / "b.blend")
    finally:
        fyn.register()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "b.blend"))
    assert carries_all(bpy.data.objects["Cube"])


# Older versions -----------------------------------------------------------------------------------

NEXT: dict[int, tuple[changes.Change, ...]] = {
    VERSION: (
        changes.Renamed("collider", "grip", "friction"),
        changes.Scaled("collider", "friction", 0.5),
        changes.ChoiceRenamed("collider", "shape", "pill", "capsule"),
        changes.DefaultChanged("collider", "restitution", 0.125),
        changes.DefaultChanged("collider", "shape", "sphere", is_choice=True),
    )
}
"""What a version after the present one might change."""


def make_old(obj):
    """Leave behind what that older Fyn would have: it called friction grip, and a capsule pill."""
    stored = stored_values(obj)["collider"]
    stored["grip"] = 0.5
    del stored["friction"]
    stored["shape"] = choice_number("pill")


def test_renamed_scaled_and_changed_fields_are_brought_up_to_date(cube):
    make_old(cube)
    assert update_datablocks([cube], VERSION + 1, NEXT) == 1
    found = read_components(cube)["collider"]
    assert (found.friction, found.shape, found.restitution) == (0.25, "capsule", 0.125)
    assert found.center == SOLID.center
    assert update_datablocks([cube], VERSION + 1, NEXT) == 0  # once is enough


def test_a_default_that_changed_stays_what_it_was_where_nobody_set_it(cube):
    del stored_values(cube)["collider"]["shape"]
    update_datablocks([cube], VERSION + 1, NEXT)
    assert read_components(cube)["collider"].shape == "sphere"


@pytest.mark.parametrize("link", [False, True], ids=["append", "link"])
def test_what_is_appended_or_linked_from_an_older_file_is_brought_up_to_date(
    cube, tmp_path, monkeypatch, link
):
    make_old(cube)
    file = saved(tmp_path / "old.blend")
    emptied()
    monkeypatch.setattr(migration.update_datablocks, "__defaults__", (VERSION + 1, NEXT))
    operator = bpy.ops.wm.link if link else bpy.ops.wm.append
    operator(directory=f"{file}/Object/", filename="Cube")
    assert read_components(bpy.data.objects["Cube"])["collider"].friction == 0.25


def test_an_older_file_is_brought_up_to_date_when_it_is_opened(cube, tmp_path, monkeypatch):
    make_old(cube)
    file = saved(tmp_path / "old.blend")
    emptied()
    monkeypatch.setattr(migration.update_datablocks, "__defaults__", (VERSION + 1, NEXT))
    bpy.ops.wm.open_mainfile(filepath=file)
    assert read_components(bpy.data.objects["Cube"])["collider"].friction == 0.25


def test_values_of_a_newer_fyn_are_kept_and_named(cube, caplog):
    import logging

    stored_values(cube)["schema"] = VERSION + 5
    logging.getLogger("fyn").propagate = True
    try:
        assert update_datablocks([cube]) == 0
    finally:
        logging.getLogger("fyn").propagate = False
    assert "'Cube'" in caplog.text
    assert "newer Fyn" in caplog.text
    cube.fyn.collider.radius = 2  # editing must not make it look older than it is
    assert stored_values(cube)["schema"] == VERSION + 5


@pytest.mark.parametrize("version", range(FIRST_VERSION, VERSION + 1))
def test_the_record_of_every_version_is_still_read(version, empty_scene):
    """Files that each version saved; a change of the format must leave these values alone."""
    file = RECORDS / f"components_version_{version}.blend"
    bpy.ops.wm.open_mainfile(filepath=str(file))
    thing = bpy.data.objects["Thing"]
    assert carries_all_of_the_record(thing)
    found = read_scene().world
    assert found.entities["Thing"].mesh.glow == 1.5
    assert found.entities["Thing"].mesh.sides == "single"
    assert found.entities["Lamp"].light.importance == 2.0
    assert found.entities["Eye"].camera.exposure == -1.0
    assert found.environment.ambient == 0.5
    assert (found.render.tone_map, found.render.samples) == ("hable", 2)


def carries_all_of_the_record(thing):
    return read_components(thing) == {
        "collider": SOLID,
        "tags": WORDS,
        "behaviour": Behaviour(
            spin_speed=1.5, spin_axis=(1.0, 0.0, 0.0), collectible=True, value=5
        ),
    }
