"""Panels of components in a real Blender: drawn without an error in every tab and the side bar."""

from __future__ import annotations


def test_the_panels_of_every_tab_are_drawn(play):
    """Blender prints what a panel raises while it is drawn, and goes on."""
    played = play("components")
    assert played.findings["done"]
    for word in ("Traceback", "Error: Python", "rna_uiItem"):
        assert word not in played.output, played.output
