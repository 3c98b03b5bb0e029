"""Blender mesh to NumPy: reads whole arrays by the paths that Blender serves with one memcpy.

`foreach_get` copies memory only if the property is stored as asked for; otherwise it calls an
accessor for each element, which is two orders of magnitude slower. Positions, corner vertices and
UVs are therefore read through `attributes`, and triangle corners as uint32 (measured for Blender
5.0 to 5.3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .axes import vectors_to_engine


@dataclass(frozen=True, eq=False)
class MeshArrays:
    """A Blender mesh as arrays, already in engine axes; V points, L corners, F faces, T triangles.

    positions (V, 3) float32; point_of_corner (L,) int32; corners_of_triangle (T, 3) uint32;
    face_of_triangle (T,) int32 and material_of_face (F,) int32, both None if one material covers
    everything; normals float32 (V, 3) if `normals_per_point`, else (L, 3); `flat`: no two faces
    share a normal. uvs: per set (name, (L, 2) float32, v down). colors: per set
    (name, (L, 4) or (V, 4) float32 linear).
    """

    positions: np.ndarray
    point_of_corner: np.ndarray
    corners_of_triangle: np.ndarray
    face_of_triangle: np.ndarray | None
    material_of_face: np.ndarray | None
    normals: np.ndarray
    normals_per_point: bool
    flat: bool
    uvs: tuple[tuple[str, np.ndarray], ...]
    colors: tuple[tuple[str, np.ndarray], ...]


def read_mesh_arrays(mesh: Any) -> MeshArrays:
    """Read an evaluated `bpy.types.Mesh`."""
    domain = mesh.normals_domain
    material_of_face = _material_of_face(mesh)
    triangle_count = len(mesh.loop_triangles)
    return MeshArrays(
        positions=vectors_to_engine(
            read(mesh.attributes["position"].data, "vector", len(mesh.vertices), 3)
        ),
        point_of_corner=read(
            mesh.attributes[".corner_vert"].data, "value", len(mesh.loops), 1, np.int32
        ),
        corners_of_triangle=read(mesh.loop_triangles, "loops", triangle_count, 3, np.uint32),
        face_of_triangle=None
        if material_of_face is None
        else read(mesh.loop_triangle_polygons, "value", triangle_count, 1, np.int32),
        material_of_face=material_of_face,
        normals=_normals(mesh, domain),
        normals_per_point=domain == "POINT",
        flat=domain == "FACE",
        uvs=tuple((layer.name, _uv(mesh, layer)) for layer in _render_first(mesh.uv_layers)),
        colors=tuple(_colors(mesh)),
    )


def read(
    collection: Any, name: str, count: int, width: int, dtype: type = np.float32
) -> np.ndarray:
    """Return property `name` of `count` items as (count, width), or (count,) for width 1."""
    out = np.empty(count * width, dtype)
    if count:
        collection.foreach_get(name, out)
    return out if width == 1 else out.reshape(count, width)


def _normals(mesh: Any, domain: str) -> np.ndarray:
    if domain == "POINT":
        raw = read(mesh.vertex_normals, "vector", len(mesh.vertices), 3)
    else:
        raw = read(mesh.corner_normals, "vector", len(mesh.loops), 3)
    return vectors_to_engine(raw)


def _material_of_face(mesh: Any) -> np.ndarray | None:
    """Return (F,) int32 or None if every face uses slot 0."""
    attribute = mesh.attributes.get("material_index")
    if attribute is None or attribute.domain != "FACE" or attribute.data_type != "INT":
        return None
    out = read(attribute.data, "value", len(mesh.polygons), 1, np.int32)
    return out if out.any() else None


def _render_first(layers: Any) -> list[Any]:
    """UV layers with the one that renders in front, the others in their order."""
    return sorted(layers, key=lambda layer: not layer.active_render)


def _uv(mesh: Any, layer: Any) -> np.ndarray:
    uv = read(mesh.attributes[layer.name].data, "vector", len(mesh.loops), 2)
    np.subtract(np.float32(1.0), uv[:, 1], out=uv[:, 1])
    return uv


def _colors(mesh: Any) -> list[tuple[str, np.ndarray]]:
    """Colour attributes (corner or point), the one that renders first."""
    counts = {"CORNER": len(mesh.loops), "POINT": len(mesh.vertices)}
    layers = mesh.color_attributes
    render = layers.render_color_index
    ordered = sorted(enumerate(layers), key=lambda pair: pair[0] != render)
    return [
        (layer.name, read(layer.data, "color", counts[layer.domain], 4))
        for _, layer in ordered
        if layer.domain in counts
    ]
