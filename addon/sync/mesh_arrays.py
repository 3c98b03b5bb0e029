"""Blender mesh to NumPy: reads whole arrays by the paths that Blender serves with one memcpy.

`foreach_get` copies memory only if the property is stored as asked for; otherwise it calls an
accessor for each element, which is two orders of magnitude slower. Positions, corner vertices and
UVs are therefore read through `attributes`, and triangle corners as uint32 (measured for Blender
5.0 to 5.3). Colours of bytes and tangents have no such path.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .axes import turn_to_engine

MAX_FACE = 200_000
"""Corners of a face from which on Blender's triangulation, quadratic in them, takes minutes."""
MAX_SETS = 8
"""UV maps and colour attributes of a mesh that are kept, of each kind."""
GIANT_FACE = 20_000
"""Corners of a face from which on Blender's smooth normals, quadratic in them, take too long."""


@dataclass(frozen=True)
class MeshLayout:
    """Names of a mesh's UV maps and colour attributes in the order in which they become sets."""

    uv_names: tuple[str, ...] = ()
    color_names: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class MeshArrays:
    """A Blender mesh as arrays, already in engine axes; V points, L corners, F faces, T triangles.

    positions (V, 3) float32; point_of_corner (L,) int32; corners_of_triangle (T, 3) uint32;
    face_of_triangle (T,) int32 and material_of_face (F,) int32, both None if slot 0 covers
    everything; normals float32 (V, 3) if `normals_per_point`, else (L, 3); `flat`: every face
    has a normal of its own; `giant`: a face had too many corners for smooth normals. uvs: per set
    (L, 2) float32, v up as Blender has it; tangents (L, 4) float32 or None; colors: per set (L, 4)
    or (V, 4) float32 linear, `color_on_points` says which.
    """

    layout: MeshLayout
    positions: np.ndarray
    point_of_corner: np.ndarray
    corners_of_triangle: np.ndarray
    face_of_triangle: np.ndarray | None
    material_of_face: np.ndarray | None
    normals: np.ndarray
    normals_per_point: bool
    flat: bool
    giant: bool
    uvs: tuple[np.ndarray, ...]
    tangents: np.ndarray | None
    colors: tuple[np.ndarray, ...]
    color_on_points: tuple[bool, ...]


def mesh_layout(mesh: Any, extra_uvs: tuple[str, ...] = ()) -> MeshLayout:
    """Return the names of a `bpy.types.Mesh`'s UV maps and colours, those that render first.

    `extra_uvs` are further sets at the end; see extra_uvs.py.
    """
    uvs = sorted(mesh.uv_layers, key=lambda layer: not layer.active_render)[:MAX_SETS]
    return MeshLayout(
        (*(layer.name for layer in uvs), *extra_uvs),
        tuple(layer.name for layer in _color_layers(mesh)),
    )


def read_mesh_arrays(mesh: Any, tangent_uv: str | None = None) -> MeshArrays:
    """Read an evaluated `bpy.types.Mesh` that has faces.

    `tangent_uv` names the UV map along which tangents are wanted. They are left out if Blender
    cannot compute them (faces of more than four corners).
    """
    layout = mesh_layout(mesh)
    corner_count, triangle_count = len(mesh.loops), len(mesh.loop_triangles)
    material_of_face = _material_of_face(mesh)
    colors = _color_layers(mesh)
    giant = has_face_of(mesh, GIANT_FACE)
    domain = "FACE" if giant else mesh.normals_domain
    return MeshArrays(
        layout=layout,
        positions=turn_to_engine(
            read(mesh.attributes["position"].data, "vector", len(mesh.vertices), 3)
        ),
        point_of_corner=read(
            mesh.attributes[".corner_vert"].data, "value", corner_count, 1, np.int32
        ),
        corners_of_triangle=read(mesh.loop_triangles, "loops", triangle_count, 3, np.uint32),
        face_of_triangle=None
        if material_of_face is None
        else read(mesh.loop_triangle_polygons, "value", triangle_count, 1, np.int32),
        material_of_face=material_of_face,
        normals=_flat_normals(mesh) if giant else _normals(mesh, domain),
        normals_per_point=domain == "POINT",
        flat=domain == "FACE",
        giant=giant,
        uvs=tuple(
            read(mesh.attributes[name].data, "vector", corner_count, 2) for name in layout.uv_names
        ),
        tangents=_tangents(mesh, tangent_uv) if tangent_uv is not None else None,
        colors=tuple(read(layer.data, "color", len(layer.data), 4) for layer in colors),
        color_on_points=tuple(layer.domain == "POINT" for layer in colors),
    )


def read(
    collection: Any, name: str, count: int, width: int, dtype: type = np.float32
) -> np.ndarray:
    """Return property `name` of `count` items as (count, width), or (count,) for width 1."""
    out = np.empty(count * width, dtype)
    if count:
        collection.foreach_get(name, out)
    return out if width == 1 else out.reshape(count, width)


def has_face_of(mesh: Any, corners: int) -> bool:
    """Tell whether a face of `mesh` has at least `corners` corners, looking at few of its faces.

    A run of m faces with c corners in all holds no face of more than c - 3 (m - 1) corners; runs
    that may hold one are halved.
    """
    polygons, total = mesh.polygons, len(mesh.polygons)

    def start(face: int) -> int:
        return polygons[face].loop_start if face < total else len(mesh.loops)

    runs = [(0, total)] if total else []
    while runs:
        first, end = runs.pop()
        if start(end) - start(first) - 3 * (end - first - 1) < corners:
            continue
        if end - first == 1:
            return True
        middle = (first + end) // 2
        runs += [(first, middle), (middle, end)]
    return False


def _flat_normals(mesh: Any) -> np.ndarray:
    """Return the normal of its face for every corner, (L, 3)."""
    count = len(mesh.polygons)
    normals = turn_to_engine(read(mesh.polygon_normals, "vector", count, 3))
    return np.repeat(normals, read(mesh.polygons, "loop_total", count, 1, np.int32), axis=0)


def _normals(mesh: Any, domain: str) -> np.ndarray:
    if domain == "POINT":
        raw = read(mesh.vertex_normals, "vector", len(mesh.vertices), 3)
    else:
        raw = read(mesh.corner_normals, "vector", len(mesh.loops), 3)
    return turn_to_engine(raw)


def _material_of_face(mesh: Any) -> np.ndarray | None:
    """Return (F,) int32 or None if every face uses slot 0."""
    attribute = mesh.attributes.get("material_index")
    if attribute is None or attribute.domain != "FACE" or attribute.data_type != "INT":
        return None
    out = read(attribute.data, "value", len(mesh.polygons), 1, np.int32)
    return out if out.any() else None


def _color_layers(mesh: Any) -> list[Any]:
    """Colour attributes on corners or points, the one that renders first."""
    layers = mesh.color_attributes
    render = layers.render_color_index
    ordered = sorted(enumerate(layers), key=lambda pair: pair[0] != render)
    found = [layer for _, layer in ordered if layer.domain in {"CORNER", "POINT"}]
    return found[:MAX_SETS]


def _tangents(mesh: Any, uv_name: str) -> np.ndarray | None:
    """Return (L, 4) float32: tangent in engine axes and bitangent sign, by MikkTSpace."""
    try:
        mesh.calc_tangents(uvmap=uv_name)
    except RuntimeError:
        return None
    count = len(mesh.loops)
    out = np.empty((count, 4), np.float32)
    out[:, :3] = turn_to_engine(read(mesh.loops, "tangent", count, 3))
    out[:, 3] = read(mesh.loops, "bitangent_sign", count, 1)
    mesh.free_tangents()
    return out
