"""Bones as entities below their armature's, and deformed meshes bound to them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from msgspec import structs

from ....engine_core.world.components.morph import Morph
from ....engine_core.world.components.skin import Skin
from ....engine_core.world.entity import Entity
from ....engine_core.world.world import World
from ..axes import ENGINE_FROM_BLENDER, matrices_to_engine
from ..identity import datablock_name
from ..scene_sync import SceneSync
from ..transforms import transforms_from_matrices
from ..warnings import SyncWarning, warn_about
from .animation_causes import AnimationCause
from .deform_plan import Deform, DeformPlan
from .morphs import key_weights, read_morphs
from .skins import read_skin


@dataclass
class Rig:
    """An armature whose bones are entities: the original object, its entity, a bone's entity."""

    armature: Any
    entity: str
    bones: dict[str, str] = field(default_factory=dict)

    def bone_matrices(self, evaluated: Any) -> np.ndarray:
        """Return armature_from_bone of each of `bones` in the present pose, (B, 4, 4) engine."""
        poses = evaluated.pose.bones
        flat = np.empty(len(poses) * 16, np.float32)
        poses.foreach_get("matrix", flat)
        matrices = flat.reshape(-1, 4, 4).transpose(0, 2, 1)  # Blender stores columns
        place = {bone.name: index for index, bone in enumerate(poses)}
        chosen = matrices[[place[name] for name in self.bones]].astype(np.float64)
        return ENGINE_FROM_BLENDER @ chosen @ ENGINE_FROM_BLENDER.T


@dataclass
class Deformed:
    """What of a world follows armatures and shape keys: what a sampler has to look at."""

    rigs: dict[int, Rig] = field(default_factory=dict)
    """By the armature's session key."""
    morphs: dict[str, Any] = field(default_factory=dict)
    """By entity id, the original object whose shape keys it shows."""
    warnings: list[SyncWarning] = field(default_factory=list)


def deform_world(world: World, sync: SceneSync, plan: DeformPlan, depsgraph: Any) -> Deformed:
    """Give the meshes of `world`, which are at rest, their skins, morphs and bones.

    What the plan deforms but the world lacks (it is hidden) is passed over.
    """
    entities, geometry, _ = sync.tables
    deformed = Deformed()
    for deform in plan.deforms:
        key = (deform.obj.session_uid,)
        if key not in entities:
            continue
        entity = world.entities[entities.id_of(key, "")]
        if entity.mesh is None or geometry.origins is None:
            continue
        origins = geometry.origins.get(entity.mesh.mesh)
        mesh_id = entity.mesh.mesh
        mesh = world.meshes[mesh_id]
        if origins is None or len(origins.points) != len(mesh.positions):
            continue
        evaluated = deform.obj.evaluated_get(depsgraph)
        skin = None
        if deform.armature is not None:
            skin = read_skin(evaluated, deform.armature, origins)
        if skin is not None:
            rig = _rig(world, sync, deformed, deform.armature, depsgraph)
            _add_bones(world, rig, depsgraph, skin.bones)
            mesh = replace(mesh, skin=skin.skin)
            joints = tuple(rig.bones[name] if name else rig.entity for name in skin.bones)
            entity = structs.replace(entity, skin=Skin(armature=rig.entity, joints=joints))  # type: ignore[call-arg]
            deformed.warnings += skin.warnings
        if deform.has_keys:
            morphs = read_morphs(deform.obj, origins)
            if morphs is None:
                words = AnimationCause.KEYS_MODIFIED
                deformed.warnings.append(warn_about(deform.obj, words, names="?"))
            else:
                mesh = replace(mesh, morphs=morphs)
                entity = structs.replace(entity, morph=_morph(deform, depsgraph))  # type: ignore[call-arg]
                deformed.morphs[entity.id] = deform.obj
        world.meshes[mesh_id] = mesh
        world.entities[entity.id] = entity
    _hang_from_bones(world, sync, deformed, depsgraph)
    return deformed


def _morph(deform: Deform, depsgraph: Any) -> Morph:
    keys = deform.obj.data.shape_keys.evaluated_get(depsgraph)
    return Morph(weights=tuple(key_weights(keys).tolist()))


def _rig(world: World, sync: SceneSync, deformed: Deformed, armature: Any, depsgraph: Any) -> Rig:
    """Return the rig of an armature; one that is hidden becomes an entity of its own."""
    known = deformed.rigs.get(armature.session_uid)
    if known is not None:
        return known
    entities = sync.tables[0]
    key = (armature.session_uid,)
    if key in entities and entities.id_of(key, "") in world.entities:
        found = entities.id_of(key, "")
    else:
        found = free_id(world, datablock_name(armature))
        matrix = np.array(armature.evaluated_get(depsgraph).matrix_world, np.float64)
        turned = matrices_to_engine(matrix[None], np.zeros(1, bool))
        transform = transforms_from_matrices(turned)[0]
        world.entities[found] = Entity(id=found, name=armature.name, transform=transform)
    rig = deformed.rigs[armature.session_uid] = Rig(armature, found)
    return rig


def _add_bones(world: World, rig: Rig, depsgraph: Any, wanted: tuple[str, ...]) -> None:
    """Make entities of the bones `wanted` and of all that they hang from, parents first."""
    needed: set[str] = set()
    bones = rig.armature.data.bones
    for name in filter(None, wanted):
        bone = bones[name]
        while bone is not None and bone.name not in needed and bone.name not in rig.bones:
            needed.add(bone.name)
            bone = bone.parent
    for bone in bones:  # Blender lists parents before their children
        if bone.name in needed:
            found = free_id(world, f"{rig.entity}/{bone.name}")
            rig.bones[bone.name] = found
            parent = rig.entity if bone.parent is None else rig.bones[bone.parent.name]
            world.entities[found] = Entity(id=found, name=bone.name, parent=parent)
    if not needed:
        return
    matrices = dict(
        zip(rig.bones, rig.bone_matrices(rig.armature.evaluated_get(depsgraph)), strict=True)
    )
    locals_ = []
    for name in rig.bones:
        parent = bones[name].parent
        above = np.identity(4) if parent is None else matrices[parent.name]
        locals_.append(np.linalg.solve(_solvable(above), matrices[name]))
    for found, transform in zip(
        rig.bones.values(), transforms_from_matrices(np.stack(locals_)), strict=True
    ):
        world.entities[found] = structs.replace(world.entities[found], transform=transform)


def _hang_from_bones(world: World, sync: SceneSync, deformed: Deformed, depsgraph: Any) -> None:
    """Hang objects that are parented to a bone from its entity, where they stand."""
    entities = sync.tables[0]
    for obj in depsgraph.scene.objects:
        original = obj.original
        key = (original.session_uid,)
        parent = original.parent
        if original.parent_type != "BONE" or key not in entities or parent is None:
            continue
        name = original.parent_bone
        if parent.type != "ARMATURE" or name not in parent.data.bones:
            continue
        rig = _rig(world, sync, deformed, parent, depsgraph)
        if name not in rig.bones:
            _add_bones(world, rig, depsgraph, (name,))
        found = entities.id_of(key, "")
        if found not in world.entities:
            continue
        place = world.world_from_local(found)
        above = world.world_from_local(rig.bones[name])
        transform = transforms_from_matrices(np.linalg.solve(_solvable(above), place)[None])[0]
        world.entities[found] = structs.replace(
            world.entities[found], parent=rig.bones[name], transform=transform
        )


def _solvable(matrix: np.ndarray) -> np.ndarray:
    """Return a parent's matrix, the identity if it is flat and nothing can hang from it."""
    return matrix if abs(np.linalg.det(matrix)) > 1e-30 else np.identity(4)


def free_id(world: World, wanted: str) -> str:
    """Return `wanted`, or it with the first number that makes it a new entity id."""
    found, number = wanted or "Entity", 2
    while found in world.entities:
        found, number = f"{wanted}.{number}", number + 1
    return found
