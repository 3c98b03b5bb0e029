"""Actions to be played alone: those of armatures, and those that NLA tracks hold."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ....engine_core.world.world import World
from ..scene_sync import SceneSync
from .bones import Deformed


@dataclass(frozen=True)
class ActionJob:
    """An action of a datablock: whose clip it becomes, and the bones that belong to that."""

    holder: Any
    """The original object or shape key datablock that has the animation."""
    action: Any
    slot: Any | None
    owner: str
    parts: frozenset[str] = frozenset()

    @property
    def frames(self) -> range:
        """Whole frames that the action covers."""
        first, last = self.action.frame_range
        return range(math.floor(first), math.ceil(last) + 1)


def action_jobs(world: World, sync: SceneSync, deformed: Deformed) -> list[list[ActionJob]]:
    """Return the actions of each datablock that games would play one by one.

    Of armatures every action counts; of other objects and of shape keys those in NLA tracks, since
    a single action of theirs is already in the scene's clip.
    """
    entities = sync.tables[0]
    found: list[list[ActionJob]] = []
    rigs = {rig.armature.session_uid: rig for rig in deformed.rigs.values()}
    for key, owner in entities_of_objects(world, entities):
        if key.session_uid in rigs:
            continue
        found.append(_jobs(key, owner, frozenset(), needs_tracks=True))
    for rig in deformed.rigs.values():
        parts = frozenset(rig.bones.values())
        found.append(_jobs(rig.armature, rig.entity, parts, needs_tracks=False))
    for owner, obj in deformed.morphs.items():
        keys = obj.data.shape_keys
        found.append(_jobs(keys, owner, frozenset(), needs_tracks=True))
    return [jobs for jobs in found if jobs]


def entities_of_objects(world: World, entities: Any) -> Iterator[tuple[Any, str]]:
    """Yield (original object, entity id) of the objects with NLA tracks."""
    import bpy

    for obj in bpy.data.objects:
        data = obj.animation_data
        if data is None or not len(data.nla_tracks):
            continue
        key = (obj.session_uid,)
        if key in entities and (found := entities.id_of(key, "")) in world.entities:
            yield obj, found


@contextmanager
def playing(job: ActionJob) -> Iterator[None]:
    """Let a datablock play one action alone. Raises what Blender raises if it may not."""
    data = job.holder.animation_data
    names = ("use_nla", "action_influence", "action_blend_type")
    before = {name: getattr(data, name) for name in names}
    action, slot = data.action, getattr(data, "action_slot", None)
    if getattr(data, "use_tweak_mode", False):
        raise RuntimeError("it is being tweaked in the NLA editor")
    try:
        data.use_nla, data.action_influence, data.action_blend_type = False, 1.0, "REPLACE"
        _assign(data, job.action, job.slot)
        yield
    finally:
        _assign(data, action, slot)
        for name, value in before.items():
            setattr(data, name, value)


def _assign(data: Any, action: Any | None, slot: Any | None) -> None:
    data.action = action
    if action is not None and slot is not None:
        data.action_slot = slot


def _jobs(holder: Any, owner: str, parts: frozenset[str], needs_tracks: bool) -> list[ActionJob]:
    data = holder.animation_data
    if data is None or (needs_tracks and not len(data.nla_tracks)):
        return []
    found: dict[int, ActionJob] = {}
    if data.action is not None:
        slot = getattr(data, "action_slot", None)
        found[data.action.session_uid] = ActionJob(holder, data.action, slot, owner, parts)
    for track in data.nla_tracks:
        for strip in track.strips:
            if strip.action is not None and strip.action.session_uid not in found:
                slot = getattr(strip, "action_slot", None)
                job = ActionJob(holder, strip.action, slot, owner, parts)
                found[strip.action.session_uid] = job
    return list(found.values())
