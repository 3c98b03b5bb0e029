"""Skins, shape keys and clips of a level survive Blender, and what is lost is said by name."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from fyn.addon.headless import new_file, open_blend, read_scene, save_blend
from fyn.addon.level_import.importer import import_world
from fyn.addon.sync.animation.kept_clips import CLIPS
from fyn.engine_core.assets.material import Material
from fyn.engine_core.assets.mesh import MeshData, MeshSkin, MorphTarget, Primitive
from fyn.engine_core.world.animation.clip import Channel, Clip
from fyn.engine_core.world.components import MeshComponent
from fyn.engine_core.world.components.morph import Morph
from fyn.engine_core.world.components.skin import Skin
from fyn.engine_core.world.entity import Entity, Transform
from fyn.engine_core.world.level_file import read_level
from fyn.engine_core.world.world import World
from fyn.exporters.level import export_level


def channel(kind, target, path, *values) -> Channel:
    times = np.arange(len(values), dtype=np.float32)
    return Channel(
        kind, target, path, "linear", times, np.array(values, np.float32).reshape(len(values), -1)
    )


def flag_level() -> World:
    """A flag with two joints and a shape key, and clips of joints, weights and a material."""
    morph = MorphTarget("lift", np.eye(3, dtype=np.float32), np.zeros((3, 3), np.float32))
    mesh = MeshData(
        name="flag",
        positions=np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32),
        normals=np.array([[0, 0, 1]] * 3, np.float32),
        indices=np.array([0, 1, 2], np.uint32),
        primitives=(Primitive(0, 3, 0),),
        skin=MeshSkin(
            joints=np.array([[0, 1, 0, 0]] * 3, np.uint16),
            weights=np.array([[0.25, 0.75, 0, 0]] * 3, np.float32),
            inverse_bind=np.stack([np.eye(4, dtype=np.float32)] * 2),
            names=("a", "b"),
        ),
        morphs=(morph,),
    )
    world = World(meshes={"flag": mesh}, materials={"cloth": Material(name="cloth")})
    for entity in (
        Entity(id="Rig", name="Rig"),
        Entity(id="Rig/a", name="a", parent="Rig"),
        Entity(
            id="Rig/b", name="b", parent="Rig/a", transform=Transform(translation=(0, 0.5, 0.1))
        ),
        Entity(
            id="Flag",
            name="Flag",
            mesh=MeshComponent(mesh="flag", materials=("cloth",)),
            skin=Skin(armature="Rig", joints=("Rig/a", "Rig/b")),  # type: ignore[call-arg]
            morph=Morph(weights=(0.3,)),  # type: ignore[call-arg]
        ),
    ):
        world.entities[entity.id] = entity
    wave = (
        channel("entity", "Flag", "morph.weights", 0.0, 1.0),
        channel("entity", "Rig/b", "transform.translation", (0, 0, 0), (0, 1, 0)),
    )
    world.clips["Rig/wave"] = Clip("wave", "Rig", 1.0, wave)
    world.clips["scene"] = Clip(
        "scene", "", 2.0, (channel("material", "cloth", "roughness", 0, 1),)
    )
    return world


@pytest.fixture
def imported(tmp_path):
    level = export_level(flag_level(), tmp_path / "a").level
    new_file()
    return import_world(read_level(level), "Level")


def read():
    return read_scene(scene="Level", animated=True)


def causes(loaded) -> set[str]:
    return {warning.cause for warning in loaded.warnings}


def test_an_animated_level_is_exported_to_the_same_bytes(imported, tmp_path):
    save_blend(tmp_path / "level.blend", imported.scene)
    open_blend(tmp_path / "level.blend")
    export_level(read().world, tmp_path / "b")
    first, second = (
        {p.name: p.read_bytes() for p in (tmp_path / folder).rglob("*") if p.is_file()}
        for folder in "ab"
    )
    assert first == second


def test_an_import_names_what_blender_does_not_show(imported):
    said = " ".join(imported.warnings)
    for words in ("'flag': joints are empties", "shape keys show", "'Rig/wave', 'scene': kept"):
        assert words in said


def test_a_moved_mesh_keeps_its_skin_and_its_shape_keys(imported):
    imported.objects["Flag"].location.x += 1
    found = read_scene(scene="Level").world.entities["Flag"]
    assert found.transform.translation[0] == 1.0
    assert found.get(Skin).joints == ("Rig/a", "Rig/b")
    assert found.get(Morph).weights == pytest.approx((0.3,))


def test_skins_and_clips_follow_what_is_renamed(imported, tmp_path):
    imported.objects["Rig/b"].name = "tip"
    imported.objects["Rig"].name = "pole"
    bpy.data.materials["cloth"].name = "silk"
    loaded = read()
    skin = loaded.world.entities["Flag"].get(Skin)
    assert (skin.armature, skin.joints) == ("pole", ("Rig/a", "tip"))
    assert loaded.world.clips["Rig/wave"].entity == "pole"
    assert [c.target for c in loaded.world.clips["Rig/wave"].channels] == ["Flag", "tip"]
    assert loaded.world.clips["scene"].channels[0].target == "silk"
    read_level(export_level(loaded.world, tmp_path / "b").level)


def test_an_edited_mesh_loses_its_skin_and_says_so(imported, tmp_path):
    bpy.data.meshes["flag"].vertices[0].co.z = 2
    loaded = read()
    assert {"DEFORM_EDITED", "CLIP_TARGETS"} <= causes(loaded)
    flag = loaded.world.entities["Flag"]
    assert (flag.get(Skin), flag.get(Morph)) == (None, None)
    assert [c.target for c in loaded.world.clips["Rig/wave"].channels] == ["Rig/b"]
    read_level(export_level(loaded.world, tmp_path / "b").level)


def test_a_deleted_joint_costs_the_skin_and_its_channel_only(imported, tmp_path):
    bpy.data.objects.remove(imported.objects["Rig/b"])
    loaded = read()
    assert {"SKIN_JOINTS_GONE", "CLIP_TARGETS"} <= causes(loaded)
    assert loaded.world.entities["Flag"].get(Morph) is not None
    assert [c.path for c in loaded.world.clips["Rig/wave"].channels] == ["morph.weights"]
    read_level(export_level(loaded.world, tmp_path / "b").level)


def test_what_moves_in_blender_replaces_the_levels_clip_of_that_name(imported):
    rig = imported.objects["Rig"]
    rig.keyframe_insert("location", frame=1)
    rig.location.x = 3
    rig.keyframe_insert("location", frame=20)
    loaded = read()
    assert "CLIP_REPLACED" in causes(loaded)
    assert {c.target for c in loaded.world.clips["scene"].channels} == {"Rig"}
    assert "Rig/wave" in loaded.world.clips


@pytest.mark.parametrize(
    "value", [7, "text", {"0": 3}, {"0": {"id": "x"}}, {"0": {"id": "x", "name": "y"}}]
)
def test_what_somebody_wrote_into_the_property_of_clips_costs_the_clips_only(imported, value):
    imported.scene[CLIPS] = value
    loaded = read()
    assert loaded.world.clips == {}
    assert "Flag" in loaded.world.entities


def test_what_nothing_uses_is_kept_in_the_file_and_said(tmp_path):
    world = flag_level()
    world.materials["spare"] = Material(name="spare")
    new_file()
    report = import_world(world, "Level")
    assert any("'spare'" in text for text in report.warnings)
    assert bpy.data.materials["spare"].use_fake_user
