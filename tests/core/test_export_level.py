"""Export: what is written, under which names, with which warnings, and what is removed again."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fyn.engine_core.assets.image import ImageData
from fyn.engine_core.assets.image_io import decode, encode_png, missing_image
from fyn.engine_core.assets.mesh import Primitive
from fyn.engine_core.errors import LevelError, UsageError
from fyn.engine_core.world.components import MeshComponent
from fyn.engine_core.world.entity import Entity
from fyn.engine_core.world.level_file import check_level, read_level
from fyn.engine_core.world.world import World
from fyn.exporters.asset_names import asset_name
from fyn.exporters.level import export_level


def files_in(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_the_same_scene_gives_the_same_bytes_twice(sample_world, tmp_path):
    export_level(sample_world, tmp_path / "a")
    export_level(sample_world, tmp_path / "b")
    assert files_in(tmp_path / "a") == files_in(tmp_path / "b")


def test_a_second_export_writes_nothing_and_touches_no_file(sample_world, tmp_path):
    export_level(sample_world, tmp_path)
    stamps = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.*")}
    report = export_level(sample_world, tmp_path)
    assert not any(file.is_new for file in report.files)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.*")} == stamps


def test_the_report_lists_every_file_with_its_size(sample_world, tmp_path):
    report = export_level(sample_world, tmp_path)
    sizes = {path: len(data) for path, data in files_in(tmp_path).items()}
    assert {file.path: file.size for file in report.files} == sizes
    assert report.total_size == sum(sizes.values())
    assert {(file.kind, file.ids) for file in report.files} == {
        ("level", ()),
        ("mesh", ("Rock",)),
        ("mesh", ("岩",)),
        ("image", ("bark.png",)),
        ("image", ("stone",)),
        ("image", ("sky",)),
    }
    assert all(file.is_new for file in report.files)
    assert (report.warnings, report.removed) == ((), ())


def test_progress_is_told_before_every_step_and_at_the_end(sample_world, tmp_path):
    steps: list[tuple[int, int, str]] = []
    export_level(sample_world, tmp_path, progress=lambda *step: steps.append(step))
    assert [(done, total) for done, total, _ in steps] == [(k, 6) for k in range(7)]
    assert [what for *_, what in steps] == [
        "mesh Rock", "mesh 岩", "image bark.png", "image sky", "image stone", "level.fyn", "",
    ]  # fmt: skip


def test_a_level_can_stand_in_a_folder_of_any_name(sample_world, awkward_path):
    report = export_level(sample_world, awkward_path / "sub" / "level", name="Höhle [1] #2")
    assert report.level.name == "Höhle [1] #2.fyn"
    assert check_level(report.level) == []


@pytest.mark.parametrize("name", ["", "../level", "a/b", "a\\b", "con", "C:x", "a\0", "a\n"])
def test_a_level_name_that_is_no_file_name_is_refused(sample_world, tmp_path, name):
    with pytest.raises(UsageError, match="cannot be called"):
        export_level(sample_world, tmp_path, name=name)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_a_file_is_refused(sample_world, tmp_path):
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(UsageError, match="taken"):
        export_level(sample_world, tmp_path / "taken")
    assert (tmp_path / "taken").read_text() == "mine"


# Names --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("identity", "stem"),
    [
        ("Cube.001", "cube.001"),
        ("Wood.PNG", "wood"),
        ("Würfel [Höhle]", "wurfel_hohle"),
        ("関卡", "asset"),
        ("../../etc/passwd", "etc_passwd"),
        ("C:\\con", "c_con"),
        ("...", "asset"),
        ("a b/c|d*e?f", "a_b_c_d_e_f"),
        ("x" * 300, "x" * 48),
        ("", "asset"),
    ],
)
def test_file_names_are_plain_on_every_system(identity, stem):
    name = asset_name(identity, ".glb", b"data")
    assert re.fullmatch(re.escape(stem) + "-[0-9a-f]{10}" + re.escape(".glb"), name)


def test_names_that_differ_by_case_or_accents_only_do_not_collide(make_mesh, tmp_path):
    ids = ["Cube", "cube", "CUBE", "Cübe", "cübe", "[cube]", "Cube.png", "cube_", "立方", "方立"]
    world = World(
        meshes={key: make_mesh(key, seed=number) for number, key in enumerate(ids)},
        entities={key: Entity(id=key, mesh=MeshComponent(mesh=key)) for key in ids},
    )
    report = export_level(world, tmp_path)
    names = [file.path for file in report.files]
    assert len({name.casefold() for name in names}) == len(names) == len(ids) + 1
    again = read_level(report.level)
    for key in ids:
        assert again.meshes[key].positions.tobytes() == world.meshes[key].positions.tobytes()


def test_assets_of_the_same_content_share_a_file(make_mesh, tmp_path):
    world = World(meshes={"Cube": make_mesh("x"), "cube": make_mesh("x")})
    report = export_level(world, tmp_path)
    assert [file.ids for file in report.files] == [("Cube", "cube"), ()]
    assert set(read_level(report.level).meshes) == {"Cube", "cube"}


def test_other_assets_do_not_change_the_name_of_one(sample_world, tmp_path, make_mesh):
    before = {file.ids: file.path for file in export_level(sample_world, tmp_path / "a").files}
    sample_world.meshes["rock"] = make_mesh("rock", seed=9)
    after = {file.ids: file.path for file in export_level(sample_world, tmp_path / "b").files}
    assert before.items() <= after.items()


# Images and meshes --------------------------------------------------------------------------------


def exported_image(image: ImageData, folder: Path) -> tuple[ImageData, dict, tuple[str, ...]]:
    report = export_level(World(images={"picture": image}), folder)
    assert check_level(report.level) == []
    (record,) = json.loads(report.level.read_text("utf-8"))["images"]
    return read_level(report.level).images["picture"], record, report.warnings


def test_the_file_of_the_artist_is_written_byte_for_byte(tmp_path, shared_data):
    kinds = {}
    for file in sorted(shared_data.rglob("*")):
        if file.suffix in (".png", ".jpg", ".jpeg", ".webp") and file.suffix not in kinds:
            image, record, warnings = exported_image(
                ImageData(file.stem, encoded=file.read_bytes()), tmp_path / file.suffix
            )
            assert image.encoded == file.read_bytes()
            assert warnings == ()
            kinds[file.suffix] = Path(record["file"]).suffix
    assert kinds
    assert all(written == kind.replace("jpeg", "jpg") for kind, written in kinds.items())


@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e6])
def test_float_pixels_come_back_to_the_bit(tmp_path, scale):
    pixels = (np.random.default_rng(0).normal(size=(3, 5, 4)) * scale).astype(np.float32)
    image, record, _ = exported_image(ImageData("sky", "linear", pixels=pixels), tmp_path)
    assert decode(image).tobytes() == pixels.tobytes()
    assert (record["encoding"], record["size"]) == ("rgba32f", [5, 3])


def test_float_pixels_that_are_halves_take_half_the_space(tmp_path):
    pixels = np.random.default_rng(0).normal(size=(3, 5, 4)).astype(np.float16).astype(np.float32)
    image, record, _ = exported_image(ImageData("sky", "linear", pixels=pixels), tmp_path)
    assert decode(image).tobytes() == pixels.tobytes()
    assert record["encoding"] == "rgba16f"
    assert (tmp_path / record["file"]).stat().st_size == 3 * 5 * 4 * 2


def test_float_pixels_that_are_no_numbers_become_black_with_a_warning(tmp_path):
    pixels = np.ones((1, 2, 4), np.float32)
    pixels[0, 1, 2] = np.nan
    image, _, warnings = exported_image(ImageData("sky", pixels=pixels), tmp_path)
    assert decode(image)[0, 1].tolist() == [1, 1, 0, 1]
    assert warnings == ("Image 'picture': Pixels that are no numbers are black in the level.",)


def test_a_picture_that_cannot_be_read_is_pink_and_named(tmp_path):
    image, record, warnings = exported_image(ImageData("Rinde", encoded=b"broken"), tmp_path)
    assert image.missing
    assert record["missing"] is True
    assert (decode(image) == (255, 0, 255, 255)).all()
    assert len(warnings) == 1
    assert "'Rinde'" in warnings[0]
    assert "pink" in warnings[0]


def test_a_picture_whose_file_is_broken_is_written_from_its_pixels(tmp_path):
    pixels = np.full((2, 2, 4), 90, np.uint8)
    source = ImageData("Rinde", encoded=b"broken", pixels=pixels)
    image, _, warnings = exported_image(source, tmp_path)
    assert not image.missing
    assert np.array_equal(decode(image), pixels)
    assert "'Rinde'" in warnings[0]


def test_a_missing_picture_stays_missing_so_that_it_is_still_reported(tmp_path):
    image, _, warnings = exported_image(missing_image("Rinde"), tmp_path)
    assert image.missing
    assert warnings == ()


def test_an_unsound_mesh_is_repaired_with_a_warning_that_names_it(make_mesh, tmp_path):
    mesh = make_mesh("Fels")
    mesh.normals[2] = 0.0
    report = export_level(World(meshes={"Fels": mesh}), tmp_path)
    assert report.warnings == ("Mesh 'Fels': 1 x normal that was no unit vector: made one.",)
    assert check_level(report.level) == []


def test_a_mesh_without_faces_is_written_empty(make_mesh, tmp_path):
    mesh = replace(make_mesh("Leer"), primitives=())
    entity = Entity(id="e", mesh=MeshComponent(mesh="Leer"))
    report = export_level(World(meshes={"Leer": mesh}, entities={"e": entity}), tmp_path)
    assert check_level(report.level) == []
    assert read_level(report.level).meshes["Leer"].triangle_count == 0


# Failure and what is removed ----------------------------------------------------------------------


def test_assets_that_no_level_uses_any_more_are_removed(sample_world, tmp_path, make_mesh):
    first = export_level(sample_world, tmp_path)
    rock = next(file.path for file in first.files if file.ids == ("Rock",))
    sample_world.meshes["Rock"] = make_mesh("Rock", seed=77)
    second = export_level(sample_world, tmp_path)
    assert second.removed == (rock,)
    assert set(files_in(tmp_path)) == {file.path for file in second.files}
    empty = export_level(World(), tmp_path)
    assert set(files_in(tmp_path)) == {"level.fyn"}
    assert [path.name for path in tmp_path.iterdir()] == ["level.fyn"]
    assert len(empty.removed) == 5


def test_what_other_levels_use_and_what_is_not_ours_stays(sample_world, tmp_path):
    export_level(sample_world, tmp_path, name="one")
    kept = set(files_in(tmp_path))
    notes = tmp_path / "textures" / "notes.txt"
    changed = tmp_path / "textures" / asset_name("mine", ".png", b"before")
    for path in (notes, changed, tmp_path / "meshes" / "hand-made.glb"):
        path.write_bytes(b"after")
        kept.add(path.relative_to(tmp_path).as_posix())
    export_level(sample_world, tmp_path, name="two")
    report = export_level(World(), tmp_path, name="two")
    assert report.removed == ()
    assert set(files_in(tmp_path)) == kept | {"two.fyn"}


def test_nothing_is_removed_while_a_level_of_the_folder_cannot_be_read(sample_world, tmp_path):
    export_level(sample_world, tmp_path)
    (tmp_path / "other.fyn").write_text("<<<<<<< HEAD")
    before = set(files_in(tmp_path))
    assert export_level(World(), tmp_path).removed == ()
    assert set(files_in(tmp_path)) == before


def test_a_damaged_asset_is_written_again(sample_world, tmp_path):
    report = export_level(sample_world, tmp_path)
    for file in report.files:
        damaged = tmp_path / file.path
        damaged.write_bytes(bytes(file.size))
    export_level(sample_world, tmp_path)
    assert check_level(report.level) == []


def test_a_world_that_no_level_can_hold_leaves_the_previous_export_as_it_was(
    sample_world, tmp_path, make_mesh
):
    export_level(sample_world, tmp_path)
    before = files_in(tmp_path)
    sample_world.meshes["Rock"] = make_mesh("Rock", seed=5)
    sample_world.entities["x"] = Entity(id="x", mesh=MeshComponent(mesh="gone"))
    with pytest.raises(LevelError, match=r"entities\[4\]\.mesh\.mesh: mesh 'gone'.*\(in 'x'\)"):
        export_level(sample_world, tmp_path)
    assert files_in(tmp_path) == before


@pytest.mark.parametrize("failing", range(7))
def test_a_disk_that_fails_leaves_the_previous_export_as_it_was(
    sample_world, tmp_path, make_mesh, monkeypatch, failing
):
    export_level(sample_world, tmp_path)
    before = files_in(tmp_path)
    changed = World(
        meshes={key: make_mesh(key, seed=50 + n) for n, key in enumerate(sample_world.meshes)},
        images={
            key: ImageData(key, encoded=encode_png(np.full((1, n + 1, 4), 9, np.uint8)))
            for n, key in enumerate(sample_world.images)
        },
        materials=sample_world.materials,
        entities=sample_world.entities,
    )
    writes = []
    write_bytes = Path.write_bytes

    def fail(path: Path, data: bytes) -> int:
        writes.append(path)
        if len(writes) > failing:
            write_bytes(path, data[: len(data) // 2])
            raise OSError(28, "No space left on device")
        return write_bytes(path, data)

    monkeypatch.setattr(Path, "write_bytes", fail)
    if failing == 6:
        export_level(changed, tmp_path)
        assert len(writes) == 6
        return
    with pytest.raises(LevelError, match=r"cannot be written \(No space left on device"):
        export_level(changed, tmp_path)
    assert files_in(tmp_path) == before


@pytest.mark.skipif(os.name == "nt" or not hasattr(os, "geteuid"), reason="needs Unix permissions")
def test_a_folder_that_may_not_be_written_to_is_told_in_words(sample_world, tmp_path):
    if os.geteuid() == 0:
        pytest.skip("the superuser may write anywhere")
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(LevelError, match="cannot be written"):
            export_level(sample_world, tmp_path)
    finally:
        tmp_path.chmod(0o700)


def test_primitives_and_bounds_survive_an_export(sample_world, tmp_path):
    again = read_level(export_level(sample_world, tmp_path).level)
    for key, mesh in sample_world.meshes.items():
        assert again.meshes[key].primitives == mesh.primitives
        assert np.array_equal(again.meshes[key].bounds, mesh.bounds)
    assert again.meshes["Rock"].primitives[0] == Primitive(0, 12, 1)
