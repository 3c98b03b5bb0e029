"""Animated values of the artist's datablocks, put back after frames have been looked at.

Blender writes what it animates back into the original datablocks, also from a render, and so would
undo what has been posed but not keyed yet.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

import bpy

COLLECTIONS = (
    "objects", "armatures", "shape_keys", "meshes", "curves", "lattices", "metaballs", "lights",
    "cameras", "materials", "node_groups", "worlds", "scenes", "textures", "particles", "speakers",
    "volumes", "hair_curves", "pointclouds", "grease_pencils", "movieclips", "masks",
)  # fmt: skip
_PROPERTY = re.compile(r"(?:(.*)\.)?(\w+)")
_CUSTOM = re.compile(r'(.*)\["((?:[^"\\]|\\.)*)"\]')


@contextlib.contextmanager
def kept_values() -> Iterator[None]:
    """Put every animated value back to what it is now, whatever is played in the meantime."""
    before = [
        (holder, path, value)
        for holder in _animated_holders()
        for path in animated_paths(holder)
        if (value := _value(holder, path)) is not None
    ]
    try:
        yield
    finally:
        for holder, path, value in before:
            if _value(holder, path) != value:
                with contextlib.suppress(Exception):  # read-only, or gone: nothing was lost
                    _assign(holder, path, value)


def _animated_holders() -> Iterator[Any]:
    for name in COLLECTIONS:
        for datablock in getattr(bpy.data, name, ()):
            for holder in (datablock, getattr(datablock, "node_tree", None)):
                if getattr(holder, "animation_data", None) is not None:
                    yield holder


def animated_paths(holder: Any) -> list[str]:
    """Return the paths of what the actions, NLA strips and drivers of a datablock animate."""
    data = holder.animation_data
    actions = [data.action, *(s.action for track in data.nla_tracks for s in track.strips)]
    curves = [curve for action in filter(None, actions) for curve in _curves(action)]
    return list(dict.fromkeys(curve.data_path for curve in [*curves, *data.drivers]))


def _curves(action: Any) -> Iterator[Any]:
    """Yield the curves of all slots of an action."""
    for layer in action.layers:
        for strip in layer.strips:
            for bag in strip.channelbags:
                yield from bag.fcurves


def _value(holder: Any, path: str) -> Any | None:
    try:
        value = holder.path_resolve(path)
    except ValueError:
        return None
    if isinstance(value, bool | int | float | str):
        return value
    try:
        return tuple(value)
    except TypeError:
        return None


def _assign(holder: Any, path: str, value: Any) -> None:
    if custom := _CUSTOM.fullmatch(path):
        owner = holder.path_resolve(custom[1]) if custom[1] else holder
        owner[custom[2]] = value
    elif plain := _PROPERTY.fullmatch(path):
        owner = holder.path_resolve(plain[1]) if plain[1] else holder
        setattr(owner, plain[2], value)
