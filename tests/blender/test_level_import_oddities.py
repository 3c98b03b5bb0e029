"""Levels at the edge of what Blender holds: names, meshes and pictures."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from fyn.addon.headless import new_file, open_blend, read_scene, save_blend
from fyn.addon.level_import.importer import ImportReport, import_world
from fyn.engine_core.assets.image import ImageData
from fyn.engine_core.assets.image_io import missing_image
from fyn.engine_core.assets.material import Material, TextureSlot
from fyn.engine_core.assets.mesh import MeshData, Primitive
from fyn.engine_core.world.components import LightComponent, MeshComponent
from fyn.engine_core.world.entity import Entity
from fyn.engine_core.world.level_file import read_level
from fyn.engine_core.world.world import World
from fyn.exporters.level import export_level


def triangle(**changes) -> MeshData:
    values = {
        "name": "tri",
        "positions": np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32),
        "normals": np.array([[0, 0, 1]] * 3, np.float32),
        "indices": np.array([0, 1, 2], np.uint32),
        "primitives": (Primitive(0, 3, 0),),
    }
    return MeshData(**(values | changes))  # type: ignore[arg-type]


def level_of(*ids: str, mesh: MeshData | None = None, material: Material | None = None) -> World:
    """A level whose entities `ids` share a mesh, each below the one before."""
    mesh = triangle() if mesh is None else mesh
    material = material or Material(name="paint", base_color=(0.123456789, 0.2, 0.3, 1))
    world = World(meshes={"shape": mesh}, materials={"paint": material})
    shown = MeshComponent(mesh="shape", materials=("paint",))
    parents = (None, *ids)
    for key, parent in zip(ids, parents, strict=False):
        world.entities[key] = Entity(id=key, name=key, parent=parent, mesh=shown)
    world.entities["lamp"] = Entity(id="lamp", name="lamp", light=LightComponent(strength=1 / 3))
    return world


def imported(world: World, folder: Path) -> tuple[World, ImportReport]:
    """Write, read and import `world`; save, open and read what came of it."""
    level = read_level(export_level(world, folder / "a").level)
    new_file()
    report = import_world(level, "Level")
    save_blend(folder / "level.blend", report.scene)
    warnings = list(report.warnings)
    open_blend(folder / "level.blend")
    again = read_scene(animated=True).world
    read_level(export_level(again, folder / "b").level)
    report.warnings = warnings
    return again, report


def same_files(folder: Path) -> bool:
    first, second = (
        {p.name: p.read_bytes() for p in (folder / part).rglob("*") if p.is_file()} for part in "ab"
    )
    return first == second


@pytest.mark.parametrize(
    "key",
    [
        "a/b:1.2",
        "\u5b57" * 85,
        "\U0001f600",
        " ",
        "x.001",
        "line\nbreak",
        'a"b\\c',
        ".hidden",
        "y" * 255,
    ],
)
def test_any_name_that_blender_holds_comes_back(key, tmp_path):
    imported(level_of(key, "below"), tmp_path)
    assert same_files(tmp_path)


def test_names_that_blender_cuts_cost_nothing_but_the_name(tmp_path):
    world, report = imported(level_of("x" * 300, "x" * 299 + "y", "short"), tmp_path)
    assert any("2 names are taken" in text for text in report.warnings)
    level = read_level(tmp_path / "a" / "level.fyn")
    cut = sorted(key for key in world.entities if key.startswith("xxx"))
    assert len(cut) == 2
    assert world.entities["short"].parent in cut
    assert world.entities["lamp"] == level.entities["lamp"]
    assert world.materials == level.materials
    assert (tmp_path / "b/meshes").joinpath(next((tmp_path / "a/meshes").iterdir()).name).exists()


def test_a_level_imported_twice_into_a_file_is_there_twice(tmp_path):
    level = read_level(export_level(level_of("top", "below"), tmp_path).level)
    new_file()
    first = import_world(level, "Level")
    second = import_world(level, "Level")
    again = read_scene(scene=first.scene.name).world
    assert again.entities == level.entities
    other = read_scene(scene=second.scene.name).world
    assert other.entities["below.001"].parent == "top.001"
    assert other.entities["below.001"].mesh.materials == ("paint.001",)
    assert other.entities["lamp.001"].light == level.entities["lamp"].light
    assert other.materials["paint.001"] == level.materials["paint"]


def test_a_renamed_mesh_still_belongs_to_its_entity(tmp_path):
    level = read_level(export_level(level_of("top"), tmp_path / "a").level)
    new_file()
    import_world(level, "Level")
    bpy.data.meshes["shape"].name = "form"
    world = read_scene(scene="Level").world
    assert world.entities["top"].mesh.mesh == "form"
    read_level(export_level(world, tmp_path / "b").level)


@pytest.mark.parametrize(
    "mesh",
    [
        triangle(primitives=(Primitive(0, 0, 0), Primitive(0, 3, 1))),
        triangle(primitives=(Primitive(0, 3, 7),)),
        triangle(indices=np.array([0, 1, 2, 2, 1, 0], np.uint32), primitives=(Primitive(0, 6, 0),)),
        triangle(positions=np.zeros((3, 3), np.float32)),
        triangle(
            color_sets=(np.ones((3, 4), np.float32),) * 4,
            color_names=("position", "material_index", "", "\u5b57" * 40),
        ),
    ],
    ids=["empty primitive", "slot beyond", "both sides", "all in one point", "names of colours"],
)
def test_odd_meshes_come_back(mesh, tmp_path):
    imported(level_of("top", mesh=mesh), tmp_path)
    assert same_files(tmp_path)


def test_a_mesh_without_triangles_is_left_out_and_said(tmp_path):
    mesh = triangle(indices=np.zeros(0, np.uint32), primitives=())
    world, report = imported(level_of("top", mesh=mesh), tmp_path)
    assert any("'shape' has no triangles" in text for text in report.warnings)
    assert world.entities["top"].mesh is None


@pytest.mark.parametrize("is_missing", [False, True], ids=["floats with holes", "missing"])
def test_pictures_come_back(is_missing, tmp_path):
    pixels = np.random.default_rng(0).random((3, 4, 4), np.float32) * 9
    pixels[..., 3] = np.linspace(0, 1, 4)
    picture = missing_image("p") if is_missing else ImageData("p", "linear", pixels=pixels)
    mesh = triangle(uv_sets=(np.zeros((3, 2), np.float32),), uv_names=("UVMap",))
    paint = Material(name="paint", base_color_texture=TextureSlot(image="p"))
    level = level_of("top", mesh=mesh, material=paint)
    level.images["p"] = picture
    world, _ = imported(level, tmp_path)
    assert world.images["p"].missing == is_missing
    assert same_files(tmp_path)
