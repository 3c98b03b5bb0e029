"""UV sets beyond a mesh's UV maps, made when a material asks for them by name.

Attributes of vectors on points or corners can be used as texture coordinates (by an Attribute or UV
Map node), and `GENERATED` are Blender's generated coordinates, of which a picture uses X and Y.
A checkerboard in space has a set of its own for each scale: on faces square to an axis it is a
checkerboard in the plane, moved by one square wherever the third coordinate enters the next layer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .gather import gather

GENERATED = ".generated"
"""The set of generated coordinates: 0..1 across the texture space of the undeformed mesh."""

CHECKER = ".checker "
"""How the sets of checkerboards begin; their scale follows."""
SQUARE = 0.999
"""From which component on along an axis a face's normal counts as square to the others."""
ENOUGH = 0.5
"""Share of a mesh's area that has to be square to the axes for a checkerboard to be shown; on other
faces it is projected along the axis that they face most."""

_TYPES = frozenset({"FLOAT2", "FLOAT_VECTOR"})
_DOMAINS = frozenset({"POINT", "CORNER"})


def checker_set(scale: float) -> str:
    """Return the name of the set along which a checkerboard of `scale` lies."""
    return f"{CHECKER}{scale!r}"


def can_be_set(mesh: Any | None, name: str) -> bool:
    """Tell whether `name` can become a UV set of a mesh; None: of a curve, text or metaball."""
    if name == GENERATED:
        return True
    if name.startswith(CHECKER):
        return mesh is not None and _is_square(mesh)
    attribute = None if mesh is None else mesh.attributes.get(name)
    if attribute is None:
        return False
    return attribute.data_type in _TYPES and attribute.domain in _DOMAINS


def read_extra_uv(
    mesh: Any, name: str, point_of_corner: np.ndarray, original: Any | None
) -> np.ndarray:
    """Return set `name` of an evaluated mesh for each corner, (L, 2) float32, v up.

    `original` is the mesh before modifiers, if there is one. A set that the mesh lacks is zero.
    """
    if name == GENERATED:
        flat = np.ascontiguousarray(_generated(mesh, original)[:, :2])
        return gather(flat, point_of_corner)
    if name.startswith(CHECKER):
        places = gather(_generated(mesh, original), point_of_corner)
        return _checkered(places, mesh, float(name.removeprefix(CHECKER)))
    attribute = mesh.attributes.get(name)
    if not can_be_set(mesh, name):
        return np.zeros((len(point_of_corner), 2), np.float32)
    width = 2 if attribute.data_type == "FLOAT2" else 3
    flat = np.empty(len(attribute.data) * width, np.float32)
    attribute.data.foreach_get("vector", flat)
    values = np.ascontiguousarray(flat.reshape(-1, width)[:, :2])
    return gather(values, point_of_corner) if attribute.domain == "POINT" else values


def _generated(mesh: Any, original: Any | None) -> np.ndarray:
    """Return generated coordinates (V, 3) float32: (co - location) / (2 size) + 1/2.

    The coordinates are those before deformation: of the original mesh where modifiers have only
    moved its vertices, else those that Blender keeps for the purpose.
    """
    count = len(mesh.vertices)
    places = np.empty(count * 3, np.float32)
    space = mesh
    if original is not None and len(original.vertices) == count:
        space = original
        original.vertices.foreach_get("co", places)
    else:
        mesh.vertices.foreach_get("undeformed_co", places)
    location = np.array(space.texspace_location, np.float32)
    size = np.array(space.texspace_size, np.float32)
    size = np.where(np.abs(size) < 1e-12, np.float32(1), size)
    return (places.reshape(-1, 3) - location) / (2 * size) + np.float32(0.5)


def _is_square(mesh: Any) -> bool:
    """Tell whether nearly all of a mesh's area is square to an axis."""
    normals = _face_normals(mesh)
    area = np.empty(len(normals), np.float32)
    mesh.polygons.foreach_get("area", area)
    is_square = np.abs(normals).max(axis=1, initial=0) > SQUARE
    return bool(area[is_square].sum() >= ENOUGH * area.sum() > 0)


def _face_normals(mesh: Any) -> np.ndarray:
    normals = np.empty(len(mesh.polygons) * 3, np.float32)
    mesh.polygon_normals.foreach_get("vector", normals)
    return normals.reshape(-1, 3)


def _checkered(places: np.ndarray, mesh: Any, scale: float) -> np.ndarray:
    """Return coordinates (L, 2) of a checkerboard of `scale` in the plane of each corner's face.

    places: (L, 3) generated coordinates. Blender counts squares of `(p + 1e-6) * 0.999999`, so that
    a face on the border of two layers belongs to one of them.
    """
    totals = np.empty(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("loop_total", totals)
    face = np.repeat(np.arange(len(totals)), totals)
    axis = np.abs(_face_normals(mesh)).argmax(axis=1)[face]
    corner = np.arange(len(places))
    depth = np.bincount(face, places[corner, axis], len(totals)) / np.maximum(totals, 1)
    layer = np.floor((depth * scale + 1e-6) * 0.999999)[face]
    across = places[corner, (axis + 1) % 3] + layer / scale
    return np.stack([across, places[corner, (axis + 2) % 3]], axis=1).astype(np.float32)
