"""Worlds kept between renders: their shaders and targets take longer to make than a frame.

A render job keeps one for its frames; previews share one. What is in the scene is read anew for
each render, because Blender makes a new depsgraph for each.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .scene_world import SceneWorld

WorldKey = tuple[int, str]

PREVIEW: WorldKey = (0, "preview")
"""Material, world and lamp previews."""

_kept: dict[WorldKey, SceneWorld] = {}


def job_key(depsgraph: Any) -> WorldKey:
    """Return the key under which the frames of a render job share a world."""
    return (depsgraph.scene.original.session_uid, depsgraph.view_layer.name)


@contextmanager
def lent_world(key: WorldKey) -> Iterator[SceneWorld]:
    """Lend the world of `key` to one render; a second at the same time gets one of its own.

    A world in which something has failed is not kept.
    """
    scene = _kept.pop(key, None) or SceneWorld(lists_warnings=key != PREVIEW)
    try:
        yield scene
    except BaseException:
        scene.release()
        raise
    if _kept.setdefault(key, scene) is not scene:
        scene.release()


def end_job() -> None:
    """Free what the frames of a render job shared (any thread)."""
    for key in list(_kept):
        if key != PREVIEW and (scene := _kept.pop(key, None)) is not None:
            scene.release()


def forget_all() -> None:
    """Free every world that is kept."""
    while _kept:
        _kept.popitem()[1].release()
