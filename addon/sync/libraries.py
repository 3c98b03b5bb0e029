"""Linked .blend files that are not there."""

from __future__ import annotations

from pathlib import Path

import bpy

from .scene_causes import SceneCause
from .warnings import SyncWarning, warn_about


def missing_libraries() -> tuple[SyncWarning, ...]:
    """Return a warning for each linked library whose file cannot be found."""
    return tuple(
        warn_about(library, SceneCause.LIBRARY_MISSING, path=library.filepath)
        for library in bpy.data.libraries
        if not _is_there(library)
    )


def _is_there(library: bpy.types.Library) -> bool:
    if library.packed_file is not None:
        return True
    return Path(bpy.path.abspath(library.filepath, library=library.parent)).is_file()
