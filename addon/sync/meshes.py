"""Evaluated Blender mesh to MeshData."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...engine_core.assets.mesh import MeshData, Primitive, is_finite
from .causes import Cause
from .extra_uvs import read_extra_uv
from .gather import gather, squared_lengths_within
from .mesh_arrays import (
    GIANT_FACE,
    MAX_FACE,
    MAX_SETS,
    MeshArrays,
    has_face_of,
    mesh_layout,
    read_mesh_arrays,
)
from .scene_causes import SceneCause
from .vertex_split import VertexSplit, keep_corners, split_vertices
from .warnings import SyncWarning, named_warning

MAX_SLOT = 32767
"""Blender keeps at most this many material slots."""


@dataclass(frozen=True, eq=False)
class MeshReading:
    """A mesh and what could not be kept of it; `data` is None if there is nothing to draw."""

    data: MeshData | None
    warnings: tuple[SyncWarning, ...] = ()
    origins: VertexOrigins | None = None


@dataclass(frozen=True, eq=False)
class VertexOrigins:
    """Which corner, corners (V,) int32, and which point of Blender's mesh each vertex was."""

    point_of_corner: np.ndarray
    corners: np.ndarray

    @cached_property
    def points(self) -> np.ndarray:
        """(V,) int32."""
        return gather(self.point_of_corner, self.corners)


def read_mesh(
    mesh: Any,
    name: str,
    tangent_uv: str | None = None,
    extra_uvs: tuple[str, ...] = (),
    original: Any | None = None,
) -> MeshReading:
    """Turn an evaluated `bpy.types.Mesh` into MeshData called `name`.

    `tangent_uv` names the UV map along which tangents are wanted, None for no tangents;
    `extra_uvs` are further UV sets (see extra_uvs.py), `original` the mesh before modifiers.
    """
    if len(mesh.polygons) == 0:
        return MeshReading(None, _no_faces(mesh, name))
    if has_face_of(mesh, MAX_FACE):
        return MeshReading(
            None, (_warning(name, SceneCause.MESH_FACE_TOO_LARGE, corners=MAX_FACE),)
        )
    arrays = read_mesh_arrays(mesh, tangent_uv)
    if extra_uvs:
        arrays = _with_extra_uvs(arrays, mesh, extra_uvs, original)
    arrays, warnings = _without_bad_triangles(arrays, name)
    warnings += _too_many_sets(mesh, name)
    if len(arrays.corners_of_triangle) == 0:
        return MeshReading(None, warnings)
    split = _split(arrays)
    data, more = mesh_data(arrays, name, split)
    origins = VertexOrigins(arrays.point_of_corner, split.corner_of_vertex)
    return MeshReading(data, warnings + more, origins)


def _with_extra_uvs(
    arrays: MeshArrays, mesh: Any, extra_uvs: tuple[str, ...], original: Any | None
) -> MeshArrays:
    more = tuple(read_extra_uv(mesh, uv, arrays.point_of_corner, original) for uv in extra_uvs)
    return replace(arrays, layout=mesh_layout(mesh, extra_uvs), uvs=arrays.uvs + more)


def mesh_data(
    arrays: MeshArrays, name: str, split: VertexSplit | None = None
) -> tuple[MeshData, tuple[SyncWarning, ...]]:
    """Build vertices, indices and primitives out of `arrays`."""
    split = split or _split(arrays)
    warnings: list[SyncWarning] = []
    if arrays.giant:
        warnings.append(_warning(name, SceneCause.MESH_FACE_FLAT, corners=GIANT_FACE))
    if split.dropped_points:
        warnings.append(_warning(name, SceneCause.MESH_LOOSE, count=split.dropped_points))
    corners = split.corner_of_vertex
    points = None if split.keeps_points else gather(arrays.point_of_corner, corners)
    triangles, primitives = _primitives(arrays)
    uv_sets = tuple(_flipped(gather(uv, corners)) for uv in arrays.uvs)
    for uv_name, uv in zip(arrays.layout.uv_names, uv_sets, strict=True):
        if _replace_non_finite(uv, 0.0):
            warnings.append(_warning(name, SceneCause.MESH_BAD_VALUES, what=f"UV map '{uv_name}'"))
    normals = (
        _at_points(arrays.normals, points)
        if arrays.normals_per_point
        else gather(arrays.normals, corners)
    )
    if _repair_directions(normals):
        warnings.append(_warning(name, SceneCause.MESH_BAD_VALUES, what="custom normals"))
    colors = tuple(
        _at_points(color, points) if on_points else gather(color, corners)
        for color, on_points in zip(arrays.colors, arrays.color_on_points, strict=True)
    )
    for color_name, color in zip(arrays.layout.color_names, colors, strict=True):
        if _replace_non_finite(color, 0.0):
            what = f"colour attribute '{color_name}'"
            warnings.append(_warning(name, SceneCause.MESH_BAD_VALUES, what=what))
    data = MeshData(
        name=name,
        positions=_at_points(arrays.positions, points),
        normals=normals,
        indices=gather(split.vertex_of_corner, triangles.ravel()),
        primitives=primitives,
        uv_sets=uv_sets,
        tangents=None if arrays.tangents is None else gather(arrays.tangents, corners),
        color_sets=colors,
        uv_names=arrays.layout.uv_names,
        color_names=arrays.layout.color_names,
    )
    return data, tuple(warnings)


def _at_points(values: np.ndarray, points: np.ndarray | None) -> np.ndarray:
    """Return the values (V, k) of points for vertices; None: the vertices are the points."""
    return values if points is None else gather(values, points)


def _split(arrays: MeshArrays) -> VertexSplit:
    if arrays.flat:
        return keep_corners(arrays.point_of_corner, len(arrays.positions))
    values = list(arrays.uvs)
    values += [
        color
        for color, on_points in zip(arrays.colors, arrays.color_on_points, strict=True)
        if not on_points
    ]
    if not arrays.normals_per_point:
        values.append(arrays.normals)
    if arrays.tangents is not None:
        values.append(arrays.tangents)
    return split_vertices(arrays.point_of_corner, len(arrays.positions), values)


def _primitives(arrays: MeshArrays) -> tuple[np.ndarray, tuple[Primitive, ...]]:
    """Return the triangles (T, 3) sorted by material slot, and one primitive a slot in use."""
    triangles = arrays.corners_of_triangle
    if arrays.face_of_triangle is None or arrays.material_of_face is None:
        return triangles, (Primitive(0, triangles.size, 0),)
    slots = np.take(arrays.material_of_face, arrays.face_of_triangle)
    slots = np.clip(slots, 0, MAX_SLOT).astype(np.int16)  # 16 bits: NumPy sorts them by radix
    triangles = triangles[np.argsort(slots, kind="stable")]
    counts = np.bincount(slots)
    starts = np.concatenate([[0], np.cumsum(counts)])
    return triangles, tuple(
        Primitive(int(starts[slot]) * 3, int(counts[slot]) * 3, int(slot))
        for slot in np.flatnonzero(counts)
    )


def _without_bad_triangles(
    arrays: MeshArrays, name: str
) -> tuple[MeshArrays, tuple[SyncWarning, ...]]:
    """Drop triangles with a corner at NaN or infinity."""
    if is_finite(arrays.positions):
        return arrays, ()
    finite = np.logical_and.reduce(np.isfinite(arrays.positions), axis=1)
    of_corner = finite[arrays.point_of_corner]
    keep = np.logical_and.reduce(of_corner[arrays.corners_of_triangle], axis=1)
    faces = arrays.face_of_triangle
    cleaned = replace(
        arrays,
        corners_of_triangle=arrays.corners_of_triangle[keep],
        face_of_triangle=None if faces is None else faces[keep],
        positions=np.where(finite[:, None], arrays.positions, np.float32(0)),
    )
    dropped = len(keep) - int(keep.sum())
    if dropped == 0:
        return cleaned, ()
    return cleaned, (_warning(name, SceneCause.MESH_NOT_FINITE, count=dropped),)


def _flipped(uv: np.ndarray) -> np.ndarray:
    """Turn Blender's v, which grows upwards, into the engine's, which grows downwards, in place."""
    np.subtract(np.float32(1), uv[:, 1], out=uv[:, 1])
    return uv


def _replace_non_finite(values: np.ndarray, stand_in: float) -> bool:
    """Put `stand_in` where `values` are NaN or infinite, in place; tells whether any were."""
    if is_finite(values):
        return False
    bad = ~np.isfinite(values)
    values[bad] = stand_in
    return bool(bad.any())


def _repair_directions(normals: np.ndarray) -> bool:
    """Make every normal (N, 3) of unit length, in place; tells whether some were no directions."""
    if squared_lengths_within(normals, 0.999, 1.001):
        return False
    squares = np.einsum("ij,ij->i", normals, normals)
    usable = np.isfinite(squares) & (squares > 1e-12)
    normals[~usable] = (0, 1, 0)
    squares[~usable] = 1
    normals /= np.sqrt(squares)[:, None]
    return not usable.all()


def _warning(name: str, cause: Cause, **values: object) -> SyncWarning:
    return named_warning("mesh", name, cause, values=values)


def _too_many_sets(mesh: Any, name: str) -> tuple[SyncWarning, ...]:
    counts = {
        "UV maps": len(mesh.uv_layers),
        "colour attributes": sum(
            layer.domain in {"CORNER", "POINT"} for layer in mesh.color_attributes
        ),
    }
    return tuple(
        _warning(name, SceneCause.MESH_SETS, count=count, what=what, kept=MAX_SETS)
        for what, count in counts.items()
        if count > MAX_SETS
    )


def _no_faces(mesh: Any, name: str) -> tuple[SyncWarning, ...]:
    loose = len(mesh.vertices)
    return (_warning(name, SceneCause.MESH_LOOSE, count=loose),) if loose else ()
