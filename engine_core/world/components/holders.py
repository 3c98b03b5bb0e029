"""What carries components: the part of an entity, and of a level's document, that is components."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeVar

from msgspec import Struct

from ..fields import field_meta
from .base import Component
from .camera import CameraComponent
from .environment import Environment
from .light import LightComponent
from .mesh import MeshComponent
from .registry import COMPONENT_TYPES, WORLD_COMPONENT_TYPES, extended
from .render_settings import RenderSettings

C = TypeVar("C", bound=Component)


class KnownEntityComponents(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """The components that an entity can carry, at most one of each.

    Only those that the engine's own code reads by attribute have a line; the others are added from
    the registry and read by `get`.
    """

    mesh: MeshComponent | None = None
    light: LightComponent | None = None
    camera: CameraComponent | None = None

    def get(self, kind: type[C]) -> C | None:
        """Return the component of class `kind`, None if there is none."""
        return getattr(self, kind.key)


class KnownLevelComponents(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """The components of a level; each is always there. Lines and registry as for an entity's."""

    environment: Annotated[Environment, field_meta("Environment", "Light from everywhere")] = (
        Environment()
    )
    render: Annotated[RenderSettings, field_meta("Render", "How the frame is drawn")] = (
        RenderSettings()
    )


if TYPE_CHECKING:
    EntityComponents = KnownEntityComponents
    LevelComponents = KnownLevelComponents
else:
    EntityComponents = extended(KnownEntityComponents, COMPONENT_TYPES, __name__)
    LevelComponents = extended(KnownLevelComponents, WORLD_COMPONENT_TYPES, __name__)
