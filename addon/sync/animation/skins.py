"""Vertex groups to joints and weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ....engine_core.assets.mesh import MeshSkin
from ..axes import ENGINE_FROM_BLENDER
from ..meshes import VertexOrigins
from ..warnings import SyncWarning, warn_about
from .animation_causes import AnimationCause

INFLUENCES = 4
NEUTRAL = "neutral"
"""Name of the joint of vertices that no bone moves: the armature itself."""


@dataclass(frozen=True, eq=False)
class SkinReading:
    """A skin, the bone of each joint ("" for the neutral one), and what was left out."""

    skin: MeshSkin
    bones: tuple[str, ...]
    warnings: tuple[SyncWarning, ...]


def read_skin(obj: Any, armature: Any, origins: VertexOrigins) -> SkinReading | None:
    """Read how the evaluated `obj`, which is at rest, hangs on the bones of `armature`.

    None if no vertex group is named like a bone that deforms.
    """
    bones = {bone.name: bone for bone in armature.data.bones if bone.use_deform}
    groups = {group.index: group.name for group in obj.vertex_groups if group.name in bones}
    if not groups:
        return None
    names = tuple(groups[index] for index in sorted(groups))
    joint_of_group = np.full(max(len(obj.vertex_groups), 1), -1)
    joint_of_group[sorted(groups)] = np.arange(len(groups))
    point, joint, weight = _influences(obj.data, joint_of_group)
    joints, weights, crowded = strongest(point, joint, weight, len(obj.data.vertices))
    idle = weights.sum(axis=1) == 0
    if idle.any():
        joints[idle, 0], weights[idle, 0] = len(names), 1.0
        names = (*names, NEUTRAL)
    warnings = ()
    if crowded:
        warnings = (warn_about(obj, AnimationCause.SKIN_INFLUENCES, count=crowded),)
    found = tuple("" if name == NEUTRAL and name not in bones else name for name in names)
    inverse = np.stack([_inverse_bind(bones[name]) if name else np.identity(4) for name in found])
    skin = MeshSkin(
        joints=np.ascontiguousarray(joints[origins.points].astype(np.uint16)),
        weights=np.ascontiguousarray(weights[origins.points].astype(np.float32)),
        inverse_bind=inverse.astype(np.float32),
        names=names,
    )
    return SkinReading(skin, found, warnings)


def strongest(
    point: np.ndarray, joint: np.ndarray, weight: np.ndarray, count: int
) -> tuple[np.ndarray, np.ndarray, int]:
    """Return joints (count, 4) and weights of sum 1 of each point, and how many had more than 4.

    point, joint, weight: (N,) influences in any order. The strongest are kept, the first joint
    first where they are equal; unused places hold joint 0 with weight 0.
    """
    used = weight > 0
    point, joint, weight = point[used], joint[used], weight[used]
    order = np.lexsort((joint, -weight, point))
    point, joint, weight = point[order], joint[order], weight[order]
    totals = np.bincount(point, minlength=count)
    rank = np.arange(len(point)) - np.repeat(np.cumsum(totals) - totals, totals)
    kept = rank < INFLUENCES
    joints = np.zeros((count, INFLUENCES), np.int64)
    weights = np.zeros((count, INFLUENCES))
    joints[point[kept], rank[kept]] = joint[kept]
    weights[point[kept], rank[kept]] = weight[kept]
    total = weights.sum(axis=1, keepdims=True)
    weights = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    return joints, weights, int(np.count_nonzero(totals > INFLUENCES))


def group_weights(mesh: Any, group: int) -> np.ndarray:
    """Return the weight of each point in one vertex group, (P,) float64."""
    only = np.full(group + 1, -1)
    only[group] = 0
    point, _, weight = _influences(mesh, only)
    out = np.zeros(len(mesh.vertices))
    out[point] = weight
    return out


def _influences(mesh: Any, joint_of_group: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return (point, joint, weight) of all vertex groups that are joints (not -1).

    Blender has no way to read groups at once, so this loops, once an export, over the vertices of
    skinned meshes alone (0.3 us an influence).
    """
    flat = [
        (index, assigned.group, assigned.weight)
        for index, vertex in enumerate(mesh.vertices)
        for assigned in vertex.groups
    ]
    table = np.array(flat, np.float64).reshape(-1, 3)
    group = table[:, 1].astype(np.int64)
    known = group < len(joint_of_group)
    joint = np.where(known, joint_of_group[np.where(known, group, 0)], -1)
    kept = joint >= 0
    return table[kept, 0].astype(np.int64), joint[kept], table[kept, 2]


def _inverse_bind(bone: Any) -> np.ndarray:
    """Return joint_from_armature of a bone at rest, in engine axes."""
    rest = np.array(bone.matrix_local, np.float64)
    return ENGINE_FROM_BLENDER @ np.linalg.inv(rest) @ ENGINE_FROM_BLENDER.T
