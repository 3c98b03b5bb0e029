"""Whether skins, morphs and clips fit the meshes and targets that they are for."""

from __future__ import annotations

from collections.abc import Sequence

from .components.morph import Morph
from .components.skin import Skin
from .level_check import Problem
from .world import World


def deform_problems(world: World, order: Sequence[str]) -> list[Problem]:
    """Return what does not fit in a level whose ids have been checked.

    `order`: ids of the entities as they stand in the file, for the paths of the problems.
    """
    problems: list[Problem] = []
    for index, key in enumerate(order):
        entity = world.entities[key]
        skin, morph = entity.get(Skin), entity.get(Morph)
        mesh = world.meshes.get(entity.mesh.mesh) if entity.mesh is not None else None
        if skin is not None and mesh is not None and mesh.skin is not None:
            wanted = len(mesh.skin.names)
            if len(skin.joints) != wanted or not skin.armature or "" in skin.joints:
                words = f"the mesh wants an armature and {wanted} joints, got {len(skin.joints)}."
                problems.append(Problem(f"entities[{index}].skin.joints", words))
        if morph is not None and mesh is not None and len(morph.weights) != len(mesh.morphs):
            words = f"{len(morph.weights)} weights; the mesh has {len(mesh.morphs)} targets."
            problems.append(Problem(f"entities[{index}].morph.weights", words))
    for number, clip_id in enumerate(sorted(world.clips)):
        for place, channel in enumerate(world.clips[clip_id].channels):
            table = {"entity": world.entities, "material": world.materials}.get(channel.kind)
            where = f"clips[{number}].file"
            if table is not None and channel.target not in table:
                words = f"channel {place} moves {channel.kind} '{channel.target[:60]}', which"
                problems.append(Problem(where, f"{words} does not exist."))
            elif channel.path == "morph.weights":
                morph = world.entities[channel.target].get(Morph)
                if morph is None or len(morph.weights) != channel.values.shape[1]:
                    words = f"channel {place} does not fit the weights of '{channel.target[:60]}'."
                    problems.append(Problem(where, words))
    return problems
