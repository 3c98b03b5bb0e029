"""How a component field says what it means: unit, range, title, tooltip, all in one annotation.

From these annotations come the Blender property, the JSON Schema, the check of a file and the
documentation; nothing about a field is written a second time.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

Vec2 = tuple[float, float]
Vec3 = tuple[float, float, float]
Vec4 = tuple[float, float, float, float]


def field_meta(
    title: str,
    description: str,
    *,
    ge: float | None = None,
    le: float | None = None,
    unit: str = "",
    soft_max: float | None = None,
    kind: str = "",
    derived: bool = False,
    when: tuple[str, tuple[Any, ...]] | None = None,
) -> Meta:
    """Meta of one component field.

    `ge`/`le` are inclusive hard limits, `soft_max` is where a slider ends, `unit` is one of
    "m", "rad", "rad/s", "W", "px", "s", "factor" or "", and `kind` names what the value stands for:
    "color" (linear RGB); "point", "direction" or "size" (along the axes, in engine space); or the
    id of an "entity", "mesh", "material" or "image", which has to exist in the level. `derived`
    says that a host makes the value from data of its own, so that no panel offers it; `when` names
    another field of the same class and the values of it for which this one has a meaning.
    """
    extra: dict[str, Any] = {}
    # Only what is said: a later Meta of the same field overrides an earlier one (Factor's unit).
    for name, value in (
        ("unit", unit),
        ("kind", kind),
        ("soft_max", soft_max),
        ("derived", derived),
        ("when", when),
    ):
        if value not in ("", None, False):
            extra[name] = value
    return Meta(
        title=title,
        description=description,
        ge=ge,
        le=le,
        extra=extra,
        extra_json_schema={"x-unit": unit} if unit else None,
    )


Factor = Annotated[float, Meta(ge=0.0, le=1.0, extra={"unit": "factor"})]
LinearColor = Annotated[Vec3, Meta(extra={"kind": "color"})]
