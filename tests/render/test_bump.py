"""Bump: a height over a surface tilts its normal by metres, however the picture lies on it."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from fyn.engine_core.assets.image import ImageData
from fyn.engine_core.assets.material import Material, TextureSlot
from fyn.engine_core.world.components import MeshComponent
from fyn.engine_core.world.entity import Entity, Transform
from fyn.engine_core.world.world import World

CHALK = {"base_color": (1.0, 1.0, 1.0, 1.0), "roughness": 1.0, "ior": 1.0}


def slopes(across, down, normal=(0.0, 0.0)):
    """A texel that rises by `across` a unit of u, `down` a unit of v, over x, y of a normal."""
    length = math.sqrt(1 + across * across + down * down)
    texel = np.array([*normal, across / length, down / length]) * 0.5 + 0.5
    return ImageData("slopes", color_space="linear", pixels=texel.reshape(1, 1, 4).astype("f4"))


def shown(scene, draw, image, mesh=None, transform=None, slot=None, **material):
    """The normal in the middle of a quad of 2 m with the picture once across it."""
    world = World(environment=scene.black)
    world.meshes["tile"] = mesh or scene.quad()
    texture = TextureSlot(image="map", **(slot or {}))
    world.materials["m"] = Material(**CHALK, normal_texture=texture, **material)
    world.images["map"] = image
    world.entities["tile"] = Entity(
        id="tile",
        mesh=MeshComponent(mesh="tile", materials=("m",)),
        transform=transform or Transform(),
    )
    frame = draw(world, scene.flat_view((9, 9), width=0.5), ("frame_normal",))
    return frame.outputs["frame_normal"][4, 4]


def tilted(right, up):
    """The normal of a plane that rises by `right` and `up` a metre to the right and upwards."""
    normal = np.array([-right, -up, 1.0])
    return normal / np.linalg.norm(normal)


def width_of(mesh):
    return float(np.ptp(mesh.positions[:, 0]))


def test_height_is_in_metres_of_the_surface(scene, draw):
    side = width_of(scene.quad())
    found = shown(scene, draw, slopes(0.8, 0.0), bump_distance=1.0)
    np.testing.assert_allclose(found, tilted(0.8 / side, 0), atol=4e-3)
    found = shown(scene, draw, slopes(0.0, 0.8), bump_distance=-2.0)
    np.testing.assert_allclose(found, tilted(0, 1.6 / side), atol=4e-3)  # v grows downwards


@pytest.mark.parametrize("size", [0.5, 2.0])
def test_a_larger_object_is_less_steep(scene, draw, size):
    side = width_of(scene.quad()) * size
    transform = Transform(scale=(size, size, size))
    found = shown(scene, draw, slopes(0.8, 0.0), transform=transform, bump_distance=1.0)
    np.testing.assert_allclose(found, tilted(0.8 / side, 0), atol=4e-3)


def test_a_picture_that_repeats_is_steeper_and_turns_along(scene, draw):
    side = width_of(scene.quad())
    repeated = {"scale": (2.0, 2.0)}
    found = shown(scene, draw, slopes(0.4, 0.0), slot=repeated, bump_distance=1.0)
    np.testing.assert_allclose(found, tilted(0.8 / side, 0), atol=4e-3)
    turned = {"rotation": math.pi / 2}
    found = shown(scene, draw, slopes(0.4, 0.0), slot=turned, bump_distance=1.0)
    np.testing.assert_allclose(found, tilted(0, -0.4 / side), atol=4e-3)


def test_strength_mixes_the_tilted_normal_with_the_plain_one(scene, draw):
    side = width_of(scene.quad())
    found = shown(scene, draw, slopes(0.8, 0.0), bump_distance=1.0, bump_strength=0.25)
    mixed = 0.25 * tilted(0.8 / side, 0) + 0.75 * np.array([0, 0, 1])
    np.testing.assert_allclose(found, mixed / np.linalg.norm(mixed), atol=4e-3)


def test_a_normal_map_lies_under_the_bump(scene, draw):
    flat = slopes(0.0, 0.0, normal=(0.3, 0.4))
    found = shown(scene, draw, flat, bump_distance=1.0)
    np.testing.assert_allclose(found, [0.3, 0.4, math.sqrt(0.75)], atol=4e-3)
    both = shown(scene, draw, slopes(0.8, 0.0, normal=(0.3, 0.4)), bump_distance=1.0)
    assert both[0] < found[0] - 0.1
    assert both[1] == pytest.approx(found[1], abs=0.1)


def test_bump_without_uvs_changes_nothing(scene, draw):
    mesh = dataclasses.replace(scene.quad(), uv_sets=())
    found = shown(scene, draw, slopes(0.8, 0.3), mesh=mesh, bump_distance=1.0)
    np.testing.assert_allclose(found, [0, 0, 1], atol=1e-3)
