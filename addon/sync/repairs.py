"""Repair: what the button beside a warning says; `addon/operators/warning_fixes.py` does it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Repair:
    """A repair's button and tooltip; one that `wants_file` asks for a path first."""

    label: str
    tooltip: str
    wants_file: bool = False


REPAIRS: dict[str, Repair] = {
    "unwrap": Repair("Unwrap", "Give the mesh a UV map, made by Smart UV Project"),
    "validate_mesh": Repair(
        "Repair Mesh", "Replace values that are not numbers by 0 and validate the mesh"
    ),
    "set_perspective": Repair("Set to Perspective", "Make it a perspective camera"),
    "clamp_light": Repair("Set Power to 0", "Raise its power to 0"),
    "set_standard": Repair(
        "Set to Standard",
        "Set the view transform to Standard without look, exposure, gamma and curves",
    ),
    "bake_material": Repair(
        "Bake", "Bake the material to pictures that Fyn shows; its nodes stay as they are"
    ),
    "find_file": Repair("Find File", "Choose the file that is meant", wants_file=True),
    "choose_picture": Repair(
        "Choose Picture", "Choose the picture that the node shows", wants_file=True
    ),
}
"""By the name that causes know them by."""
