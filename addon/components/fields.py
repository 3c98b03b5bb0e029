"""Which fields of a component become properties, of what sort, and their values on both sides."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, Literal, get_args, get_origin

import numpy as np

from ...engine_core.world.components import Component
from ...engine_core.world.level_check import MAX_NUMBER
from ...engine_core.world.struct_fields import StructField, struct_fields
from ..sync.axes import authored_vector_to_blender, authored_vector_to_engine
from ..sync.identity import datablock_key

Sort = Literal["number", "whole", "flag", "text", "choice", "vector", "words", "object", "objects"]
AXES = ("point", "direction", "size")
"""Kinds of vectors that mean something along the axes, which are others in the engine."""


@cache
def authored_fields(kind: type[Component]) -> tuple[StructField, ...]:
    """Return the fields that people set, in order; a host makes the others from its own data."""
    return tuple(field for field in struct_fields(kind) if not field.derived)


@cache
def sort_of(field: StructField) -> Sort:
    """Return what sort of property a field is. Raises TypeError for one that no panel can offer."""
    if field.choices:
        return "choice"
    if field.kind == "entity":
        return "objects" if get_origin(field.base) is tuple else "object"
    plain: dict[Any, Sort] = {float: "number", int: "whole", bool: "flag", str: "text"}
    if field.base in plain and not field.optional and field.kind in ("", "color"):
        return plain[field.base]
    items = get_args(field.base) if get_origin(field.base) is tuple else ()
    if items == (str, ...):
        return "words"
    if len(items) in (2, 3, 4) and all(item is float for item in items):
        return "vector"
    raise TypeError(
        f"The component field '{field.name}' ({field.annotation}) is of no sort that Blender has a"
        " property for; mark it as derived or give it a plain type."
    )


def choice_name(value: Any) -> str:
    """Return the identifier of one choice of a Literal."""
    return str(value)


def choice_number(value: Any) -> int:
    """Return the number under which a .blend keeps a choice.

    It depends on the choice alone, so that files survive others being added before it, and is
    small enough for an animation curve to hold exactly.
    """
    return value if type(value) is int else zlib.crc32(str(value).encode()) & 0xFFFFF


def to_engine(field: StructField, value: Any, keeps_local_axes: bool) -> Any:
    """Return a property's value as the component wants it: within its range, in engine axes.

    Objects become their session keys as text, which `with_entity_ids` turns into ids of the level.
    """
    return _TO_ENGINE[sort_of(field)](field, value, keeps_local_axes)


def to_blender(field: StructField, value: Any, keeps_local_axes: bool) -> Any:
    """Return a component's value as its property wants it; objects and words are no such values."""
    sort = sort_of(field)
    if sort == "choice":
        return choice_name(value)
    if sort == "vector" and field.kind in AXES:
        return authored_vector_to_blender(value, field.kind, keeps_local_axes)
    return value


def _number(field: StructField, value: Any, _keeps: bool) -> float:
    """Read a single float as the shortest decimal that means it: 0.3, not 0.30000001192."""
    if not math.isfinite(value):
        return field.default if isinstance(field.default, float) else 0.0
    low = -MAX_NUMBER if field.ge is None else field.ge
    high = MAX_NUMBER if field.le is None else field.le
    return min(max(_shortest(value), low), high)


@lru_cache(maxsize=1 << 14)
def _shortest(value: float) -> float:
    return float(str(np.float32(value))) + 0.0


def _whole(field: StructField, value: Any, _keeps: bool) -> int:
    low = value if field.ge is None else max(value, math.ceil(field.ge))
    return low if field.le is None else min(low, math.floor(field.le))


def _choice(field: StructField, value: Any, _keeps: bool) -> Any:
    """Read a choice; a number in the file that means none of them is the default."""
    known = {choice_name(choice): choice for choice in field.choices}
    return known.get(value, field.default)


def _vector(field: StructField, value: Any, keeps: bool) -> tuple[float, ...]:
    items = tuple(_shortest(item) if math.isfinite(item) else 0.0 for item in value)
    if field.kind == "color":
        return tuple(max(item, 0.0) for item in items)
    if field.kind in AXES:
        return authored_vector_to_engine(items, field.kind, keeps)
    return items


def _words(_field: StructField, value: Any, _keeps: bool) -> tuple[str, ...]:
    """Read words in their order, without empty ones and repetitions."""
    return tuple(dict.fromkeys(word for item in value if (word := item.word.strip())))


def _object(_field: StructField, value: Any, _keeps: bool) -> str:
    return "" if value is None else str(datablock_key(value))


def _objects(field: StructField, value: Any, keeps: bool) -> tuple[str, ...]:
    return tuple(_object(field, item.object, keeps) for item in value if item.object is not None)


_TO_ENGINE: dict[Sort, Callable[[StructField, Any, bool], Any]] = {
    "number": _number,
    "whole": _whole,
    "flag": lambda _field, value, _keeps: bool(value),
    "text": lambda _field, value, _keeps: value,
    "choice": _choice,
    "vector": _vector,
    "words": _words,
    "object": _object,
    "objects": _objects,
}
