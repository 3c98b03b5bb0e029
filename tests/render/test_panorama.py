"""A panorama as background and as light: its twin in NumPy, rotation, furnaces, what is missing."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from fyn.engine_core.assets.image import ImageData
from fyn.engine_core.assets.image_io import missing_image
from fyn.engine_core.assets.material import Material
from fyn.engine_core.render.environment import world_from_image
from fyn.engine_core.render.panorama import directions_of, sampled
from fyn.engine_core.render.view import camera_view
from fyn.engine_core.world.components import CameraComponent, Environment, MeshComponent
from fyn.engine_core.world.entity import Entity
from fyn.engine_core.world.world import World, WorldDelta

TURN = (0.2, 0.5, -0.1, 0.8)
"""Some rotation about all axes."""


def panorama(rows=64):
    """Smooth light of three colours, (rows, 2 rows, 4) float32."""
    look = directions_of(rows)
    pixels = np.ones((rows, 2 * rows, 4), np.float32)
    pixels[..., :3] = 1 + 0.9 * np.sin(3 * look + [0, 1, 2])
    return pixels


def lit_by(pixels, **fields):
    image = ImageData("panorama", "linear", pixels=pixels)
    environment = Environment(kind="image", image="p", **fields)
    return World(environment=environment, images={"p": image})


def with_ball(world, scene, **fields):
    world.meshes["ball"] = scene.sphere(1.0, rings=96)
    world.materials["m"] = Material(base_color=(1, 1, 1, 1), **fields)
    world.entities["b"] = Entity(id="b", mesh=MeshComponent(mesh="ball", materials=("m",)))
    return world


def directions(view):
    """World directions (H, W, 3) through the centres of a view's pixels, by unprojection."""
    width, height = view.size
    x = (np.arange(width) + 0.5) / width * 2 - 1
    y = 1 - (np.arange(height) + 0.5) / height * 2
    clip = np.stack([*np.meshgrid(x, y), np.ones((height, width)), np.ones((height, width))], -1)
    point = clip @ np.linalg.inv(view.clip_from_view).T
    ray = (point[..., :3] / point[..., 3:]) @ view.view_from_world[:3, :3]
    return ray / np.linalg.norm(ray, axis=-1, keepdims=True)


def expected(world, pixels, looks):
    image_from_world = world_from_image(world.environment)[:3, :3].T
    return sampled(pixels[..., :3], looks @ image_from_world.T)


def wide_view(scene, target=(0.2, 1.3, -1.0), size=(96, 64)):
    return camera_view(CameraComponent(fov=1.6), scene.look_at((0, 1, 0), target), size)


@pytest.mark.parametrize("rotation", [(0, 0, 0, 1), TURN])
@pytest.mark.parametrize("target", [(0.2, 1.3, -1.0), (1, 1.2, 0.2), (-1, 0.9, 0.1), (0.1, 0.5, 1)])
def test_the_background_equals_its_twin_in_numpy(scene, draw, rotation, target):
    pixels = panorama()
    world = lit_by(pixels, rotation=rotation)
    view = wide_view(scene, target)
    frame = draw(world, view).outputs["frame_linear"]
    np.testing.assert_allclose(
        frame[..., :3], expected(world, pixels, directions(view)), rtol=2e-2, atol=1e-2
    )
    np.testing.assert_array_equal(frame[..., 3], 1)


@pytest.mark.parametrize("rotation", [(0, 0, 0, 1), TURN])
@pytest.mark.parametrize("roughness", [0.0, 0.1])
def test_a_mirror_shows_the_panorama_where_it_is(scene, draw, rotation, roughness):
    pixels = panorama(256)
    world = with_ball(lit_by(pixels, rotation=rotation), scene, metallic=1, roughness=roughness)
    outputs = draw(world, scene.flat_view((129, 129)), ("frame_linear", "frame_normal")).outputs
    normal = outputs["frame_normal"]
    mirrored = 2 * normal[..., 2:] * normal - np.array([0.0, 0.0, 1.0])
    facing = normal[..., 2] > 0.5
    wanted = expected(world, pixels, mirrored)[facing]
    np.testing.assert_allclose(outputs["frame_linear"][facing][:, :3], wanted, rtol=0.05, atol=0.03)


@pytest.mark.parametrize("metallic", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("roughness", [0.0, 0.3, 0.65, 0.9, 1.0])
def test_a_white_panorama_is_a_furnace_as_one_colour_is(scene, draw, metallic, roughness):
    surface = {"metallic": metallic, "roughness": roughness}
    white = lit_by(np.ones((16, 32, 4), np.float32), rotation=TURN)
    color = World(environment=Environment(sky_color=(1.0, 1.0, 1.0)))
    frames = [
        draw(with_ball(world, scene, **surface), scene.flat_view((33, 33))).outputs["frame_linear"]
        for world in (white, color)
    ]
    np.testing.assert_allclose(*frames, atol=2e-3)


def test_strength_tint_and_ambient_multiply_what_they_say(scene, draw):
    plain = with_ball(lit_by(panorama()), scene, metallic=0.5, roughness=0.4)
    view = scene.flat_view((33, 33), width=3.0)
    before = draw(plain, view).outputs["frame_linear"][..., :3]
    environment = msgspec.structs.replace(
        plain.environment, strength=2.0, tint=(1.0, 0.5, 0.25), ambient=0.5
    )
    plain.environment = environment
    after = draw(plain, view).outputs["frame_linear"][..., :3]
    np.testing.assert_allclose(after[0, 0], before[0, 0] * [2, 1, 0.5], rtol=2e-3)
    np.testing.assert_allclose(after[16, 16], before[16, 16] * [1, 0.5, 0.25], rtol=5e-3)


@pytest.mark.parametrize(
    ("background", "seen"), [("scaled", (0.5, 1, 2)), ("color", None), ("same", (3, 3, 3))]
)
def test_the_background_is_what_the_environment_says(scene, draw, background, seen):
    pixels = panorama()
    fields = {"background": background, "background_color": (0.5, 1.0, 2.0), "strength": 3.0}
    world, view = lit_by(pixels, **fields), wide_view(scene)
    frame = draw(world, view).outputs["frame_linear"][..., :3]
    light = expected(world, pixels, directions(view)) * seen if seen else (0.5, 1.0, 2.0)
    np.testing.assert_allclose(frame, np.broadcast_to(light, frame.shape), rtol=2e-2, atol=3e-2)


@pytest.mark.parametrize(
    ("image", "words"),
    [
        (None, "is missing"),
        (missing_image("sky"), "could not be read"),
        (ImageData("sky", encoded=b"#?RADIANCE\n\n-Y 9 +X 9\n"), "no PNG"),
    ],
    ids=["missing", "stand-in", "a Radiance file"],
)
def test_a_panorama_that_cannot_be_shown_is_pink_and_said(scene, draw, image, words):
    images = {} if image is None else {"p": image}
    world = World(environment=Environment(kind="image", image="p"), images=images)
    frame = draw(world, wide_view(scene))
    np.testing.assert_allclose(frame.outputs["frame_linear"][0, 0], [1, 0, 1, 1], atol=1e-3)
    assert any(words in warning for warning in frame.warnings)


def test_a_panorama_that_is_replaced_is_drawn_anew_and_nothing_leaks(scene, make_renderer, device):
    renderer = make_renderer(lit_by(panorama()))
    view = wide_view(scene)
    renderer.render(view, ("frame_linear",), scene.plain)
    live = device.live_objects
    white = ImageData("panorama", "linear", pixels=np.ones((64, 128, 4), np.float32))
    renderer.apply(WorldDelta(images={"p": white}))
    frame = renderer.render(view, ("frame_linear",), scene.plain).outputs["frame_linear"]
    np.testing.assert_allclose(frame, 1, atol=1e-3)
    assert device.live_objects == live
