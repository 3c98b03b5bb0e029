"""Tone maps on the GPU against their twins in NumPy, and the whole way from light to a byte."""

from __future__ import annotations

import numpy as np
import pytest

from fyn.engine_core.render.interface import TONE_MAPS
from fyn.engine_core.render.tone import srgb_encode, tone_map

LIGHT = np.concatenate([np.linspace(0, 2, 400), np.geomspace(2, 65504, 112)])


def composite(run_pass, light, kind, stops=0.0):
    """What the composite shader makes of grey `light` (N,), as N values 0..1."""
    scene = np.repeat(light[None, :, None], 4, axis=2)
    scene[..., 3] = 1
    frame = {"tone": (2.0**stops, TONE_MAPS.index(kind), 0, 0)}
    images = {"scene": scene, "bloom_map": np.zeros((1, 1, 4))}
    return run_pass("composite", (len(light), 1), images, frame=frame)[0, :, 0]


@pytest.mark.parametrize("kind", TONE_MAPS)
def test_a_tone_map_in_glsl_equals_its_twin_in_numpy(run_pass, kind):
    expected = srgb_encode(tone_map(LIGHT, kind))
    np.testing.assert_allclose(composite(run_pass, LIGHT, kind), expected, atol=2e-5)


@pytest.mark.parametrize("kind", TONE_MAPS)
def test_a_tone_map_never_turns_more_light_into_less(kind):
    mapped = tone_map(LIGHT, kind)
    assert mapped[0] == pytest.approx(0, abs=1e-9)
    assert (np.diff(mapped) >= 0).all()
    assert mapped.max() <= 1


def test_fyns_tone_map_leaves_what_is_darker_than_its_shoulder_alone():
    dark = np.linspace(0, 0.75, 100)
    np.testing.assert_array_equal(tone_map(dark, "fyn"), dark)


def test_fyns_tone_map_has_no_kink_where_its_shoulder_begins():
    x = 0.75 + np.array([-2e-4, -1e-4, 0, 1e-4, 2e-4])
    slopes = np.diff(tone_map(x, "fyn")) / 1e-4
    np.testing.assert_allclose(slopes, 1, atol=1e-3)


def test_aces_gives_the_values_that_its_author_published():
    # Narkowicz: mid grey comes out brighter, 1 lands near 0.8, white is reached near 8.
    np.testing.assert_allclose(tone_map([0.18, 1.0, 8.0], "aces"), [0.267, 0.8038, 1.0], atol=1e-3)


def test_one_stop_of_exposure_doubles_the_light(run_pass):
    dark = np.linspace(0, 0.4, 64)
    np.testing.assert_allclose(
        composite(run_pass, dark, "linear", stops=1.0), srgb_encode(2 * dark), atol=2e-5
    )


def test_a_bad_pixel_in_the_scene_is_drawn_black_and_alone(run_pass):
    light = np.full(16, 0.5)
    light[[3, 7, 11]] = np.nan, np.inf, -np.inf
    drawn = composite(run_pass, light, "fyn")
    expected = np.full(16, srgb_encode(np.array(0.5)))
    expected[[3, 7, 11]] = 0
    np.testing.assert_allclose(drawn, expected, atol=1e-5)


def test_a_transparent_frame_holds_straight_colour(run_pass):
    scene = np.array([[[0.25, 0.1, 0.0, 0.5], [0, 0, 0, 0]]])
    frame = {"tone": (1, TONE_MAPS.index("linear"), 0, 0), "options": (0, 0, 0, 1)}
    images = {"scene": scene, "bloom_map": np.zeros((1, 1, 4))}
    drawn = run_pass("composite", (2, 1), images, frame=frame)[0]
    half_covered = [*srgb_encode(np.array([0.5, 0.2, 0.0])), 0.5]
    np.testing.assert_allclose(drawn[0], half_covered, atol=1e-5)
    np.testing.assert_allclose(drawn[1], 0, atol=1e-5)
