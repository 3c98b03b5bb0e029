"""Morph: an entity whose mesh is changed by its morph targets."""

from __future__ import annotations

from typing import Annotated, ClassVar

from ..fields import field_meta
from .base import Component


class Morph(Component, frozen=True):
    """How far each morph target (shape key) of the mesh is blended in."""

    key: ClassVar[str] = "morph"
    label: ClassVar[str] = "Morph"
    icon: ClassVar[str] = "SHAPEKEY_DATA"

    weights: Annotated[
        tuple[float, ...],
        field_meta(
            "Weights",
            "One for each target of the mesh; 0 leaves it out, 1 is all of it",
            derived=True,
        ),
    ] = ()
