"""The starter level: made the same every time, small, and nothing in it that Fyn cannot show."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest

from fyn.addon.headless import load_world

ROOT = Path(__file__).resolve().parents[2]
STARTER = ROOT / "examples" / "starter" / "starter.blend"


def _placed() -> dict[str, np.ndarray]:
    """Where every object of the open file is."""
    return {thing.name: np.array(thing.matrix_world) for thing in bpy.data.objects}


def _contents() -> dict[str, str]:
    """A digest of every mesh, and the nodes of every material, of the open file."""
    found = {}
    for mesh in bpy.data.meshes:
        points = np.empty(len(mesh.vertices) * 3, np.float32)
        mesh.vertices.foreach_get("co", points)
        # The last bit of a sine is the platform's own affair; negative zero is zero.
        rounded = np.round(points, 3) + 0.0
        found[f"mesh {mesh.name}"] = hashlib.sha256(rounded.tobytes()).hexdigest()
    for material in bpy.data.materials:
        nodes = sorted(node.type for node in material.node_tree.nodes)
        found[f"material {material.name}"] = str(nodes)
    return found


@pytest.fixture
def build(monkeypatch, empty_scene):
    """Build the level anew in an empty file."""
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    for name in [name for name in sys.modules if name.split(".")[0] == "starter"]:
        monkeypatch.delitem(sys.modules, name)
    from starter import scene

    def build_again() -> tuple[dict[str, str], dict[str, np.ndarray]]:
        scene.build()
        bpy.context.view_layer.update()
        return _contents(), _placed()

    return build_again


def test_the_script_makes_the_level_that_is_in_the_repository(build):
    made, made_places = build()
    bpy.ops.wm.open_mainfile(filepath=str(STARTER))
    kept, kept_places = _contents(), _placed()
    assert set(made) == set(kept)
    assert [name for name in made if made[name] != kept[name]] == []
    assert set(made_places) == set(kept_places)
    for name, place in made_places.items():
        np.testing.assert_allclose(place, kept_places[name], atol=1e-3, err_msg=name)


def test_the_level_is_small_and_has_its_three_cameras():
    assert STARTER.stat().st_size < 1_500_000
    bpy.ops.wm.open_mainfile(filepath=str(STARTER))
    assert [camera.name for camera in bpy.data.cameras] == ["Court", "Exhibits", "Overview"]


def test_nothing_in_the_level_is_beyond_fyn_but_the_hue_of_its_sky():
    loaded = load_world(STARTER)
    # Preetham is the one sky model that every Blender from 4.5 on has.
    assert [(warning.kind, warning.left_out) for warning in loaded.warnings] == [("world", False)]
    assert "Preetham is shown as Multiple Scattering" in loaded.warnings[0].what
    kinds = {entity.light.kind for entity in loaded.world.entities.values() if entity.light}
    assert kinds == {"sun", "point", "spot", "area"}
    modes = {material.alpha_mode for material in loaded.world.materials.values()}
    assert modes == {"opaque", "mask", "blend"}
