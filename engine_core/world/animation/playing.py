"""A clip at a moment: all of its channels at once, and what of a world that changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from msgspec.structs import replace

from ..components import WORLD_COMPONENT_TYPES, Component
from ..entity import Entity, Transform
from ..world import World, WorldDelta
from .clip import Channel, Clip, TargetKind
from .interpolation import blend
from .paths import MATRIX, Animatable, animatable, replaced


@dataclass(frozen=True, eq=False)
class _Group:
    """Channels of one width, interpolation and kind, as flat arrays.

    order: (C,) their numbers in the clip. clock: (K,) float64 key times, those of channel c shifted
    by c * span, which makes one sorted array of all. last: (C,) index of each one's last key.
    """

    order: np.ndarray
    clock: np.ndarray
    times: np.ndarray
    values: np.ndarray
    first: np.ndarray
    last: np.ndarray
    is_step: bool
    is_rotation: bool

    def at(self, seconds: float, span: float) -> np.ndarray:
        """Return the value of each channel, (C, W) float64."""
        wanted = np.arange(len(self.order)) * span + seconds
        key = np.clip(np.searchsorted(self.clock, wanted, "right") - 1, self.first, self.last)
        if self.is_step:
            return self.values[key].astype(np.float64)
        following = np.minimum(key + 1, self.last)
        length = self.times[following] - self.times[key]
        gone = np.clip(seconds - self.times[key], 0.0, None)
        u = np.minimum(gone / np.where(length > 0, length, 1.0), 1.0)
        a, b = self.values[key], self.values[following]
        return blend(a, b, u, is_rotation=self.is_rotation)


class ClipPlayer:
    """A clip ready to be looked at any time; its channels are evaluated together by NumPy."""

    def __init__(self, clip: Clip) -> None:
        self.clip = clip
        self._span = float(clip.duration) + 1.0
        self._groups = _grouped(clip, self._span)

    def values(self, seconds: float) -> list[np.ndarray]:
        """Return the value (W,) float64 of each channel at `seconds`, in the clip's order."""
        # Keys are float32: a moment that was rounded the other way would miss a step by a frame.
        moment = float(np.float32(min(max(seconds, 0.0), self.clip.duration)))
        out: list[Any] = [None] * len(self.clip.channels)
        for group in self._groups:
            rows = group.at(moment, self._span)
            for place, number in enumerate(group.order.tolist()):
                out[number] = rows[place]
        return out


def sample_clip(world: World, clip: Clip | ClipPlayer, seconds: float) -> WorldDelta:
    """Return what `clip` changes of `world` at `seconds` (held to 0..duration).

    Targets that the world lacks are passed over. The world is not changed.
    """
    player = clip if isinstance(clip, ClipPlayer) else ClipPlayer(clip)
    changes: dict[tuple[TargetKind, str], dict[str, Any]] = {}
    for channel, values in zip(player.clip.channels, player.values(seconds), strict=True):
        field = animatable(channel.kind, channel.path)
        if field is not None:
            plain = field.plain(values)
            changes.setdefault((channel.kind, channel.target), {})[channel.path] = plain
    entities: dict[str, Entity] = {}
    materials = {}
    level: dict[str, Any] = {}
    for (kind, target), paths in changes.items():
        if kind == "entity" and target in world.entities:
            entities[target] = _moved(world.entities[target], paths)
        elif kind == "material" and target in world.materials:
            materials[target] = replaced(world.materials[target], paths)
        elif kind == "level":
            level = paths
    return WorldDelta(entities=entities, materials=materials, **_level_changes(world, level))


def _moved(entity: Entity, paths: dict[str, Any]) -> Entity:
    """A transform is either a matrix or the three others; a clip may turn one into the other."""
    parts = {path for path in paths if path.startswith("transform.")}
    if parts and MATRIX not in parts and entity.transform.matrix is not None:
        entity = replace(entity, transform=Transform())
    return replaced(entity, paths)


def _level_changes(world: World, paths: dict[str, Any]) -> dict[str, Any]:
    grouped: dict[str, dict[str, Any]] = {}
    for path, value in paths.items():
        key, _, rest = path.partition(".")
        grouped.setdefault(key, {})[rest] = value
    out: dict[str, Any] = {}
    components: dict[str, Component] = {}
    for key, inner in grouped.items():
        changed = replaced(world.get(WORLD_COMPONENT_TYPES[key]), inner)
        if key in ("environment", "render"):
            out[key] = changed
        else:
            components[key] = changed
    return out | ({"components": components} if components else {})


def _grouped(clip: Clip, span: float) -> list[_Group]:
    found: dict[tuple[int, bool, bool], list[int]] = {}
    for number, channel in enumerate(clip.channels):
        field = animatable(channel.kind, channel.path) or Animatable(0)
        key = (channel.values.shape[1], channel.interpolation == "step", field.is_rotation)
        found.setdefault(key, []).append(number)
    return [
        _group([clip.channels[number] for number in numbers], numbers, span, step, rotation)
        for (_, step, rotation), numbers in found.items()
    ]


def _group(
    channels: list[Channel], numbers: list[int], span: float, is_step: bool, is_rotation: bool
) -> _Group:
    counts = np.array([len(channel.times) for channel in channels])
    times = np.concatenate([channel.times for channel in channels]).astype(np.float64)
    last = np.cumsum(counts) - 1
    return _Group(
        order=np.array(numbers),
        clock=times + np.repeat(np.arange(len(channels)) * span, counts),
        times=times,
        values=np.concatenate([channel.values for channel in channels]),
        first=last - counts + 1,
        last=last,
        is_step=is_step,
        is_rotation=is_rotation,
    )
