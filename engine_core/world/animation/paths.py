"""Which fields a clip can change: every number, vector of numbers and flag of the level's classes.

Found by the classes' own annotations, so that a new component can be animated without a line here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar, get_args, get_origin

from msgspec import Struct
from msgspec.structs import replace

from ...assets.material import Material
from ..components import LevelComponents
from ..entity import Entity
from ..struct_fields import StructField, struct_fields
from .clip import TargetKind

S = TypeVar("S", bound=Struct)

OWNERS: dict[TargetKind, type[Struct]] = {
    "entity": Entity,
    "material": Material,
    "level": LevelComponents,
}
ROTATION = "transform.rotation"
MATRIX = "transform.matrix"


@dataclass(frozen=True)
class Animatable:
    """A field that a clip can change: how many numbers (0: any), what kind, and their range."""

    width: int
    is_rotation: bool = False
    is_flag: bool = False
    is_vector: bool = False
    ge: float | None = None
    le: float | None = None

    def plain(self, values: Any) -> Any:
        """Return a row of numbers as the field's own type."""
        if self.is_flag:
            return bool(values[0] >= 0.5)
        return tuple(map(float, values)) if self.is_vector else float(values[0])


@cache
def animatable(kind: TargetKind, path: str) -> Animatable | None:
    """Return what field `path` of a target of `kind` is, None if no clip can change it."""
    owner: type[Struct] | None = OWNERS[kind]
    *outer, name = path.split(".")
    for part in outer:
        field = _field(owner, part)
        owner = None if field is None else field.struct
    field = _field(owner, name)
    if field is None:
        return None
    is_rotation = kind == "entity" and path == ROTATION
    if field.base is float:
        return Animatable(1, ge=field.ge, le=field.le)
    if field.base is bool:
        return Animatable(1, is_flag=True)
    items = get_args(field.base) if get_origin(field.base) is tuple else ()
    if not items or items[0] is not float:
        return None
    width = 0 if items[-1] is Ellipsis else len(items)
    return Animatable(width, is_rotation, is_vector=True, ge=field.ge, le=field.le)


def animatable_paths(kind: TargetKind) -> tuple[str, ...]:
    """Return every path of `kind` that a clip can change, in the order of the classes."""
    return tuple(_paths(OWNERS[kind], "", kind))


def read_path(owner: Any, path: str) -> Any:
    """Return the value at `path` of a struct, None where a part of the way is absent."""
    for part in path.split("."):
        owner = getattr(owner, part, None)
    return owner


def replaced(owner: S, changes: dict[str, Any]) -> S:
    """Return `owner` with the values at the paths of `changes`; absent parts stay absent."""
    direct: dict[str, Any] = {}
    nested: dict[str, dict[str, Any]] = {}
    for path, value in changes.items():
        first, _, rest = path.partition(".")
        if rest:
            nested.setdefault(first, {})[rest] = value
        else:
            direct[first] = value
    for name, inner in nested.items():
        part = getattr(owner, name)
        if part is not None:
            direct[name] = replaced(part, inner)
    return replace(owner, **direct)


def _paths(owner: type[Struct], prefix: str, kind: TargetKind) -> list[str]:
    found: list[str] = []
    for field in struct_fields(owner):
        path = f"{prefix}{field.name}"
        if field.struct is not None:
            found += _paths(field.struct, f"{path}.", kind)
        elif animatable(kind, path) is not None:
            found.append(path)
    return found


def _field(owner: type[Struct] | None, name: str) -> StructField | None:
    if owner is None:
        return None
    return next((field for field in struct_fields(owner) if field.name == name), None)
