"""Adds the components' properties to Blender's datablocks, and takes them away again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy

from .homes import HOMES, PROPERTY, components_of
from .rna import LIST_ITEMS, component_group, owner_group

_registered: list[type] = []


def register() -> None:
    """Add the property `fyn` to objects, lamps, cameras, worlds and scenes; twice is once.

    If a part fails, what was added before it is removed again.
    """
    if _registered:
        return
    try:
        for item in LIST_ITEMS:
            _register(item)
        kinds = {key: kind for owner in HOMES for key, kind in components_of(owner).items()}
        groups = {key: component_group(kind) for key, kind in kinds.items()}
        for group in groups.values():
            _register(group)
        for owner, home in HOMES.items():
            whole = owner_group(owner, groups)
            _register(whole)
            pointer = bpy.props.PointerProperty(
                type=whole, name="Fyn", override={"LIBRARY_OVERRIDABLE"}
            )
            setattr(home, PROPERTY, pointer)
    except BaseException:
        unregister()
        raise


def unregister() -> None:
    """Take the properties away; what is set stays in the file, for when they are back."""
    for home in HOMES.values():
        if PROPERTY in home.__dict__ or hasattr(home, PROPERTY):
            delattr(home, PROPERTY)
    while _registered:
        bpy.utils.unregister_class(_registered.pop())


@contextmanager
def properties() -> Iterator[None]:
    """Have the properties for a while, where Fyn is no enabled extension: headless."""
    was_there = bool(_registered)
    register()
    try:
        yield
    finally:
        if not was_there:
            unregister()


def _register(group: type) -> None:
    bpy.utils.register_class(group)
    _registered.append(group)
