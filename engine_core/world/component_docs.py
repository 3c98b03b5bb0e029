"""Reference of the components for people, generated from their classes: docs/components.md."""

from __future__ import annotations

import inspect
from typing import Any, get_args, get_origin

from msgspec import Struct

from ..assets.material import Material, TextureSlot
from .components import COMPONENT_TYPES, WORLD_COMPONENT_TYPES
from .entity import Entity, Transform
from .struct_fields import StructField, struct_fields

_HEAD = """\
# Components

What an entity, the world and a material can say, field by field. This page is generated from the
classes in `engine_core/world/components/`, `entity.py` and `engine_core/assets/material.py` by
`scripts/generate_docs.py`; change those instead. [level_format.md](level_format.md) says how they
stand in a file, and [level.schema.json](level.schema.json) says the same to programs.

Engine space is glTF's: metres, right-handed, Y up; lamps and cameras look along -Z. Colours are
linear RGB. A field that is left out has its default.
"""


def components_markdown() -> str:
    """Return the page as Markdown."""
    sections = [
        ("Entity", "", Entity),
        ("Transform", "entity key `transform`", Transform),
        *((t.__name__, f"entity key `{name}`", t) for name, t in COMPONENT_TYPES.items()),
        *((t.__name__, f"level key `{name}`", t) for name, t in WORLD_COMPONENT_TYPES.items()),
        ("Material", "level table `materials`", Material),
        ("TextureSlot", "material keys that end in `_texture`", TextureSlot),
    ]
    return _HEAD + "".join(_section(*section) for section in sections)


def _section(title: str, place: str, owner: type[Struct]) -> str:
    heading = f"{title} ({place})" if place else title
    rows = [
        "| field | type | range | default | meaning |",
        "| --- | --- | --- | --- | --- |",
        *(_row(field) for field in struct_fields(owner)),
    ]
    text = inspect.getdoc(owner) or ""
    return f"\n## {heading}\n\n{text}\n\n" + "\n".join(rows) + "\n"


def _row(field: StructField) -> str:
    meaning = field.description or _first_sentence(field.struct)
    cells = (f"`{field.name}`", _type_words(field), _range(field), _default(field), meaning)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _first_sentence(struct: type[Struct] | None) -> str:
    if struct is None:
        return ""
    return (inspect.getdoc(struct) or "").split("\n\n")[0].replace("\n", " ")


_PLAIN_WORDS = {float: "number", int: "whole number", str: "text", bool: "true or false"}


def _type_words(field: StructField) -> str:
    if field.choices:
        return ", ".join(f"`{choice}`" for choice in field.choices)
    if field.struct is not None:
        return field.struct.__name__
    if field.kind in ("entity", "mesh", "material", "image"):
        many = get_origin(field.base) is tuple
        return f"ids of {field.kind} assets" if many else f"id of {_a(field.kind)}"
    words = (
        _tuple_words(field.base) if get_origin(field.base) is tuple else _PLAIN_WORDS[field.base]
    )
    return f"{words} ({field.kind})" if field.kind else words


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def _tuple_words(base: Any) -> str:
    items = get_args(base)
    if items[-1] is Ellipsis:
        return f"any number of {_PLAIN_WORDS[items[0]]}s"
    return f"{len(items)} {_PLAIN_WORDS[items[0]]}s"


def _range(field: StructField) -> str:
    unit = "" if field.unit in ("", "factor") else f" {field.unit}"
    if field.ge is not None and field.le is not None:
        return f"{field.ge:g} to {field.le:g}{unit}"
    if field.ge is not None:
        return f"from {field.ge:g}{unit}"
    return unit.strip()


def _default(field: StructField) -> str:
    if field.required:
        return "required"
    value = field.default
    if value is None or value == ():
        return "none"
    if isinstance(value, Struct):
        return "all defaults"
    if isinstance(value, str):
        return f"`{value}`" if value else "empty"
    if isinstance(value, tuple):
        return ", ".join(f"{item:g}" for item in value)
    return str(value).lower() if isinstance(value, bool) else f"{value:g}"
