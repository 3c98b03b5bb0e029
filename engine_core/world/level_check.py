"""What is wrong with a level document: every problem at once, each with its path."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, get_args, get_origin

import msgspec
import numpy as np
from msgspec import Struct

from ..assets.asset_path import unsafe_because
from .level_document import RECORD_TABLES, TABLE_OF_KIND, LevelDocument
from .struct_fields import StructField, references, struct_fields

MAX_NUMBER = float(np.finfo(np.float32).max)
"""Beyond it a GPU sees infinity."""
ROTATION_TOLERANCE = 1e-3
"""How far from 1 the length of a rotation may be; float32 stays within 1e-6."""
LAST_ROW_TOLERANCE = 1e-6
"""How far the last row of a matrix may be from 0 0 0 1, which an inverse meets to 1e-12."""


@dataclass(frozen=True)
class Problem:
    """Something wrong in a level: `path` such as `entities[3].light.strength`, and words."""

    path: str
    message: str

    def __str__(self) -> str:
        """Return path and message as one line."""
        return f"{self.path}: {self.message}" if self.path else self.message


def document_problems(document: dict[str, Any]) -> list[Problem]:
    """Return every problem of a document of the current version, files not looked at.

    Order: fields as they stand in the classes, then ids, references, parents and transforms.
    """
    problems: list[Problem] = []
    if not _is_well_typed(document):
        problems += _struct_problems(document, LevelDocument, "")
    tables = {
        name: records if isinstance(records := document.get(name), list) else []
        for name in RECORD_TABLES
    }
    ids = {name: _ids(records) for name, records in tables.items()}
    for name, records in tables.items():
        problems += _id_problems(name, records)
    problems += _reference_problems(document, tables, ids)
    problems += _file_problems(tables)
    problems += _parent_problems(tables["entities"])
    problems += _transform_problems(tables["entities"])
    return problems


def _is_well_typed(document: dict[str, Any]) -> bool:
    """Check everything in one go, at C speed; only a level with a problem is searched for it."""
    try:
        msgspec.convert(document, LevelDocument)
    except msgspec.ValidationError:
        return False
    return _all_fit_a_gpu(document)


def _all_fit_a_gpu(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_all_fit_a_gpu, value.values()))
    if isinstance(value, list):
        return all(map(_all_fit_a_gpu, value))
    return not isinstance(value, float | int) or -MAX_NUMBER <= value <= MAX_NUMBER


# Fields and types ---------------------------------------------------------------------------------


def _struct_problems(value: Any, owner: type[Struct], path: str) -> Iterator[Problem]:
    if not isinstance(value, dict):
        yield Problem(path, f"expected an object in braces, got {_name_of_type(value)}.")
        return
    fields = {field.name: field for field in struct_fields(owner)}
    for name in value:
        if name in fields:
            continue
        yield Problem(_join(path, name), f"unknown key; known are {', '.join(sorted(fields))}.")
    for name, field in fields.items():
        if name in value:
            yield from _field_problems(value[name], field, _join(path, name))
        elif field.required:
            yield Problem(_join(path, name), "is missing.")


def _field_problems(value: Any, field: StructField, path: str) -> Iterator[Problem]:
    record = _record_class(field.base)
    if value is None and field.optional:
        return
    if field.struct is not None:
        yield from _struct_problems(value, field.struct, path)
    elif record is not None and isinstance(value, list):
        for index, item in enumerate(value):
            yield from _struct_problems(item, record, f"{path}[{index}]")
    else:
        yield from _value_problems(value, field, path)


def _value_problems(value: Any, field: StructField, path: str) -> Iterator[Problem]:
    items = _item_types(field.base, value)
    if items is not None:
        found = [
            Problem(f"{path}[{index}]", words)
            for index, (item, annotation) in enumerate(zip(value, items, strict=True))
            if (words := _complaint(item, annotation, ()))
        ]
        if found:
            yield from found
            return
    if words := _complaint(value, field.annotation, field.choices):
        yield Problem(path, words)


def _complaint(value: Any, annotation: Any, choices: tuple[Any, ...]) -> str:
    """Say what is wrong with one value, "" if nothing is."""
    try:
        msgspec.convert(value, annotation)
    except msgspec.ValidationError as error:
        if choices:
            return f"expected one of {', '.join(map(str, choices))}, got {_shown(value)}."
        return _reword(str(error)) + "."
    if not _all_fit_a_gpu(value):
        return f"{_shown(value)} is no number that a GPU can hold (at most {MAX_NUMBER:.1e})."
    return ""


def _record_class(base: Any) -> type[Struct] | None:
    """Class of the items of a `tuple[SomeStruct, ...]`."""
    item = get_args(base)[0] if get_origin(base) is tuple else None
    return item if isinstance(item, type) and issubclass(item, Struct) else None


def _item_types(base: Any, value: Any) -> tuple[Any, ...] | None:
    """Type of each item, if `value` is a list that can be looked at item by item."""
    if get_origin(base) is not tuple or not isinstance(value, list):
        return None
    types = get_args(base)
    if types[-1] is Ellipsis:
        return (types[0],) * len(value)
    return types if len(types) == len(value) else None


_TYPE_WORDS = {
    "float": "a number", "int": "a whole number", "str": "text", "bool": "true or false",
    "array": "a list", "object": "an object", "null": "null",
}  # fmt: skip


def _reword(words: str) -> str:
    """Turn msgspec's "Expected `float`, got `str` - at `$[0]`" into plain words."""
    words = re.sub(r" - at `[^`]*`$", "", words)
    words = re.sub(r"`(\w+)( \| null)?`", lambda m: _TYPE_WORDS.get(m[1], m[1]), words)
    words = re.sub(r"got (\w+)$", lambda m: f"got {_TYPE_WORDS.get(m[1], m[1])}", words)
    return words[:1].lower() + words[1:]


def _name_of_type(value: Any) -> str:
    if value is None:
        return "null"
    names = {bool: "bool", float: "float", int: "int", str: "str", list: "array", dict: "object"}
    return _TYPE_WORDS.get(names.get(type(value), ""), type(value).__name__)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _join(path: str, name: str) -> str:
    name = name if len(name) <= 60 else name[:57] + "..."
    return f"{path}.{name}" if path else name


# Ids, references, parents -------------------------------------------------------------------------


def _ids(records: list[Any]) -> dict[str, int]:
    """Place of the first record of each id."""
    places: dict[str, int] = {}
    for index, record in enumerate(records):
        identity = record.get("id") if isinstance(record, dict) else None
        if isinstance(identity, str):
            places.setdefault(identity, index)
    return places


def _id_problems(table: str, records: list[Any]) -> Iterator[Problem]:
    places = _ids(records)
    for index, record in enumerate(records):
        identity = record.get("id") if isinstance(record, dict) else None
        if identity == "":
            yield Problem(f"{table}[{index}].id", "is empty; give it a name.")
        elif isinstance(identity, str) and places[identity] != index:
            yield Problem(
                f"{table}[{index}].id",
                f"{_shown(identity)} is already the id of {table}[{places[identity]}].",
            )


def _reference_problems(
    document: dict[str, Any], tables: dict[str, list[Any]], ids: dict[str, dict[str, int]]
) -> Iterator[Problem]:
    for name, records in tables.items():
        for index, record in enumerate(records):
            if isinstance(record, dict):
                for path, kind, identity in references(record, RECORD_TABLES[name]):
                    if identity not in ids[TABLE_OF_KIND[kind]]:
                        yield _dangling(f"{name}[{index}].{path}", kind, identity)
    for path, kind, identity in references(document, LevelDocument):
        if identity not in ids[TABLE_OF_KIND[kind]]:
            yield _dangling(path, kind, identity)
    camera = document.get("active_camera")
    place = ids["entities"].get(camera) if isinstance(camera, str) else None
    if place is not None and tables["entities"][place].get("camera") is None:
        yield Problem("active_camera", f"entity {_shown(camera)} has no camera.")


def _file_problems(tables: dict[str, list[Any]]) -> Iterator[Problem]:
    for name in ("clips", "images", "meshes"):
        for index, record in enumerate(tables[name]):
            file = record.get("file") if isinstance(record, dict) else None
            if isinstance(file, str) and (reason := unsafe_because(file)):
                yield Problem(f"{name}[{index}].file", f"{_shown(file)} {reason}.")
    for index, record in enumerate(tables["images"]):
        if isinstance(record, dict) and ("encoding" in record) != ("size" in record):
            missing = "size" if "encoding" in record else "encoding"
            yield Problem(f"images[{index}].{missing}", "is missing; a file of floats needs both.")


def _dangling(path: str, kind: str, identity: str) -> Problem:
    table = TABLE_OF_KIND[kind]
    return Problem(path, f"{kind} {_shown(identity)} does not exist in '{table}'.")


def _parent_problems(entities: list[Any]) -> Iterator[Problem]:
    """Find each cycle of parents once; iterative, since chains may be thousands long."""
    parents: dict[str, str] = {}
    places = _ids(entities)
    for identity, place in places.items():
        parent = entities[place].get("parent")
        if isinstance(parent, str) and parent in places:
            parents[identity] = parent
    finished: set[str] = set()
    for start in parents:
        chain: dict[str, None] = {}
        current: str | None = start
        while current is not None and current not in finished and current not in chain:
            chain[current] = None
            current = parents.get(current)
        if current in chain:
            cycle = [*chain][[*chain].index(current) :]
            shown = " > ".join([*cycle[:8], *(["..."] if len(cycle) > 8 else []), cycle[0]])
            yield Problem(
                f"entities[{places[cycle[0]]}].parent", f"parents form a cycle ({shown}); break it."
            )
        finished.update(chain)


def _transform_problems(entities: list[Any]) -> Iterator[Problem]:
    for index, entity in enumerate(entities):
        transform = entity.get("transform") if isinstance(entity, dict) else None
        if not isinstance(transform, dict):
            continue
        path = f"entities[{index}].transform"
        rotation = _numbers(transform.get("rotation"), 4)
        length = math.hypot(*rotation) if rotation else 1.0
        if abs(length - 1.0) > ROTATION_TOLERANCE:
            yield Problem(
                f"{path}.rotation", f"is a quaternion of length {length:.4g}; normalise it to 1."
            )
        matrix = _numbers(transform.get("matrix"), 16)
        if matrix and math.dist(matrix[12:], (0, 0, 0, 1)) > LAST_ROW_TOLERANCE:
            yield Problem(f"{path}.matrix", "its last row (the last four numbers) must be 0 0 0 1.")


def _numbers(value: Any, count: int) -> list[float]:
    """Return `value` if it is a list of `count` numbers, [] otherwise."""
    if not isinstance(value, list) or len(value) != count:
        return []
    sound = all(type(item) in (float, int) and _all_fit_a_gpu(item) for item in value)
    return value if sound else []
