"""SceneWorld: one Blender scene as a world on the render thread, in step with its depsgraph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine_core.render.render_thread import ThreadedWorld
from ..engine_core.world.world import WorldDelta
from . import render_host
from .sync.scene_sync import SceneSync
from .warning_store import keep


class SceneWorld:
    """Syncs a depsgraph on the calling thread and hands what changed to the render thread.

    `version` grows with every change that may alter a picture; `warnings` say what of the scene is
    now approximated or left out. `is_shown` tells which evaluated
    objects are to be seen at all (None: all). `lists_warnings` is false for scenes that are not the
    artist's own, such as previews. Release it when done.
    """

    def __init__(
        self, is_shown: Callable[[Any], bool] | None = None, *, lists_warnings: bool = True
    ) -> None:
        self._lists_warnings = lists_warnings
        self.version = 0
        self.warnings: tuple[str, ...] = ()
        self.world: ThreadedWorld = render_host.render_thread().open_world()
        self._sync = SceneSync(is_shown)
        self._is_in_step = False

    def update(self, depsgraph: Any, *, is_new_depsgraph: bool = False) -> None:
        """Bring the world up to the state of `depsgraph`. Raises SyncError.

        After the first call it reads what `depsgraph.updates` names, which Blender fills for
        `view_update` only. Everything is read again after a call that failed, and if this is not
        the depsgraph of the last call.
        """
        read = self._sync.update if self._is_in_step else self._sync.full
        if is_new_depsgraph:
            read = self._sync.full
        self._is_in_step = False
        delta = read(depsgraph)
        self._is_in_step = True
        self._take(depsgraph, delta)

    def repainted(self, depsgraph: Any, images: list[Any]) -> None:
        """Read `images` again, which somebody is painting on. Raises SyncError."""
        if self._is_in_step:
            self._take(depsgraph, self._sync.repainted(depsgraph, images))

    def _take(self, depsgraph: Any, delta: WorldDelta) -> None:
        if not delta.is_empty():
            self.version += 1
            self.world.apply(delta)
        found = tuple(self._sync.warnings)
        self.warnings = tuple(map(str, found))
        if self._lists_warnings:
            keep(depsgraph.scene.original.session_uid, found)

    def release(self) -> None:
        """Free what the world holds on the device."""
        self.world.release()
