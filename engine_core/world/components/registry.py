"""Which components there are: every class with a `key` in the modules of this package.

Nothing else has to be told about a new one. Its file, schema, docs, Blender properties and panels
all start from these tables.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import Annotated, Any

import msgspec
from msgspec import Struct

from ..fields import field_meta
from .base import ENTITY_OWNERS, LEVEL_OWNERS, Component

_FIRST = ("mesh", "light", "camera", "environment", "render")
"""Come first wherever components are listed; the others follow by their keys."""

_TAKEN = frozenset({"id", "name", "parent", "transform", "format", "version", "active_camera"})
_TABLES = frozenset({"entities", "images", "materials", "meshes", "components"})
"""Names that stand beside components on an entity or in a level."""


def _find() -> dict[str, type[Component]]:
    package = __name__.rpartition(".")[0]
    folders = importlib.import_module(package).__path__
    found: dict[str, type[Component]] = {}
    for name in sorted(info.name for info in pkgutil.iter_modules(folders)):
        module = importlib.import_module(f"{package}.{name}")
        for kind in vars(module).values():
            if _is_component(kind) and kind.__module__ == module.__name__:
                _check(kind, found)
                found[kind.key] = kind
    return {key: found[key] for key in sorted(found, key=_order)}


def _is_component(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Component) and bool(kind.key)


def _check(kind: type[Component], found: dict[str, type[Component]]) -> None:
    where = f"{kind.__module__}.{kind.__name__}"
    if kind.key in found:
        raise TypeError(f"{where} has the key '{kind.key}' of {found[kind.key].__module__}.")
    if not kind.key.isidentifier() or kind.key in _TAKEN | _TABLES:
        raise TypeError(f"{where}: '{kind.key}' cannot be the key of a component.")
    if kind.owner not in ENTITY_OWNERS + LEVEL_OWNERS:
        raise TypeError(f"{where}: '{kind.owner}' owns no components.")


def _order(key: str) -> tuple[int, str]:
    return (_FIRST.index(key) if key in _FIRST else len(_FIRST), key)


ALL_TYPES: dict[str, type[Component]] = _find()
"""Every component by its key."""

COMPONENT_TYPES: dict[str, type[Component]] = {
    key: kind for key, kind in ALL_TYPES.items() if kind.owner in ENTITY_OWNERS
}
"""Components of an entity by the name they have on `Entity` and in `.fyn` files."""

WORLD_COMPONENT_TYPES: dict[str, type[Component]] = {
    key: kind for key, kind in ALL_TYPES.items() if kind.owner in LEVEL_OWNERS
}
"""Components of the level itself, by the name they have in `.fyn` files."""


def extended(base: type[Struct], types: dict[str, type[Component]], module: str) -> type[Struct]:
    """Return `base` with a field for each of `types` that it lacks, under its own name.

    Those of an entity are absent by default; those of a level have all their defaults.
    """
    fields: list[tuple[str, Any, Any]] = []
    for key, kind in types.items():
        if key in base.__struct_fields__:
            continue
        meta = field_meta(kind.label, (kind.__doc__ or "").split("\n")[0])
        if kind.owner in ENTITY_OWNERS:
            fields.append((key, kind | None, None))
        else:
            fields.append((key, Annotated[kind, meta], kind()))
    return msgspec.defstruct(
        base.__name__.removeprefix("Known"),
        fields,
        bases=(base,),
        module=module,
        frozen=True,
        kw_only=True,
        forbid_unknown_fields=True,
        omit_defaults=True,
    )
