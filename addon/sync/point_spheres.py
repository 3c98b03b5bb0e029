"""Points to small spheres of triangles. Knows no bpy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MAX_TRIANGLES = 3_000_000
"""Triangles of one object's points; beyond, only every n-th point is drawn, larger."""


@dataclass(frozen=True, eq=False)
class Spheres:
    """Triangles: positions, normals (V, 3) float32 and indices (I,) uint32.

    point_of_vertex (V,) says whose sphere a vertex belongs to; `drawn` of the points are drawn.
    """

    positions: np.ndarray
    normals: np.ndarray
    indices: np.ndarray
    point_of_vertex: np.ndarray
    drawn: int


def spheres(points: np.ndarray, radii: np.ndarray) -> Spheres | None:
    """Return a sphere around each of `points` (P, 3) with `radii` (P,); None if there is none.

    Up to 2,000 points are drawn with 80 triangles each, up to 50,000 with 20, more with 8.
    """
    usable = np.flatnonzero(np.isfinite(points).all(axis=1) & np.isfinite(radii) & (radii > 0))
    if len(usable) == 0:
        return None
    every = -(-len(usable) * 8 // MAX_TRIANGLES)
    chosen = usable[::every]
    count = len(chosen)
    directions, faces = _ball(2 if count <= 2_000 else 1 if count <= 50_000 else 0)
    size = radii[chosen].astype(np.float32) * np.float32(every ** (1 / 3))
    positions = points[chosen][:, None] + directions * size[:, None, None]
    indices = faces.reshape(-1) + np.arange(count)[:, None] * len(directions)
    return Spheres(
        positions.reshape(-1, 3).astype(np.float32),
        np.tile(directions, (count, 1)),
        indices.reshape(-1).astype(np.uint32),
        np.repeat(chosen, len(directions)),
        count,
    )


def _ball(detail: int) -> tuple[np.ndarray, np.ndarray]:
    """Return unit vertices (V, 3) float32 and faces (F, 3): octahedron, icosahedron, 80 faces."""
    if detail == 0:
        axes = np.concatenate([np.identity(3), -np.identity(3)])
        round_z = [(0, 1), (1, 3), (3, 4), (4, 0)]
        faces = [(a, b, 2) for a, b in round_z] + [(b, a, 5) for a, b in round_z]
        return axes.astype(np.float32), np.array(faces)
    golden = (1 + 5**0.5) / 2
    flat = [(-1, golden, 0), (1, golden, 0), (-1, -golden, 0), (1, -golden, 0)]
    corners = [tuple(np.roll(corner, turn)) for turn in (0, 1, 2) for corner in flat]
    vertices = np.array(corners, np.float64)
    vertices /= np.linalg.norm(vertices[0])
    faces = np.array(
        [
            (0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11),
            (1, 5, 9), (5, 11, 4), (11, 10, 2), (10, 7, 6), (7, 1, 8),
            (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8), (3, 8, 9),
            (4, 9, 5), (2, 4, 11), (6, 2, 10), (8, 6, 7), (9, 8, 1),
        ]
    )  # fmt: skip
    return _halved(vertices, faces) if detail == 2 else (vertices.astype(np.float32), faces)


def _halved(vertices: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cut every face into four, the new vertices pushed out onto the unit sphere."""
    edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    unique, of_edge = np.unique(edges, axis=0, return_inverse=True)
    middles = vertices[unique].sum(axis=1)
    middles /= np.linalg.norm(middles, axis=1, keepdims=True)
    a, b, c = faces.T
    ab, bc, ca = (of_edge.reshape(-1) + len(vertices)).reshape(3, -1)
    cut = np.concatenate(
        [np.stack(face, axis=1) for face in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]
    )
    return np.concatenate([vertices, middles]).astype(np.float32), cut
