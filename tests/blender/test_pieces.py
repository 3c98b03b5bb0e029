"""Ready-made pieces: Shift+A > Fyn, and the library that the Asset Browser shows."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from fyn.addon import registration
from fyn.addon.headless import new_file, read_scene
from fyn.addon.pieces.catalogue import CATALOGS, LIBRARY, PIECES, catalog_id, catalog_text, groups
from fyn.engine_core.world.components.collider import Collider


@pytest.fixture
def enabled():
    new_file()
    registration.register()
    yield
    registration.unregister()
    new_file()


def add(piece):
    assert bpy.ops.fyn.add_piece(piece=piece.identifier) == {"FINISHED"}
    return bpy.context.object


@pytest.mark.parametrize("piece", PIECES, ids=lambda piece: piece.name)
def test_a_piece_stands_at_the_cursor_with_its_components(piece, enabled):
    bpy.context.scene.cursor.location = (1.0, 2.0, 3.0)
    root = add(piece)
    assert (root.name, tuple(root.location)) == (piece.name, (1.0, 2.0, 3.0))
    assert root.asset_data is None
    entity = read_scene().world.entities[piece.name]
    assert entity.transform.translation == (1.0, 3.0, -2.0)
    for component in piece.components:
        assert entity.get(type(component)) == component


@pytest.mark.parametrize(
    "piece",
    [piece for piece in PIECES if piece.name not in ("Trigger Zone", "Grass Tuft")],
    ids=lambda piece: piece.name,
)
def test_a_pieces_collider_covers_its_shape(piece, enabled):
    collider = next(c for c in piece.components if isinstance(c, Collider))
    if collider.shape == "mesh":
        return
    add(piece)
    world = read_scene().world
    low, high = world.meshes[world.entities[piece.name].mesh.mesh].bounds
    half = {
        "box": np.array(collider.size) / 2,
        "sphere": np.full(3, collider.radius),
        "capsule": np.array([collider.radius, collider.height / 2, collider.radius]),
    }[collider.shape]
    center = np.array(collider.center)
    if collider.trigger:  # a zone may be more generous than the shape
        assert (center - half <= low).all() and (center + half >= high).all()
        return
    np.testing.assert_allclose(center - half, low, atol=0.35)
    np.testing.assert_allclose(center + half, high, atol=0.35)


def test_the_second_one_shares_everything_but_its_objects(enabled):
    lantern = next(piece for piece in PIECES if piece.name == "Lantern")
    first = add(lantern)
    kinds = ("meshes", "materials", "images", "collections")
    before = {kind: len(getattr(bpy.data, kind)) for kind in kinds}
    second = add(lantern)
    assert first != second
    assert first.data == second.data
    assert {kind: len(getattr(bpy.data, kind)) for kind in kinds} == before
    assert [child.parent for child in second.children] == [second, second]
    column = add(next(piece for piece in PIECES if piece.name == "Column"))
    gate = add(next(piece for piece in PIECES if piece.name == "Gate"))
    assert column.active_material == gate.active_material


def test_all_pieces_are_assets_in_catalogs_that_exist():
    bpy.ops.wm.open_mainfile(filepath=str(LIBRARY))
    assets = {
        one.name: one.asset_data
        for table in (bpy.data.objects, bpy.data.collections)
        for one in table
        if one.asset_data is not None
    }
    assert assets.keys() == {piece.name for piece in PIECES}
    for piece in PIECES:
        assert assets[piece.name].catalog_id == catalog_id(piece.group)
        assert assets[piece.name].description == piece.description
    assert CATALOGS.read_text("utf-8") == catalog_text(list(groups()))


def test_the_library_is_in_the_preferences_only_while_fyn_is_enabled(enabled):
    libraries = bpy.context.preferences.filepaths.asset_libraries

    def found():
        return [library.name for library in libraries if library.name.startswith("Fyn")]

    assert found() == ["Fyn"]
    registration.register()  # again
    assert found() == ["Fyn"]
    registration.unregister()
    assert found() == []


def test_the_library_of_a_fyn_that_was_elsewhere_shows_this_ones_pieces(tmp_path):
    libraries = bpy.context.preferences.filepaths.asset_libraries
    (tmp_path / "pieces").mkdir()
    libraries.new(name="Fyn", directory=str(tmp_path / "pieces"))
    registration.register()
    assert [Path(one.path) for one in libraries if one.name == "Fyn"] == [LIBRARY.parent]
    registration.unregister()
    assert [one.name for one in libraries if one.name == "Fyn"] == []


def test_a_users_own_library_of_that_name_is_left_alone(tmp_path):
    libraries = bpy.context.preferences.filepaths.asset_libraries
    mine = libraries.new(name="Fyn", directory=str(tmp_path))
    try:
        registration.register()
        registration.unregister()
        assert [library.path.rstrip("/\\") for library in libraries if library.name == "Fyn"] == [
            str(tmp_path)
        ]
    finally:
        libraries.remove(mine)
