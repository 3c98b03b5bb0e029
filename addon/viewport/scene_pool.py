"""SharedScene: viewports that show the same scene draw one world, which is synced and held once."""

from __future__ import annotations

from typing import Any

from ..scene_world import SceneWorld

SceneKey = tuple[int, str]

_shared: dict[SceneKey, SharedScene] = {}


class SharedScene:
    """A SceneWorld and the viewports that show it; released when the last one leaves."""

    def __init__(self, key: SceneKey) -> None:
        self._key = key
        self._users: set[object] = set()
        self.content = SceneWorld()

    def enter(self, user: object) -> None:
        """Note that `user` shows this scene."""
        self._users.add(user)

    def leave(self, user: object) -> None:
        """Note that `user` shows it no more."""
        self._users.discard(user)
        if not self._users and _shared.get(self._key) is self:
            del _shared[self._key]
            self.content.release()


def shared_scene(depsgraph: Any) -> SharedScene:
    """Return the scene that all viewports of this depsgraph's scene and view layer share."""
    key = (depsgraph.scene.original.session_uid, depsgraph.view_layer.name)
    if key not in _shared:
        _shared[key] = SharedScene(key)
    return _shared[key]


def shared_scene_count() -> int:
    """Return how many scenes viewports hold at present."""
    return len(_shared)
