"""What the fields of a component class say about themselves, read from its annotations.

Everything generated (file check, JSON Schema, docs, Blender properties) starts from this table.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec import Meta, Struct

MISSING = msgspec.NODEFAULT
"""Default of a field that has to be given."""

REFERENCE_KINDS = ("entity", "mesh", "material", "image")
"""Values of `StructField.kind` that mean: this is the id of such a thing in the same level."""


@dataclass(frozen=True)
class StructField:
    """One field of a struct.

    `annotation` is the type as written, for msgspec. `base` is what remains of it without `None`
    and `Annotated`: float, int, bool, str, a tuple type, a Literal or a Struct class; `choices`
    are the values of a Literal in the order in which they are written. The others are the
    arguments of `fields.field_meta`.
    """

    name: str
    annotation: Any
    base: Any
    default: Any
    optional: bool
    choices: tuple[Any, ...] = ()
    title: str = ""
    description: str = ""
    unit: str = ""
    kind: str = ""
    ge: float | None = None
    le: float | None = None
    soft_max: float | None = None
    derived: bool = False
    when: tuple[str, tuple[Any, ...]] | None = None

    @property
    def required(self) -> bool:
        """Whether the field has to be given."""
        return self.default is MISSING

    @property
    def struct(self) -> type[Struct] | None:
        """The class of a nested struct, None for plain values."""
        return self.base if isinstance(self.base, type) and issubclass(self.base, Struct) else None


@cache
def struct_fields(owner: type[Struct]) -> tuple[StructField, ...]:
    """Return the fields of a struct class in the order in which they are written."""
    return tuple(_describe(field) for field in msgspec.structs.fields(owner))


def references(plain: Mapping[str, Any], owner: type[Struct]) -> Iterator[tuple[str, str, str]]:
    """Yield (path, kind, id) of everything that a struct refers to by id.

    `plain` is the struct as a file holds it, of class `owner`; what has the wrong type is passed
    over. Paths look like `mesh.materials[2]`; empty ids mean no reference and are left out.
    """
    for path, kind in _reference_plan(owner):
        found: Any = plain
        for name in path:
            found = found.get(name) if isinstance(found, Mapping) else None
        if not found:
            continue
        where = ".".join(path)
        if isinstance(found, str):
            yield where, kind, found
        elif isinstance(found, list):
            for index, item in enumerate(found):
                if item and isinstance(item, str):
                    yield f"{where}[{index}]", kind, item


@cache
def _reference_plan(owner: type[Struct]) -> tuple[tuple[tuple[str, ...], str], ...]:
    """(path, kind) of the fields of `owner`, however deep, that hold ids."""
    plan: list[tuple[tuple[str, ...], str]] = []
    for field in struct_fields(owner):
        if field.struct is not None:
            plan += [((field.name, *path), kind) for path, kind in _reference_plan(field.struct)]
        elif field.kind in REFERENCE_KINDS:
            plan.append(((field.name,), field.kind))
    return tuple(plan)


def _describe(field: msgspec.structs.FieldInfo) -> StructField:
    metas: list[Meta] = []
    base, optional = _unwrap(field.type, metas)
    extra: dict[str, Any] = {}
    for meta in metas:
        extra.update(meta.extra or {})
    return StructField(
        name=field.name,
        annotation=field.type,
        base=base,
        default=field.default,
        optional=optional,
        choices=get_args(base) if get_origin(base) is Literal else (),
        title=_last(metas, "title") or "",
        description=_last(metas, "description") or "",
        unit=extra.get("unit", ""),
        kind=extra.get("kind", ""),
        ge=_last(metas, "ge"),
        le=_last(metas, "le"),
        soft_max=extra.get("soft_max"),
        derived=extra.get("derived", False),
        when=extra.get("when"),
    )


def _unwrap(annotation: Any, metas: list[Meta]) -> tuple[Any, bool]:
    """Return (bare type, whether None is allowed); append what was stripped, innermost first."""
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *notes = get_args(annotation)
        result = _unwrap(inner, metas)
        metas += [note for note in notes if isinstance(note, Meta)]
        return result
    if origin in (Union, types.UnionType):
        members = [member for member in get_args(annotation) if member is not type(None)]
        if len(members) == 1:
            return _unwrap(members[0], metas)[0], True
    return annotation, False


def _last(metas: list[Meta], name: str) -> Any:
    """A later Meta overrides an earlier one, as it does in msgspec."""
    return next((v for meta in reversed(metas) if (v := getattr(meta, name)) is not None), None)
