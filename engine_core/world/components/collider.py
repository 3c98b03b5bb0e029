"""Collider: what an entity is to those who walk into it."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from ..fields import Factor, Vec3, field_meta
from .base import Component


class Collider(Component, frozen=True):
    """A solid, or a zone that notices who is in it, in the entity's space.

    A box is `size` along the local axes; a capsule stands along the local Y axis of the engine,
    which is Blender's Z, and `height` counts its round ends. A mesh collides as it is drawn.
    """

    key: ClassVar[str] = "collider"
    label: ClassVar[str] = "Collider"
    icon: ClassVar[str] = "PHYSICS"
    addable: ClassVar[bool] = True

    shape: Annotated[
        Literal["box", "sphere", "capsule", "mesh", "none"],
        field_meta("Shape", "What is solid; none lets everything through"),
    ] = "box"
    center: Annotated[
        Vec3,
        field_meta(
            "Center",
            "Middle of the shape in the object's space",
            unit="m",
            kind="point",
            when=("shape", ("box", "sphere", "capsule")),
        ),
    ] = (0.0, 0.0, 0.0)
    size: Annotated[
        Vec3,
        field_meta(
            "Size",
            "Full size along the local axes; signs mean nothing",
            unit="m",
            kind="size",
            when=("shape", ("box",)),
        ),
    ] = (2.0, 2.0, 2.0)
    radius: Annotated[
        float,
        field_meta(
            "Radius",
            "Of the sphere, or of the capsule's round ends",
            ge=0.0,
            soft_max=100.0,
            unit="m",
            when=("shape", ("sphere", "capsule")),
        ),
    ] = 1.0
    height: Annotated[
        float,
        field_meta(
            "Height",
            "From end to end; less than twice the radius is a sphere",
            ge=0.0,
            soft_max=100.0,
            unit="m",
            when=("shape", ("capsule",)),
        ),
    ] = 2.0
    trigger: Annotated[
        bool, field_meta("Trigger", "Notices who is inside and lets them through")
    ] = False
    friction: Annotated[
        float,
        field_meta(
            "Friction", "0 is ice; how much it holds what slides on it", ge=0.0, soft_max=1.0
        ),
    ] = 0.5
    restitution: Annotated[
        Factor, field_meta("Restitution", "0 swallows a bounce, 1 gives all of it back")
    ] = 0.0
