"""Golden pictures of light, for what formulas cannot say (golden/README.md tells what)."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from fyn.compare.golden import assert_matches_golden
from fyn.engine_core.assets.image import ImageData
from fyn.engine_core.assets.material import Material, TextureSlot
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

GOLDEN = Path(__file__).parent / "golden"
SIZE = (480, 270)
FLAT = Transform(rotation=(-(0.5**0.5), 0.0, 0.0, 0.5**0.5))


class Stage:
    """A world under construction."""

    def __init__(self, scene, environment, **settings):
        self.scene = scene
        self.world = World(environment=environment, render=RenderSettings(**settings))
        self.world.meshes = {
            "ball": scene.sphere(1.0, rings=32), "box": scene.box(), "quad": scene.quad(),
        }  # fmt: skip

    def put(self, mesh, material, transform=None, casts_shadow=True, **place):
        key = f"{len(self.world.entities)}"
        self.world.materials[key] = material
        self.world.entities[key] = Entity(
            id=key,
            mesh=MeshComponent(mesh=mesh, materials=(key,), casts_shadow=casts_shadow),
            transform=transform or Transform(**place),
        )

    def ground(self, size, **material):
        scale = (size, size, 1.0)
        self.put("quad", Material(**material), Transform(rotation=FLAT.rotation, scale=scale))

    def light(self, eye, target, **light):
        key = f"{len(self.world.entities)}"
        matrix = self.scene.look_at(np.array(eye, float), np.array(target, float))
        self.world.entities[key] = Entity(
            id=key,
            light=LightComponent(**light),
            transform=Transform(matrix=tuple(matrix.ravel())),
        )


def sun(height, around):
    h, a = np.radians([height, around])
    return np.array([np.cos(h) * np.cos(a), np.sin(h), np.cos(h) * np.sin(a)])


def sky(towards, **more):
    ground = more.pop("ground_color", (0.12, 0.11, 0.1))
    return Environment(kind="sky", sun_direction=tuple(towards), ground_color=ground, **more)


def materials_under_a_noon_sky(scene):
    towards = sun(50, 50)
    stage = Stage(scene, sky(towards))
    stage.light(towards * 10, (0, 0, 0), kind="sun", strength=2.0, angle=0.0093)
    for row in range(4):
        for column in range(7):
            material = Material(
                base_color=(0.8, 0.35, 0.08, 1.0), metallic=row / 3, roughness=column / 6
            )
            stage.put("ball", material, translation=(2.2 * column - 6.6, 2.2 * row - 3.3, 0.0))
    return stage.world, ((0, 0, 19), (0, 0, 0), 0.85)


def shadows_of_a_low_sun(scene):
    towards = sun(9, 35)
    stage = Stage(scene, sky(towards, turbidity=3.0))
    stage.light(
        towards * 10, (0, 0, 0), kind="sun", strength=2.2, angle=0.0093, color=(1.0, 0.8, 0.55)
    )
    stage.ground(300.0, base_color=(0.4, 0.37, 0.32, 1.0), roughness=0.9)
    stage.put("box", Material(base_color=(0.2, 0.35, 0.6, 1.0)), translation=(2.4, 0.5, 0.0))
    stage.put("ball", Material(base_color=(0.7, 0.12, 0.08, 1.0), roughness=0.25),
              translation=(0.0, 1.0, 0.0))  # fmt: skip
    stage.put("ball", Material(base_color=(1.0, 0.8, 0.4, 1.0), metallic=1.0, roughness=0.2),
              translation=(-2.6, 1.0, -0.4))  # fmt: skip
    return stage.world, ((1.5, 2.3, 8.5), (-0.2, 0.8, 0.0), 0.8)


def leaves_and_their_shadows(scene):
    towards = sun(30, 55)
    stage = Stage(scene, sky(towards))
    stage.light(
        towards * 10, (0, 0, 0), kind="sun", strength=2.6, angle=0.0093, color=(1.0, 0.93, 0.82)
    )
    stage.ground(60.0, base_color=(0.35, 0.33, 0.28, 1.0), roughness=0.9)
    stage.put("box", Material(base_color=(0.2, 0.12, 0.07, 1.0), roughness=0.9),
              Transform(translation=(0.0, 1.0, 0.0), scale=(0.2, 2.0, 0.2)))  # fmt: skip
    y, x = np.mgrid[0:64, 0:64] / 32 - 1
    pixels = np.zeros((64, 64, 4), np.uint8)
    pixels[..., :3] = np.where(np.abs(x)[..., None] < 0.06, (110, 160, 70), (70, 130, 40))
    pixels[..., 3] = np.where((x / 0.55) ** 2 + (y / 0.9) ** 2 < 1, 255, 0)
    stage.world.images["leaf"] = ImageData("leaf", pixels=pixels)
    leaf = Material(base_color_texture=TextureSlot(image="leaf"), alpha_mode="mask", roughness=0.6)
    random = np.random.default_rng(3)
    for _ in range(90):
        place = random.uniform(-1, 1, 3) * (1.2, 0.8, 1.2) + (0.0, 2.1, 0.0)
        matrix = scene.look_at(place, place + random.uniform(-1, 1, 3))
        matrix[:3, :3] *= 0.7
        stage.put("quad", leaf, Transform(matrix=tuple(matrix.ravel())))
    return stage.world, ((3.2, 2.2, 5.6), (-0.2, 1.35, 0.0), 0.75)


def lamps_of_every_shape(scene):
    stage = Stage(scene, Environment(sky_color=(0.02, 0.022, 0.03)))
    wall = {"base_color": (0.5, 0.48, 0.45, 1.0), "roughness": 0.45}
    stage.ground(12.0, **wall)
    stage.put("quad", Material(**wall),
              Transform(translation=(0.0, 3.0, -3.0), scale=(12.0, 6.0, 1.0)))  # fmt: skip
    for x, z, color, metallic, roughness in [
        (-2.0, -0.5, (0.95, 0.75, 0.4), 1.0, 0.3),
        (0.3, 0.0, (0.1, 0.25, 0.6), 0.0, 0.12),
        (2.5, -0.8, (0.7, 0.1, 0.08), 0.0, 0.6),
    ]:
        material = Material(base_color=(*color, 1.0), metallic=metallic, roughness=roughness)
        stage.put("ball", material, Transform(translation=(x, 0.9, z), scale=(0.9,) * 3))
    stage.light((-3, 3.2, 2.5), (-0.5, 0.6, -0.5), kind="area", strength=9.0,
                color=(1.0, 0.85, 0.7), area_size=(2.0, 1.2))  # fmt: skip
    stage.light((3.2, 3, 1.5), (1.5, 0.5, -0.5), kind="area", strength=7.0,
                color=(0.6, 0.75, 1.0), area_shape="ellipse", area_spread=1.6)  # fmt: skip
    stage.light((0, 4, 3), (0.3, 2.2, -3), kind="spot", strength=18.0, spot_angle=0.7,
                spot_blend=0.3, radius=0.05)  # fmt: skip
    stage.light((-4.5, 1.0, -2.3), (0, 0, 0), kind="point", strength=0.8,
                color=(0.4, 1.0, 0.5), radius=0.3)  # fmt: skip
    return stage.world, ((0, 2.3, 8), (0, 1.4, -1), 0.75)


def the_glow_of_a_lamp_at_night(scene):
    stage = Stage(scene, Environment(sky_color=(0.01, 0.012, 0.02)))
    stage.ground(40.0, base_color=(0.3, 0.3, 0.32, 1.0), roughness=0.35)
    glow = Material(base_color=(0, 0, 0, 1), emissive=(1.0, 0.7, 0.35), emissive_strength=12.0)
    bulb = Transform(translation=(0.0, 1.2, 0.0), scale=(0.4,) * 3)
    stage.put("ball", glow, bulb, casts_shadow=False)
    stage.light((0, 1.2, 0), (0, 0, 0), kind="point", strength=6.0, color=(1.0, 0.7, 0.35),
                radius=0.4)  # fmt: skip
    stage.put("box", Material(base_color=(0.1, 0.2, 0.5, 1.0), roughness=0.4),
              translation=(1.8, 0.5, -1.0))  # fmt: skip
    stage.put("ball", Material(base_color=(0.9, 0.6, 0.4, 1.0), metallic=1.0, roughness=0.25),
              translation=(-2.2, 1.0, -0.8))  # fmt: skip
    return stage.world, ((0, 1.6, 6), (0, 0.9, 0), 0.8)


def a_sky_at_sunset(scene):
    towards = sun(1.5, -75)
    stage = Stage(scene, sky(towards, turbidity=4.0, ground_color=(0.03, 0.028, 0.03)))
    stage.ground(600.0, base_color=(0.3, 0.26, 0.22, 1.0), roughness=0.9)
    for x, metallic, roughness in [(-1.3, 1.0, 0.05), (1.3, 1.0, 0.4)]:
        material = Material(
            base_color=(0.95, 0.95, 0.95, 1.0), metallic=metallic, roughness=roughness
        )
        stage.put("ball", material, translation=(x, 1.0, 0.0))
    return stage.world, ((0, 1.3, 7), (0.0, 1.9, 0.0), 0.9)


PICTURES = (
    materials_under_a_noon_sky,
    shadows_of_a_low_sun,
    leaves_and_their_shadows,
    lamps_of_every_shape,
    the_glow_of_a_lamp_at_night,
    a_sky_at_sunset,
)


@pytest.mark.parametrize("make", PICTURES, ids=lambda make: make.__name__)
def test_a_picture_looks_as_it_did(scene, make_renderer, tmp_path, make):
    world, (eye, target, fov) = make(scene)
    view = camera_view(CameraComponent(fov=fov), scene.look_at(eye, target), SIZE)
    frame = make_renderer(world).render(view)
    report = Path(os.environ.get("FYN_REPORTS") or tmp_path)
    golden = GOLDEN / f"{make.__name__}.png"
    assert_matches_golden(frame.outputs["frame_color"][..., :3], golden, report)
