"""Evaluated meshes become triangles with all that a shader needs, and nothing is invented."""

from __future__ import annotations

import math
import time

import bpy
import numpy as np
import pytest

from fyn.addon.sync.axes import vectors_to_engine
from fyn.addon.sync.mesh_arrays import has_face_of
from fyn.addon.sync.meshes import read_mesh


def mesh_of(vertices, faces, edges=()):
    mesh = bpy.data.meshes.new("mesh")
    mesh.from_pydata(vertices, edges, faces)
    mesh.update()
    return mesh


def quad():
    return mesh_of([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2, 3)])


def grid(side, smooth=True):
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=side, y_subdivisions=side)
    mesh = bpy.context.object.data
    mesh.polygons.foreach_set("use_smooth", [smooth] * len(mesh.polygons))
    mesh.update()
    return mesh


def cube():
    bpy.ops.mesh.primitive_cube_add(size=2)
    return bpy.context.object.data


def data_of(mesh, **options):
    reading = read_mesh(mesh, "mesh", **options)
    assert reading.data is not None
    check_sound(reading.data)
    return reading.data


def check_sound(data):
    count = len(data.positions)
    assert data.positions.dtype == data.normals.dtype == np.float32
    assert data.indices.dtype == np.uint32 and data.indices.flags.c_contiguous
    assert data.indices.max() < count
    assert np.allclose(np.linalg.norm(data.normals, axis=1), 1, atol=1e-3)
    assert sum(p.index_count for p in data.primitives) == len(data.indices)
    for layer in (*data.uv_sets, *data.color_sets):
        assert len(layer) == count and layer.dtype == np.float32 and layer.flags.c_contiguous


def area(data):
    a, b, c = (data.positions[data.indices[k::3]] for k in range(3))
    return np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2


def test_a_quad_is_two_triangles_that_face_as_in_blender(empty_scene):
    data = data_of(quad())
    assert data.triangle_count == 2
    a, b, c = data.positions[data.indices[:3]]
    assert np.allclose(np.cross(b - a, c - a), (0, 1, 0))
    assert np.allclose(data.normals, (0, 1, 0))


def test_a_smooth_grid_keeps_one_vertex_a_point(empty_scene):
    mesh = grid(20)
    assert len(data_of(mesh).positions) == len(mesh.vertices)


def test_a_flat_cube_has_a_normal_a_face(empty_scene):
    data = data_of(cube())
    assert data.triangle_count == 12 and len(data.positions) == 24
    assert area(data) == pytest.approx(24)
    triangle_normals = data.normals[data.indices].reshape(-1, 3, 3)
    a, b, c = (data.positions[data.indices[k::3]] for k in range(3))
    assert np.allclose(triangle_normals, np.cross(b - a, c - a)[:, None] / 4, atol=1e-5)


def test_a_sharp_edge_splits_a_smooth_cube_along_itself_only(empty_scene):
    mesh = cube()
    mesh.polygons.foreach_set("use_smooth", [True] * 6)
    mesh.uv_layers.remove(mesh.uv_layers[0])
    mesh.update()
    smooth = len(data_of(mesh).positions)
    mesh.edges[0].use_edge_sharp = True
    mesh.edges[4].use_edge_sharp = True
    mesh.update()
    assert mesh.normals_domain == "CORNER"
    assert smooth == 8
    assert len(data_of(mesh).positions) <= 12


def test_custom_normals_are_kept(empty_scene):
    mesh = grid(3)
    wanted = np.random.default_rng(2).normal(size=(len(mesh.loops), 3))
    wanted /= np.linalg.norm(wanted, axis=1)[:, None]
    mesh.normals_split_custom_set(wanted.tolist())
    data = data_of(mesh)
    corners = np.empty(len(mesh.loop_triangles) * 3, np.uint32)
    mesh.loop_triangles.foreach_get("loops", corners)
    expected = vectors_to_engine(wanted)[corners]
    assert np.allclose(data.normals[data.indices], expected, atol=2e-3)


def test_v_grows_downwards_and_the_map_that_renders_comes_first(empty_scene):
    mesh = quad()
    first = mesh.uv_layers.new(name="first")
    second = mesh.uv_layers.new(name="日本語")
    first.uv.foreach_set("vector", [0, 0, 1, 0, 1, 1, 0, 1])
    second.uv.foreach_set("vector", [0, 0, 0.5, 0, 0.5, 0.25, 0, 0.25])
    second.active_render = True
    data = data_of(mesh)
    assert data.uv_names == ("日本語", "first")
    corner = int(np.flatnonzero((data.positions == (1, 0, -1)).all(axis=1))[0])
    assert data.uv_sets[0][corner].tolist() == [0.5, 0.75]
    assert data.uv_sets[1][corner].tolist() == [1, 0]


@pytest.mark.parametrize("domain", ["CORNER", "POINT"])
@pytest.mark.parametrize("kind", ["BYTE_COLOR", "FLOAT_COLOR"])
def test_colours_are_linear_whatever_they_are_stored_as(empty_scene, domain, kind):
    mesh = quad()
    layer = mesh.color_attributes.new("paint", kind, domain)
    layer.data.foreach_set("color", [0.2, 0.5, 0.8, 0.4] * 4)
    data = data_of(mesh)
    assert data.color_names == ("paint",)
    assert np.allclose(data.color_sets[0], (0.2, 0.5, 0.8, 0.4), atol=0.01)


def test_eight_colour_layers_are_eight_sets(empty_scene):
    mesh = quad()
    for index in range(8):
        layer = mesh.color_attributes.new(f"layer {index}", "FLOAT_COLOR", "CORNER")
        layer.data.foreach_set("color", [index / 8, 0, 0, 1] * 4)
    mesh.color_attributes.render_color_index = 3
    data = data_of(mesh)
    assert len(data.color_sets) == 8
    assert data.color_names[0] == "layer 3"
    assert data.color_sets[0][0, 0] == pytest.approx(3 / 8)


def test_each_material_slot_in_use_is_a_primitive(empty_scene):
    mesh = grid(4)
    slots = np.arange(len(mesh.polygons)) % 3 * 2
    for index in range(5):
        mesh.materials.append(bpy.data.materials.new(str(index)))
    mesh.polygons.foreach_set("material_index", slots.astype(np.int32))
    data = data_of(mesh)
    assert [p.material_slot for p in data.primitives] == [0, 2, 4]
    for primitive in data.primitives:
        count = np.count_nonzero(slots == primitive.material_slot)
        assert primitive.index_count == count * 6
    starts = [p.first_index for p in data.primitives]
    assert starts == [0, *np.cumsum([p.index_count for p in data.primitives])[:-1]]


def test_tangents_are_there_when_asked_for_and_point_along_u(empty_scene):
    mesh = grid(3)
    assert data_of(mesh).tangents is None
    data = data_of(mesh, tangent_uv=mesh.uv_layers[0].name)
    assert np.allclose(data.tangents, (1, 0, 0, 1), atol=1e-5)


def test_a_mirrored_map_has_the_other_bitangent(empty_scene):
    mesh = grid(3)
    layer = mesh.uv_layers[0]
    uv = np.empty(len(mesh.loops) * 2, np.float32)
    layer.uv.foreach_get("vector", uv)
    uv[0::2] = 1 - uv[0::2]
    layer.uv.foreach_set("vector", uv)
    data = data_of(mesh, tangent_uv=layer.name)
    assert np.allclose(data.tangents, (-1, 0, 0, -1), atol=1e-5)
    bitangent = data.tangents[:, 3:] * np.cross(data.normals, data.tangents[:, :3])
    assert np.allclose(bitangent, (0, 0, -1), atol=1e-5)


def test_faces_of_many_corners_go_without_tangents(empty_scene):
    mesh = mesh_of([(math.cos(a), math.sin(a), 0) for a in range(6)], [tuple(range(6))])
    mesh.uv_layers.new(name="map")
    assert data_of(mesh, tangent_uv="map").tangents is None


def round_face(count):
    """A mesh of one face around the unit circle."""
    angles = np.linspace(0, 2 * math.pi, count, endpoint=False)
    mesh = bpy.data.meshes.new("round")
    mesh.vertices.add(count)
    mesh.loops.add(count)
    mesh.polygons.add(1)
    points = np.stack([np.cos(angles), np.sin(angles), np.zeros(count)], axis=1)
    mesh.vertices.foreach_set("co", points.ravel().astype(np.float32))
    mesh.loops.foreach_set("vertex_index", np.arange(count, dtype=np.int32))
    mesh.polygons.foreach_set("loop_start", [0])
    mesh.update(calc_edges=True)
    return mesh


def test_a_face_of_many_corners_is_drawn_flat(empty_scene):
    reading = read_mesh(round_face(50_000), "round")
    check_sound(reading.data)
    assert reading.data.triangle_count == 50_000 - 2
    assert area(reading.data) == pytest.approx(math.pi, rel=1e-3)
    assert "flat" in str(reading.warnings[0])


def test_a_face_of_a_million_corners_is_left_out_at_once(empty_scene):
    begin = time.perf_counter()
    reading = read_mesh(round_face(1_000_000), "round")
    assert reading.data is None
    assert "corners" in str(reading.warnings[0])
    assert time.perf_counter() - begin < 10


def test_large_faces_are_found_among_many_small_ones(empty_scene):
    mesh = grid(60)
    assert has_face_of(mesh, 4) and not has_face_of(mesh, 5)
    bpy.ops.mesh.primitive_circle_add(vertices=90, fill_type="NGON")
    other = bpy.context.object
    with bpy.context.temp_override(
        active_object=bpy.data.objects["Grid"],
        selected_editable_objects=[bpy.data.objects["Grid"], other],
    ):
        bpy.ops.object.join()
    joined = bpy.data.objects["Grid"].data
    assert has_face_of(joined, 90) and not has_face_of(joined, 91)


def test_a_mesh_without_faces_is_left_out_with_a_warning(empty_scene):
    reading = read_mesh(mesh_of([(0, 0, 0), (1, 0, 0)], [], [(0, 1)]), "stick")
    assert reading.data is None
    assert [w.name for w in reading.warnings] == ["stick"]
    assert read_mesh(mesh_of([], []), "nothing").warnings == ()


def test_loose_points_are_not_in_the_bounds_and_are_mentioned(empty_scene):
    mesh = mesh_of([(0, 0, 0), (1, 0, 0), (0, 1, 0), (9, 9, 9)], [(0, 1, 2)])
    reading = read_mesh(mesh, "mesh")
    assert reading.data.bounds.max() == 1
    assert "1 of its points" in str(reading.warnings[0])


def test_triangles_at_not_a_number_are_left_out_and_the_others_drawn(empty_scene):
    nan = float("nan")
    mesh = mesh_of(
        [(0, 0, 0), (1, 0, 0), (0, 1, 0), (nan, 0, 0), (math.inf, 1, 0)], [(0, 1, 2), (1, 3, 4)]
    )
    reading = read_mesh(mesh, "broken")
    check_sound(reading.data)
    assert reading.data.triangle_count == 1
    assert np.isfinite(reading.data.positions).all()
    assert "not numbers" in str(reading.warnings[0])
    everywhere = read_mesh(mesh_of([(nan, nan, nan)] * 3, [(0, 1, 2)]), "void")
    assert everywhere.data is None and everywhere.warnings


def test_not_a_number_in_a_map_is_replaced_with_a_warning(empty_scene):
    mesh = quad()
    mesh.uv_layers.new(name="map").uv.foreach_set("vector", [float("nan")] * 8)
    reading = read_mesh(mesh, "mesh")
    check_sound(reading.data)
    assert np.isfinite(reading.data.uv_sets[0]).all()
    assert "UV map 'map'" in str(reading.warnings[0])


def test_faces_without_area_have_sound_normals(empty_scene):
    data = data_of(mesh_of([(0, 0, 0), (1, 0, 0), (2, 0, 0), (0, 0, 0)], [(0, 1, 2), (0, 3, 1)]))
    assert data.triangle_count == 2
