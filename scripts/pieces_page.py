"""The page docs/pieces.md, made from the catalogue of pieces."""

from __future__ import annotations

from fyn.addon.pieces.catalogue import Piece, groups
from fyn.engine_core.world.components.tags import Tags

HEAD = """# Pieces

Written by `scripts/generate_docs.py` from `addon/pieces/catalogue.py`.

*Add > Fyn* (Shift+A in a 3D view, in object mode) adds a ready-made piece of a level at the 3D
cursor: its mesh, its materials and textures, its lamp where it has one, and the components that
make it a thing of a game.

![The menu Add > Fyn](images/menu-pieces.png)

![The pieces, drawn by Fyn](images/pieces.png)
"""

TAIL = """
What is added is the file's own: change it, parent it, export it like anything else. A second copy
of a piece uses the meshes, materials and pictures of the first. One step of undo takes it all away.

## In the Asset Browser

Enabling Fyn adds the asset library *Fyn* to Blender's preferences (disabling takes it away), with a
catalog for each group. Pieces are dragged from there into a view, and are appended with their
components.

![The library in the Asset Browser](images/asset-browser.png)

## Adding to the library

A piece is an entry in `addon/pieces/catalogue.py` and a builder of its shape in
`scripts/make_pieces.py`, which makes `pieces.blend` and draws the pictures of the Asset Browser.
`scripts/draw_pieces.py` draws the sheet above from them.
"""


def pieces_markdown() -> str:
    """Return the whole page."""
    parts = [HEAD]
    for group, pieces in groups().items():
        rows = "".join(f"| {p.name} | {p.description} | {_components(p)} |\n" for p in pieces)
        parts.append(f"\n## {group}\n\n| piece | is | components |\n| --- | --- | --- |\n{rows}")
    return "".join([*parts, TAIL])


def _components(piece: Piece) -> str:
    """Name the components of a piece, tags with their words."""
    words = [
        f"{one.label} ({', '.join(one.tags)})" if isinstance(one, Tags) else one.label
        for one in piece.components
    ]
    return ", ".join(words) or "-"
