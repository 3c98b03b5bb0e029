"""What a level moves: Blender keeps it with the scene, and says what it does not play itself."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ...engine_core.world.components.skin import Skin
from ...engine_core.world.world import World
from ..sync.animation.kept_clips import keep_clips, keep_id

_NAMED = 3


def keep_animation(
    world: World, scene: Any, objects: Mapping[str, Any], materials: Mapping[str, Any]
) -> list[str]:
    """Leave clips with `scene`, and their ids with what they move; returns what Blender lacks.

    Skins and shape keys lie in the words that meshes and objects stand for (addon/sync/kept.py).
    """
    keep_clips(scene, world.clips)
    skins = [entity.get(Skin) for entity in world.entities.values()]
    channels = [channel for clip in world.clips.values() for channel in clip.channels]
    moved = {channel.target for channel in channels if channel.kind == "entity"}
    for skin in filter(None, skins):
        moved |= {skin.armature, *skin.joints}
    for ids, datablocks in (
        (moved | {clip.entity for clip in world.clips.values()}, objects),
        ({channel.target for channel in channels if channel.kind == "material"}, materials),
    ):
        for key in ids & datablocks.keys():
            keep_id(datablocks[key], key)
    return [*_about_deforms(world), *_about_clips(world.clips)]


def _about_deforms(world: World) -> list[str]:
    drawn = {e.mesh.mesh: world.meshes.get(e.mesh.mesh) for e in world.entities.values() if e.mesh}
    skinned = [key for key, mesh in drawn.items() if mesh is not None and mesh.skin is not None]
    keyed = [key for key, mesh in drawn.items() if mesh is not None and mesh.morphs]
    said = []
    if skinned:
        said.append(
            f"{_names('Mesh', 'Meshes', skinned)}: joints are empties, which pose it in Fyn's views"
            " and exports; Blender itself shows it at rest. Edited, it loses its skin."
        )
    if keyed:
        said.append(
            f"{_names('Mesh', 'Meshes', keyed)}: shape keys show in Fyn's views and exports, but"
            " are none of Blender. Edited, it loses them."
        )
    return said


def _about_clips(clips: Collection[str]) -> list[str]:
    if not clips:
        return []
    return [
        f"{_names('Clip', 'Clips', clips)}: kept with the scene and exported again as in the"
        " level; Blender itself plays none of it."
    ]


def _names(one: str, many: str, names: Collection[str]) -> str:
    shown = sorted(names)[:_NAMED]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{one if len(names) == 1 else many} {', '.join(map(repr, shown))}{more}"
