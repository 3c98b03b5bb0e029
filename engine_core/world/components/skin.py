"""Skin: an entity whose mesh follows joints."""

from __future__ import annotations

from typing import Annotated, ClassVar

from ..fields import field_meta
from .base import Component


class Skin(Component, frozen=True):
    """Bends a mesh by joints: the weights and rest places of the joints are in the mesh asset.

    A point p of the mesh is drawn at the weighted mean over joints of joint * inverse bind *
    inverse of armature * mesh * p, each the world matrix of that entity.
    """

    key: ClassVar[str] = "skin"
    label: ClassVar[str] = "Skin"
    icon: ClassVar[str] = "ARMATURE_DATA"

    armature: Annotated[
        str,
        field_meta(
            "Armature",
            "Entity in whose space the joints rest",
            kind="entity",
            derived=True,
        ),
    ] = ""
    joints: Annotated[
        tuple[str, ...],
        field_meta(
            "Joints", "Entity of each joint, in the mesh's order", kind="entity", derived=True
        ),
    ] = ()
