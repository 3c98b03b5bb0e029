"""Sound meshes: what no file may hold and no GPU should see is repaired, and the repair told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..errors import LevelError
from .mesh import MeshData, Primitive, is_finite
from .mesh_deform_repair import check_deform_shapes, with_sound_deform

UNIT_TOLERANCE = 5e-3
"""How far a squared length may be from 1; Khronos' validator complains beyond 6.7e-3."""
UP = np.array([0.0, 1.0, 0.0], np.float32)


def repaired(mesh: MeshData, *, values_are_sound: bool = False) -> tuple[MeshData, tuple[str, ...]]:
    """Return `mesh` fit for drawing and for a file, and what had to be repaired, in words.

    Vertices keep their places. Triangles with coordinates that are no numbers or with indices out
    of range are left out; normals and tangents become unit vectors (made from the triangles where
    they have no direction); texture coordinates and colours that are no numbers become 0;
    primitives follow each other without gaps; without a triangle the arrays are empty. A sound mesh
    comes back as the same object. With `values_are_sound` the caller vouches for coordinates,
    normals, texture coordinates, colours and indices, which are then not looked at.
    Raises LevelError if the arrays do not fit each other at all.
    """
    _check_shapes(mesh)
    check_deform_shapes(mesh)
    notes: list[str] = []
    mesh = _with_gapless_primitives(mesh)
    if not values_are_sound:
        mesh = _with_sound_triangles(mesh, notes)
    if len(mesh.indices) == 0:
        return _emptied(mesh), tuple(notes)
    if not values_are_sound:
        mesh = _with_unit_normals(mesh, notes)
        mesh = _with_sound_sets(mesh, "uv_sets", "texture coordinates", notes)
        mesh = _with_sound_sets(mesh, "color_sets", "vertex colours", notes)
    mesh = _with_unit_tangents(mesh, notes)
    mesh = with_sound_deform(mesh, notes)
    return mesh, tuple(notes)


def _check_shapes(mesh: MeshData) -> None:
    count = len(mesh.positions)
    expected = [
        ("positions", mesh.positions, (count, 3)),
        ("normals", mesh.normals, (count, 3)),
        *([] if mesh.tangents is None else [("tangents", mesh.tangents, (count, 4))]),
        *((f"uv_sets[{i}]", array, (count, 2)) for i, array in enumerate(mesh.uv_sets)),
        *((f"color_sets[{i}]", array, (count, 4)) for i, array in enumerate(mesh.color_sets)),
    ]
    for name, array, shape in expected:
        if array.shape != shape or array.dtype != np.float32:
            raise LevelError(
                f"Mesh '{mesh.name}': {name} is {array.shape} {array.dtype}, not {shape} float32."
            )
    if mesh.indices.ndim != 1 or mesh.indices.dtype != np.uint32:
        raise LevelError(f"Mesh '{mesh.name}': indices have to be a flat uint32 array.")
    for part in mesh.primitives:
        end = part.first_index + part.index_count
        if part.first_index < 0 or part.index_count < 0 or end > len(mesh.indices):
            raise LevelError(f"Mesh '{mesh.name}': a primitive reaches beyond the indices.")
        if part.index_count % 3 or part.material_slot < 0:
            raise LevelError(f"Mesh '{mesh.name}': a primitive is not made of whole triangles.")


# Triangles ----------------------------------------------------------------------------------------


def _with_sound_triangles(mesh: MeshData, notes: list[str]) -> MeshData:
    has_sound_indices = len(mesh.indices) == 0 or int(mesh.indices.max()) < len(mesh.positions)
    if has_sound_indices and is_finite(mesh.positions):
        return mesh
    finite = np.isfinite(mesh.positions).all(axis=1)
    corners = mesh.indices.reshape(-1, 3)
    in_range = (corners < len(mesh.positions)).all(axis=1)
    sound = in_range
    if not finite.all():
        reachable = np.where(corners < len(finite), corners, 0)
        sound = in_range & finite[reachable].all(axis=1)
        positions = np.where(finite[:, None], mesh.positions, np.float32(0.0))
        mesh = replace(mesh, positions=positions)
        notes.append(
            _told(np.count_nonzero(~finite), "vertex without a place", "put at the origin")
        )
    if sound.all():
        return mesh
    notes.append(_told(np.count_nonzero(~sound), "triangle of unusable vertices", "left out"))
    kept = np.concatenate([[0], np.cumsum(sound)])
    counts = [
        3 * int(kept[(part.first_index + part.index_count) // 3] - kept[part.first_index // 3])
        for part in mesh.primitives
    ]
    slots = [part.material_slot for part in mesh.primitives]
    return replace(
        mesh,
        indices=np.ascontiguousarray(corners[sound]).reshape(-1),
        primitives=_primitives(counts, slots),
    )


def _with_gapless_primitives(mesh: MeshData) -> MeshData:
    counts = [part.index_count for part in mesh.primitives]
    wanted = _primitives(counts, [part.material_slot for part in mesh.primitives])
    if wanted == mesh.primitives and sum(counts) == len(mesh.indices):
        return mesh
    runs = [mesh.indices[p.first_index : p.first_index + p.index_count] for p in mesh.primitives]
    indices = np.concatenate(runs) if runs else np.zeros(0, np.uint32)
    return replace(mesh, indices=indices, primitives=wanted)


def _primitives(counts: list[int], slots: list[int]) -> tuple[Primitive, ...]:
    """Return runs of `counts` indices that follow each other; empty ones are dropped."""
    first = 0
    made = []
    for count, slot in zip(counts, slots, strict=True):
        if count:
            made.append(Primitive(first, count, slot))
        first += count
    return tuple(made)


def _emptied(mesh: MeshData) -> MeshData:
    nothing = np.zeros((0, 3), np.float32)
    has_sets = mesh.tangents is not None or mesh.uv_sets or mesh.color_sets
    if len(mesh.positions) == 0 and not has_sets:
        return mesh
    return MeshData(mesh.name, nothing, nothing, np.zeros(0, np.uint32), ())


# Vectors ------------------------------------------------------------------------------------------


def _with_unit_normals(mesh: MeshData, notes: list[str]) -> MeshData:
    wrong = np.flatnonzero(_is_not_unit(mesh.normals))
    if not len(wrong):
        return mesh
    normals = mesh.normals.copy()
    normals[wrong], has_direction = _normalized(mesh.normals[wrong])
    lost = wrong[~has_direction]
    if len(lost):
        normals[lost] = _triangle_normals(mesh, lost)
    notes.append(_told(len(wrong), "normal that was no unit vector", "made one"))
    return replace(mesh, normals=normals)


def _triangle_normals(mesh: MeshData, vertices: np.ndarray) -> np.ndarray:
    """Return for each vertex the unit normal of a triangle that has it, UP where there is none."""
    found = np.tile(UP, (len(mesh.positions), 1))
    corners = mesh.indices.reshape(-1, 3)
    wanted = np.zeros(len(mesh.positions), bool)
    wanted[vertices] = True
    corners = corners[wanted[corners].any(axis=1)]
    a, b, c = (mesh.positions[corners[:, k]].astype(np.float64) for k in range(3))
    normals, has_direction = _normalized(np.cross(b - a, c - a))
    for k in range(3):
        found[corners[has_direction, k]] = normals[has_direction]
    return found[vertices]


def _with_unit_tangents(mesh: MeshData, notes: list[str]) -> MeshData:
    if mesh.tangents is None:
        return mesh
    sign = mesh.tangents[:, 3]
    wrong = np.flatnonzero(_is_not_unit(mesh.tangents[:, :3]) | (np.abs(sign) != 1.0))
    if not len(wrong):
        return mesh
    tangents = mesh.tangents.copy()
    directions, has_direction = _normalized(mesh.tangents[wrong, :3])
    normals = mesh.normals[wrong].astype(np.float64)
    # Any direction on the surface: across the axis that the normal leans on least.
    axis = np.eye(3)[np.abs(normals).argmin(axis=1)]
    across, _ = _normalized(np.cross(normals, axis))
    tangents[wrong, :3] = np.where(has_direction[:, None], directions, across)
    tangents[wrong, 3] = np.where(sign[wrong] < 0.0, -1.0, 1.0)
    notes.append(_told(len(wrong), "tangent that was no unit vector", "made one"))
    return replace(mesh, tangents=tangents)


def _is_not_unit(vectors: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore", invalid="ignore"):
        squared = np.einsum("ij,ij->i", vectors, vectors)
        return ~(np.abs(squared - 1.0) <= UNIT_TOLERANCE)  # NaN is not unit either


def _normalized(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return ((N, 3) float32 unit vectors, (N,) whether they had a direction); UP where not."""
    wide = vectors.astype(np.float64)
    finite = np.isfinite(wide).all(axis=1)
    wide = np.where(finite[:, None], wide, 0.0)
    largest = np.abs(wide).max(axis=1, initial=0.0)
    has_direction = largest > 0.0
    # Divided by the largest component first: squares of huge and tiny ones leave float64's range.
    wide = wide / np.where(has_direction, largest, 1.0)[:, None]
    length = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    unit = wide / np.where(has_direction, length, 1.0)[:, None]
    return np.where(has_direction[:, None], unit, UP).astype(np.float32), has_direction


def _with_sound_sets(mesh: MeshData, name: str, words: str, notes: list[str]) -> MeshData:
    sets: tuple[np.ndarray, ...] = getattr(mesh, name)
    if all(map(is_finite, sets)):
        return mesh
    finite = [np.isfinite(array) for array in sets]
    bad = sum(int(np.count_nonzero(~mask.all(axis=1))) for mask in finite)
    notes.append(_told(bad, f"vertex with {words} that are no numbers", "set to 0"))
    fixed = tuple(
        np.where(mask, array, np.float32(0.0)) for array, mask in zip(sets, finite, strict=True)
    )
    return replace(mesh, **{name: fixed})


def _told(count: int, what: str, done: str) -> str:
    """Say "3 x normal that was no unit vector: made one"."""
    return f"{count} x {what}: {done}"
