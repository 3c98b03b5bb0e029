"""Baking a material in a real Blender's window."""

from __future__ import annotations


def test_a_bake_runs_between_redraws_and_can_be_cancelled_and_undone(play):
    found = play("bake").findings
    assert found["runs_as"] == "FYN_OT_bake_material"
    assert found["cancelled"] == [True, False]
    assert found["baked"]
    assert found["undone"]
