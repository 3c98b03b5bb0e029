"""The prepared environment against closed forms and brute-force integrals."""

from __future__ import annotations

import numpy as np
import pytest

from fyn.engine_core.assets.image import ImageData
from fyn.engine_core.errors import LevelError
from fyn.engine_core.render.environment import (
    PanoramaMaps,
    environment_map,
    environment_uniforms,
    world_from_image,
)
from fyn.engine_core.render.interface import ENVIRONMENT_LEVELS
from fyn.engine_core.render.octahedral import (
    direction_from_octahedral,
    octahedral_from_direction,
    square_directions,
)
from fyn.engine_core.render.panorama import directions_of, linear_light, reduced, sampled
from fyn.engine_core.render.sky import daylight, environment_radiance
from fyn.engine_core.world.components import Environment

SKY = Environment(kind="sky", sun_direction=(0.5, 0.6, -0.4), ground_color=(0.2, 0.15, 0.1))


def directions(count=4000, seed=3):
    vectors = np.random.default_rng(seed).normal(size=(count, 3))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def square(strip, number):
    """One square of a map, (side, side, 3); the last is the light on diffuse surfaces."""
    side = len(strip)
    return strip[:, number * side : (number + 1) * side, :3].astype(float)


def panorama_of(function, rows=64):
    """An ImageData whose light in each direction is function(directions), grey."""
    pixels = np.ones((rows, 2 * rows, 4), np.float32)
    pixels[..., :3] = function(directions_of(rows))[..., None]
    return ImageData("panorama", "linear", pixels=pixels)


def lobe(cosine, alpha):
    """GGX seen straight on, times its masking: a reference that is written another way."""
    half2 = (1 + cosine) / 2
    slope2 = np.maximum(1 - half2, 0) / half2
    density = 1 / (half2**2 * (1 + slope2 / alpha**2) ** 2)
    tangent2 = np.maximum(1 - cosine**2, 0) / np.maximum(cosine, 1e-9) ** 2
    return (cosine > 0) * density * 2 / (1 + np.sqrt(1 + alpha**2 * tangent2))


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


def test_a_white_panorama_stays_white_at_every_roughness():
    strip = PanoramaMaps().get(panorama_of(lambda d: np.ones(d.shape[:-1]))).pixels
    np.testing.assert_allclose(strip, 1, atol=2e-6)


def test_the_diffuse_light_of_a_hemisphere_has_its_closed_form():
    # Radiance a + b·y gives irradiance/π of a + 2/3 b·y.
    hemisphere = Environment(kind="hemisphere", sky_color=(1, 1, 1), ground_color=(0.2, 0.2, 0.2))
    strip = environment_map(hemisphere)
    expected = 0.6 + 2 / 3 * 0.4 * square_directions(len(strip))[..., 1]
    np.testing.assert_allclose(square(strip, ENVIRONMENT_LEVELS)[..., 0], expected, atol=1e-3)


def test_the_diffuse_light_of_a_small_sun_is_a_cosine_without_ringing():
    """What harmonics of order 2, which this was once made of, cannot do."""
    sun = np.array([0.48, 0.6, 0.64])
    image = panorama_of(lambda d: 1e4 * (d @ sun > np.cos(0.03)), rows=512)
    strip = PanoramaMaps().get(image).pixels
    # A sun that wide still lights a surface that stands edge on.
    cosine = np.maximum(square_directions(len(strip)) @ sun, 0)
    found = square(strip, ENVIRONMENT_LEVELS)[..., 0]
    np.testing.assert_allclose(found / found.max(), cosine, atol=0.01)


def test_the_diffuse_light_of_a_sky_is_the_integral_over_it():
    light = directions(200_000)
    radiance = environment_radiance(SKY, light)
    strip = environment_map(SKY)
    at = square_directions(len(strip))
    for row, column in [(64, 64), (20, 90), (64, 5), (100, 64), (30, 30)]:
        cosine = np.maximum(light @ at[row, column], 0)
        expected = 4 * (radiance * cosine[:, None]).mean(axis=0)
        found = square(strip, ENVIRONMENT_LEVELS)[row, column]
        np.testing.assert_allclose(found, expected, rtol=0.02)  # the integral's noise


@pytest.mark.parametrize("level", [1, 2, 4, 7, 10])
def test_a_blurred_level_is_the_lobe_s_integral_over_the_panorama(level):
    """A panorama of random patches and a sun, summed pixel by pixel."""
    rows = 128
    pixels = np.ones((rows, 2 * rows, 4), np.float32)
    rng = np.random.default_rng(7)
    pixels[..., :3] = np.kron(rng.random((16, 32, 3)), np.ones((8, 8, 1)))
    pixels[40:42, 100:102, :3] = 500
    image = ImageData("patches", "linear", pixels=pixels)
    strip = PanoramaMaps().get(image).pixels
    fine = np.kron(pixels[..., :3], np.ones((4, 4, 1)))
    light = directions_of(len(fine)).reshape(-1, 3)
    area = np.sin((np.arange(len(fine)) + 0.5) / len(fine) * np.pi)
    area = np.repeat(area, fine.shape[1])
    alpha = (level / (ENVIRONMENT_LEVELS - 1)) ** 2
    at = square_directions(len(strip))
    for row, column in [(128, 128), (60, 170), (10, 200), (220, 90), (90, 60)]:
        weight = lobe(light @ at[row, column], alpha) * area
        expected = (fine.reshape(-1, 3) * weight[:, None]).sum(axis=0) / weight.sum()
        # A panorama of 128 rows is enlarged for the blur: its sharpest edges are softened.
        found = square(strip, level)[row, column]
        np.testing.assert_allclose(found, expected, rtol=0.01 if level > 1 else 0.06)


def test_a_rougher_level_varies_less():
    strip = environment_map(SKY)
    spread = [square(strip, level)[..., 0].std() for level in range(ENVIRONMENT_LEVELS)]
    assert (np.diff(spread) < 0).all()


def test_a_panorama_is_seen_in_the_directions_of_its_pixels():
    picture = np.random.default_rng(2).random((16, 32, 3)).astype(np.float32)
    np.testing.assert_allclose(sampled(picture, directions_of(16)), picture, atol=1e-6)
    middle = directions_of(16)[8, 15:17].mean(axis=0)
    np.testing.assert_allclose(middle / np.linalg.norm(middle), [1, 0, 0], atol=0.11)


@pytest.mark.parametrize("size", [(100, 200), (33, 70), (2048, 4096), (512, 1024), (7, 9)])
def test_a_panorama_of_any_size_keeps_its_light(size):
    rng = np.random.default_rng(3)
    light = (rng.random((*size, 1)) ** 8).astype(np.float32) * np.ones(3, np.float32)
    smaller = reduced(light, 512)
    assert smaller.shape == (512, 1024, 3)
    np.testing.assert_allclose(smaller.mean(), light.mean(), rtol=1e-4)


def test_pixels_that_are_no_light_are_black_and_counted():
    pixels = np.ones((4, 8, 4), np.float32)
    pixels[0, 0, 1], pixels[1, 1, 0], pixels[2, 2, 2] = np.nan, -1, np.inf
    light, wrong = linear_light(ImageData("a", "linear", pixels=pixels))
    assert wrong == 3
    assert light.sum() == 4 * 8 * 3 - 3
    notes = PanoramaMaps().get(ImageData("a", "linear", pixels=pixels)).notes
    assert notes[0].startswith("3 of its pixels are no light")


def test_light_beyond_a_half_counts_in_full_and_is_told():
    pixels = np.ones((64, 128, 4), np.float32)
    pixels[20, 30, :3] = 1e6
    found = PanoramaMaps().get(ImageData("sun", "linear", pixels=pixels))
    assert "1 of its pixels are brighter than 65504" in found.notes[0]
    dimmer = pixels.copy()
    dimmer[20, 30, :3] = 65504
    other = PanoramaMaps().get(ImageData("sun", "linear", pixels=dimmer))
    assert square(found.pixels, 11).max() > 10 * square(other.pixels, 11).max()


def test_an_srgb_picture_of_bytes_is_decoded():
    pixels = np.full((4, 8, 4), 188, np.uint8)
    light, _ = linear_light(ImageData("a", "srgb", pixels=pixels))
    np.testing.assert_allclose(light, 0.5029, atol=1e-3)


def test_a_damaged_panorama_is_a_clear_error():
    with pytest.raises(LevelError, match="'broken'"):
        PanoramaMaps().get(ImageData("broken", encoded=b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n"))


def test_the_same_picture_read_again_is_not_blurred_again():
    maps = PanoramaMaps()
    one, other = (panorama_of(lambda d: d[..., 1] ** 2) for _ in range(2))
    assert maps.get(one).pixels is maps.get(other).pixels


def test_strength_tint_and_rotation_leave_the_prepared_light_alone():
    brighter = Environment(
        kind="sky", sun_direction=(0.5, 0.6, -0.4), ground_color=(0.2, 0.15, 0.1), strength=3.0,
        tint=(1.0, 0.5, 0.2), rotation=(0, 1, 0, 0), sun_size=0.3, ambient=0.5,
    )  # fmt: skip
    assert environment_map(SKY) is environment_map(brighter)


def test_a_rotation_of_length_zero_turns_nothing():
    nowhere = Environment(kind="image", rotation=(0, 0, 0, 0))
    np.testing.assert_array_equal(world_from_image(nowhere), np.identity(4))


def test_a_rotation_need_not_be_a_unit_quaternion():
    turned = world_from_image(Environment(kind="image", rotation=(0, 3.0, 0, 3.0)))
    np.testing.assert_allclose(turned[:3, :3] @ [1, 0, 0], [0, 0, -1], atol=1e-12)


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


def test_a_sun_direction_without_length_means_overhead():
    nowhere = Environment(kind="sky", sun_direction=(0, 0, 0), sun_size=0.02)
    np.testing.assert_allclose(environment_uniforms(nowhere)["sky_sun"], [0, 1, 0, 0.01])
