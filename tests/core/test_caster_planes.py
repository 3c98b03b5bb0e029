"""What can throw a shadow into a slice of the view: never too little, and not much more."""

from __future__ import annotations

import numpy as np
import pytest

from fyn.engine_core.render.caster_planes import (
    CasterPlanes,
    caster_planes,
    slice_corners,
    swept_boxes,
)
from fyn.engine_core.render.view import camera_view
from fyn.engine_core.world.components import CameraComponent


def random_slice(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Corners (8, 3) of a slice of a random view, and a random direction to the sun."""
    rng = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    turn[:, 0] *= np.sign(np.linalg.det(turn))
    pose = np.identity(4)
    pose[:3, :3], pose[:3, 3] = turn, rng.normal(size=3) * 10
    projection = "orthographic" if seed % 3 == 0 else "perspective"
    camera = CameraComponent(projection=projection, shift=(0.2, -0.1))
    near = float(rng.uniform(0.1, 5.0))
    sun = rng.normal(size=3)
    return (
        slice_corners(camera_view(camera, pose, (320, 180)), near, near * 4),
        sun / np.linalg.norm(sun),
    )


def points_between(corners: np.ndarray, rng: np.random.Generator, count: int) -> np.ndarray:
    weights = rng.dirichlet(np.full(8, 0.3), count)
    return weights @ corners


def is_kept(volume: CasterPlanes, points: np.ndarray, length: float) -> np.ndarray:
    distance = points @ volume.planes[:, :3].T + volume.planes[:, 3] + volume.growth * length
    return (distance >= -1e-9).all(axis=1)


@pytest.mark.parametrize("seed", range(12))
def test_whatever_shades_the_slice_is_kept(seed):
    corners, sun = random_slice(seed)
    rng = np.random.default_rng(seed)
    receivers = points_between(corners, rng, 3000)
    casters = receivers + sun * rng.uniform(0.0, 50.0, (3000, 1))
    assert is_kept(caster_planes(corners, sun, 0.0), casters, 50.0).all()


@pytest.mark.parametrize("length", [0.0, 3.0, 1000.0])
@pytest.mark.parametrize("seed", range(6))
def test_a_point_whose_shadow_misses_the_slice_is_left_out(seed, length):
    corners, sun = random_slice(seed)
    rng = np.random.default_rng(seed)
    size = np.ptp(corners, axis=0).max()
    points = corners.mean(axis=0) + rng.uniform(-2, 2, (3000, 3)) * size
    volume = caster_planes(corners, sun, 0.0)
    kept = is_kept(volume, points, length)
    # A shadow that is seen passes the slice itself: some point of the ray lies inside its faces.
    steps = np.linspace(0, min(length, 8 * size), 400)
    rays = points[:, None] - sun * steps[:, None]
    hits = np.array([is_kept(volume, ray, 0.0).any() for ray in rays])
    assert kept[hits].all()
    # Only rays that graze an edge between two steps may be kept without a hit.
    assert (kept & ~hits).sum() <= 0.02 * len(points)


def test_the_margin_moves_every_plane_outwards():
    corners, sun = random_slice(1)
    narrow, wide = caster_planes(corners, sun, 0.0), caster_planes(corners, sun, 2.5)
    np.testing.assert_allclose(wide.planes[:, 3] - narrow.planes[:, 3], 2.5)
    np.testing.assert_allclose(wide.planes[:, :3], narrow.planes[:, :3])


def test_a_shadow_is_as_long_as_the_way_out_of_the_scene():
    bounds = np.array([[-10.0, 0.0, -10.0], [10.0, 5.0, 10.0]])
    boxes = np.array(
        [[0, 4, 0, 1, 1, 1, 1], [9.5, 4, 0, 0.5, 0.5, 0.5, 1], [0, -3, 0, 1, 1, 1, 1]], np.float32
    ).T
    straight_down = swept_boxes(boxes, np.array([0.0, 1.0, 0.0]), bounds)
    np.testing.assert_array_equal(straight_down[:7], boxes)
    np.testing.assert_allclose(straight_down[7], [5.0, 4.5, 0.0])
    aslant = swept_boxes(boxes, np.array([-1.0, 1.0, 0.0]) / np.sqrt(2), bounds)
    np.testing.assert_allclose(aslant[7], np.sqrt(2) * np.array([5.0, 1.0, 0.0]), rtol=1e-6)
