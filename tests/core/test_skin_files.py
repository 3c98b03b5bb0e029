"""Skins and morph targets as GLB files and in levels."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs

from fyn.engine_core.assets.glb import encode_glb
from fyn.engine_core.assets.glb_reading import decode_glb
from fyn.engine_core.assets.mesh import MeshSkin, MorphTarget
from fyn.engine_core.assets.mesh_repair import repaired
from fyn.engine_core.errors import LevelError
from fyn.engine_core.world.components.morph import Morph
from fyn.engine_core.world.components.skin import Skin
from fyn.engine_core.world.level_file import check_level, read_level
from fyn.exporters.level import export_level


@pytest.fixture
def deformed(make_mesh):
    """A mesh of 40 vertices with three joints, two morph targets, and turned rest places."""
    mesh = make_mesh("Körper", vertices=40, triangles=30, tangents=True)
    random = np.random.default_rng(5)
    weights = random.random((40, 4)).astype(np.float32)
    weights[:, 3] = 0
    weights /= weights.sum(axis=1, keepdims=True)
    joints = np.tile(np.array([0, 1, 2, 0], np.uint16), (40, 1))
    inverse = np.tile(np.identity(4, np.float32), (3, 1, 1))
    c, s = np.cos(0.7), np.sin(0.7)
    inverse[1, :2, :2] = [[c, -s], [s, c]]
    inverse[1:, :3, 3] = random.normal(size=(2, 3))
    skin = MeshSkin(joints, weights, inverse, ("hips", "spine", "首"))
    morphs = tuple(
        MorphTarget(name, *random.normal(size=(2, 40, 3)).astype(np.float32))
        for name in ("smile", "frown")
    )
    return replace(mesh, skin=skin, morphs=morphs)


def test_skin_and_morphs_come_back_bit_by_bit(deformed):
    read = decode_glb(encode_glb(deformed))
    assert read.skin.names == deformed.skin.names
    for name in ("joints", "weights", "inverse_bind"):
        assert np.array_equal(getattr(read.skin, name), getattr(deformed.skin, name))
    assert [morph.name for morph in read.morphs] == ["smile", "frown"]
    for ours, theirs in zip(deformed.morphs, read.morphs, strict=True):
        assert np.array_equal(ours.positions, theirs.positions)
        assert np.array_equal(ours.normals, theirs.normals)
    assert encode_glb(read) == encode_glb(deformed)


@pytest.mark.parametrize("case", ["both", "skin", "morphs"])
def test_the_validator_of_khronos_finds_no_error_in_deformed_meshes(
    case, deformed, gltf_validator, tmp_path
):
    if case == "skin":
        deformed = replace(deformed, morphs=())
    elif case == "morphs":
        deformed = replace(deformed, skin=None)
    file = tmp_path / f"{case}.glb"
    file.write_bytes(encode_glb(deformed))
    run = subprocess.run([*gltf_validator, str(file)], capture_output=True, text=True, check=False)
    issues = json.loads(run.stdout)["issues"]
    errors = [issue for issue in issues["messages"] if issue["severity"] == 0]
    assert issues["numErrors"] == 0, errors[:5]
    warnings = {issue["code"] for issue in issues["messages"] if issue["severity"] == 1}
    assert warnings <= {"ACCESSOR_INDEX_TRIANGLE_DEGENERATE"}


def test_weights_that_do_not_add_up_are_made_to_and_broken_deltas_become_zero(deformed):
    weights = deformed.skin.weights.copy()
    weights[3] *= 2
    weights[5] = 0
    weights[7, 1] = np.nan
    morph = replace(deformed.morphs[0], positions=deformed.morphs[0].positions.copy())
    morph.positions[9, 1] = np.inf
    broken = replace(deformed, skin=replace(deformed.skin, weights=weights), morphs=(morph,))
    mesh, notes = repaired(broken)
    assert np.allclose(mesh.skin.weights.sum(axis=1), 1)
    assert mesh.skin.weights[5].tolist() == [1, 0, 0, 0]
    assert np.isfinite(mesh.morphs[0].positions).all()
    assert notes == (
        "3 x weights that do not add up to 1: made to",
        "1 x shape key with coordinates that are no numbers: set to 0",
    )
    assert repaired(deformed) == (deformed, ())


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda s: replace(s, joints=np.full_like(s.joints, 3)), "beyond the skin's joints"),
        (lambda s: replace(s, weights=s.weights * 2), "do not add up to 1"),
        (lambda s: replace(s, weights=-s.weights), "do not add up to 1"),
        (lambda s: replace(s, inverse_bind=s.inverse_bind + 1), "last row"),
    ],
)
def test_a_skin_that_lies_is_refused(deformed, spoil, words):
    with pytest.raises(LevelError, match=words):
        decode_glb(encode_glb(replace(deformed, skin=spoil(deformed.skin))))


def test_many_targets_on_the_same_bytes_are_refused_as_a_bomb(deformed):
    data = encode_glb(replace(deformed, skin=None))
    length = int.from_bytes(data[12:16], "little")
    document = json.loads(data[20 : 20 + length])
    for part in document["meshes"][0]["primitives"]:
        part["targets"] = part["targets"] * 1000
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    rest = data[20 + length :]
    total = 20 + len(text) + len(rest)
    bomb = data[:8] + total.to_bytes(4, "little") + len(text).to_bytes(4, "little")
    with pytest.raises(LevelError, match="more than once"):
        decode_glb(bomb + data[16:20] + text + rest)


def _skinned(world, mesh, joints=("Root", "Lamp", "Camera"), weights=(0.0, 0.5)):
    world.meshes["Rock"] = mesh
    entity = structs.replace(
        world.entities["Rock"],
        skin=Skin(armature="Root", joints=joints),
        morph=Morph(weights=weights),
    )
    world.entities["Rock"] = entity
    return world


def test_a_level_keeps_who_follows_which_joints(sample_world, deformed, tmp_path):
    level = export_level(_skinned(sample_world, deformed), tmp_path).level
    assert check_level(level) == []
    rock = read_level(level).entities["Rock"]
    assert rock.get(Skin) == Skin(armature="Root", joints=("Root", "Lamp", "Camera"))
    assert rock.get(Morph) == Morph(weights=(0.0, 0.5))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"joints": ("Root",)}, "wants an armature and 3 joints, got 1"),
        ({"weights": (1.0,)}, "1 weights; the mesh has 2 targets"),
    ],
)
def test_a_skin_or_morph_that_does_not_fit_its_mesh_is_a_problem(
    sample_world, deformed, tmp_path, changes, words
):
    level = export_level(_skinned(sample_world, deformed, **changes), tmp_path).level
    assert words in str(check_level(level)[0])
    with pytest.raises(LevelError, match=words):
        read_level(level)
