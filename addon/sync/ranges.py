"""Values within what their fields allow, so that what a viewport shows can always be exported."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, TypeVar, get_args, get_origin

import numpy as np
from msgspec import Meta, Struct, structs

from ...engine_core.world.struct_fields import StructField, struct_fields
from .scene_causes import SceneCause
from .warnings import SyncWarning, WarningKind, named_warning

S = TypeVar("S", bound=Struct)

LARGEST = float(np.finfo(np.float32).max)
"""Beyond it a GPU sees infinity."""


def within_ranges(value: S) -> tuple[S, tuple[str, ...]]:
    """Return `value` with every number put into its field's range, and the titles of those fields.

    What is no number becomes the field's default, or the least that is allowed. Sound structs come
    back as the same object.
    """
    changes: dict[str, Any] = {}
    titles: list[str] = []
    for field in _numeric_fields(type(value)):
        before = getattr(value, field.name)
        if before is None:
            continue
        if field.struct is not None:
            after, inner = within_ranges(before)
            titles += inner
        else:
            after = _fitted(before, field)
            titles += [field.title or field.name] if after is not before else []
        if after is not before:
            changes[field.name] = after
    return (structs.replace(value, **changes), tuple(titles)) if changes else (value, ())


def sound_struct(value: S, kind: WarningKind, name: str) -> tuple[S, tuple[SyncWarning, ...]]:
    """Return a struct with its values in range, and a warning about its datablock if needed."""
    sound, fields = within_ranges(value)
    if not fields:
        return value, ()
    values: dict[str, object] = {"fields": ", ".join(fields)}
    return sound, (named_warning(kind, name, SceneCause.VALUE_OUT_OF_RANGE, values=values),)


@cache
def _numeric_fields(owner: type[Struct]) -> tuple[StructField, ...]:
    """Return the fields of a class that hold numbers or structs."""
    return tuple(field for field in struct_fields(owner) if field.struct or _is_numeric(field.base))


def _is_numeric(base: Any) -> bool:
    if get_origin(base) is tuple:
        return all(_is_numeric(_bare(item)) for item in get_args(base) if item is not Ellipsis)
    return base in (float, int)


def _bare(annotation: Any) -> Any:
    return getattr(annotation, "__origin__", annotation) if _metas(annotation) else annotation


def _metas(annotation: Any) -> list[Meta]:
    return [note for note in getattr(annotation, "__metadata__", ()) if isinstance(note, Meta)]


def _fitted(value: Any, field: StructField) -> Any:
    """Return a number or tuple of numbers in range; the same object if it is."""
    if not isinstance(value, tuple):
        default = field.default if isinstance(field.default, float | int) else 0.0
        return _clamped(value, field.ge, field.le, default)
    limits = _item_limits(field, len(value))
    fallback = field.default if isinstance(field.default, tuple) else ()
    fitted = tuple(
        _clamped(item, ge, le, fallback[k] if k < len(fallback) else 0.0)
        for k, (item, (ge, le)) in enumerate(zip(value, limits, strict=True))
    )
    return value if all(a is b for a, b in zip(fitted, value, strict=True)) else fitted


def _item_limits(field: StructField, count: int) -> list[tuple[float | None, float | None]]:
    """Return the range of each item of a tuple field."""
    items = get_args(field.base)
    items = (items[0],) * count if items[-1] is Ellipsis else items
    found = []
    for item in items:
        metas = _metas(item)
        ge = next((m.ge for m in reversed(metas) if m.ge is not None), None)
        le = next((m.le for m in reversed(metas) if m.le is not None), None)
        found.append((ge, le))
    return found


def _clamped(value: float, ge: float | None, le: float | None, default: float) -> float:
    low = -LARGEST if ge is None else ge
    high = LARGEST if le is None else le
    if low <= value <= high:
        return value
    if math.isnan(value):
        return min(max(default, low), high)
    return type(value)(min(max(value, low), high))
