"""Environment: the light from everywhere."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from ..fields import LinearColor, Vec4, field_meta
from .base import Component, Owner


class Environment(Component, frozen=True):
    """Light from everywhere: what is behind the scene, and what it adds to every surface."""

    key: ClassVar[str] = "environment"
    owner: ClassVar[Owner] = "environment"
    label: ClassVar[str] = "Surroundings"
    icon: ClassVar[str] = "WORLD"

    kind: Annotated[
        Literal["color", "hemisphere", "sky", "image"],
        field_meta(
            "Type",
            "One colour, a gradient from ground to sky, a sky with a sun, or a panorama",
            derived=True,
        ),
    ] = "color"
    sky_color: Annotated[
        LinearColor, field_meta("Sky", "From above (or from everywhere)", derived=True)
    ] = (
        0.05,
        0.05,
        0.05,
    )
    ground_color: Annotated[LinearColor, field_meta("Ground", "From below", derived=True)] = (
        0.05,
        0.05,
        0.05,
    )
    strength: Annotated[
        float, field_meta("Strength", "Multiplies the light", ge=0.0, soft_max=10.0, derived=True)
    ] = 1.0
    sun_direction: Annotated[
        tuple[float, float, float],
        field_meta("Sun Direction", "Towards the sun, engine space; kind 'sky'", derived=True),
    ] = (0.0, 1.0, 0.0)
    sun_size: Annotated[
        float,
        field_meta(
            "Sun Size",
            "Angular diameter of the disc in the sky; 0: no disc",
            ge=0.0,
            le=1.5708,
            unit="rad",
            derived=True,
        ),
    ] = 0.009512
    sun_intensity: Annotated[
        float, field_meta("Sun Intensity", "Brightness of the disc", ge=0.0, derived=True)
    ] = 1.0
    turbidity: Annotated[
        float, field_meta("Turbidity", "Haze of the air", ge=1.0, le=10.0, derived=True)
    ] = 2.2
    image: Annotated[
        str,
        field_meta(
            "Image",
            "Panorama of the whole sphere (equirectangular); its middle looks along +X, its top up",
            kind="image",
            derived=True,
            when=("kind", ("image",)),
        ),
    ] = ""
    rotation: Annotated[
        Vec4,
        field_meta(
            "Rotation",
            "Quaternion x y z w that turns the panorama in the level",
            derived=True,
            when=("kind", ("image",)),
        ),
    ] = (0.0, 0.0, 0.0, 1.0)
    tint: Annotated[LinearColor, field_meta("Tint", "Multiplies the light", derived=True)] = (
        1.0,
        1.0,
        1.0,
    )
    visible: Annotated[bool, field_meta("Visible", "The camera sees it", derived=True)] = True
    background: Annotated[
        Literal["same", "scaled", "color"],
        field_meta(
            "Background",
            "What the camera sees: what lights the level; the same without its strength and tint,"
            " times the background's colour; that colour alone",
            derived=True,
        ),
    ] = "same"
    background_color: Annotated[
        LinearColor,
        field_meta(
            "Background Color",
            "What the camera sees, or what multiplies it",
            derived=True,
            when=("background", ("scaled", "color")),
        ),
    ] = (1.0, 1.0, 1.0)
    ambient: Annotated[
        float,
        field_meta(
            "Ambient",
            "Multiplies what the surroundings add to surfaces, not how they look themselves",
            ge=0.0,
            soft_max=2.0,
        ),
    ] = 1.0
