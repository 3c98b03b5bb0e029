"""Which lights a frame gets, and how they are written into their block."""

from __future__ import annotations

import math

import numpy as np

from fyn.engine_core.render.interface import LIGHT_KINDS, MAX_LIGHTS
from fyn.engine_core.render.light_selection import LightColumns, select_lights
from fyn.engine_core.render.scene_table import SceneTable
from fyn.engine_core.world.components import LightComponent
from fyn.engine_core.world.entity import Entity, Transform

ORIGIN = np.zeros(3)
DOWN = Transform(rotation=(-math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)))
"""A lamp turned to shine straight down."""


def choose(*entities: Entity, camera=ORIGIN):
    table = SceneTable()
    table.apply({entity.id: entity for entity in entities}, ())
    return select_lights(table, LightColumns(table), camera)


def lamp(key: str, transform: Transform = DOWN, **light) -> Entity:
    return Entity(id=key, transform=transform, light=LightComponent(**light))


def test_the_strongest_sun_that_casts_shadows_is_the_shadowed_one():
    lights = choose(
        lamp("weak", kind="sun", strength=1.0),
        lamp("bright but without shadows", kind="sun", strength=9.0, casts_shadow=False),
        lamp("strong", kind="sun", strength=3.0),
        lamp("red", kind="sun", strength=5.0, color=(1.0, 0.0, 0.0)),
    )
    assert lights.sun is not None
    assert lights.sun.light.strength == 3.0
    np.testing.assert_allclose(lights.sun.towards, [0, 1, 0], atol=1e-7)
    assert lights.count == 3
    np.testing.assert_allclose(lights.block["light_color"][:3, 0], [9, 5, 1])


def test_importance_decides_which_sun_has_shadows_and_leaves_its_brightness_alone():
    lights = choose(
        lamp("bright", kind="sun", strength=3.0),
        lamp("chosen", kind="sun", strength=1.0, importance=4.0),
    )
    assert lights.sun is not None
    assert lights.sun.light.strength == 1.0
    np.testing.assert_allclose(lights.block["light_color"][0, 0], 3)


def test_importance_keeps_a_weak_light_where_there_are_too_many():
    strong = [lamp(f"{number:03}", strength=2.0) for number in range(MAX_LIGHTS)]
    dim = lamp("dim", strength=0.125, importance=100.0)
    assert 0.125 not in choose(*strong, lamp("dim", strength=0.125)).block["light_color"][:, 0]
    assert 0.125 in choose(*strong, dim).block["light_color"][:, 0]


def test_without_a_sun_that_casts_shadows_there_is_none():
    lights = choose(lamp("p", kind="point"), lamp("s", kind="sun", casts_shadow=False))
    assert lights.sun is None
    assert lights.count == 2


def test_lights_that_do_not_shine_take_no_place():
    lights = choose(lamp("off", strength=0.0), lamp("black", color=(0.0, 0.0, 0.0)))
    assert lights.count == 0


def test_a_light_whose_matrix_is_not_finite_is_left_out():
    broken = Transform(translation=(float("nan"), 0.0, 0.0))
    assert choose(lamp("nowhere", broken), lamp("here")).count == 1


def test_beyond_the_limit_the_weakest_for_the_camera_are_left_out_and_the_order_is_kept():
    count = MAX_LIGHTS + 10
    lamps = [
        lamp(f"l{i}", Transform(translation=(3.0 + i, 0.0, 0.0)), strength=1.0)
        for i in range(count)
    ]
    rng = np.random.default_rng(0)
    rng.shuffle(lamps)
    lights = choose(*lamps)
    assert (lights.count, lights.left_out) == (MAX_LIGHTS, 10)
    x = lights.block["light_position"][:, 0]
    assert x.max() < 3 + MAX_LIGHTS
    kept = sorted((f"l{i}", 3.0 + i) for i in range(MAX_LIGHTS))
    np.testing.assert_allclose(x, [place for _, place in kept])
    seen_from_the_end = choose(*lamps, camera=np.array([3.0 + count, 0.0, 0.0]))
    assert seen_from_the_end.block["light_position"][:, 0].min() == 13.0


def test_a_spot_is_written_with_its_cone_place_and_direction():
    turned = Transform(translation=(1.0, 2.0, 3.0), rotation=DOWN.rotation, scale=(2.0, 2.0, 2.0))
    lights = choose(
        lamp(
            "spot", turned, kind="spot", strength=2.0, color=(1.0, 0.5, 0.25), spot_angle=1.0,
            spot_blend=0.3, radius=0.1, range=8.0, specular_factor=0.5, diffuse_factor=0.75,
        )
    )  # fmt: skip
    block = lights.block
    np.testing.assert_allclose(block["light_position"][0], [1, 2, 3, LIGHT_KINDS.index("spot")])
    np.testing.assert_allclose(block["light_direction"][0], [0, -1, 0, 8], atol=1e-6)
    np.testing.assert_allclose(block["light_color"][0], [2, 1, 0.5, 0.5])
    np.testing.assert_allclose(block["light_params"][0], [0.1, math.cos(0.5), 0.3, 0.75], rtol=1e-6)


def test_an_area_grows_with_its_scale_and_comes_after_the_other_lamps():
    wide = Transform(rotation=DOWN.rotation, scale=(3.0, 0.5, 1.0))
    lights = choose(
        lamp("area", wide, kind="area", area_size=(2.0, 4.0), area_shape="ellipse"), lamp("point")
    )
    assert (lights.first_area, lights.count) == (1, 2)
    block = lights.block
    np.testing.assert_allclose(block["light_right"][1], [3, 0, 0, 1], atol=1e-6)
    np.testing.assert_allclose(block["light_up"][1, :3], [0, 0, -1], atol=1e-6)


def test_a_sun_keeps_its_half_angle():
    lights = choose(lamp("s", kind="sun", angle=0.02, casts_shadow=False))
    assert lights.block["light_params"][0, 0] == np.float32(0.01)
