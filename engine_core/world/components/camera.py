"""CameraComponent: an entity that looks."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from ..fields import Vec2, field_meta
from .base import Component, Owner


class CameraComponent(Component, frozen=True):
    """A camera; it looks along its local -Z axis with +Y up."""

    key: ClassVar[str] = "camera"
    owner: ClassVar[Owner] = "camera"
    label: ClassVar[str] = "Camera"
    icon: ClassVar[str] = "CAMERA_DATA"

    projection: Annotated[
        Literal["perspective", "orthographic"],
        field_meta("Projection", "How depth is projected", derived=True),
    ] = "perspective"
    fit: Annotated[
        Literal["auto", "horizontal", "vertical"],
        field_meta(
            "Fit",
            "Which side of the picture `fov` or `ortho_scale` spans; auto: longer",
            derived=True,
        ),
    ] = "auto"
    fov: Annotated[
        float,
        field_meta(
            "Field of View",
            "Full angle across the fitted side",
            ge=1e-5,
            le=3.1405,
            unit="rad",
            derived=True,
        ),
    ] = 0.8727
    ortho_scale: Annotated[
        float, field_meta("Scale", "Metres across the fitted side", ge=1e-7, unit="m", derived=True)
    ] = 6.0
    shift: Annotated[
        Vec2,
        field_meta(
            "Shift", "Lens shift in fractions of the fitted side (X right, Y up)", derived=True
        ),
    ] = (0.0, 0.0)
    near: Annotated[
        float, field_meta("Clip Start", "Near plane", ge=1e-7, unit="m", derived=True)
    ] = 0.1
    far: Annotated[float, field_meta("Clip End", "Far plane", ge=1e-6, unit="m", derived=True)] = (
        1000.0
    )
    exposure: Annotated[
        float,
        field_meta(
            "Exposure", "Stops added to the level's while this camera looks", ge=-32.0, le=32.0
        ),
    ] = 0.0
