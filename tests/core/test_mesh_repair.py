"""Unsound meshes: what is repaired, what is told, and that sound ones are left alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fyn.engine_core.assets.mesh import MeshData, Primitive, is_finite
from fyn.engine_core.assets.mesh_repair import repaired
from fyn.engine_core.errors import LevelError

NAN = float("nan")


@pytest.fixture
def quad() -> MeshData:
    """Two triangles in the XZ plane, seen from above, in two slots."""
    return MeshData(
        name="Quad",
        positions=np.array([[0, 0, 0], [0, 0, 1], [1, 0, 1], [1, 0, 0]], np.float32),
        normals=np.tile(np.array([0, 1, 0], np.float32), (4, 1)),
        indices=np.array([0, 1, 2, 0, 2, 3], np.uint32),
        primitives=(Primitive(0, 3, 0), Primitive(3, 3, 1)),
        uv_sets=(np.array([[0, 0], [0, 1], [1, 1], [1, 0]], np.float32),),
        tangents=np.tile(np.array([1, 0, 0, -1], np.float32), (4, 1)),
        color_sets=(np.ones((4, 4), np.float32),),
    )


def with_row(array: np.ndarray, row: int, values: object) -> np.ndarray:
    out = array.copy()
    out[row] = values
    return out


def test_a_sound_mesh_comes_back_as_the_same_object(quad, make_mesh):
    for mesh in (quad, make_mesh(vertices=300, triangles=200, tangents=True, color_sets=3)):
        assert repaired(mesh) == (mesh, ())


def test_normals_within_float_noise_of_a_unit_are_left_to_the_bit(quad):
    mesh = replace(quad, normals=quad.normals * np.float32(1.0005))
    assert repaired(mesh)[0] is mesh


def test_a_vertex_without_a_place_takes_its_triangles_with_it(quad):
    mesh, notes = repaired(replace(quad, positions=with_row(quad.positions, 3, [NAN, 0, 0])))
    assert mesh.indices.tolist() == [0, 1, 2]
    assert mesh.primitives == (Primitive(0, 3, 0),)
    assert len(mesh.positions) == 4
    assert is_finite(mesh.positions)
    assert "1 x vertex without a place" in notes[0]
    assert "1 x triangle" in notes[1]


def test_indices_out_of_range_take_their_triangle_only(quad):
    mesh, notes = repaired(replace(quad, indices=with_row(quad.indices, 1, 4)))
    assert mesh.indices.tolist() == [0, 2, 3]
    assert mesh.primitives == (Primitive(0, 3, 1),)
    assert len(notes) == 1


def test_a_normal_of_another_length_keeps_its_direction(quad):
    for length in (1e-30, 0.5, 1e30):
        slanted = np.array([0.6, 0.8, 0.0]) * length
        mesh, notes = repaired(replace(quad, normals=with_row(quad.normals, 2, slanted)))
        np.testing.assert_allclose(mesh.normals[2], [0.6, 0.8, 0.0], atol=1e-6)
        assert notes == ("1 x normal that was no unit vector: made one",)


@pytest.mark.parametrize("lost", [[0, 0, 0], [NAN, 1, 0], [float("inf"), 0, 0]])
def test_a_normal_without_a_direction_is_that_of_its_triangle(quad, lost):
    standing = replace(quad, positions=quad.positions[:, [1, 0, 2]] * np.float32(-1.0))
    mesh, _ = repaired(replace(standing, normals=with_row(standing.normals, 1, lost)))
    a, b, c = standing.positions[[0, 1, 2]]
    expected = np.cross(b - a, c - a)
    np.testing.assert_allclose(mesh.normals[1], expected / np.linalg.norm(expected), atol=1e-6)
    assert np.array_equal(mesh.normals[[0, 2, 3]], standing.normals[[0, 2, 3]])


def test_a_normal_without_a_direction_or_a_triangle_points_up(quad):
    flat = replace(quad, positions=quad.positions * np.float32(0.0))
    mesh, _ = repaired(replace(flat, normals=flat.normals * np.float32(0.0)))
    assert np.array_equal(mesh.normals, quad.normals)


def test_tangents_become_unit_vectors_with_a_sign(quad):
    tangents = quad.tangents.copy()
    tangents[0] = [0, 0, 0, 0]
    tangents[1] = [0, 0, 5, -3]
    tangents[2] = [NAN, 0, 0, NAN]
    mesh, notes = repaired(replace(quad, tangents=tangents))
    lengths = np.linalg.norm(mesh.tangents[:, :3], axis=1)
    np.testing.assert_allclose(lengths, 1.0, atol=1e-6)
    assert mesh.tangents[:, 3].tolist() == [1, -1, 1, -1]
    np.testing.assert_allclose(np.sum(mesh.tangents[:, :3] * mesh.normals, axis=1), 0, atol=1e-6)
    assert mesh.tangents[1, :3].tolist() == [0, 0, 1]
    assert notes == ("3 x tangent that was no unit vector: made one",)


def test_coordinates_and_colours_that_are_no_numbers_become_zero(quad):
    uv = with_row(quad.uv_sets[0], 2, [NAN, 0.25])
    color = with_row(quad.color_sets[0], 0, [1, float("inf"), 1, 1])
    mesh, notes = repaired(replace(quad, uv_sets=(uv,), color_sets=(color,)))
    assert mesh.uv_sets[0][2].tolist() == [0.0, 0.25]
    assert mesh.color_sets[0][0].tolist() == [1, 0, 1, 1]
    assert len(notes) == 2


def test_primitives_with_gaps_are_laid_behind_each_other(quad):
    loose = replace(quad, primitives=(Primitive(3, 3, 5), Primitive(0, 0, 1), Primitive(0, 3, 2)))
    mesh, notes = repaired(loose)
    assert mesh.indices.tolist() == [0, 2, 3, 0, 1, 2]
    assert mesh.primitives == (Primitive(0, 3, 5), Primitive(3, 3, 2))
    assert notes == ()


def test_without_a_triangle_nothing_is_left(quad):
    for mesh in (
        replace(quad, indices=quad.indices[:0], primitives=()),
        replace(quad, positions=quad.positions * np.float32(NAN)),
    ):
        empty, _ = repaired(mesh)
        assert [len(empty.positions), len(empty.indices), empty.primitives] == [0, 0, ()]
        assert empty.tangents is None
        assert repaired(empty) == (empty, ())


@pytest.mark.parametrize(
    "change",
    [
        {"normals": np.zeros((3, 3), np.float32)},
        {"positions": np.zeros((4, 3))},
        {"uv_sets": (np.zeros((4, 3), np.float32),)},
        {"tangents": np.zeros((4, 3), np.float32)},
        {"indices": np.zeros((2, 3), np.uint32)},
        {"indices": np.zeros(6, np.int32)},
        {"primitives": (Primitive(0, 9, 0),)},
        {"primitives": (Primitive(0, 4, 0),)},
        {"primitives": (Primitive(-3, 3, 0),)},
        {"primitives": (Primitive(0, 3, -1),)},
    ],
)
def test_arrays_that_do_not_fit_each_other_are_refused_by_name(quad, change):
    with pytest.raises(LevelError, match="'Quad'"):
        repaired(replace(quad, **change))


def test_bounds_are_the_least_and_greatest_corner(quad):
    assert quad.bounds.tolist() == [[0, 0, 0], [1, 0, 1]]
    assert quad.bounds.dtype == np.float32
    nothing = replace(quad, positions=quad.positions[:0])
    assert nothing.bounds.tolist() == [[0, 0, 0], [0, 0, 0]]
