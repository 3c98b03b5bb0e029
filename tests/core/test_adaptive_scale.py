"""The level of a moving picture follows what frames take, without alternating, and ends sharp."""

from __future__ import annotations

import itertools

import pytest

from fyn.engine_core.render.adaptive_scale import LEVELS, STILL_S, AdaptiveScale, scale_of

TARGET_S = 1 / 12


def moved(adaptive, cost, steps, start=0.0, target_s=TARGET_S):
    """Change the picture `steps` times, each drawn in `cost(level)` seconds; return the levels."""
    levels, now = [], start
    for _ in range(steps):
        level = adaptive.level(now, target_s, changed=True)
        levels.append(level)
        adaptive.measured(level, cost(level))
        now += min(cost(level), STILL_S / 2)
    return levels


def by_pixels(full_s, fixed_s=0.0):
    return lambda level: fixed_s + full_s * scale_of(level) ** 2


def test_levels_halve_the_number_of_pixels():
    assert [scale_of(level) ** 2 for level in range(LEVELS)] == pytest.approx(
        [1, 1 / 2, 1 / 4, 1 / 8, 1 / 16]
    )


def test_a_fast_picture_stays_sharp_while_it_moves():
    assert set(moved(AdaptiveScale(), by_pixels(0.02), 20)) == {0}


@pytest.mark.parametrize("full_s", [0.15, 0.3, 0.6, 1.0])
def test_a_slow_picture_becomes_just_as_coarse_as_it_must(full_s):
    levels = moved(AdaptiveScale(), by_pixels(full_s), 20)
    settled = levels[-1]
    assert levels[0] == 0
    assert by_pixels(full_s)(settled) <= TARGET_S * 1.25
    assert by_pixels(full_s)(settled - 1) > TARGET_S * 0.8
    assert set(levels[2:]) == {settled}


def test_levels_do_not_alternate_when_times_are_noisy():
    noise = iter([1.0, 1.2, 0.9, 1.1, 0.8] * 20)
    cost = by_pixels(0.3)
    levels = moved(AdaptiveScale(), lambda level: cost(level) * next(noise), 40)
    changes = sum(a != b for a, b in itertools.pairwise(levels[2:]))
    assert changes <= 2


def test_the_coarsest_level_is_the_end():
    assert max(moved(AdaptiveScale(), by_pixels(60.0), 10)) == LEVELS - 1


def test_what_does_not_get_faster_with_fewer_pixels_is_not_made_coarse_for_nothing():
    levels = moved(AdaptiveScale(), by_pixels(0.02, fixed_s=0.5), 20)
    assert levels[-1] == 0


def test_a_picture_that_has_become_easier_becomes_finer_again():
    adaptive = AdaptiveScale()
    assert moved(adaptive, by_pixels(0.6), 10)[-1] >= 2
    assert moved(adaptive, by_pixels(0.04), 20, start=3.0)[-1] == 0


def test_it_is_sharp_again_once_nothing_has_changed_for_a_while():
    adaptive = AdaptiveScale()
    moved(adaptive, by_pixels(1.0), 5)
    now = 100.0
    assert adaptive.level(now, TARGET_S, changed=True) > 0
    assert adaptive.level(now + STILL_S / 2, TARGET_S, changed=False) > 0
    assert adaptive.is_moving(now + STILL_S / 2)
    assert adaptive.level(now + STILL_S, TARGET_S, changed=False) == 0
    assert not adaptive.is_moving(now + STILL_S)


def test_without_a_target_it_is_always_sharp():
    assert set(moved(AdaptiveScale(), by_pixels(5.0), 10, target_s=None)) == {0}
