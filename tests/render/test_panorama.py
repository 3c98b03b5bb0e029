"""A panorama as background and as light: its twin in NumPy, its rotation, furnaces, what is missing."""

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
