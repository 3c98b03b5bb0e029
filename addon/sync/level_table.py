"""LevelTable: what holds for the whole scene: its world, render settings and level components."""

from __future__ import annotations

from typing import Any

from msgspec import structs

from ...engine_core.assets.image import ImageData
from ...engine_core.world.components import Component, Environment, RenderSettings
from ..components.reading import with_authored
from .asset_table import AssetTable
from .authored import level_components
from .changes import Changes
from .identity import datablock_key, datablock_name
from .kept import unchanged
from .ranges import sound_struct
from .warnings import SyncWarning
from .world_environment import read_environment, read_render_settings
from .world_pictures import PANORAMA, WorldPictures


class LevelTable:
    """What was last read of the scene as a whole; panoramas go into `images`.

    After `changed_environment`, `sun` is the lamp that the world's sky brings, None without one.
    """

    def __init__(self, images: AssetTable[ImageData]) -> None:
        self.warnings: tuple[SyncWarning, ...] = ()
        self.sun: Any | None = None
        self._images = images
        self._environment: Environment | None = None
        self._render: RenderSettings | None = None
        self._components: dict[str, Component] = {}
        self._world: int | None = None
        self._world_images: frozenset[int] = frozenset()
        self._pictures = WorldPictures()

    def is_other_world(self, world: Any | None, changes: Changes) -> bool:
        """Tell whether the world or one of its pictures has changed; some take long to read."""
        before, self._world = self._world, None if world is None else datablock_key(world)
        self._pictures.forget(changes.images)
        if changes.world or self._environment is None or before != self._world:
            return True
        return not self._world_images.isdisjoint(changes.images)

    def changed_environment(self, world: Any | None) -> Environment | None:
        """Read the world; None if its environment is the same as before."""
        reading = read_environment(world, self._pictures)
        shown = structs.replace(reading.environment, image=self._panorama_id(reading.picture))
        name = "" if world is None else datablock_name(world)
        environment, more = sound_struct(with_authored(shown, world), "world", name)
        environment = unchanged(world, environment)
        self.warnings = (*reading.warnings, *more)
        self.sun = reading.sun
        self._world_images = reading.image_uids
        if environment == self._environment:
            return None
        self._environment = environment
        return environment

    def _panorama_id(self, picture: ImageData | None) -> str:
        """Return the id of the world's panorama among the images, "" without one."""
        if picture is None or self._images.value(PANORAMA) is not picture:
            self._images.drop(PANORAMA)
        if picture is None:
            return ""
        found = self._images.id_of(PANORAMA, picture.name)
        if PANORAMA not in self._images:
            self._images.put(PANORAMA, picture)
        return found

    def changed_components(self, scene: Any) -> dict[str, Component]:
        """Return the level's components that differ from those of the last call."""
        before, self._components = self._components, level_components(scene, scene.world)
        return {key: now for key, now in self._components.items() if before.get(key) != now}

    def changed_render(self, scene: Any) -> RenderSettings | None:
        """Read the render settings; None if they are the same as before."""
        render = unchanged(scene, with_authored(read_render_settings(scene), scene))
        if render == self._render:
            return None
        self._render = render
        return render
