"""A level under the names that its datablocks got, where Blender did not grant them all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from msgspec import Struct, structs

from ...engine_core.world.animation.clip import Clip
from ...engine_core.world.struct_fields import REFERENCE_KINDS, struct_fields
from ...engine_core.world.world import World

S = TypeVar("S", bound=Struct)
Names = Mapping[str, Mapping[str, str]]
"""By kind of reference ("entity", "mesh", "material", "image"): the new name of each id."""


def renamed_world(world: World, names: Names) -> World:
    """Return `world` with other ids, whatever refers to them; assets are shared."""

    def table(found: Mapping[str, Any], kind: str) -> dict[str, Any]:
        return {names[kind].get(key, key): value for key, value in found.items()}

    entities = {}
    for key, entity in world.entities.items():
        found = names["entity"].get(key, key)
        parent = None if entity.parent is None else _now(entity.parent, "entity", names)
        entities[found] = structs.replace(_renamed(entity, names), id=found, parent=parent)
    materials = {key: _renamed(value, names) for key, value in world.materials.items()}
    return replace(
        world,
        entities=entities,
        meshes=table(world.meshes, "mesh"),
        materials=table(materials, "material"),
        images=table(world.images, "image"),
        clips={key: _renamed_clip(clip, names) for key, clip in world.clips.items()},
        environment=_renamed(world.environment, names),
        components={key: _renamed(value, names) for key, value in world.components.items()},
        active_camera=_now(world.active_camera, "entity", names),
    )


def _now(key: str, kind: str, names: Names) -> str:
    return names[kind].get(key, key)


def _renamed(value: S, names: Names) -> S:
    """Return `value` with the ids in all of its fields renamed, however deep."""
    changes: dict[str, Any] = {}
    for field in struct_fields(type(value)):
        old = getattr(value, field.name)
        new = old
        if isinstance(old, Struct):
            new = _renamed(old, names)
        elif field.kind in REFERENCE_KINDS and isinstance(old, str):
            new = _now(old, field.kind, names)
        elif field.kind in REFERENCE_KINDS and isinstance(old, tuple):
            new = tuple(_now(key, field.kind, names) for key in old)
        if new is not old:
            changes[field.name] = new
    return structs.replace(value, **changes) if changes else value


def _renamed_clip(clip: Clip, names: Names) -> Clip:
    channels = tuple(
        replace(channel, target=_now(channel.target, channel.kind, names))
        if channel.kind in names
        else channel
        for channel in clip.channels
    )
    return replace(clip, entity=_now(clip.entity, "entity", names), channels=channels)
