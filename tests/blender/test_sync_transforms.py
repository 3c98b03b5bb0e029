"""Blender's axes and matrices become the engine's, in batches, without losing anything."""

from __future__ import annotations

import numpy as np
import pytest
from mathutils import Euler, Matrix, Quaternion

from fyn.addon.sync.axes import direction_to_engine, matrices_to_engine, vectors_to_engine
from fyn.addon.sync.transforms import transforms_from_matrices


def random_matrices(count, *, shear=False):
    """Translation, rotation and scale of either sign; `shear` stacks two uneven ones."""
    generator = np.random.default_rng(7)

    def one():
        rotation = Quaternion(generator.normal(size=4)).normalized().to_matrix().to_4x4()
        scale = Matrix.Diagonal((*generator.uniform(0.2, 3, 3) * generator.choice([-1, 1], 3), 1))
        return np.array(Matrix.Translation(generator.normal(size=3)) @ rotation @ scale)

    return np.stack([one() @ one() if shear else one() for _ in range(count)])


def rebuilt(transforms):
    return np.stack([transform.to_matrix() for transform in transforms])


def test_up_in_blender_is_up_in_the_engine_and_nothing_is_mirrored():
    axes = vectors_to_engine(np.identity(3, np.float32))
    assert axes.tolist() == [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    assert np.linalg.det(axes) == pytest.approx(1)
    assert direction_to_engine((0.0, 0.0, 1.0)) == (0.0, 1.0, -0.0)


def test_a_turned_mesh_under_a_turned_matrix_stands_where_blender_has_it():
    matrices = random_matrices(20)
    points = np.random.default_rng(1).normal(size=(50, 3))
    turned = matrices_to_engine(matrices, np.zeros(20, bool))
    for blender, engine in zip(matrices, turned, strict=True):
        expected = vectors_to_engine(points @ blender[:3, :3].T + blender[:3, 3])
        found = vectors_to_engine(points) @ engine[:3, :3].T + engine[:3, 3]
        assert np.allclose(found, expected)


def test_a_camera_keeps_looking_along_its_own_minus_z():
    matrix = np.array(Euler((1.1, 0.2, -0.7)).to_matrix().to_4x4())[None]
    engine = matrices_to_engine(matrix, np.ones(1, bool))[0]
    expected = direction_to_engine(tuple(-matrix[0, :3, 2]))
    assert np.allclose(-engine[:3, 2], expected)


def test_transforms_rebuild_their_matrices_with_negative_scales_too():
    matrices = random_matrices(200)
    transforms = transforms_from_matrices(matrices)
    assert all(transform.matrix is None for transform in transforms)
    assert np.allclose(rebuilt(transforms), matrices, atol=1e-6)
    assert np.allclose([np.linalg.norm(t.rotation) for t in transforms], 1)


def test_a_sheared_matrix_is_kept_whole():
    matrices = random_matrices(50, shear=True)
    transforms = transforms_from_matrices(matrices)
    assert any(transform.matrix is not None for transform in transforms)
    assert np.allclose(rebuilt(transforms), matrices, atol=1e-4)


@pytest.mark.parametrize("zeros", [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)])
def test_axes_scaled_to_zero_stay_zero_and_the_rotation_stays_a_rotation(zeros):
    matrices = random_matrices(10)
    matrices[:, :3, list(zeros)] = 0
    transforms = transforms_from_matrices(matrices)
    assert np.allclose(rebuilt(transforms), matrices, atol=1e-6)
    for transform in transforms:
        assert np.linalg.norm(transform.rotation) == pytest.approx(1)
        assert [transform.scale[axis] for axis in zeros] == [0] * len(zeros)


def test_nothing_gives_nothing():
    assert transforms_from_matrices(np.zeros((0, 4, 4))) == []
