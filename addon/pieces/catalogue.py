"""The pieces: what they are called, what they are for, and which components they carry.

Their shapes are made by `scripts/make_pieces.py`, which leaves a collection of each piece's name,
with the piece's own object first in it, in `pieces.blend` beside this file.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...engine_core.world.components import Component
from ...engine_core.world.components.behaviour import Behaviour
from ...engine_core.world.components.collider import Collider
from ...engine_core.world.components.tags import Tags

FOLDER = Path(__file__).parent
LIBRARY = FOLDER / "pieces.blend"
CATALOGS = FOLDER / "blender_assets.cats.txt"
"""Blender's own file of the catalogs in an asset library."""

_NAMESPACE = uuid.UUID("6a1f4a52-2f4c-4d5b-9f63-7f8f4b1c9e0d")


@dataclass(frozen=True)
class Piece:
    """One ready-made entity. Components are in engine axes, as in a level."""

    name: str
    group: str
    icon: str
    """Of Blender's icons."""
    description: str
    components: tuple[Component, ...] = ()

    @property
    def identifier(self) -> str:
        """Its name for operators."""
        return self.name.upper().replace(" ", "_")


PIECES: tuple[Piece, ...] = (
    Piece(
        "Coin",
        "Gameplay",
        "SORTBYEXT",
        "Turns in the air; a player who comes near takes it",
        (
            Behaviour(spin_speed=2.5, bob_height=0.1, bob_period=1.6, collectible=True, reach=0.8),
            Collider(shape="sphere", radius=0.5, center=(0.0, 0.6, 0.0), trigger=True),
            Tags(tags=("coin",)),
        ),
    ),
    Piece(
        "Floating Platform",
        "Gameplay",
        "MESH_PLANE",
        "Rises and sinks, and can be stood on",
        (
            Behaviour(bob_height=0.5, bob_period=4.0),
            Collider(shape="box", size=(2.4, 0.4, 2.4), center=(0.0, -0.2, 0.0)),
        ),
    ),
    Piece(
        "Trigger Zone",
        "Gameplay",
        "CUBE",
        "An invisible box that notices who is inside",
        (Collider(shape="box", size=(2.0, 2.0, 2.0), trigger=True), Tags(tags=("zone",))),
    ),
    Piece(
        "Column",
        "Court",
        "MESH_CYLINDER",
        "A fluted column of limestone",
        (Collider(shape="capsule", radius=0.55, height=4.2, center=(0.0, 2.1, 0.0)),),
    ),
    Piece(
        "Broken Column",
        "Court",
        "MESH_CONE",
        "The rest of a column",
        (Collider(shape="capsule", radius=0.55, height=1.5, center=(0.0, 0.75, 0.0)),),
    ),
    Piece(
        "Gate",
        "Court",
        "MESH_TORUS",
        "An arch that one can walk through",
        (Collider(shape="mesh"),),
    ),
    Piece(
        "Steps",
        "Court",
        "MOD_ARRAY",
        "A round platform of two steps",
        (Collider(shape="mesh"),),
    ),
    Piece(
        "Lantern",
        "Court",
        "LIGHT_POINT",
        "A post with a warm light that casts shadows",
        (Collider(shape="capsule", radius=0.16, height=2.9, center=(0.0, 1.45, 0.0)),),
    ),
    Piece(
        "Crystals",
        "Nature",
        "MESH_ICOSPHERE",
        "A cluster that glows, with its light",
        (Collider(shape="mesh"),),
    ),
    Piece("Rock", "Nature", "META_BALL", "A boulder", (Collider(shape="mesh"),)),
    Piece(
        "Tree",
        "Nature",
        "OUTLINER_OB_CURVES",
        "A small tree with a crown of leaves",
        (Collider(shape="capsule", radius=0.3, height=3.6, center=(0.0, 1.8, 0.0)),),
    ),
    Piece("Grass Tuft", "Nature", "STRANDS", "A tuft of grass; without a collider"),
)


def groups() -> dict[str, list[Piece]]:
    """Return the pieces by group, both in the order of the table."""
    found: dict[str, list[Piece]] = {}
    for piece in PIECES:
        found.setdefault(piece.group, []).append(piece)
    return found


def catalog_id(group: str) -> str:
    """Return the identity of a group's catalog, the same on every machine."""
    return str(uuid.uuid5(_NAMESPACE, group))


def catalog_text(names: Sequence[str]) -> str:
    """Return Blender's file of catalogs for groups of these names."""
    lines = ["# Catalogs of the pieces; made by scripts/make_pieces.py.", "VERSION 1", ""]
    # Blender would make the one above the groups itself, and then ask to save the library.
    lines.append(f"{catalog_id('')}:Fyn:Fyn")
    lines += [f"{catalog_id(name)}:Fyn/{name}:Fyn-{name}" for name in names]
    return "\n".join(lines) + "\n"
