"""Every button of every warning of real scenes can be pressed."""

from __future__ import annotations

import bpy
import pytest

from fyn.addon import scene_warnings
from fyn.addon.culprits import culprit_of
from fyn.addon.operators.warnings import repair_of

LARGEST = 2_000_000
"""Bytes of the scenes that are tried: the small ones have the odd datablocks."""


def scenes(folder):
    found = (folder / "khronos_gltf_io").rglob("*.blend")
    return sorted(path for path in found if path.stat().st_size <= LARGEST)


@pytest.mark.one_blender
def test_each_culprit_of_real_scenes_is_found_selected_and_repaired(registered, shared_data):
    paths = scenes(shared_data)
    if not paths:
        pytest.skip("no shared scenes")
    pressed = 0
    for path in paths:
        bpy.ops.wm.open_mainfile(filepath=str(path), load_ui=False, use_scripts=False)
        bpy.ops.fyn.check_scene()
        scene = bpy.context.scene
        for warning in scene_warnings.warnings_of(scene):
            assert culprit_of(warning) is not None, f"{path.name}: {warning}"
            assert bpy.ops.fyn.select_culprit(key=warning.key) == {"FINISHED"}
            repair = repair_of(warning)
            if repair is None or repair.wants_file or warning.cause.startswith("NODE"):
                continue  # bakes take long; they have tests of their own
            assert bpy.ops.fyn.fix_warning(key=warning.key) == {"FINISHED"}
            pressed += 1
            assert warning not in scene_warnings.warnings_of(scene)
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    assert pressed > 0
