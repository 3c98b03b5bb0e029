"""Bloom: what bad pixels do to it (nothing), its threshold, its energy, its shape."""

from __future__ import annotations

import numpy as np
import pytest

from fyn.engine_core.render.interface import TONE_MAPS

SIDE = 128
LEVELS = 5


@pytest.fixture
def glow(run_pass):
    """Return a function: the half-size bloom of a scene (H, W, 3), as the pipeline makes it."""

    def run(scene, threshold=1.0, knee=0.5):
        image = np.concatenate([scene, np.ones((*scene.shape[:2], 1))], axis=2)
        frame = {"bloom": (threshold, knee, 0, 0)}
        levels = []
        for level in range(LEVELS):
            size = tuple(max(1, n >> (level + 1)) for n in scene.shape[1::-1])
            defines = {"BRIGHT_PASS": 1} if level == 0 else {}
            image = run_pass(
                "bloom_down", size, {"source": image}, frame=frame, defines=defines,
                internal="RGBA16F",
            )  # fmt: skip
            levels.append(image)
        sum_ = levels.pop()
        while levels:
            below = levels.pop()
            size = below.shape[1::-1]
            sum_ = below + run_pass("bloom_up", size, {"source": sum_}, internal="RGBA16F")
        return sum_[..., :3]

    return run


@pytest.fixture
def picture(run_pass, glow):
    """Return a function: the finished picture (H, W, 3), 0..1, of a scene (H, W, 3)."""

    def run(scene):
        frame = {"tone": (1, TONE_MAPS.index("fyn"), 0.05, 0)}
        image = np.concatenate([scene, np.ones((*scene.shape[:2], 1))], axis=2)
        images = {"scene": image, "bloom_map": np.pad(glow(scene), ((0, 0), (0, 0), (0, 1)))}
        return run_pass("composite", scene.shape[1::-1], images, frame=frame)[..., :3]

    return run


def street_at_night():
    """A dim scene with two lamps."""
    scene = np.random.default_rng(1).uniform(0, 0.3, (SIDE, SIDE, 3))
    scene[40:44, 30:34] = 20.0
    scene[90:92, 100:108] = (4.0, 9.0, 2.0)
    return scene


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, -5.0])
def test_a_bad_pixel_changes_no_other_pixel(picture, bad):
    scene = street_at_night()
    places = [(10, 10), (43, 35), (0, 0), (127, 64)]
    for y, x in places:
        scene[y, x] = 0.0
    clean = picture(scene)
    for channel, (y, x) in enumerate(places):
        # One channel is enough to spoil a pixel.
        scene[y, x, channel % 3] = bad
    spoilt = picture(scene)
    assert np.isfinite(spoilt).all()
    np.testing.assert_array_equal(spoilt, clean)


def test_light_below_the_knee_does_not_glow(glow):
    scene = np.full((SIDE, SIDE, 3), 0.49)
    assert glow(scene, threshold=1.0, knee=0.5).max() == 0


def test_far_above_the_threshold_only_the_excess_glows(glow):
    flat = glow(np.full((SIDE, SIDE, 3), 5.0), threshold=1.0, knee=0.5)
    np.testing.assert_allclose(flat / LEVELS, 4.0, rtol=2e-3)


def test_the_knee_joins_both_sides_smoothly(glow):
    levels = np.linspace(0.4, 1.8, 15)
    out = np.array([glow(np.full((32, 32, 3), x))[8, 8, 0] / LEVELS for x in levels])
    # The slope climbs from 0 to 1 without a jump: over a knee of width 1 at most 0.1 a step of 0.1.
    slopes = np.diff(out) / np.diff(levels)
    assert (np.diff(slopes) > -0.01).all()
    assert np.diff(slopes).max() < 0.13
    assert slopes[0] < 0.06
    assert slopes[-1] == pytest.approx(1, abs=0.02)


def test_a_lamp_glows_evenly_to_all_sides(glow):
    scene = np.zeros((SIDE, SIDE, 3))
    scene[62:66, 62:66] = 50.0
    halo = glow(scene)[..., 0]
    for turned in (halo[::-1], halo[:, ::-1], halo.T):
        np.testing.assert_allclose(halo, turned, atol=halo.max() * 2e-3)
    profile = halo[32, 32:56]
    assert (np.diff(profile) <= 1e-4).all(), "brightest in the middle, darker outwards"
    assert profile[20] > 0, "it reaches far"


def test_a_single_fierce_pixel_glows_less_than_a_lamp_of_the_same_light(glow):
    spark, lamp = np.zeros((2, SIDE, SIDE, 3))
    spark[64, 64] = 1600.0
    lamp[62:66, 62:66] = 100.0
    assert glow(spark).sum() < 0.6 * glow(lamp).sum()
