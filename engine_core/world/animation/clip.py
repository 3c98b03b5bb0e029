"""Clip: how values of entities, materials and the level change over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

TargetKind = Literal["entity", "material", "level"]
Interpolation = Literal["linear", "step"]

SCENE_CLIP = "scene"
"""Id of the clip that holds everything that moves in the scene's frame range."""


@dataclass(frozen=True, eq=False)
class Channel:
    """One value over time.

    kind and target: what it belongs to, by id ("" for the level). path: which field, from the
    entity's, material's or level's own on, such as "transform.rotation" (see `paths.animatable`).
    times: (K,) float32 seconds, ascending, not negative. values: (K, W) float32. Before the first
    key and after the last their values hold; between keys "linear" blends them (rotations by
    slerp) and "step" keeps the earlier one.
    """

    kind: TargetKind
    target: str
    path: str
    interpolation: Interpolation
    times: np.ndarray
    values: np.ndarray


@dataclass(frozen=True, eq=False)
class Clip:
    """Channels that are played together, from 0 to `duration` seconds.

    `entity` is the id of the entity whose clip it is (an armature's "walk"), "" for the scene's.
    """

    name: str
    entity: str
    duration: float
    channels: tuple[Channel, ...]

    @property
    def key_count(self) -> int:
        """Keys of all channels together."""
        return sum(len(channel.times) for channel in self.channels)
