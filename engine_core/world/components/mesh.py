"""MeshComponent: an entity that is drawn."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from ..fields import field_meta
from .base import Component


class MeshComponent(Component, frozen=True):
    """Draws a mesh asset with one material per primitive slot."""

    key: ClassVar[str] = "mesh"
    label: ClassVar[str] = "Mesh"
    icon: ClassVar[str] = "MESH_DATA"

    mesh: Annotated[str, field_meta("Mesh", "Id of the mesh asset", kind="mesh", derived=True)] = ""
    materials: Annotated[
        tuple[str, ...],
        field_meta(
            "Materials",
            "Material id of each slot; '' is the default",
            kind="material",
            derived=True,
        ),
    ] = ()
    casts_shadow: Annotated[
        bool, field_meta("Cast Shadow", "Draws into the shadow maps of lights", derived=True)
    ] = True
    receives_shadow: Annotated[
        bool, field_meta("Receive Shadow", "Is darkened by the shadows of others")
    ] = True
    visible_to_camera: Annotated[
        bool, field_meta("Visible to Camera", "Off: only its shadow is drawn", derived=True)
    ] = True
    glow: Annotated[
        float,
        field_meta(
            "Glow", "Times its own base colour that it adds as light", ge=0.0, soft_max=10.0
        ),
    ] = 0.0
    sides: Annotated[
        Literal["material", "double", "single"],
        field_meta("Sides", "Which faces are drawn: as its materials say, both sides, or fronts"),
    ] = "material"
