"""Clips of what a sampler has seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ....engine_core.world.animation.clip import SCENE_CLIP, Channel, Clip
from ....engine_core.world.animation.paths import MATRIX, read_path
from ....engine_core.world.animation.reduction import Track, reduced
from ....engine_core.world.entity import Transform
from ....engine_core.world.world import World
from .sampler import Sampler

Progress = Callable[[int, int, str], None]
"""Called with (frames done, frames in all, what comes); it may raise to cancel."""


def sample_frames(
    engine: Any,
    sampler: Sampler,
    frames: range,
    what: str,
    progress: Progress | None,
    *,
    whole: bool = True,
) -> None:
    """Look at every frame through `sampler`, moving the engine's depsgraph."""
    for done, frame in enumerate(frames):
        if progress is not None:
            progress(done, len(frames), what)
        engine.frame_set(frame, 0.0)
        sampler.sample(whole)


def scene_clip(world: World, sampler: Sampler, frames: range, fps: float) -> Clip | None:
    """Return what leaves its place in `world` at any of `frames`; None if nothing does."""
    times = np.arange(len(frames)) / fps
    found = [reduced(track, _rest(world, track)) for track in sampler.tracks(times)]
    return _clip(SCENE_CLIP, "", times, [channel for channel in found if channel is not None])


def action_clip(
    sampler: Sampler, name: str, owner: str, parts: set[str], window: slice, fps: float
) -> Clip | None:
    """Return what the samples of `window` say of `owner` and of its `parts` (bones).

    Parts are held in full, because the clip may be played after any other; the owner itself only
    where it moves, because a game puts it where it likes.
    """
    times = np.arange(window.stop) / fps
    channels = []
    for track in sampler.tracks(times, {owner, *parts}):
        values = track.values[window]
        short = replace(track, times=times[window] - times[window.start], values=values)
        if track.target in parts or (values != values[:1]).any():
            channels.append(reduced(short, None))
    last = times[window][-1:] - times[window.start]
    return _clip(name, owner, last, [channel for channel in channels if channel is not None])


def _clip(name: str, owner: str, times: np.ndarray, channels: list[Channel]) -> Clip | None:
    if not channels:
        return None
    channels.sort(key=lambda channel: (channel.kind, channel.target, channel.path))
    return Clip(name, owner, float(times[-1]), tuple(channels))


def _rest(world: World, track: Track) -> np.ndarray | None:
    """Return what the level says where nothing plays, None if it says it in another way."""
    if track.kind == "level":
        return None
    table: Any = world.entities if track.kind == "entity" else world.materials
    owner = table[track.target]
    if track.path.startswith("transform."):
        transform: Transform = owner.transform
        if (track.path == MATRIX) != (transform.matrix is not None):
            return None
    value = read_path(owner, track.path)
    return None if value is None else np.asarray(value, np.float32).reshape(-1)
