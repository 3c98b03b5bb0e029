"""SharedScene: viewports that show the same scene draw one world, which is synced and held once."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import bpy

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

    def follow_hidden(self, depsgraph: Any, space: Any) -> None:
        """Read the scene again if `space` has come to hide other objects: no update tells so."""
        if not hides_objects(space, depsgraph.view_layer):
            return
        hidden = frozenset(
            obj.name_full for obj in depsgraph.objects if not obj.visible_in_viewport_get(space)
        )
        if self._hidden is not None and hidden != self._hidden:
            self.content.update(depsgraph, is_new_depsgraph=True)
        self._hidden = hidden


def hides_objects(space: Any, view_layer: Any) -> bool:
    """Tell whether a 3D view may show less than its depsgraph holds.

    Local view, local collections, kinds of objects switched off in the view, and collections whose
    eye is closed: Blender leaves all of them in the depsgraph.
    """
    if space.local_view is not None or space.use_local_collections:
        return True
    if not all(getattr(space, name) for name in _shown_kinds()):
        return True
    return _has_closed_eye(view_layer.layer_collection)


@lru_cache
def _shown_kinds() -> tuple[str, ...]:
    """Return the names of the settings of a 3D view that show a kind of object each."""
    names = bpy.types.SpaceView3D.bl_rna.properties.keys()
    return tuple(name for name in names if name.startswith("show_object_viewport_"))


def _has_closed_eye(layer_collection: Any) -> bool:
    return any(
        not child.exclude and (child.hide_viewport or _has_closed_eye(child))
        for child in layer_collection.children
    )


def object_filter(space: Any, view_layer: Any) -> Callable[[Any], bool] | None:
    """Return what tells whether a 3D view shows an evaluated object; None: it shows all."""
    if not hides_objects(space, view_layer):
        return None
    return lambda obj: obj.visible_in_viewport_get(space)


def shared_scene(depsgraph: Any, space: Any) -> SharedScene:
    """Return the scene that the viewport `space` shows, shared with all that show the same."""
    is_shown = object_filter(space, depsgraph.view_layer)
    key = (
        depsgraph.scene.original.session_uid,
        depsgraph.view_layer.name,
        0 if is_shown is None else space.as_pointer(),
    )
    if key not in _shared:
        _shared[key] = SharedScene(key, SceneWorld(is_shown))
    return _shared[key]


def shared_scene_count() -> int:
    """Return how many scenes viewports hold at present."""
    return len(_shared)
