"""UV sets beyond a mesh's UV maps, made when a material asks for them by name.

Attributes of vectors on points or corners can be used as texture coordinates (by an Attribute or UV
Map node), and `GENERATED` are Blender's generated coordinates, of which a picture uses X and Y.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .gather import gather

GENERATED = ".generated"
"""The set of generated coordinates: 0..1 across the texture space of the undeformed mesh."""

_TYPES = frozenset({"FLOAT2", "FLOAT_VECTOR"})
_DOMAINS = frozenset({"POINT", "CORNER"})


def can_be_set(mesh: Any | None, name: str) -> bool:
    """Tell whether `name` can become a UV set of a mesh; None: of a curve, text or metaball."""
    if name == GENERATED:
        return True
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
        return gather(_generated(mesh, original), point_of_corner)
    attribute = mesh.attributes.get(name)
    if not can_be_set(mesh, name):
        return np.zeros((len(point_of_corner), 2), np.float32)
    width = 2 if attribute.data_type == "FLOAT2" else 3
    flat = np.empty(len(attribute.data) * width, np.float32)
    attribute.data.foreach_get("vector", flat)
    values = np.ascontiguousarray(flat.reshape(-1, width)[:, :2])
    return gather(values, point_of_corner) if attribute.domain == "POINT" else values


def _generated(mesh: Any, original: Any | None) -> np.ndarray:
    """Return generated coordinates (V, 2) float32: (co - location) / (2 size) + 1/2.

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
    location = np.array(space.texspace_location, np.float32)[:2]
    size = np.array(space.texspace_size, np.float32)[:2]
    size = np.where(np.abs(size) < 1e-12, np.float32(1), size)
    return (places.reshape(-1, 3)[:, :2] - location) / (2 * size) + np.float32(0.5)
