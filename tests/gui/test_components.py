"""Components in a real Blender: every panel and menu drawn, a value changed for all selected."""

from __future__ import annotations

TROUBLE = ("Traceback", "Error: Python", "rna_uiItem")
"""What Blender prints when a panel or menu raises while it is drawn; it goes on."""


def test_the_panels_of_every_tab_are_drawn(play):
    played = play("components")
    assert played.findings["done"]
    for word in TROUBLE:
        assert word not in played.output, played.output


def test_menus_are_drawn_and_alt_changes_all_selected_objects(play):
    played = play("component_menus")
    for word in TROUBLE:
        assert word not in played.output, played.output
    assert played.findings["glow"] == [2.0, 2.0]
    assert played.findings["done"]
