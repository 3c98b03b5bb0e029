"""What a drawn thing measures, whoever made its triangles, and the things of a GLB; no bpy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pygltflib


@dataclass(frozen=True, eq=False)
class Part:
    """Triangles in world space: corners and normals (T, 3, 3), each UV set (T, 3, 2), float64."""

    name: str
    corners: np.ndarray
    normals: np.ndarray
    uvs: tuple[np.ndarray, ...]


@dataclass(frozen=True, eq=False)
class Measure:
    """What is compared of one drawn thing.

    box (2, 3). normal (3,): mean shading normal over the area. facing: mean cosine between shading
    and face normal. uvs: per set (u mean, v mean, area in the picture).
    """

    name: str
    triangles: int
    box: np.ndarray
    normal: np.ndarray
    facing: float
    uvs: tuple[tuple[float, ...], ...]


def measure(part: Part) -> Measure:
    """Return the numbers of one part; see `Measure`."""
    a, b, c = (part.corners[:, k] for k in range(3))
    cross = np.cross(b - a, c - a)
    doubled = np.linalg.norm(cross, axis=1)
    weight = doubled / max(doubled.sum(), 1e-30)
    shading = part.normals.mean(axis=1)
    face = cross / np.where(doubled > 0, doubled, 1)[:, None]
    uvs = []
    for uv in part.uvs:
        first, second = uv[:, 1] - uv[:, 0], uv[:, 2] - uv[:, 0]
        covered = np.abs(first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]).sum() / 2
        uvs.append((*(uv.mean(axis=1) * weight[:, None]).sum(axis=0).tolist(), float(covered)))
    points = part.corners.reshape(-1, 3)
    return Measure(
        part.name,
        len(part.corners),
        np.stack([points.min(axis=0), points.max(axis=0)]),
        (shading * weight[:, None]).sum(axis=0),
        float(((shading * face).sum(axis=1) * weight).sum()),
        tuple(uvs),
    )


def part_in_world(
    name: str,
    world_from_local: np.ndarray,
    indices: np.ndarray,
    positions: np.ndarray,
    normals: np.ndarray,
    uvs: list[np.ndarray],
) -> Part:
    """Bring one mesh into world space; a mirroring matrix turns its triangles round, as drawn."""
    axes = world_from_local[:3, :3]
    triangles = indices.reshape(-1, 3)
    if np.linalg.det(axes) < 0:
        triangles = triangles[:, ::-1]
    # The cofactor matrix is the inverse transpose up to its scale, and is there without an inverse.
    cofactor = np.stack([np.cross(axes[(i + 1) % 3], axes[(i + 2) % 3]) for i in range(3)])
    turned = normals.astype(np.float64) @ (cofactor * np.sign(np.linalg.det(axes) or 1)).T
    turned /= np.maximum(np.linalg.norm(turned, axis=1, keepdims=True), 1e-30)
    placed = positions.astype(np.float64) @ axes.T + world_from_local[:3, 3]
    sets = tuple(uv.astype(np.float64)[triangles] for uv in uvs)
    return Part(name, placed[triangles], turned[triangles], sets)


def document_measures(document: Any) -> list[Measure]:
    """Return what the scene of a parsed GLB (`pygltflib.GLTF2`) draws."""
    out: list[Measure] = []
    todo = [(index, np.identity(4)) for index in document.scenes[document.scene].nodes]
    while todo:
        index, world_from_parent = todo.pop()
        node = document.nodes[index]
        matrix = world_from_parent @ _node_matrix(node)
        todo += [(child, matrix) for child in node.children]
        if node.mesh is not None:
            mesh = document.meshes[node.mesh]
            weights = mesh.weights or []
            parts = [
                _primitive(document, node.name, matrix, primitive, weights)
                for primitive in mesh.primitives
                if primitive.mode in {None, pygltflib.TRIANGLES}
            ]
            if parts:
                out.append(measure(_joined(parts)))
    return out


def _joined(parts: list[Part]) -> Part:
    sets = min(len(part.uvs) for part in parts)
    return Part(
        parts[0].name,
        np.concatenate([part.corners for part in parts]),
        np.concatenate([part.normals for part in parts]),
        tuple(np.concatenate([part.uvs[k] for part in parts]) for k in range(sets)),
    )


def _primitive(
    document: Any, name: str, matrix: np.ndarray, primitive: Any, weights: list[float]
) -> Part:
    found = primitive.attributes
    positions = _accessor(document, found.POSITION).astype(np.float64)
    normals = _accessor(document, found.NORMAL).astype(np.float64)
    for weight, target in zip(weights, primitive.targets or [], strict=False):
        positions += weight * _accessor(document, target["POSITION"])
        normals += weight * _accessor(document, target["NORMAL"])
    sets = []
    while (accessor := getattr(found, f"TEXCOORD_{len(sets)}", None)) is not None:
        sets.append(_accessor(document, accessor))
    if primitive.indices is None:
        indices = np.arange(len(positions))
    else:
        indices = _accessor(document, primitive.indices).reshape(-1).astype(np.int64)
    return part_in_world(name, matrix, indices, positions, normals, sets)


_DTYPES = {5121: np.uint8, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}


def _accessor(document: Any, index: int) -> np.ndarray:
    accessor = document.accessors[index]
    dtype, width = np.dtype(_DTYPES[accessor.componentType]), _WIDTHS[accessor.type]
    view = document.bufferViews[accessor.bufferView]
    start = (view.byteOffset or 0) + (accessor.byteOffset or 0)
    count = accessor.count * width
    return np.frombuffer(document.binary_blob(), dtype, count, start).reshape(-1, width)


def _node_matrix(node: Any) -> np.ndarray:
    if node.matrix is not None:
        return np.array(node.matrix, np.float64).reshape(4, 4).T
    x, y, z, w = node.rotation or (0.0, 0.0, 0.0, 1.0)
    rotation = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    out = np.identity(4)
    out[:3, :3] = rotation * np.array(node.scale or (1.0, 1.0, 1.0))
    out[:3, 3] = node.translation or (0.0, 0.0, 0.0)
    return out
