"""What authors set on components themselves, each seen in a picture."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from msgspec import structs

from fyn.engine_core.assets.material import Material
from fyn.engine_core.render.view import camera_view
from fyn.engine_core.world.components import (
    CameraComponent,
    Environment,
    LightComponent,
    MeshComponent,
)
from fyn.engine_core.world.entity import Entity, Transform
from fyn.engine_core.world.world import World

COLOR = (0.5, 0.25, 0.125, 1.0)
AWAY = Transform(rotation=(0.0, 1.0, 0.0, 0.0))
"""Turned by half a turn: its back faces the viewer."""
SIDES = [("material", True), ("material", False), ("double", False), ("single", True)]


def tile(scene, material=None, environment=None, transform=None, **mesh):
    world = World(environment=environment or scene.black)
    world.meshes["tile"] = scene.quad()
    world.materials["m"] = material or Material(base_color=COLOR)
    world.entities["tile"] = Entity(
        id="tile",
        mesh=MeshComponent(mesh="tile", materials=("m",), **mesh),
        transform=transform or Transform(),
    )
    return world


def middle(draw, scene, world, settings=None, output="frame_linear"):
    view = scene.flat_view((9, 9), width=0.5)
    return draw(world, view, (output,), settings or scene.plain).outputs[output][4, 4]


@pytest.mark.parametrize("shading", ["lit", "unlit"])
def test_glow_adds_an_objects_own_colour_as_light(scene, draw, shading):
    material = Material(base_color=COLOR, shading=shading, emissive=(0.0, 0.0, 0.5))
    plain, glowing = (tile(scene, material, glow=glow) for glow in (0.0, 3.0))
    added = middle(draw, scene, glowing)[:3] - middle(draw, scene, plain)[:3]
    np.testing.assert_allclose(added, np.multiply(COLOR[:3], 3), rtol=2e-3)


def test_glow_is_each_objects_own_where_many_share_a_mesh_and_a_material(scene, draw):
    world = tile(scene, glow=2.0)
    for key, x, glow in (("left", -1.0, 0.0), ("right", 1.0, 1.0)):
        world.entities[key] = Entity(
            id=key,
            mesh=MeshComponent(mesh="tile", materials=("m",), glow=glow),
            transform=Transform(translation=(x, 0.0, 0.0)),
        )
    frame = draw(world, scene.flat_view((9, 3), width=3.0), ("frame_linear",))
    reds = frame.outputs["frame_linear"][1, [1, 4, 7], 0]
    np.testing.assert_allclose(reds, [0.0, 1.0, 0.5], atol=1e-3)


@pytest.mark.parametrize(("sides", "double_sided"), SIDES)
def test_sides_decide_which_faces_are_drawn_whatever_the_material_says(
    scene, draw, sides, double_sided
):
    material = Material(base_color=COLOR, shading="unlit", double_sided=double_sided)
    is_double = double_sided if sides == "material" else sides == "double"
    front = middle(draw, scene, tile(scene, material, sides=sides))
    back = middle(draw, scene, tile(scene, material, sides=sides, transform=AWAY))
    assert front[0] == pytest.approx(0.5, abs=1e-3)
    assert back[0] == pytest.approx(0.5 if is_double else 0.0, abs=1e-3)


def test_two_objects_of_one_mesh_and_material_may_show_other_sides(scene, draw):
    material = Material(base_color=COLOR, shading="unlit", double_sided=False)
    world = tile(scene, material, sides="double", transform=AWAY)
    world.entities["single"] = Entity(
        id="single",
        mesh=MeshComponent(mesh="tile", materials=("m",)),
        transform=Transform(translation=(1.0, 0.0, 0.0), rotation=AWAY.rotation),
    )
    frame = draw(world, scene.flat_view((6, 2), width=3.0), ("frame_linear",))
    np.testing.assert_allclose(frame.outputs["frame_linear"][0, [2, 5], 0], [0.5, 0.0], atol=1e-3)


def test_an_object_that_receives_no_shadow_stays_lit_under_a_roof(scene, draw):
    reds = []
    for receives in (True, False):
        world = tile(scene, receives_shadow=receives)
        world.entities["sun"] = Entity(id="sun", light=LightComponent(kind="sun"))
        world.entities["roof"] = Entity(
            id="roof",
            mesh=MeshComponent(mesh="tile", visible_to_camera=False),
            transform=Transform(translation=(0.0, 0.0, 1.0), scale=(4.0, 4.0, 4.0)),
        )
        settings = structs.replace(scene.plain, shadows=True)
        reds.append(middle(draw, scene, world, settings)[0])
    assert reds[0] == pytest.approx(0.0, abs=1e-3)
    assert reds[1] > 0.4


@pytest.mark.parametrize("kind", ["color", "hemisphere"])
def test_ambient_scales_what_the_surroundings_add_and_not_how_they_look(scene, draw, kind):
    def world(ambient):
        grey = (0.4, 0.4, 0.4)
        return tile(
            scene,
            environment=Environment(kind=kind, sky_color=grey, ground_color=grey, ambient=ambient),
        )

    lit = [middle(draw, scene, world(ambient))[:3] for ambient in (1.0, 2.0, 0.0)]
    np.testing.assert_allclose(lit[1], lit[0] * 2, rtol=2e-3)
    np.testing.assert_allclose(lit[2], 0, atol=1e-6)
    wide = scene.flat_view((9, 9), width=4.0)
    corners = [
        draw(world(ambient), wide, ("frame_linear",)).outputs["frame_linear"][0, 0]
        for ambient in (1.0, 0.0)
    ]
    np.testing.assert_array_equal(corners[0], corners[1])
    assert corners[0][0] == pytest.approx(0.4, abs=1e-3)


def test_the_exposure_of_a_camera_counts_while_it_looks(scene, draw):
    world = tile(scene, Material(base_color=COLOR, shading="unlit"))
    eye = scene.look_at((0.0, 0.0, 5.0))
    pictures = [
        draw(
            world,
            camera_view(CameraComponent(fov=0.05, exposure=stops), eye, (3, 3)),
            ("frame_color", "frame_linear"),
        ).outputs
        for stops in (0.0, 1.0)
    ]
    np.testing.assert_array_equal(pictures[0]["frame_linear"], pictures[1]["frame_linear"])
    one, two = (srgb_to_linear(picture["frame_color"][1, 1, :3]) for picture in pictures)
    np.testing.assert_allclose(one, COLOR[:3], atol=4e-3)
    np.testing.assert_allclose(two, np.multiply(COLOR[:3], 2), atol=8e-3)


def test_the_exposures_of_level_and_camera_add_up(scene, draw):
    world = tile(scene, Material(base_color=COLOR, shading="unlit"))
    flat = scene.flat_view((3, 3), width=0.5)
    settings = structs.replace(scene.plain, exposure=-1.0)
    both = draw(world, dataclasses.replace(flat, exposure=1.0), ("frame_color",), settings)
    neither = draw(world, flat, ("frame_color",))
    np.testing.assert_array_equal(both.outputs["frame_color"], neither.outputs["frame_color"])


def srgb_to_linear(encoded):
    value = encoded / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
