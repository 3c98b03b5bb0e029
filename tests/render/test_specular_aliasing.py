"""Highlights smaller than a pixel keep most of their light."""

from __future__ import annotations

import numpy as np
import pytest

from fyn.engine_core.assets.material import Material
from fyn.engine_core.render.view import camera_view
from fyn.engine_core.world.components import (
    CameraComponent,
    Environment,
    LightComponent,
    MeshComponent,
    RenderSettings,
)
from fyn.engine_core.world.entity import Entity, Transform
from fyn.engine_core.world.world import World

SETTINGS = RenderSettings(bloom=False, shadows=False, tone_map="linear")
FINER = 12


def polished_ball(scene, shift: float) -> World:
    """A smooth metal ball under the sun, moved aside by a part of the picture's width."""
    world = World(
        environment=Environment(sky_color=(0.0, 0.0, 0.0), ground_color=(0.0, 0.0, 0.0)),
        meshes={"ball": scene.sphere(rings=48)},
        materials={"metal": Material(metallic=1.0, roughness=0.1)},
    )
    world.entities["ball"] = Entity(
        id="ball",
        mesh=MeshComponent(mesh="ball", materials=("metal",)),
        transform=Transform(translation=(shift, 0.37 * shift, 0.0)),
    )
    tilt = np.array([-0.35, 0.2, 0.0, 1.0])
    world.entities["sun"] = Entity(
        id="sun",
        light=LightComponent(kind="sun"),
        transform=Transform(rotation=tuple((tilt / np.linalg.norm(tilt)).tolist())),
    )
    return world


def light(scene, draw, side: int, shift: float) -> float:
    """Mean radiance of the picture, `side` pixels wide, which the ball fills."""
    camera = CameraComponent(projection="orthographic", ortho_scale=2.6, near=0.1, far=20.0)
    pose = scene.look_at((0.0, 0.0, 5.0), (0.0, 0.0, 0.0))
    view = camera_view(camera, pose, (side, side))
    frame = draw(polished_ball(scene, shift), view, ("frame_linear",), SETTINGS)
    return float(frame.outputs["frame_linear"][..., :3].mean())


@pytest.mark.parametrize("side", [16, 24, 40])
def test_a_small_highlight_gives_the_light_that_a_fine_picture_shows(side, scene, draw):
    wanted = light(scene, draw, side * FINER, 0.0)
    steps = [light(scene, draw, side, 2.6 / side * part) for part in (0.0, 0.25, 0.5, 0.75)]
    # A frame that shades mere points shows 1 to 10 % of it in most places, and all in a few.
    assert min(steps) > 0.35 * wanted
    assert max(steps) < 1.3 * wanted
    assert np.mean(steps) == pytest.approx(wanted, rel=0.25)
