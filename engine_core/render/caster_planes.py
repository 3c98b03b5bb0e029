"""Which casters can throw a shadow into a slice of the view.

A caster does if it, swept along the light as far as its shadow reaches, meets the slice. Two boxes
are apart if a plane parts them; the planes tried are the slice's faces and those through its
outline as the sun sees it (Lloyd et al. 2006, "Warping and Partitioning for Low Error Shadow
Maps", has the same volume from the map's side).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .view import View

_CORNERS = np.indices((2, 2, 2)).reshape(3, 8).T
"""(8, 3): which end of depth, y and x each corner lies at; the corner's number is 4d + 2y + x."""


def window_corners(view: View, depth: float) -> np.ndarray:
    """Return the corners (4, 3), view space, of the view's window at `depth` metres."""
    projection = view.clip_from_view
    x, y = np.meshgrid([-1.0, 1.0], [-1.0, 1.0])
    scale = np.full(4, depth if view.perspective else 1.0)
    offset = projection[:2, 2] if view.perspective else -projection[:2, 3]
    return np.stack(
        [
            (x.ravel() + offset[0]) / projection[0, 0] * scale,
            (y.ravel() + offset[1]) / projection[1, 1] * scale,
            np.full(4, -depth),
        ],
        axis=1,
    )


def slice_corners(view: View, near: float, far: float) -> np.ndarray:
    """Return the corners (8, 3), world space, of the view between two depths in metres.

    The number of a corner is 4d + 2y + x: far or near, top or bottom, right or left.
    """
    corners = np.concatenate([window_corners(view, near), window_corners(view, far)])
    world_from_view = np.linalg.inv(view.view_from_world)
    return corners @ world_from_view[:3, :3].T + world_from_view[:3, 3]


@dataclass(frozen=True, eq=False)
class CasterPlanes:
    """Planes that part a slice from casters that do not matter to it.

    planes: (P, 4) float64, inward, world space. growth: (P,) by how much a metre of shadow brings a
    caster nearer to the inner side; 0 where shadows lead away.
    """

    planes: np.ndarray
    growth: np.ndarray


def caster_planes(corners: np.ndarray, towards_sun: np.ndarray, margin: float) -> CasterPlanes:
    """Return the planes of a slice.

    corners: (8, 3), as `slice_corners` numbers them. towards_sun: (3,) unit. margin: metres by
    which the slice is made wider on all sides.
    """
    faces = corners[_FACES]
    planes = _planes(
        np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0]), faces[:, 0], corners, margin
    )
    growth = -planes[:, :3] @ towards_sun
    first, second = (growth > 0)[_EDGE_FACES].T
    edges = corners[_EDGES[first != second]]
    outline = _planes(
        np.cross(edges[:, 1] - edges[:, 0], towards_sun), edges[:, 0], corners, margin
    )
    return CasterPlanes(
        planes=np.concatenate([planes, outline]),
        growth=np.concatenate([np.maximum(growth, 0), np.zeros(len(outline))]),
    )


def swept_boxes(boxes: np.ndarray, towards_sun: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Return (8, N) float32: `boxes` (7, N) as in `DrawItems`, and how long their shadows are.

    That is how many metres a box must be swept from the sun to leave `bounds`, (2, 3) corners of
    all that receives shadows; 0 if it has left already.
    """
    lengths = np.full(boxes.shape[1], np.inf, np.float32)
    for axis, away in enumerate(-np.asarray(towards_sun, np.float64)):
        if abs(away) < 1e-9:
            continue
        # The face that leaves last is the one that lags behind.
        sign = np.float32(np.sign(away))
        end = np.float32(bounds[1 if away > 0 else 0, axis])
        lagging = boxes[axis] - sign * boxes[3 + axis]
        np.minimum(lengths, (end - lagging) * np.float32(1 / away), out=lengths)
    return np.concatenate([boxes, np.maximum(lengths, 0)[None]])


def _planes(
    normals: np.ndarray, points: np.ndarray, corners: np.ndarray, margin: float
) -> np.ndarray:
    """Planes through `points` that have the middle of `corners` on their positive side."""
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    unit = normals / np.maximum(length, 1e-12)
    inward = np.einsum("ij,ij->i", unit, corners.mean(axis=0) - points)
    unit = unit * np.where(inward < 0, -1.0, 1.0)[:, None]
    return np.column_stack([unit, margin - np.einsum("ij,ij->i", unit, points)])


def _topology() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Three corners of each face (6, 3); both corners (12, 2) and both faces (12, 2) of each edge.

    Face 2a + e is the one where axis a (depth, y, x) is at its end e.
    """
    faces = [np.flatnonzero(_CORNERS[:, a] == e)[:3] for a in range(3) for e in range(2)]
    edges, edge_faces = [], []
    for along in range(3):
        b, c = (axis for axis in range(3) if axis != along)
        for i in range(2):
            for j in range(2):
                edges.append(np.flatnonzero((_CORNERS[:, b] == i) & (_CORNERS[:, c] == j)))
                edge_faces.append([2 * b + i, 2 * c + j])
    return np.array(faces), np.array(edges), np.array(edge_faces)


_FACES, _EDGES, _EDGE_FACES = _topology()
