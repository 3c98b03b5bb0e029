"""Components read from datablocks: what was added to one, and what people set beside Blender's own.

Works on evaluated datablocks, whose values are those of animations and drivers, and also where
Fyn's properties are not registered: then there are no components.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from msgspec import structs

from ...engine_core.world.components import Component
from .fields import authored_fields, sort_of, to_engine
from .homes import HOMES, PROPERTY, components_of, group_of, owner_of
from .rna import ADDED

C = TypeVar("C", bound=Component)

KEEPS_LOCAL_AXES = frozenset({"LIGHT", "CAMERA"})
"""Types of objects whose local axes are the engine's too (see sync/axes.py)."""


def keeps_local_axes(datablock: Any) -> bool:
    """Tell whether vectors in the space of `datablock` mean the same in the engine."""
    return getattr(datablock, "type", "") in KEEPS_LOCAL_AXES


def read_components(datablock: Any) -> dict[str, Component]:
    """Return the components that were added to a datablock, by key.

    Values are brought into their ranges and into engine axes; objects are session keys until
    `with_entity_ids` has seen them.
    """
    owner = owner_of(datablock)
    if owner is None or not _has_any(datablock):
        return {}
    return {
        key: read_component(datablock, kind)
        for key, kind in components_of(owner).items()
        if kind.addable and getattr(group_of(datablock, kind), ADDED, False)
    }


def read_component(datablock: Any, kind: type[C]) -> C:
    """Return one component as it is set, whether or not it was added; defaults if there is none."""
    return with_authored(kind(), datablock)


def with_authored(component: C, datablock: Any) -> C:
    """Return `component` with every field that people set taken from `datablock`."""
    values = authored_values(datablock, type(component))
    return structs.replace(component, **values) if values else component


def authored_values(datablock: Any, kind: type[Component]) -> dict[str, Any]:
    """Return the fields of a component that somebody has set on a datablock, by name."""
    if not _has_any(datablock):
        return {}
    group = group_of(datablock, kind)
    if group is None:
        return {}
    keeps = keeps_local_axes(datablock)
    is_set = group.is_property_set
    return {
        field.name: to_engine(field, getattr(group, field.name), keeps)
        for field in authored_fields(kind)
        if is_set(field.name)
    }


def _has_any(datablock: Any) -> bool:
    """Tell cheaply whether anybody ever set a property of Fyn on a datablock.

    The properties are looked for on the class: to look at a datablock's would make it hold them.
    """
    owner = owner_of(datablock)
    if owner is None or not hasattr(HOMES[owner], PROPERTY):
        return False
    return datablock.is_property_set(PROPERTY)


@cache
def _reference_fields(kind: type[Component]) -> tuple[str, ...]:
    return tuple(
        field.name for field in authored_fields(kind) if sort_of(field) in ("object", "objects")
    )


def has_references(component: Component) -> bool:
    """Tell whether a component refers to any object."""
    return any(getattr(component, name) for name in _reference_fields(type(component)))


def with_entity_ids(component: C, id_of: Callable[[int], str]) -> C:
    """Return `component` with session keys of objects turned into ids of entities by `id_of`.

    `id_of` returns "" for an object that is not in the level: such a reference is left out.
    """
    names = _reference_fields(type(component))
    if not names:
        return component
    changed: dict[str, Any] = {}
    for name in names:
        value = getattr(component, name)
        if isinstance(value, tuple):
            changed[name] = tuple(found for key in value if (found := id_of(int(key))))
        else:
            changed[name] = id_of(int(value)) if value else ""
    return structs.replace(component, **changed)
