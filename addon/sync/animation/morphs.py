"""Shape keys to morph targets."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....engine_core.assets.mesh import MorphTarget
from ..axes import turn_to_engine
from ..mesh_arrays import read
from ..meshes import VertexOrigins
from .skins import group_weights


def key_blocks(mesh: Any) -> list[Any]:
    """Return the shape keys of a mesh that can change it: all but the basis."""
    keys = mesh.shape_keys
    return [block for block in keys.key_blocks if block != keys.reference_key]


def key_weights(keys: Any) -> np.ndarray:
    """Return how far each shape key but the basis is blended in now, (T,) float64.

    `keys` are evaluated, so that animation and drivers count.
    """
    blocks = keys.key_blocks
    values = np.empty(len(blocks), np.float32)
    muted = np.empty(len(blocks), bool)
    blocks.foreach_get("value", values)
    blocks.foreach_get("mute", muted)
    return np.where(muted, 0.0, values)[1:].astype(np.float64)


def read_morphs(obj: Any, origins: VertexOrigins) -> tuple[MorphTarget, ...] | None:
    """Read the shape keys of an original object for the vertices of its evaluated mesh.

    A relative key adds the difference to its own reference, times its vertex group if it has one.
    None if the evaluated mesh has other points than the keys.
    """
    mesh = obj.data
    count = len(mesh.vertices)
    if len(origins.points) and int(origins.points.max()) >= count:
        return None
    per_corner = int(origins.corners.max(initial=0)) < len(mesh.loops)
    shapes: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    targets = []
    for block in key_blocks(mesh):
        place, normal = _shape(block, origins, count, per_corner, shapes)
        base_place, base_normal = _shape(block.relative_key, origins, count, per_corner, shapes)
        share = _share(obj, block, origins)
        targets.append(
            MorphTarget(
                block.name,
                np.ascontiguousarray((place - base_place) * share, np.float32),
                np.ascontiguousarray((normal - base_normal) * share, np.float32),
            )
        )
    return tuple(targets)


def _shape(
    block: Any,
    origins: VertexOrigins,
    count: int,
    per_corner: bool,
    known: dict[str, tuple[np.ndarray, np.ndarray]],
) -> tuple[np.ndarray, np.ndarray]:
    """Return positions and normals (V, 3) of a shape key as it would be alone."""
    if block.name not in known:
        places = read(block.data, "co", count, 3)[origins.points]
        if per_corner:
            normals = np.array(block.normals_split_get(), np.float32).reshape(-1, 3)
            normals = normals[origins.corners]
        else:
            normals = np.array(block.normals_vertex_get(), np.float32).reshape(-1, 3)
            normals = normals[origins.points]
        known[block.name] = (turn_to_engine(places), turn_to_engine(normals))
    return known[block.name]


def _share(obj: Any, block: Any, origins: VertexOrigins) -> np.ndarray | float:
    group = obj.vertex_groups.get(block.vertex_group) if block.vertex_group else None
    if group is None:
        return 1.0
    return group_weights(obj.data, group.index)[origins.points][:, None]
