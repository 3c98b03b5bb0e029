"""Evaluated Blender mesh to MeshData."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...engine_core.assets.mesh import MeshData, Primitive
from .mesh_arrays import MeshArrays, read_mesh_arrays
from .vertex_split import split_vertices
from .warnings import SyncWarning


@dataclass(frozen=True, eq=False)
class MeshReading:
    """A mesh and what could not be kept of it; `data` is None if there is nothing to draw."""

    data: MeshData | None
    warnings: tuple[SyncWarning, ...] = ()


def read_mesh(mesh: Any, name: str) -> MeshReading:
    """Turn an evaluated `bpy.types.Mesh` into MeshData called `name`."""
    if len(mesh.polygons) == 0:
        return MeshReading(None, _left_out(mesh, name))
    arrays = read_mesh_arrays(mesh)
    warnings = list(_left_out(mesh, name))
    arrays, bad = _without_bad_triangles(arrays)
    if bad:
        warnings.append(
            SyncWarning(
                "mesh",
                name,
                f"{bad} triangles have coordinates that are not numbers and are left out.",
                "Delete those vertices or the modifier that makes them.",
                left_out=True,
            )
        )
        if len(arrays.corners_of_triangle) == 0:
            return MeshReading(None, tuple(warnings))
    return MeshReading(mesh_data(arrays, name), tuple(warnings))


def mesh_data(arrays: MeshArrays, name: str) -> MeshData:
    """Build vertices, indices and primitives out of `arrays`."""
    values = [uv for _, uv in arrays.uvs]
    values += [color for _, color in arrays.colors if len(color) == len(arrays.point_of_corner)]
    if not arrays.normals_per_point:
        values.append(arrays.normals)
    split = split_vertices(arrays.point_of_corner, len(arrays.positions), values)
    corners = split.corner_of_vertex
    points = np.take(arrays.point_of_corner, corners)
    whole = len(points) == len(arrays.positions)

    def at_points(array: np.ndarray) -> np.ndarray:
        return array if whole else np.take(array, points, axis=0)

    def at_corners(array: np.ndarray) -> np.ndarray:
        return np.take(array, corners, axis=0)

    triangles, primitives = _primitives(arrays)
    indices = np.take(split.vertex_of_corner, triangles.ravel())
    corner_count = len(arrays.point_of_corner)
    return MeshData(
        name=name,
        positions=at_points(arrays.positions),
        normals=at_points(arrays.normals)
        if arrays.normals_per_point
        else at_corners(arrays.normals),
        indices=indices,
        primitives=primitives,
        uv_sets=tuple(at_corners(uv) for _, uv in arrays.uvs),
        color_sets=tuple(
            at_corners(color) if len(color) == corner_count else at_points(color)
            for _, color in arrays.colors
        ),
        uv_names=tuple(key for key, _ in arrays.uvs),
        color_names=tuple(key for key, _ in arrays.colors),
    )


def _primitives(arrays: MeshArrays) -> tuple[np.ndarray, tuple[Primitive, ...]]:
    """Return the triangles (T, 3) sorted by material slot, and one primitive a slot in use."""
    triangles = arrays.corners_of_triangle
    if arrays.face_of_triangle is None or arrays.material_of_face is None:
        return triangles, (Primitive(0, triangles.size, 0),)
    slots = np.take(arrays.material_of_face, arrays.face_of_triangle)
    slots = np.clip(slots, 0, 32767).astype(np.int16)
    triangles = triangles[np.argsort(slots, kind="stable")]
    counts = np.bincount(slots)
    starts = np.concatenate([[0], np.cumsum(counts)])
    return triangles, tuple(
        Primitive(int(starts[slot]) * 3, int(counts[slot]) * 3, int(slot))
        for slot in np.flatnonzero(counts)
    )


def _without_bad_triangles(arrays: MeshArrays) -> tuple[MeshArrays, int]:
    """Drop triangles with a corner at NaN or infinity; returns how many there were."""
    if np.isfinite(arrays.positions.sum(dtype=np.float64)):
        return arrays, 0
    finite = np.isfinite(arrays.positions).all(axis=1)
    keep = finite[arrays.point_of_corner][arrays.corners_of_triangle].all(axis=1)
    faces = arrays.face_of_triangle
    return (
        replace(
            arrays,
            corners_of_triangle=arrays.corners_of_triangle[keep],
            face_of_triangle=None if faces is None else faces[keep],
            positions=np.where(finite[:, None], arrays.positions, np.float32(0)),
        ),
        int(len(keep) - keep.sum()),
    )


def _left_out(mesh: Any, name: str) -> tuple[SyncWarning, ...]:
    """Warn about loose edges and points, which the engine does not draw."""
    if len(mesh.polygons) == 0 and len(mesh.vertices) == 0:
        return ()
    if len(mesh.polygons) == 0:
        return (
            SyncWarning(
                "mesh",
                name,
                "It has edges or points but no faces, so nothing of it is drawn.",
                "Give it faces, for example with a Skin or Geometry Nodes modifier.",
                left_out=True,
            ),
        )
    return ()
