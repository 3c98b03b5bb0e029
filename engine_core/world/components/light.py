"""LightComponent: an entity that shines."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from ..fields import Factor, LinearColor, Vec2, field_meta
from .base import Component, Owner


class LightComponent(Component, frozen=True):
    """A lamp; it shines along its local -Z axis (sun, spot, area)."""

    key: ClassVar[str] = "light"
    owner: ClassVar[Owner] = "light"
    label: ClassVar[str] = "Light"
    icon: ClassVar[str] = "LIGHT"

    kind: Annotated[
        Literal["sun", "point", "spot", "area"],
        field_meta("Type", "What shape the light has", derived=True),
    ] = "point"
    color: Annotated[LinearColor, field_meta("Color", "Linear RGB", kind="color", derived=True)] = (
        1.0,
        1.0,
        1.0,
    )
    strength: Annotated[
        float,
        field_meta(
            "Strength",
            "Sun: radiance of a white floor facing it. Point, spot: the same at 1 m. "
            "Area: the radiance of its surface, scaled by the engine's pi convention",
            ge=0.0,
            soft_max=100.0,
            derived=True,
        ),
    ] = 1.0
    specular_factor: Annotated[
        float,
        field_meta("Specular", "Multiplies the highlight only", ge=0.0, soft_max=1.0, derived=True),
    ] = 1.0
    diffuse_factor: Annotated[
        float,
        field_meta(
            "Diffuse", "Multiplies the diffuse part only", ge=0.0, soft_max=1.0, derived=True
        ),
    ] = 1.0
    range: Annotated[
        float,
        field_meta(
            "Range",
            "Where the light has faded to zero; 0 is no limit",
            ge=0.0,
            unit="m",
            derived=True,
        ),
    ] = 0.0
    radius: Annotated[
        float,
        field_meta(
            "Radius",
            "Radius of the sphere that emits (point, spot)",
            ge=0.0,
            unit="m",
            derived=True,
        ),
    ] = 0.0
    angle: Annotated[
        float,
        field_meta(
            "Angle", "Angular diameter of the sun", ge=0.0, le=3.1416, unit="rad", derived=True
        ),
    ] = 0.0
    spot_angle: Annotated[
        float,
        field_meta(
            "Cone", "Full outer angle of the cone", ge=0.0, le=3.1416, unit="rad", derived=True
        ),
    ] = 0.785398
    spot_blend: Annotated[
        Factor,
        field_meta("Blend", "Softness of the cone's edge, as Blender means it", derived=True),
    ] = 0.15
    area_shape: Annotated[
        Literal["rectangle", "ellipse"],
        field_meta("Shape", "Shape of the area light", derived=True),
    ] = "rectangle"
    area_size: Annotated[
        Vec2, field_meta("Size", "Width (local X) and height (local Y)", unit="m", derived=True)
    ] = (1.0, 1.0)
    area_spread: Annotated[
        float,
        field_meta(
            "Spread",
            "Full angle into which the area shines",
            ge=0.0,
            le=3.1416,
            unit="rad",
            derived=True,
        ),
    ] = 3.1416
    casts_shadow: Annotated[
        bool, field_meta("Cast Shadow", "Objects cast shadows in it", derived=True)
    ] = True
    importance: Annotated[
        float,
        field_meta(
            "Importance",
            "Where a frame has more lights than fit, the weakest are left out; this multiplies "
            "how strong it counts there, not how bright it is",
            ge=0.0,
            soft_max=10.0,
        ),
    ] = 1.0
