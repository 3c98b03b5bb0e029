"""Values that an older Fyn left in a .blend, brought up to date when they come in.

Blender keeps the values of add-ons' properties by name, whether or not anybody still knows the
names; so what was renamed is still there and can be carried over.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import Any

import bpy

from ...engine_core.world.component_changes import Change, update_components
from ...engine_core.world.level_document import VERSION
from .fields import choice_number
from .homes import PROPERTY, datablocks
from .rna import SCHEMA

log = logging.getLogger("fyn")

FIRST_VERSION = 2
"""Of the level format, when values were first kept in .blend files."""


def stored_values(datablock: Any) -> Any | None:
    """Return the group of raw values that Fyn keeps on a datablock, None if there are none."""
    if hasattr(datablock, "bl_system_properties_get"):  # Blender 5
        found = datablock.bl_system_properties_get()
    else:
        found = datablock
    return None if found is None else found.get(PROPERTY)


def update_datablocks(
    chosen: Iterable[Any],
    newest: int = VERSION,
    changes: Mapping[int, tuple[Change, ...]] | None = None,
) -> int:
    """Bring the values of datablocks to `newest`; return how many were of an older version.

    Values of a newer version stay as they are, and the log names who keeps them.
    """
    updated, from_future = 0, []
    for datablock in chosen:
        stored = stored_values(datablock)
        if stored is None:
            continue
        version = stored.get(SCHEMA, FIRST_VERSION)
        if version > newest:
            from_future.append(datablock.name_full)
        elif version < newest:
            update_components(stored, version, newest, changes=changes, encode=choice_number)
            stored[SCHEMA] = newest
            updated += 1
    if from_future:
        log.warning(
            "Components of %s were made by a newer Fyn; what this one does not know is kept but"
            " not shown. Update Fyn.",
            ", ".join(f"'{name}'" for name in sorted(from_future)),
        )
    return updated


@bpy.app.handlers.persistent
def after_load(*_arguments: Any) -> None:
    """Update everything in a file that was opened."""
    update_datablocks(datablocks())


@bpy.app.handlers.persistent
def after_import(context: Any, *_more: Any) -> None:
    """Update what was appended, linked or pasted."""
    update_datablocks(item.id for item in context.import_items if item.id is not None)


_HANDLERS = {"load_post": after_load, "blend_import_post": after_import}


def register() -> None:
    """Watch for files that come in."""
    for name, handler in _HANDLERS.items():
        if hasattr(bpy.app.handlers, name):
            getattr(bpy.app.handlers, name).append(handler)


def unregister() -> None:
    """Stop watching."""
    for name, handler in _HANDLERS.items():
        handlers = getattr(bpy.app.handlers, name, [])
        if handler in handlers:
            handlers.remove(handler)
