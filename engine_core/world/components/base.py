"""Component: the base class of everything that an entity, or the level itself, can carry."""

from __future__ import annotations

from typing import ClassVar, Literal

from msgspec import Struct

Owner = Literal["entity", "light", "camera", "environment", "level"]
"""Whose a component is: an entity's; a lamp's or a camera's, which several entities may show; the
surroundings', which several levels may share; the level's. The first three stand on entities in a
file, the others at the top of it."""

ENTITY_OWNERS: tuple[Owner, ...] = ("entity", "light", "camera")
LEVEL_OWNERS: tuple[Owner, ...] = ("environment", "level")


class Component(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of all components; equality is by value.

    A component is one class in a module of this package and nothing else: the registry finds it by
    its `key`. `label` and `icon` (one of Blender's names) are what panels show; `addable` says that
    the user adds it, otherwise it is there wherever it has a meaning. One of the level is always
    there, so its defaults must change nothing.
    """

    key: ClassVar[str] = ""
    """The name it has on `Entity`, in panels' data and in `.fyn` files; an identifier."""
    owner: ClassVar[Owner] = "entity"
    label: ClassVar[str] = ""
    icon: ClassVar[str] = "DOT"
    addable: ClassVar[bool] = False
