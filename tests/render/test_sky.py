"""The sky that the camera sees against its twin in NumPy, and what surfaces get of it."""

from __future__ import annotations

import dataclasses

import msgspec
import numpy as np
import pytest

from fyn.engine_core.assets.material import Material
from fyn.engine_core.render.sky import environment_radiance
from fyn.engine_core.render.view import camera_view
from fyn.engine_core.world.components import (
    CameraComponent,
    Environment,
    MeshComponent,
    RenderSettings,
)
from fyn.engine_core.world.entity import Entity
from fyn.engine_core.world.world import World

SIZE = (96, 64)
ENVIRONMENTS = {
    "color": Environment(sky_color=(0.3, 0.6, 1.2), strength=2.0),
    "hemisphere": Environment(kind="hemisphere", sky_color=(0.3, 0.6, 1.2), strength=2.0),
    "morning": Environment(
        kind="sky", sun_direction=(0.6, 0.2, -0.7), ground_color=(0.2, 0.1, 0.1), sun_size=0.0
    ),
    "noon in haze": Environment(
        kind="sky", sun_direction=(0.1, 0.9, -0.2), turbidity=8.0, strength=0.5, sun_size=0.0
    ),
    "after sunset": Environment(kind="sky", sun_direction=(0, -0.05, -1), sun_size=0.0),
}
LENSES = {
    "wide": CameraComponent(fov=1.6),
    "shifted": CameraComponent(fov=0.8, shift=(0.3, 0.2)),
}


def directions(view):
    """World directions (H, W, 3) through the centres of a view's pixels, by unprojection."""
    width, height = view.size
    x = (np.arange(width) + 0.5) / width * 2 - 1
    y = 1 - (np.arange(height) + 0.5) / height * 2
    clip = np.stack([*np.meshgrid(x, y), np.ones((height, width)), np.ones((height, width))], -1)
    point = clip @ np.linalg.inv(view.clip_from_view).T
    ray = point[..., :3] @ view.view_from_world[:3, :3]
    ray /= np.sign(point[..., 3:])
    return ray / np.linalg.norm(ray, axis=-1, keepdims=True)


def view_of(scene, lens=LENSES["wide"], target=(0.2, 1.3, -1.0)):
    return camera_view(lens, scene.look_at((0.0, 1.0, 0.0), target), SIZE)


@pytest.mark.parametrize("lens", LENSES)
@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_the_sky_in_glsl_equals_its_twin_in_numpy(scene, draw, name, lens):
    view = view_of(scene, LENSES[lens])
    frame = draw(World(environment=ENVIRONMENTS[name]), view).outputs["frame_linear"]
    expected = environment_radiance(ENVIRONMENTS[name], directions(view))
    np.testing.assert_allclose(frame[..., :3], expected, rtol=3e-3, atol=2e-3)
    np.testing.assert_array_equal(frame[..., 3], 1)


def test_the_disc_of_the_sun_has_its_size_and_stands_where_the_sun_is(scene, draw):
    sun = np.array([0.2, 0.3, -1.0]) / np.linalg.norm([0.2, 0.3, -1.0])
    with_disc = Environment(kind="sky", sun_direction=tuple(sun), sun_size=0.2)
    without = msgspec.structs.replace(with_disc, sun_size=0.0)
    view = dataclasses.replace(view_of(scene), size=(192, 128))
    seen = [draw(World(environment=e), view).outputs["frame_linear"] for e in (with_disc, without)]
    disc = (seen[0] - seen[1])[..., 0] > 1
    angle = np.arccos(np.clip(directions(view) @ sun, -1, 1))
    clear = np.abs(angle - 0.1) > 0.02
    np.testing.assert_array_equal(disc[clear], (angle < 0.1)[clear])


def test_a_parallel_view_sees_one_direction_of_the_sky(scene, draw):
    environment = ENVIRONMENTS["morning"]
    frame = draw(World(environment=environment), scene.flat_view((8, 8))).outputs["frame_linear"]
    expected = environment_radiance(environment, np.array([0.0, 0.0, -1.0]))
    np.testing.assert_allclose(frame[..., :3], np.broadcast_to(expected, (8, 8, 3)), rtol=3e-3)


def test_an_invisible_environment_lights_but_is_not_seen(scene, draw):
    environment = Environment(sky_color=(1.0, 1.0, 1.0), visible=False)
    world = World(environment=environment, meshes={"quad": scene.quad(1.0)})
    world.materials["m"] = Material(base_color=(1, 1, 1, 1), roughness=1.0)
    world.entities["quad"] = Entity(id="quad", mesh=MeshComponent(mesh="quad", materials=("m",)))
    frame = draw(world, scene.flat_view((9, 9))).outputs["frame_linear"]
    np.testing.assert_allclose(frame[4, 4], 1, atol=2e-3)
    np.testing.assert_array_equal(frame[0, 0], [0, 0, 0, 1])


def test_a_transparent_frame_leaves_the_sky_out(scene, draw):
    settings = RenderSettings(samples=1, bloom=False, transparent=True)
    world = World(environment=ENVIRONMENTS["morning"])
    frame = draw(world, view_of(scene), ("frame_color",), settings).outputs["frame_color"]
    assert frame.max() == 0


def test_a_mirror_shows_the_sky_and_a_rough_metal_its_blur(scene, draw):
    """A ball of metal: above the horizon it reflects the sky, below it the ground."""
    environment = Environment(
        kind="sky", sun_direction=(0, 0.5, 1), ground_color=(0.3, 0.02, 0.02), sun_size=0.0
    )
    drawn = {}
    for roughness in (0.0, 0.6):
        world = World(environment=environment, meshes={"ball": scene.sphere()})
        world.materials["m"] = Material(base_color=(1, 1, 1, 1), metallic=1.0, roughness=roughness)
        world.entities["b"] = Entity(id="b", mesh=MeshComponent(mesh="ball", materials=("m",)))
        outputs = draw(world, scene.flat_view((65, 65)), ("frame_linear", "frame_normal")).outputs
        drawn[roughness] = outputs["frame_linear"][..., :3]
        normal = outputs["frame_normal"]
    on_ball = normal[..., 2] > 0.3
    mirrored = 2 * normal[..., 2:] * normal - np.array([0.0, 0.0, 1.0])
    expected = environment_radiance(environment, mirrored)
    away = on_ball & (np.abs(mirrored[..., 1]) > 0.1)
    # The map has texels of 1.4 degrees.
    np.testing.assert_allclose(drawn[0.0][away], expected[away], rtol=0.05, atol=0.01)
    column = slice(16, 49), 32
    assert np.abs(np.diff(drawn[0.6][column][:, 2])).max() < 0.1 * np.ptp(drawn[0.0][column][:, 2])
