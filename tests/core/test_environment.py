"""The prepared environment against closed forms and brute-force integrals."""

from __future__ import annotations

import numpy as np
import pytest

from fyn.engine_core.render.environment import (
    MAP_SIDE,
    direction_from_octahedral,
    environment_uniforms,
    octahedral_from_direction,
    prepare_environment,
)
from fyn.engine_core.render.interface import ENVIRONMENT_LEVELS
from fyn.engine_core.render.sky import daylight, environment_radiance
from fyn.engine_core.world.components import Environment

SKY = Environment(kind="sky", sun_direction=(0.5, 0.6, -0.4), ground_color=(0.2, 0.15, 0.1))


def directions(count=4000, seed=3):
    vectors = np.random.default_rng(seed).normal(size=(count, 3))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def irradiance(prepared, normals):
    """Irradiance/π of the prepared harmonics around `normals`, as the shader evaluates them."""
    x, y, z = normals.T
    basis = [x * 0 + 1, x, y, z, x * y, y * z, 3 * y * y - 1, x * z, x * x - z * z]
    return np.stack(basis, axis=1) @ prepared.irradiance_sh[:, :3]


def level_map(prepared, level):
    return prepared.sky_map[:, level * MAP_SIDE : (level + 1) * MAP_SIDE, :3].astype(float)


def shifted_density(cosine, radius):
    """Density, up to a factor, of directions to a ball of `radius` a unit away, by their cosine."""
    root = np.sqrt(np.maximum(radius**2 - 1 + cosine**2, 1e-12))
    near, far = cosine - root, cosine + root
    return (near**2 + far**2) / root


def map_directions():
    at = np.linspace(-1, 1, MAP_SIDE)
    return direction_from_octahedral(np.stack(np.meshgrid(at, at), axis=-1))


def test_the_octahedral_square_holds_every_direction_once():
    there = directions()
    np.testing.assert_allclose(
        direction_from_octahedral(octahedral_from_direction(there)), there, atol=1e-9
    )


def test_opposite_ends_of_each_edge_are_the_same_direction():
    edge = np.linspace(-1, 1, 33)
    one = direction_from_octahedral(np.stack([edge, np.full(33, 1.0)], axis=1))
    other = direction_from_octahedral(np.stack([-edge, np.full(33, 1.0)], axis=1))
    np.testing.assert_allclose(one, other, atol=1e-12)


def test_one_colour_all_around_stays_that_colour_at_every_roughness():
    prepared = prepare_environment(Environment(sky_color=(0.5, 0.25, 0.125), strength=2.0))
    assert np.unique(prepared.sky_map.reshape(-1, 4), axis=0).tolist() == [[1, 0.5, 0.25, 1]]
    np.testing.assert_allclose(
        irradiance(prepared, directions(50)), np.tile([1, 0.5, 0.25], (50, 1)), atol=1e-6
    )


def test_the_irradiance_of_a_hemisphere_has_its_closed_form():
    # Radiance a + b·y gives irradiance/π of a + 2/3 b·y.
    hemisphere = Environment(kind="hemisphere", sky_color=(1, 1, 1), ground_color=(0.2, 0.2, 0.2))
    normals = directions(100)
    expected = 0.6 + 2 / 3 * 0.4 * normals[:, 1]
    found = irradiance(prepare_environment(hemisphere), normals)[:, 0]
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_the_irradiance_of_a_sky_is_near_the_integral_over_it():
    light = directions(200_000)
    radiance = environment_radiance(SKY, light)
    for normal in directions(12, seed=5):
        cosine = np.maximum(light @ normal, 0)
        expected = 4 * (radiance * cosine[:, None]).mean(axis=0)
        found = irradiance(prepare_environment(SKY), normal[None])[0]
        # Order 2 leaves at most a few percent (Ramamoorthi and Hanrahan); the integral has noise.
        np.testing.assert_allclose(found, expected, rtol=0.1, atol=0.01)


@pytest.mark.parametrize("level", [1, 2, 4, 5])
def test_a_blurred_level_is_near_the_lobe_s_integral(level):
    prepared = prepare_environment(SKY)
    alpha = (level / (ENVIRONMENT_LEVELS - 1)) ** 2
    square, around = level_map(prepared, level), map_directions()
    scale = square.mean()
    for row, column in [(64, 64), (40, 90), (64, 20), (100, 64), (30, 30)]:
        light = directions(400_000)
        if level < 2:  # a narrow lobe: look where it is
            light = around[row, column] + 0.8 * light
            light /= np.linalg.norm(light, axis=1, keepdims=True)
        cosine = light @ around[row, column]
        radiance = environment_radiance(SKY, light)
        half2 = (1 + cosine) / 2
        weight = np.maximum(cosine, 0) / (half2 * (alpha**2 - 1) + 1) ** 2
        if level < 2:
            weight /= shifted_density(cosine, 0.8)
        expected = (radiance * weight[:, None]).sum(axis=0) / weight.sum()
        np.testing.assert_allclose(square[row, column], expected, atol=0.06 * scale)


def test_a_rougher_level_varies_less():
    spread = [level_map(prepare_environment(SKY), k)[..., 0].std() for k in range(6)]
    assert (np.diff(spread) < 0).all()


def test_the_sky_is_brightest_around_the_sun_and_blue_away_from_it():
    sun = np.array([0.0, np.sin(0.6), np.cos(0.6)])
    looks = directions(5000)
    looks = looks[looks[:, 1] > 0.02]
    light = daylight(looks, sun, 2.5)
    brightest = looks[np.argmax(light.sum(axis=1))]
    assert brightest @ sun > 0.98
    away = daylight(np.array([[0.0, np.sin(0.97), -np.cos(0.97)]]), sun, 2.5)[0]
    assert away[2] > 1.5 * away[0]


@pytest.mark.parametrize("height", [1.5, 0.5, 0.05, 0.0, -0.1, -0.5, -1.5])
@pytest.mark.parametrize("turbidity", [1.0, 2.2, 10.0])
def test_a_sky_is_finite_and_never_negative_whatever_the_hour(height, turbidity):
    sun = np.array([np.cos(height), np.sin(height), 0.0])
    light = daylight(directions(500), sun, turbidity)
    assert np.isfinite(light).all()
    assert light.min() >= 0
    assert light.max() < 1000


def test_night_falls_when_the_sun_has_set():
    def brightness(height):
        sun = np.array([np.cos(height), np.sin(height), 0.0])
        return daylight(np.array([[0.0, 1.0, 0.0]]), sun, 2.5).sum()

    values = [brightness(h) for h in (0.5, 0.2, 0.0, -0.05, -0.1, -0.15, -0.3)]
    assert (np.diff(values) < 0).sum() >= 5
    assert values[-1] < 1e-3 * values[0]


def test_an_environment_that_did_not_change_is_not_prepared_anew():
    again = Environment(kind="sky", sun_direction=(0.5, 0.6, -0.4), ground_color=(0.2, 0.15, 0.1))
    assert prepare_environment(SKY) is prepare_environment(again)


def test_a_sun_direction_without_length_means_overhead():
    nowhere = Environment(kind="sky", sun_direction=(0, 0, 0), sun_size=0.02)
    np.testing.assert_allclose(environment_uniforms(nowhere)["sky_sun"], [0, 1, 0, 0.01])
