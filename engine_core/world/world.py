"""World: the entities and assets of one level, and WorldDelta, the only way to change it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from ..assets.image import ImageData
from ..assets.material import Material
from ..assets.mesh import MeshData
from ..errors import LevelError
from .animation.clip import Clip
from .components import Component, Environment, RenderSettings
from .entity import Entity

C = TypeVar("C", bound=Component)


@dataclass(frozen=True)
class WorldDelta:
    """A set of changes: things added or replaced (by id) and ids removed.

    Everything inside is immutable by convention, so that a delta can cross to another thread.
    Entities are keyed by `Entity.id`, assets by the id under which components refer to them.
    """

    entities: dict[str, Entity] = field(default_factory=dict)
    meshes: dict[str, MeshData] = field(default_factory=dict)
    materials: dict[str, Material] = field(default_factory=dict)
    images: dict[str, ImageData] = field(default_factory=dict)
    clips: dict[str, Clip] = field(default_factory=dict)
    removed_entities: frozenset[str] = frozenset()
    removed_meshes: frozenset[str] = frozenset()
    removed_materials: frozenset[str] = frozenset()
    removed_images: frozenset[str] = frozenset()
    removed_clips: frozenset[str] = frozenset()
    environment: Environment | None = None
    render: RenderSettings | None = None
    components: dict[str, Component] = field(default_factory=dict)
    """Further components of the level, by key."""
    active_camera: str | None = None
    """Id of the entity whose camera is used by default; "" clears it, None leaves it."""

    def is_empty(self) -> bool:
        """Tell whether applying this changes nothing."""
        return self == WorldDelta()


@dataclass
class World:
    """What a level contains.

    The order of the tables means nothing: files are sorted by id, and whoever has to break a tie
    (two surfaces at the same depth) does it by id, or a level would not look like its source.
    """

    entities: dict[str, Entity] = field(default_factory=dict)
    meshes: dict[str, MeshData] = field(default_factory=dict)
    materials: dict[str, Material] = field(default_factory=dict)
    images: dict[str, ImageData] = field(default_factory=dict)
    clips: dict[str, Clip] = field(default_factory=dict)
    environment: Environment = Environment()  # noqa: RUF009 - frozen
    render: RenderSettings = RenderSettings()  # noqa: RUF009 - frozen
    components: dict[str, Component] = field(default_factory=dict)
    """Further components of the level by key; one that is missing has its defaults. See `get`."""
    active_camera: str = ""

    def apply(self, delta: WorldDelta) -> None:
        """Carry out `delta` in place."""
        for table, added, removed in (
            (self.entities, delta.entities, delta.removed_entities),
            (self.meshes, delta.meshes, delta.removed_meshes),
            (self.materials, delta.materials, delta.removed_materials),
            (self.images, delta.images, delta.removed_images),
            (self.clips, delta.clips, delta.removed_clips),
        ):
            for key in removed:
                table.pop(key, None)
            table.update(added)  # type: ignore[arg-type]
        if delta.environment is not None:
            self.environment = delta.environment
        if delta.render is not None:
            self.render = delta.render
        self.components.update(delta.components)
        if delta.active_camera is not None:
            self.active_camera = delta.active_camera

    def as_delta(self) -> WorldDelta:
        """Return the delta that builds this world from an empty one."""
        return WorldDelta(
            entities=dict(self.entities),
            meshes=dict(self.meshes),
            materials=dict(self.materials),
            images=dict(self.images),
            clips=dict(self.clips),
            environment=self.environment,
            render=self.render,
            components=dict(self.components),
            active_camera=self.active_camera,
        )

    def get(self, kind: type[C]) -> C:
        """Return the level's component of class `kind`, with its defaults if nobody set it."""
        if kind.key in self.__dataclass_fields__:
            return getattr(self, kind.key)
        found = self.components.get(kind.key)
        return kind() if found is None else found  # type: ignore[return-value]

    def cameras(self) -> Iterator[Entity]:
        """Yield the entities that carry a camera, in order."""
        return (entity for entity in self.entities.values() if entity.camera is not None)

    def world_from_local(self, entity_id: str) -> np.ndarray:
        """Return the (4, 4) float64 matrix from the entity's space to world space.

        Raises LevelError if its parents form a cycle or one of them does not exist.
        """
        matrix = np.identity(4)
        seen: set[str] = set()
        current: str | None = entity_id
        while current is not None:
            if current in seen:
                raise LevelError(f"Entity '{current}' is its own ancestor; break the parent cycle.")
            seen.add(current)
            entity = self.entities.get(current)
            if entity is None:
                raise LevelError(f"Entity '{entity_id}' has parent '{current}', which is missing.")
            matrix = entity.transform.to_matrix() @ matrix
            current = entity.parent
        return matrix
