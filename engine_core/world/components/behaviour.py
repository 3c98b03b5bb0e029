"""Behaviour: what an entity does by itself while the game runs."""

from __future__ import annotations

from typing import Annotated, ClassVar

from ..fields import Factor, Vec3, field_meta
from .base import Component


class Behaviour(Component, frozen=True):
    """Turning, bobbing and being collected, without a script.

    A spin of 0 and a bob of 0 stand still; both go on from where the entity was placed.
    """

    key: ClassVar[str] = "behaviour"
    label: ClassVar[str] = "Behaviour"
    icon: ClassVar[str] = "DRIVER"
    addable: ClassVar[bool] = True

    spin_speed: Annotated[
        float,
        field_meta("Spin per Second", "How far it turns in a second; 0 stands still", unit="rad/s"),
    ] = 0.0
    spin_axis: Annotated[
        Vec3,
        field_meta("Spin Axis", "Local axis round which it turns; any length", kind="direction"),
    ] = (0.0, 1.0, 0.0)
    bob_height: Annotated[
        float,
        field_meta(
            "Bob",
            "How far it rises above and sinks below its place",
            ge=0.0,
            soft_max=10.0,
            unit="m",
        ),
    ] = 0.0
    bob_period: Annotated[
        float, field_meta("Bob Period", "Time of one rise and fall", ge=0.01, unit="s")
    ] = 2.0
    bob_phase: Annotated[
        Factor, field_meta("Bob Phase", "Part of the period that it is ahead of others")
    ] = 0.0
    collectible: Annotated[bool, field_meta("Collectible", "A player who comes near takes it")] = (
        False
    )
    value: Annotated[
        int,
        field_meta("Value", "Added to the score when it is taken", when=("collectible", (True,))),
    ] = 1
    reach: Annotated[
        float,
        field_meta(
            "Reach",
            "How near a player has to come",
            ge=0.0,
            soft_max=10.0,
            unit="m",
            when=("collectible", (True,)),
        ),
    ] = 1.0
    respawn_time: Annotated[
        float,
        field_meta(
            "Respawn",
            "Time after which it is back once taken; 0 is never",
            ge=0.0,
            unit="s",
            when=("collectible", (True,)),
        ),
    ] = 0.0
