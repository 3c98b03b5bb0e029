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
) -> Meta:
    """Meta of one component field.

    `ge`/`le` are inclusive hard limits, `soft_max` is where a slider ends, `unit` is one of
    "m", "rad", "W", "px", "s", "factor" or "", and `kind` names what the value stands for:
    "color" (linear RGB), or the id of an "entity", "mesh", "material" or "image", which has to
    exist in the level.
    """
    extra: dict[str, Any] = {}
    # Only what is said: a later Meta of the same field overrides an earlier one (Factor's unit).
    for name, value in (("unit", unit), ("kind", kind), ("soft_max", soft_max)):
        if value not in ("", None):
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
