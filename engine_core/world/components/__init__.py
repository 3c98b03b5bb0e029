"""The components an entity or a level can carry: typed, frozen, and self-describing.

A component is one class in a module here and nothing else: panels, `.fyn` files, JSON Schema and
docs are generated from it. Light follows the engine's convention (the whole BRDF scaled by pi): a
sun of strength 1 lights a white floor to 1.
"""

from __future__ import annotations

from .base import ENTITY_OWNERS, LEVEL_OWNERS, Component, Owner
from .behaviour import Behaviour
from .camera import CameraComponent
from .collider import Collider
from .environment import Environment
from .holders import EntityComponents, LevelComponents
from .light import LightComponent
from .mesh import MeshComponent
from .registry import ALL_TYPES, COMPONENT_TYPES, WORLD_COMPONENT_TYPES
from .render_settings import RenderSettings
from .tags import Tags

__all__ = [
    "ALL_TYPES",
    "COMPONENT_TYPES",
    "ENTITY_OWNERS",
    "LEVEL_OWNERS",
    "WORLD_COMPONENT_TYPES",
    "Behaviour",
    "CameraComponent",
    "Collider",
    "Component",
    "EntityComponents",
    "Environment",
    "LevelComponents",
    "LightComponent",
    "MeshComponent",
    "Owner",
    "RenderSettings",
    "Tags",
]
