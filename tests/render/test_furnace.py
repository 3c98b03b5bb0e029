"""White furnace: white surfaces under a uniform white sky send back what they get, and no more."""

from __future__ import annotations

import numpy as np
import pytest

from fyn.engine_core.assets.material import Material
from fyn.engine_core.world.components import Environment, MeshComponent
from fyn.engine_core.world.entity import Entity, Transform
from fyn.engine_core.world.world import World

SIDE = 7
PIXELS = 40


def furnace(scene, environment):
    """SIDE x SIDE white spheres: roughness grows to the right, metallic upwards."""
    world = World(environment=environment)
    world.meshes = {"ball": scene.sphere(1.0, rings=48)}
    for i in range(SIDE):
        for j in range(SIDE):
            key = f"{i} {j}"
            world.materials[key] = Material(
                base_color=(1.0, 1.0, 1.0, 1.0), metallic=i / (SIDE - 1), roughness=j / (SIDE - 1)
            )
            place = (2.2 * (j - (SIDE - 1) / 2), 2.2 * (i - (SIDE - 1) / 2), 0.0)
            world.entities[key] = Entity(
                id=key,
                mesh=MeshComponent(mesh="ball", materials=(key,)),
                transform=Transform(translation=place),
            )
    return world


def white(kind):
    """The same white light all around, said in two ways that take different paths of the shader."""
    return Environment(kind=kind, sky_color=(1.0, 1.0, 1.0), ground_color=(1.0, 1.0, 1.0))


@pytest.fixture(params=["color", "hemisphere"])
def returned(request, scene, draw):
    """(SIDE, SIDE, PIXELS, PIXELS, 3): what each sphere sends back; NaN outside of it."""
    view = scene.flat_view((SIDE * PIXELS, SIDE * PIXELS), width=SIDE * 2.2, distance=20.0)
    frame = draw(furnace(scene, white(request.param)), view, ("frame_linear", "frame_normal"))
    light = frame.outputs["frame_linear"][..., :3].copy()
    # The last degrees to the rim, where a facet shows its normal turned away, are left out.
    light[frame.outputs["frame_normal"][..., 2] < 0.05] = np.nan
    return light[::-1].reshape(SIDE, PIXELS, SIDE, PIXELS, 3).transpose(0, 2, 1, 3, 4)


def test_no_pixel_is_brighter_than_the_sky(returned):
    assert np.nanmax(returned) < 1.01


def test_a_white_metal_loses_nothing_however_rough(returned):
    mean = np.nanmean(returned[-1], axis=(1, 2, 3))
    np.testing.assert_allclose(mean, 1, atol=0.01)


def test_no_surface_loses_more_than_two_percent(returned):
    mean = np.nanmean(returned, axis=(2, 3, 4))
    assert mean.min() > 0.98, np.round(mean, 3)
