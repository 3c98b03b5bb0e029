"""SharedScene: viewports that show the same scene draw one world, which is synced and held once."""

from __future__ import annotations

from typing import Any

from ..scene_world import SceneWorld

SceneKey = tuple[int, str, int]
"""Session uid of the scene, name of the view layer, address of the space if it hides some objects.
"""

_shared: dict[SceneKey, SharedScene] = {}


class SharedScene:
    """A SceneWorld and the viewports that show it; released when the last one leaves."""

    def __init__(self, key: SceneKey, content: SceneWorld) -> None:
        self.content = content
        self._key = key
        self._users: set[object] = set()
        self._hidden: frozenset[str] | None = None

    def enter(self, user: object) -> None:
        """Note that `user` shows this scene."""
        self._users.add(user)

    def leave(self, user: object) -> None:
        """Note that `user` shows it no more."""
        self._users.discard(user)
        if not self._users and _shared.get(self._key) is self:
            del _shared[self._key]
            self.content.release()

    def follow_local_view(self, depsgraph: Any, space: Any) -> None:
        """Read the scene again if `space` has come to hide other objects: no update tells so."""
        if not hides_objects(space):
            return
        hidden = frozenset(
            obj.name_full for obj in depsgraph.objects if not obj.visible_in_viewport_get(space)
        )
        if self._hidden is not None and hidden != self._hidden:
            self.content.update(depsgraph, is_new_depsgraph=True)
        self._hidden = hidden


def hides_objects(space: Any) -> bool:
    """Tell whether a 3D view may show less than the scene: local view, local collections."""
    return space.local_view is not None or space.use_local_collections


def shared_scene(depsgraph: Any, space: Any) -> SharedScene:
    """Return the scene that the viewport `space` shows, shared with all that show the same."""
    is_local = hides_objects(space)
    key = (
        depsgraph.scene.original.session_uid,
        depsgraph.view_layer.name,
        space.as_pointer() if is_local else 0,
    )
    if key not in _shared:
        is_shown = (lambda obj: obj.visible_in_viewport_get(space)) if is_local else None
        _shared[key] = SharedScene(key, SceneWorld(is_shown))
    return _shared[key]


def shared_scene_count() -> int:
    """Return how many scenes viewports hold at present."""
    return len(_shared)
