"""Blender's hair curves and point clouds to MeshData: tubes and small spheres."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine_core.assets.mesh import MeshData, Primitive
from .axes import turn_to_engine
from .mesh_arrays import MeshLayout, read
from .meshes import MeshReading
from .point_spheres import spheres
from .scene_causes import SceneCause
from .tubes import BEZIER, CATMULL_ROM, NURBS, Strands, Tubes, tubes
from .warnings import SyncWarning, named_warning

HAIR_RADIUS_M = 0.005
"""Radius of curves without the attribute `radius`, as Cycles draws them."""
POINT_RADIUS_M = 0.01
"""Radius of points without the attribute `radius`, as Cycles draws them."""

SURFACE_UV = "surface_uv_coordinate"
"""Where on its surface a hair grows: the UV map of hair, as for Cycles."""

COLOR_TYPES = frozenset({"FLOAT_COLOR", "BYTE_COLOR"})


def strand_layout(data: Any) -> MeshLayout:
    """Return the names of the UV maps and colours of a `Curves` or `PointCloud`."""
    uvs = [a for a in _visible(data) if a.data_type == "FLOAT2"]
    uvs.sort(key=lambda attribute: attribute.name != SURFACE_UV)
    colors = [a for a in _visible(data) if a.data_type in COLOR_TYPES]
    return MeshLayout(tuple(a.name for a in uvs), tuple(a.name for a in colors))


def _visible(data: Any) -> list[Any]:
    return [a for a in data.attributes if not a.name.startswith(".")]


def read_curves(curves: Any, name: str) -> MeshReading:
    """Turn evaluated `bpy.types.Curves` into tubes called `name`."""
    count, point_count = len(curves.curves), len(curves.points)
    if count == 0 or point_count == 0:
        return MeshReading(None)
    offsets = read(curves.curve_offset_data, "value", count + 1, 1, np.int32).astype(np.int64)
    curve_of_point = np.repeat(np.arange(count), np.diff(offsets))
    layout = strand_layout(curves)
    kinds = _numbers(curves, "curve_type", count, CATMULL_ROM)
    strands = Strands(
        offsets,
        _positions(curves, "position", point_count),
        _values(curves, "radius", point_count, HAIR_RADIUS_M),
        kinds,
        _numbers(curves, "cyclic", count, 0).astype(bool),
        _handles(curves, kinds, point_count),
        tuple(_on_points(curves, uv, "vector", 2, curve_of_point) for uv in layout.uv_names),
        tuple(
            _on_points(curves, color, "color", 4, curve_of_point) for color in layout.color_names
        ),
    )
    made = tubes(strands)
    warnings = _tube_warnings(name, made, count)
    if (kinds == NURBS).any():
        warnings += (named_warning("object", name, SceneCause.CURVES_NURBS),)
    return MeshReading(None if made is None else _tube_mesh(made, name, layout), warnings)


def read_point_cloud(cloud: Any, name: str) -> MeshReading:
    """Turn an evaluated `bpy.types.PointCloud` into small spheres called `name`."""
    count = len(cloud.points)
    if count == 0:
        return MeshReading(None)
    layout = strand_layout(cloud)
    points = _positions(cloud, "position", count)
    made = spheres(points, _values(cloud, "radius", count, POINT_RADIUS_M))
    if made is None:
        return MeshReading(None)
    itself = np.arange(count)
    uvs = [_on_points(cloud, uv, "vector", 2, itself) for uv in layout.uv_names]
    colors = [_on_points(cloud, color, "color", 4, itself) for color in layout.color_names]
    data = MeshData(
        name=name,
        positions=made.positions,
        normals=made.normals,
        indices=made.indices,
        primitives=(Primitive(0, made.indices.size, 0),),
        uv_sets=tuple(uv[made.point_of_vertex] for uv in uvs),
        color_sets=tuple(color[made.point_of_vertex] for color in colors),
        uv_names=layout.uv_names,
        color_names=layout.color_names,
    )
    if made.drawn * 2 > count:
        return MeshReading(data)
    values: dict[str, object] = {"drawn": made.drawn, "count": count}
    return MeshReading(
        data, (named_warning("object", name, SceneCause.POINTS_THINNED, values=values),)
    )


def _tube_mesh(made: Tubes, name: str, layout: MeshLayout) -> MeshData:
    return MeshData(
        name=name,
        positions=made.positions,
        normals=made.normals,
        indices=made.indices,
        primitives=(Primitive(0, made.indices.size, 0),),
        uv_sets=made.uvs,
        color_sets=made.colors,
        uv_names=layout.uv_names,
        color_names=layout.color_names,
    )


def _tube_warnings(name: str, made: Tubes | None, count: int) -> tuple[SyncWarning, ...]:
    if made is None or made.drawn * 2 > count:
        return ()
    values: dict[str, object] = {"drawn": made.drawn, "count": count}
    return (named_warning("object", name, SceneCause.STRANDS_THINNED, values=values),)


# Attributes ---------------------------------------------------------------------------------------


def _positions(data: Any, name: str, count: int) -> np.ndarray:
    return turn_to_engine(read(data.attributes[name].data, "vector", count, 3))


def _handles(curves: Any, kinds: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray] | None:
    has_both = "handle_left" in curves.attributes and "handle_right" in curves.attributes
    if not has_both or not (kinds == BEZIER).any():
        return None
    return _positions(curves, "handle_left", count), _positions(curves, "handle_right", count)


def _values(data: Any, name: str, count: int, missing: float) -> np.ndarray:
    """Return a number a point (count,) float32."""
    attribute = data.attributes.get(name)
    if attribute is None or attribute.data_type != "FLOAT" or len(attribute.data) != count:
        return np.full(count, missing, np.float32)
    return read(attribute.data, "value", count, 1)


def _numbers(data: Any, name: str, count: int, missing: int) -> np.ndarray:
    """Return an integer or flag a curve (count,) int32."""
    attribute = data.attributes.get(name)
    if attribute is None or len(attribute.data) != count:
        return np.full(count, missing, np.int32)
    if attribute.data_type == "BOOLEAN":
        return read(attribute.data, "value", count, 1, bool).astype(np.int32)
    return read(attribute.data, "value", count, 1, np.int32)


def _on_points(
    data: Any, name: str, field: str, width: int, curve_of_point: np.ndarray
) -> np.ndarray:
    """Return a UV map (v down) or colour of points or curves for every point, (P, width)."""
    attribute = data.attributes[name]
    values = read(attribute.data, field, len(attribute.data), width)
    if attribute.domain == "CURVE":
        values = values[curve_of_point]
    if width == 2:
        values[:, 1] = 1 - values[:, 1]
    return np.where(np.isfinite(values), values, np.float32(0))
