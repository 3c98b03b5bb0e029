"""Linked .blend files that are not there."""

from __future__ import annotations

from pathlib import Path

import bpy

from .warnings import SyncWarning


def missing_libraries() -> tuple[SyncWarning, ...]:
    """Return a warning for each linked library whose file cannot be found."""
    return tuple(
        SyncWarning(
            "library",
            library.name,
            f"Its file '{library.filepath}' is not there, so what it holds is not drawn.",
            "Use File > External Data > Find Missing Files, or relocate the library.",
            left_out=True,
        )
        for library in bpy.data.libraries
        if not _is_there(library)
    )


def _is_there(library: bpy.types.Library) -> bool:
    if library.packed_file is not None:
        return True
    return Path(bpy.path.abspath(library.filepath, library=library.parent)).is_file()
