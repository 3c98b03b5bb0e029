"""Components written to datablocks: added, removed, reset, or set from plain values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...engine_core.world.components import Component
from .fields import authored_fields, choice_name, sort_of
from .homes import group_of
from .rna import ADDED, tag_owner

Plain = dict[str, Any]
"""Values of properties by name: numbers, text, lists; what JSON can hold."""


def add(datablock: Any, kind: type[Component]) -> None:
    """Add a component to a datablock, with the values it had if it was there before."""
    setattr(_group(datablock, kind), ADDED, True)


def remove(datablock: Any, kind: type[Component]) -> None:
    """Take a component away and forget its values."""
    group = _group(datablock, kind)
    reset(datablock, kind)
    group.property_unset(ADDED)
    tag_owner(group, None)


def reset(datablock: Any, kind: type[Component]) -> None:
    """Give every field of a component its default."""
    group = _group(datablock, kind)
    for field in authored_fields(kind):
        group.property_unset(field.name)
    tag_owner(group, None)


def values_of(datablock: Any, kind: type[Component]) -> Plain:
    """Return the values of a component that somebody set, as plain values in Blender's terms.

    Objects go by their names with library, as text.
    """
    group = _group(datablock, kind)
    return {
        field.name: _plain(getattr(group, field.name), sort_of(field))
        for field in authored_fields(kind)
        if group.is_property_set(field.name)
    }


def set_values(datablock: Any, kind: type[Component], values: Mapping[str, Any]) -> list[str]:
    """Give a component the `values` (as of `values_of`), and defaults to all that are not there.

    Returns in words what could not be set: unknown names, values of a wrong type.
    """
    reset(datablock, kind)
    group = _group(datablock, kind)
    known = {field.name: field for field in authored_fields(kind)}
    problems = [f"'{name}' is unknown" for name in values if name not in known]
    for name, field in known.items():
        if name not in values:
            continue
        try:
            _set(group, name, sort_of(field), values[name])
        except (TypeError, ValueError, KeyError, OverflowError) as error:
            problems.append(f"'{name}': {error}")
    tag_owner(group, None)
    return problems


def _group(datablock: Any, kind: type[Component]) -> Any:
    group = group_of(datablock, kind)
    if group is None:
        raise TypeError(f"{datablock!r} cannot carry a {kind.label}")
    return group


def _plain(value: Any, sort: str) -> Any:
    if sort == "words":
        return [item.word for item in value]
    if sort == "object":
        return None if value is None else value.name_full
    if sort == "objects":
        return [item.object.name_full for item in value if item.object is not None]
    return list(value) if sort == "vector" else value


def _set(group: Any, name: str, sort: str, value: Any) -> None:
    if sort == "words":
        items = getattr(group, name)
        items.clear()
        for word in value:
            items.add().word = word
    elif sort == "object":
        setattr(group, name, _object(value))
    elif sort == "objects":
        items = getattr(group, name)
        items.clear()
        for known in filter(None, map(_object, value)):
            items.add().object = known
    else:
        setattr(group, name, choice_name(value) if sort == "choice" else value)


def _object(name_full: Any) -> Any | None:
    """Find an object by its name with library; None if this file has none such."""
    import bpy

    return next((obj for obj in bpy.data.objects if obj.name_full == name_full), None)
