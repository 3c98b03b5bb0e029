"""Shift+A > Fyn, and the asset library in Blender's preferences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy

from ...engine_core.errors import FynError
from .adding import add_piece
from .catalogue import FOLDER, PIECES, groups

LIBRARY_NAME = "Fyn"


class FYN_OT_add_piece(bpy.types.Operator):
    """Add a ready-made piece of a level, with its components"""

    bl_idname = "fyn.add_piece"
    bl_label = "Add Piece"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012 - Blender's own way of saying it

    piece: bpy.props.EnumProperty(  # type: ignore[valid-type]
        name="Piece",
        items=[
            (piece.identifier, piece.name, piece.description, piece.icon, number)
            for number, piece in enumerate(PIECES)
        ],
    )

    @classmethod
    def description(cls, _context: Any, properties: Any) -> str:
        """Say what this piece is."""
        return next(p.description for p in PIECES if p.identifier == properties.piece)

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Only where objects can be added."""
        return context.mode == "OBJECT" and context.scene.library is None

    def execute(self, context: Any) -> set[str]:
        """Add it at the 3D cursor and make it the selection."""
        piece = next(p for p in PIECES if p.identifier == self.piece)
        try:
            root = add_piece(piece, context.collection, context.scene.cursor.location)
        except FynError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for obj in context.selected_objects:
            obj.select_set(False)
        root.select_set(True)
        context.view_layer.objects.active = root
        return {"FINISHED"}


class FYN_MT_add(bpy.types.Menu):
    """Ready-made pieces of levels."""

    bl_label = "Fyn"

    def draw(self, _context: Any) -> None:
        """List the pieces by group."""
        layout: Any = self.layout
        for number, (group, pieces) in enumerate(groups().items()):
            if number:
                layout.separator()
            layout.label(text=group)
            for piece in pieces:
                entry = layout.operator(
                    FYN_OT_add_piece.bl_idname, text=piece.name, icon=piece.icon
                )
                entry.piece = piece.identifier


CLASSES = (FYN_OT_add_piece, FYN_MT_add)


def _entry(menu: Any, _context: Any) -> None:
    menu.layout.menu("FYN_MT_add", icon="GHOST_ENABLED")


def register() -> None:
    """Add the menu and the library."""
    bpy.types.VIEW3D_MT_add.append(_entry)  # type: ignore[arg-type]
    found = _libraries()
    if not found:
        made = bpy.context.preferences.filepaths.asset_libraries.new(
            name=LIBRARY_NAME, directory=str(FOLDER)
        )
        made.import_method = "APPEND"
    elif Path(found[0].path) != FOLDER:  # kept in preferences of a Blender where Fyn was elsewhere
        found[0].path = str(FOLDER)


def unregister() -> None:
    """Take the menu and the library away."""
    bpy.types.VIEW3D_MT_add.remove(_entry)  # type: ignore[arg-type]
    for library in _libraries():
        bpy.context.preferences.filepaths.asset_libraries.remove(library)


def _libraries() -> list[Any]:
    """Return the entries of the preferences that are this library, wherever Fyn was installed."""
    return [
        library
        for library in bpy.context.preferences.filepaths.asset_libraries
        if library.name.split(".")[0] == LIBRARY_NAME
        and library.path.rstrip("/\\").endswith(FOLDER.name)
    ]
