"""MeshData to Blender meshes."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ...engine_core.assets.mesh import MeshData
from ..sync.axes import vectors_to_blender


def make_mesh(mesh_id: str, data: MeshData) -> tuple[Any, int]:
    """Make a `bpy.types.Mesh` of triangles; returns it and how many triangles it cannot hold.

    Those are triangles with the same corner twice, which have no area.
    """
    mesh: Any = bpy.data.meshes.new(mesh_id)
    if not len(data.positions):
        return mesh, 0
    triangles = data.indices.reshape(-1, 3).astype(np.int32)
    slots = _slots(data)
    is_whole = _is_whole(triangles)
    triangles, slots = triangles[is_whole], slots[is_whole]
    corners = triangles.ravel()
    mesh.vertices.add(len(data.positions))
    mesh.attributes["position"].data.foreach_set(
        "vector", vectors_to_blender(data.positions).ravel()
    )
    mesh.loops.add(len(corners))
    mesh.loops.foreach_set("vertex_index", corners)
    mesh.polygons.add(len(triangles))
    mesh.polygons.foreach_set("loop_start", np.arange(0, len(corners), 3, dtype=np.int32))
    if slots.any():
        mesh.polygons.foreach_set("material_index", slots)
    _add_uvs(mesh, data, corners)
    _add_colors(mesh, data)
    mesh.update(calc_edges=True)
    if len(triangles):
        mesh.polygons.foreach_set("use_smooth", np.ones(len(triangles), bool))
        mesh.normals_split_custom_set_from_vertices(vectors_to_blender(data.normals))
    return mesh, int(len(is_whole) - np.count_nonzero(is_whole))


def _slots(data: MeshData) -> np.ndarray:
    """Return the material slot of each triangle, (T,) int32."""
    slots = np.zeros(data.triangle_count, np.int32)
    for part in data.primitives:
        first = part.first_index // 3
        slots[first : first + part.index_count // 3] = part.material_slot
    return slots


def _is_whole(triangles: np.ndarray) -> np.ndarray:
    a, b, c = triangles.T
    return (a != b) & (b != c) & (c != a)


def _add_uvs(mesh: Any, data: MeshData, corners: np.ndarray) -> None:
    for number, uv in enumerate(data.uv_sets):
        name = data.uv_names[number] if number < len(data.uv_names) else f"UVMap.{number}"
        layer = mesh.uv_layers.new(name=name, do_init=False)
        if layer is None:  # Blender holds eight
            return
        turned = uv[corners].copy()
        turned[:, 1] = np.float32(1) - turned[:, 1]
        layer.uv.foreach_set("vector", turned.ravel())


def _add_colors(mesh: Any, data: MeshData) -> None:
    for number, color in enumerate(data.color_sets):
        name = data.color_names[number] if number < len(data.color_names) else f"Color.{number}"
        layer = mesh.color_attributes.new(name, "FLOAT_COLOR", "POINT")
        if layer is None:  # one of Blender's own attributes is called that
            layer = mesh.color_attributes.new(f"Color.{number}", "FLOAT_COLOR", "POINT")
        layer.data.foreach_set("color", np.ascontiguousarray(color).ravel())
