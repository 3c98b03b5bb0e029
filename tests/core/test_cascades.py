"""Where shadow maps lie: splits, what they hold, and that they only ever move by whole texels."""

from __future__ import annotations

import numpy as np
import pytest

from fyn.engine_core.render.cascades import (
    bounding_sphere,
    cascade_block,
    fit_cascades,
    light_axes,
    split_depths,
)
from fyn.engine_core.render.view import camera_view
from fyn.engine_core.world.components import CameraComponent, RenderSettings

SETTINGS = RenderSettings(cascade_count=3, shadow_resolution=1024, shadow_distance=100.0)
SUN = np.array([0.3, 0.8, 0.5]) / np.linalg.norm([0.3, 0.8, 0.5])
BOUNDS = np.array([[-200.0, -2.0, -200.0], [200.0, 12.0, 200.0]])
CAMERAS = {
    "perspective": CameraComponent(fov=0.9),
    "shifted lens": CameraComponent(fov=0.7, shift=(0.4, -0.2)),
    "parallel": CameraComponent(projection="orthographic", ortho_scale=20.0),
}


def rotation(x, y, z):
    cx, cy, cz = np.cos([x, y, z])
    sx, sy, sz = np.sin([x, y, z])
    about_x = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    about_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    return about_y @ about_x @ np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])


def view_from(camera, position=(3.0, 1.7, 8.0), turn=(-0.2, 0.4, 0.0)):
    matrix = np.identity(4)
    matrix[:3, :3] = rotation(*turn)
    matrix[:3, 3] = position
    return camera_view(camera, matrix, (640, 360))


def slice_corners(view, near, far):
    """World corners (8, 3) of a slice of the view, by unprojecting its clip-space window."""
    out = []
    for depth in (near, far):
        row = view.clip_from_view[2:, :] @ [0, 0, -depth, 1]
        for x in (-1, 1):
            for y in (-1, 1):
                clip = np.array([x, y, row[0] / row[1], 1.0])
                point = np.linalg.inv(view.clip_from_world) @ clip
                out.append(point[:3] / point[3])
    return np.array(out)


def test_a_split_mixes_logarithmic_and_uniform_by_three_to_one():
    depths = split_depths(1.0, 64.0, 3)
    logarithmic, uniform = np.array([1, 4, 16, 64]), np.array([1, 22, 43, 64])
    np.testing.assert_allclose(depths, 0.75 * logarithmic + 0.25 * uniform)


@pytest.mark.parametrize("camera", CAMERAS.values(), ids=CAMERAS)
def test_every_cascade_holds_its_slice_of_the_view(camera):
    view = view_from(camera)
    cascades = fit_cascades(view, SUN, SETTINGS, BOUNDS)
    nears = [view.near, *cascades.far[:-1]]
    if not view.perspective:
        nears[0] = cascades.far[0] - (cascades.far[1] - cascades.far[0])
    for matrix, near, far in zip(cascades.shadow_from_world, nears, cascades.far, strict=True):
        corners = np.concatenate([slice_corners(view, near, far), np.ones((8, 1))], axis=1)
        at = (corners @ matrix.T)[:, :3]
        margin = 2 / SETTINGS.shadow_resolution
        assert at[:, :2].min() >= margin, "room for the filter"
        assert at[:, :2].max() <= 1 - margin
        assert at[:, 2].min() >= 0
        assert at[:, 2].max() <= 1


def test_casters_between_the_sun_and_the_view_are_inside_the_depth_of_every_map():
    view = view_from(CAMERAS["perspective"])
    tower = np.array([[-5.0, -2.0, -5.0], [5.0, 900.0, 5.0]])
    cascades = fit_cascades(view, SUN, SETTINGS, tower)
    top = np.array([0.0, 900.0, 0.0, 1.0])
    assert (cascades.shadow_from_world @ top)[:, 2].min() >= 0


@pytest.mark.parametrize("camera", CAMERAS.values(), ids=CAMERAS)
def test_maps_move_by_whole_texels_when_the_camera_moves_and_turns(camera):
    random = np.random.default_rng(7)
    points = np.concatenate([random.uniform(-30, 30, (50, 3)), np.ones((50, 1))], axis=1)
    reference = fit_cascades(view_from(camera), SUN, SETTINGS, BOUNDS)
    fixed = points @ reference.shadow_from_world.transpose(0, 2, 1)
    for _ in range(40):
        position = np.array([3.0, 1.7, 8.0]) + random.uniform(-0.05, 0.05, 3)
        turn = np.array([-0.2, 0.4, 0.0])
        if camera.projection == "perspective":
            turn = turn + random.uniform(-0.5, 0.5, 3)
        cascades = fit_cascades(view_from(camera, position, turn), SUN, SETTINGS, BOUNDS)
        np.testing.assert_allclose(cascades.texel, reference.texel, rtol=1e-12)
        moved = points @ cascades.shadow_from_world.transpose(0, 2, 1)
        texels = (moved - fixed)[..., :2] * SETTINGS.shadow_resolution
        np.testing.assert_allclose(texels, np.round(texels), atol=1e-6)


def test_a_sphere_depends_on_the_projection_alone():
    view, other = view_from(CAMERAS["perspective"]), view_from(CAMERAS["perspective"], (9, 9, 9))
    one, two = bounding_sphere(view, 2.0, 9.0), bounding_sphere(other, 2.0, 9.0)
    np.testing.assert_array_equal(one[0], two[0])
    assert one[1] == two[1]


def test_a_small_scene_gets_finer_maps_than_a_large_one():
    view = view_from(CAMERAS["perspective"])
    small = np.array([[-2.0, 0.0, -2.0], [2.0, 2.0, 2.0]])
    fine = fit_cascades(view, SUN, SETTINGS, small).texel
    coarse = fit_cascades(view, SUN, SETTINGS, BOUNDS).texel
    assert fine[-1] < 0.3 * coarse[-1]
    assert fine.max() / fine.min() < 5, "no cascade is wasted on the empty space before the scene"


@pytest.mark.parametrize("sun", [(0, 1, 0), (0, -1, 0), (1, 0, 0), (0.3, 0.01, -0.9)])
def test_the_axes_of_a_light_are_a_right_handed_rotation(sun):
    axes = light_axes(np.array(sun, float))
    np.testing.assert_allclose(axes @ axes.T, np.identity(3), atol=1e-12)
    assert np.linalg.det(axes) == pytest.approx(1)
    np.testing.assert_allclose(axes[2], np.array(sun) / np.linalg.norm(sun), atol=1e-12)


def test_depth_in_a_map_grows_away_from_the_sun():
    cascades = fit_cascades(view_from(CAMERAS["perspective"]), SUN, SETTINGS, BOUNDS)
    nearer = cascades.shadow_from_world @ [*(SUN * 2), 1.0]
    farther = cascades.shadow_from_world @ [0.0, 0.0, 0.0, 1.0]
    assert (nearer[:, 2] < farther[:, 2]).all()


def test_shadows_fade_over_the_last_twelfth_of_their_distance():
    cascades = fit_cascades(view_from(CAMERAS["perspective"]), SUN, SETTINGS, BOUNDS)
    assert cascades.far[-1] == pytest.approx(100.0)
    block = cascade_block(cascades)
    np.testing.assert_allclose(block["shadow_params"], [1 / 1024, 0.1, 92.0, 100.0], rtol=1e-6)
    for stored, matrix in zip(block["shadow_from_world"], cascades.shadow_from_world, strict=False):
        np.testing.assert_allclose(stored.T, matrix, rtol=1e-6)
