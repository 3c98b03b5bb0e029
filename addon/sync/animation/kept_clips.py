"""Clips that an imported level brought: exported again as they came, whatever was renamed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from msgspec import structs

from ....engine_core.errors import LevelError
from ....engine_core.world.animation.clip import Channel, Clip
from ....engine_core.world.animation.clip_file import decode_clip, encode_clip
from ....engine_core.world.animation.paths import animatable
from ....engine_core.world.components.morph import Morph
from ....engine_core.world.components.skin import Skin
from ....engine_core.world.world import World
from ..identity import datablock_name
from ..warnings import SyncWarning, warn_about
from .animation_causes import AnimationCause

CLIPS = "fyn_level_clips"
"""Custom property of an imported scene: its clips by number, as the level had them."""
ID = "fyn_level_id"
"""Custom property of what clips and skins refer to: its id in the level, for when it is renamed."""


def keep_clips(scene: Any, clips: Mapping[str, Clip]) -> None:
    """Leave `clips` with `scene`."""
    if clips:
        scene[CLIPS] = {
            str(number): {
                "id": key,
                "name": clips[key].name,
                "entity": clips[key].entity,
                "data": encode_clip(clips[key]),
            }
            for number, key in enumerate(sorted(clips))
        }


def keep_id(datablock: Any, level_id: str) -> None:
    """Remember what `datablock` is called in the level it came from."""
    datablock[ID] = level_id


def restore_animation(scene: Any, world: World) -> list[SyncWarning]:
    """Give `world`, read from `scene`, the clips that an import kept; returns what is lost.

    Skins and clips follow what was renamed. A clip that the scene itself has made anew wins.
    """
    objects = _Renames(scene.objects, world.entities)
    materials = _Renames(
        (slot.material for obj in scene.objects for slot in obj.material_slots), world.materials
    )
    warnings = _follow_skins(scene, world, objects)
    for key, clip in _kept(scene):
        if key in world.clips:
            warnings.append(warn_about(scene, AnimationCause.CLIP_REPLACED, name=key))
            continue
        channels = [_renamed(channel, objects, materials) for channel in clip.channels]
        sound = tuple(channel for channel in channels if _fits(channel, world))
        entity = objects.now(clip.entity)
        if len(sound) < len(channels):
            lost = sorted({c.target or c.path for c in channels if not _fits(c, world)})
            values = {"name": key, "names": ", ".join(lost[:3]), "count": len(lost)}
            warnings.append(warn_about(scene, AnimationCause.CLIP_TARGETS, **values))
        if sound:
            known = entity if entity in world.entities else ""
            world.clips[key] = replace(clip, entity=known, channels=sound)
    return warnings


class _Renames:
    """What the ids of a level are called now."""

    def __init__(self, datablocks: Iterable[Any], present: Mapping[str, object]) -> None:
        self._present = present
        self._now: dict[str, str] = {}
        for datablock in datablocks:
            known = None if datablock is None else datablock.get(ID)
            if isinstance(known, str) and (name := datablock_name(datablock)) in present:
                self._now.setdefault(known, name)

    def now(self, level_id: str) -> str:
        """Return what is called `level_id`, or was before it was renamed."""
        return level_id if level_id in self._present else self._now.get(level_id, level_id)


def _kept(scene: Any) -> list[tuple[str, Clip]]:
    """Return the clips of an import; what somebody wrote into the property is passed over."""
    try:
        records = [record.to_dict() for record in scene.get(CLIPS, {}).values()]
        return [
            (str(one["id"]), decode_clip(bytes(one["data"]), str(one["name"]), str(one["entity"])))
            for one in records
        ]
    except (LevelError, AttributeError, KeyError, TypeError, ValueError):
        return []


def _follow_skins(scene: Any, world: World, objects: _Renames) -> list[SyncWarning]:
    warnings: list[SyncWarning] = []
    for key, entity in list(world.entities.items()):
        skin = entity.get(Skin)
        if skin is None:
            continue
        found = Skin(
            armature=objects.now(skin.armature), joints=tuple(map(objects.now, skin.joints))
        )
        if not {found.armature, *found.joints} <= world.entities.keys():
            obj = scene.objects.get(entity.id, scene)
            warnings.append(warn_about(obj, AnimationCause.SKIN_JOINTS_GONE))
            found = None
        if found != skin:
            world.entities[key] = structs.replace(entity, skin=found)  # type: ignore[call-arg]
    return warnings


def _renamed(channel: Channel, objects: _Renames, materials: _Renames) -> Channel:
    names = {"entity": objects, "material": materials}.get(channel.kind)
    return channel if names is None else replace(channel, target=names.now(channel.target))


def _fits(channel: Channel, world: World) -> bool:
    """Tell whether what a channel moves is there, with as many values."""
    if animatable(channel.kind, channel.path) is None:
        return False
    table: Any = {"entity": world.entities, "material": world.materials}.get(channel.kind)
    if table is None:
        return True
    if channel.target not in table:
        return False
    if channel.path != "morph.weights":
        return True
    morph = world.entities[channel.target].get(Morph)
    return morph is not None and len(morph.weights) == channel.values.shape[1]
