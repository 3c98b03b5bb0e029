"""Property groups made from component classes: one of a component, one of all that an owner has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import bpy
from bpy import props

from ...engine_core.world.components import Component, Owner
from ...engine_core.world.level_document import VERSION
from ...engine_core.world.struct_fields import StructField
from .fields import AXES, authored_fields, choice_name, choice_number, sort_of, to_blender
from .homes import PROPERTY, components_of

ADDED = "is_added"
SCHEMA = "schema"
"""Of an owner's group: the version of the level format whose fields its values are."""
LIST_OF = {"words": "FynWord", "objects": "FynObjectReference"}

_OVERRIDABLE: Any = {"LIBRARY_OVERRIDABLE"}
_SUBTYPE_OF_UNIT: dict[str, dict[str, Any]] = {
    "m": {"subtype": "DISTANCE", "unit": "LENGTH"},
    "rad": {"subtype": "ANGLE", "unit": "ROTATION"},
    "rad/s": {"subtype": "ANGLE", "unit": "ROTATION"},  # Blender has no unit of angle over time
    "s": {"subtype": "TIME_ABSOLUTE", "unit": "TIME_ABSOLUTE"},
    "factor": {"subtype": "FACTOR"},
    "W": {"subtype": "POWER", "unit": "POWER"},
    "px": {"subtype": "PIXEL"},
}
_SUBTYPE_OF_KIND: dict[str, dict[str, Any]] = {
    "color": {"subtype": "COLOR"},
    "point": {"subtype": "TRANSLATION"},
    "direction": {"subtype": "XYZ"},
    "size": {"subtype": "XYZ_LENGTH"},
}
_UNIT_WORDS = {
    "m": "a length",
    "rad": "an angle",
    "rad/s": "an angle a second",
    "s": "seconds",
    "factor": "from 0 to 1",
    "W": "watts",
    "px": "pixels",
}


def tag_owner(group: Any, _context: Any) -> None:
    """Tell Blender that the datablock of a changed property has changed.

    Only its own user interface does so by itself, for properties that add-ons made. The version
    that the values are of is noted at once, since they may be saved by a Blender without Fyn.
    """
    datablock = group.id_data
    mark_schema(datablock)
    if isinstance(datablock, bpy.types.Object):
        datablock.update_tag(refresh={"OBJECT"})
    else:
        datablock.update_tag()


def mark_schema(datablock: Any) -> None:
    """Note that the values of a datablock are of the present version."""
    groups = getattr(datablock, PROPERTY)
    if getattr(groups, SCHEMA) < VERSION:
        setattr(groups, SCHEMA, VERSION)


class FynWord(bpy.types.PropertyGroup):
    """One word of a list."""

    word: props.StringProperty(  # type: ignore[valid-type]
        name="Word", description="One word", override=_OVERRIDABLE, update=tag_owner
    )


class FynObjectReference(bpy.types.PropertyGroup):
    """One object of a list."""

    object: props.PointerProperty(  # type: ignore[valid-type]
        name="Object", type=bpy.types.Object, override=_OVERRIDABLE, update=tag_owner
    )


LIST_ITEMS = (FynWord, FynObjectReference)
"""What list properties hold; registered before all other groups."""


def component_group(kind: type[Component]) -> type:
    """Return the property group of one component: whether it was added, and its fields."""
    annotations: dict[str, Any] = {
        ADDED: props.BoolProperty(
            name=f"{kind.label} Added",
            description="Whether it has this component",
            override=_OVERRIDABLE,
            update=tag_owner,
        )
    }
    for field in authored_fields(kind):
        _check_name(kind, field.name)
        annotations[field.name] = _property_of(kind, field)
    return type(
        f"Fyn{kind.__name__}",
        (bpy.types.PropertyGroup,),
        {"__annotations__": annotations, "__doc__": kind.__doc__, "__module__": __name__},
    )


def owner_group(owner: Owner, groups: dict[str, type]) -> type:
    """Return the group of everything that one kind of datablock holds."""
    annotations: dict[str, Any] = {
        SCHEMA: props.IntProperty(
            name="Schema", description="Version of the values", options={"HIDDEN"}
        )
    }
    for key in components_of(owner):
        annotations[key] = props.PointerProperty(type=groups[key], override=_OVERRIDABLE)
    return type(
        f"Fyn{owner.title()}Components",
        (bpy.types.PropertyGroup,),
        {"__annotations__": annotations, "__module__": __name__},
    )


def tooltip(field: StructField) -> str:
    """Return what a property says when pointed at: meaning and unit, without a last full stop."""
    words = _UNIT_WORDS.get(field.unit)
    text = field.description.rstrip(".")
    return f"{text} ({words})" if words else text


def _check_name(kind: type[Component], name: str) -> None:
    if name == ADDED or hasattr(bpy.types.PropertyGroup, name):
        raise TypeError(f"{kind.__name__}.{name}: Blender's property groups use that name.")


def _property_of(kind: type[Component], field: StructField) -> Any:
    sort = sort_of(field)
    common: dict[str, Any] = {
        "name": field.title,
        "description": tooltip(field),
        "override": _OVERRIDABLE,
    }
    if sort in LIST_OF:
        item = next(item for item in LIST_ITEMS if item.__name__ == LIST_OF[sort])
        common["override"] = {"LIBRARY_OVERRIDABLE", "USE_INSERTION"}
        return props.CollectionProperty(type=item, **common)
    common["update"] = tag_owner
    if sort == "object":
        return props.PointerProperty(type=bpy.types.Object, **common)
    if field.required:
        raise TypeError(f"{kind.__name__}.{field.name} needs a default to be offered in Blender.")
    common["default"] = to_blender(field, field.default, keeps_local_axes=False)
    return _MAKERS[sort](field, common)


def _number(field: StructField, common: dict[str, Any]) -> Any:
    return props.FloatProperty(
        **common, **_limits(field), **_SUBTYPE_OF_UNIT.get(field.unit, {}), step=10
    )


def _whole(field: StructField, common: dict[str, Any]) -> Any:
    subtype: dict[str, Any] = {"subtype": "PIXEL"} if field.unit == "px" else {}
    limits: dict[str, Any] = {name: int(value) for name, value in _limits(field).items()}
    return props.IntProperty(**common, **limits, **subtype)


def _vector(field: StructField, common: dict[str, Any]) -> Any:
    more: dict[str, Any] = dict(_SUBTYPE_OF_KIND.get(field.kind, {}))
    if field.unit == "m" and field.kind in (*AXES, ""):
        more["unit"] = "LENGTH"
    if field.kind == "color":
        more.update(min=0.0, soft_max=1.0)
    return props.FloatVectorProperty(**common, **more, size=len(get_args(field.base)))


def _choice(field: StructField, common: dict[str, Any]) -> Any:
    items = [
        (choice_name(value), choice_title(value), "", "", choice_number(value))
        for value in field.choices
    ]
    if len({item[-1] for item in items}) != len(items):
        raise TypeError(f"Two choices of '{field.name}' get the same number; rename one.")
    return props.EnumProperty(**common, items=items)


def choice_title(value: Any) -> str:
    """Return one choice as a menu shows it: "smith_schlick" is "Smith Schlick"."""
    return str(value).replace("_", " ").title()


def _limits(field: StructField) -> dict[str, Any]:
    limits: dict[str, float | None] = {
        "min": field.ge,
        "max": field.le,
        "soft_max": field.soft_max,
    }
    return {name: value for name, value in limits.items() if value is not None}


_MAKERS: dict[str, Callable[[StructField, dict[str, Any]], Any]] = {
    "number": _number,
    "whole": _whole,
    "flag": lambda _field, common: props.BoolProperty(**common),
    "text": lambda _field, common: props.StringProperty(**common),
    "choice": _choice,
    "vector": _vector,
}
