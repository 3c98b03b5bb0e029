"""Shadows of points, spots and areas, held against where straight lines from the lamp end."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from fyn.engine_core.assets.material import Material
from fyn.engine_core.render.view import camera_view
from fyn.engine_core.world.components import (
    CameraComponent,
    Environment,
    LightComponent,
    MeshComponent,
)
from fyn.engine_core.world.entity import Entity, Transform
from fyn.engine_core.world.world import World, WorldDelta

CHALK = Material(base_color=(1.0, 1.0, 1.0, 1.0), roughness=1.0, ior=1.0)
SIDE = 96
WIDTH = 8.0
HEIGHT = 4.0
HALF = 0.5
"""Half width of the plate that blocks, and how far it is from the wall."""
LIFT = 2.0


def place(matrix) -> Transform:
    return Transform(matrix=tuple(np.asarray(matrix, float).ravel()))


def at(x, y, z):
    matrix = np.identity(4)
    matrix[:3, 3] = x, y, z
    return matrix


def room(scene, light, plate=True, lamp=None, receives=True, casts=True):
    """A wall in the XY plane, a plate LIFT before it that faces it, a lamp HEIGHT before it."""
    world = World(environment=scene.black)
    world.meshes["wall"] = scene.quad(WIDTH)
    world.meshes["plate"] = scene.quad(2 * HALF)
    world.materials["m"] = CHALK
    wall = MeshComponent(mesh="wall", materials=("m",), receives_shadow=receives)
    world.entities["wall"] = Entity(id="wall", mesh=wall)
    if plate:
        component = MeshComponent(
            mesh="plate", materials=("m",), casts_shadow=casts, visible_to_camera=False
        )
        world.entities["plate"] = Entity(
            id="plate", mesh=component, transform=place(at(0, 0, LIFT))
        )
    matrix = at(0, 0, HEIGHT) if lamp is None else lamp
    world.entities["lamp"] = Entity(id="lamp", light=light, transform=place(matrix))
    return world


def reach():
    """Largest of |x|, |y| in metres of the wall's pixels, (SIDE, SIDE)."""
    line = ((np.arange(SIDE) + 0.5) / SIDE - 0.5) * WIDTH
    return np.maximum(*np.abs(np.meshgrid(line, line)))


def on_box(view, half):
    """Where the rays of the pixels leave a box of that half size around 0: (H, W, 3), metres."""
    width, height = view.size
    x = (np.arange(width) + 0.5) / width * 2 - 1
    y = 1 - (np.arange(height) + 0.5) / height * 2
    clip = np.stack([*np.meshgrid(x, y), np.ones((height, width)), np.ones((height, width))], -1)
    ends = clip @ np.linalg.inv(view.clip_from_world).T
    rays = ends[..., :3] / ends[..., 3:] - view.camera_position
    steps = (np.sign(rays) * half - view.camera_position) / rays
    return view.camera_position + rays * steps.min(axis=-1, keepdims=True)


@pytest.fixture
def settings(scene):
    return msgspec.structs.replace(scene.plain, shadows=True)


@pytest.fixture
def lit(scene, draw, settings):
    """Return a function: brightness (SIDE, SIDE) of the wall of a world."""

    def run(world, **more):
        view = scene.flat_view((SIDE, SIDE), width=WIDTH, distance=20.0)
        chosen = msgspec.structs.replace(settings, **more)
        return draw(world, view, settings=chosen).outputs["frame_linear"][..., 0]

    return run


LAMPS = {
    "point": LightComponent(kind="point", strength=16.0),
    "spot": LightComponent(kind="spot", strength=16.0, spot_angle=2.0),
}


@pytest.mark.parametrize("kind", LAMPS)
def test_a_plate_throws_the_shadow_that_straight_lines_from_the_lamp_say(kind, scene, lit):
    wanted = HALF * HEIGHT / (HEIGHT - LIFT)  # one metre: the plate is half way
    blocked = lit(room(scene, LAMPS[kind]))
    free = lit(room(scene, LAMPS[kind], plate=False))
    pixel = WIDTH / SIDE
    inside, outside = reach() < wanted - pixel, reach() > wanted + pixel
    assert free[inside].min() > 0.3
    np.testing.assert_allclose(blocked[inside], 0, atol=1e-4)
    np.testing.assert_allclose(blocked[outside], free[outside], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_a_point_throws_shadows_in_all_six_directions(axis, sign, scene, draw, settings):
    """The wall, plate and camera turn about the lamp; the picture stays."""
    turned = scene.look_at(np.zeros(3), np.roll([sign, 0.0, 0.0], axis))
    world = room(scene, LAMPS["point"], lamp=np.identity(4))
    for key, depth in (("wall", HEIGHT), ("plate", HEIGHT - LIFT)):
        entity = msgspec.structs.replace(
            world.entities[key], transform=place(turned @ at(0, 0, -depth))
        )
        world.entities[key] = entity
    camera = CameraComponent(projection="orthographic", ortho_scale=WIDTH, near=0.1, far=100.0)
    view = camera_view(camera, turned @ at(0, 0, 16.0), (SIDE, SIDE))
    picture = draw(world, view, settings=settings).outputs["frame_linear"][..., 0]
    pixel = WIDTH / SIDE
    assert picture[reach() < 1 - pixel].max() < 1e-4
    assert picture[(reach() > 1 + pixel) & (reach() < 3)].min() > 0.1


def test_the_faces_of_a_points_map_meet_without_a_seam_and_without_acne(scene, draw, settings):
    """A lamp off the middle of a closed box: every wall is lit as if there were no shadows."""
    world = World(environment=scene.black)
    box = scene.box(6.0)
    world.meshes["box"] = replace(box, normals=-box.normals, indices=box.indices[::-1].copy())
    world.materials["m"] = CHALK
    mesh = MeshComponent(mesh="box", materials=("m",))
    world.entities["box"] = Entity(id="box", mesh=mesh)
    world.entities["lamp"] = Entity(
        id="lamp", light=LightComponent(strength=4.0), transform=place(at(0.7, -0.4, 1.1))
    )
    camera = CameraComponent(fov=2.4, near=0.01, far=20.0)
    for target in ((1.0, 0.3, 0.2), (-1.0, 0.8, 0.5), (0.2, -1.0, -1.0), (0.5, 1.0, 0.7)):
        view = camera_view(camera, scene.look_at((-0.3, 0.2, -0.1), target), (SIDE, SIDE))
        with_maps, without = (
            draw(world, view, settings=msgspec.structs.replace(settings, lamp_shadows=n)).outputs[
                "frame_linear"
            ][..., 0]
            for n in (8, 0)
        )
        assert without.max() > 0.2
        # In the very corner the filter's tent meets the other wall.
        flat = np.sort(np.abs(on_box(view, 3.0)), axis=-1)[..., 1] < 3.0 - 0.06
        assert flat.mean() > 0.9
        np.testing.assert_allclose(with_maps[flat], without[flat], rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("radius", [0.25, 0.5])
def test_a_large_lamp_has_the_penumbra_of_its_size(radius, scene, lit):
    """The edge of a plate half way: the penumbra is as wide as the lamp on either side."""
    lamp = LightComponent(kind="point", strength=16.0, radius=radius)
    blocked = lit(room(scene, lamp))
    free = lit(room(scene, lamp, plate=False))
    share = blocked / free
    row = share[SIDE // 2]
    x = ((np.arange(SIDE) + 0.5) / SIDE - 0.5) * WIDTH
    assert row[np.abs(x) < 1 - radius - 0.1].max() < 0.02
    assert row[np.abs(x) > 1 + radius + 0.1].min() > 0.98
    offset = np.clip((x[x > 0] - 1) / radius, -1, 1)  # edge through the disc of the lamp
    seen = 0.5 + (offset * np.sqrt(1 - offset**2) + np.arcsin(offset)) / np.pi
    np.testing.assert_allclose(row[x > 0], seen, atol=0.12)


def test_an_area_throws_a_soft_shadow_to_the_side_it_shines_to(scene, lit):
    lamp = LightComponent(kind="area", strength=10.0, area_size=(0.8, 0.8))
    blocked = lit(room(scene, lamp))
    free = lit(room(scene, lamp, plate=False))
    share = blocked / np.maximum(free, 1e-6)
    middle, far = reach() < 0.5, (reach() > 1.6) & (reach() < 3.5)
    assert share[middle].max() < 0.02
    assert share[far].min() > 0.98
    between = share[SIDE // 2, np.abs(reach()[SIDE // 2] - 1.0) < 0.15]
    assert ((between > 0.2) & (between < 0.8)).all()


def test_lamps_and_objects_that_opt_out_have_no_shadow(scene, lit):
    lamp = LAMPS["point"]
    free = lit(room(scene, lamp, plate=False))
    without = msgspec.structs.replace(lamp, casts_shadow=False)
    for world, more in (
        (room(scene, without), {}),
        (room(scene, lamp, casts=False), {}),
        (room(scene, lamp, receives=False), {}),
        (room(scene, lamp), {"lamp_shadows": 0}),
        (room(scene, lamp), {"shadows": False}),
    ):
        np.testing.assert_allclose(lit(world, **more), free, rtol=1e-3, atol=1e-4)


def test_a_receiver_outside_a_spots_cone_or_an_areas_view_is_not_darkened(scene, lit):
    """An area beside the wall: most of the wall lies outside what its map sees."""
    matrix = scene.look_at((-3.0, 0.0, 0.5), (5.0, 0.0, 0.3))
    lamp = LightComponent(kind="area", strength=10.0, area_size=(0.2, 0.2))
    shadowed = lit(room(scene, lamp, plate=False, lamp=matrix))
    free = lit(room(scene, lamp, plate=False, lamp=matrix), lamp_shadows=0)
    assert free.max() > 0.05
    np.testing.assert_allclose(shadowed, free, rtol=5e-3, atol=1e-3)


def test_maps_are_drawn_again_only_when_something_in_them_changed(
    scene, make_renderer, settings, monkeypatch
):
    renderer = make_renderer(room(scene, LAMPS["point"]))
    drawn = []
    run = type(renderer._executor).run

    def counted(self, plan, *more):
        drawn.append(plan.pipeline)
        return run(self, plan, *more)

    monkeypatch.setattr(type(renderer._executor), "run", counted)
    for distance in (20.0, 15.0, 10.0):
        view = scene.flat_view((SIDE, SIDE), width=WIDTH, distance=distance)
        renderer.render(view, ("frame_linear",), settings)
    renderer.apply(WorldDelta(environment=Environment(strength=0.5), render=settings))
    renderer.render(view, ("frame_linear",), settings)
    assert drawn.count("lamp_shadows") == 1
    moved = Entity(
        id="plate",
        mesh=MeshComponent(mesh="plate", materials=("m",), visible_to_camera=False),
        transform=place(at(2, 0, LIFT)),
    )
    renderer.apply(WorldDelta(entities={"plate": moved}))
    picture = renderer.render(view, ("frame_linear",), settings).outputs["frame_linear"]
    assert drawn.count("lamp_shadows") == 2
    assert picture[SIDE // 2, SIDE // 2, 0] > 0.3


def test_lamps_beyond_the_room_for_maps_are_named(scene, make_renderer, settings):
    world = room(scene, LAMPS["point"])
    for number in range(6):
        world.entities[f"more{number}"] = Entity(
            id=f"more{number}", light=LAMPS["point"], transform=place(at(number - 3, 1, 3))
        )
    view = scene.flat_view((SIDE, SIDE), width=WIDTH)
    frame = make_renderer(world).render(view, ("frame_linear",), settings)
    assert any(text.startswith("2 of the lamps cast no shadow") for text in frame.warnings)


@pytest.mark.parametrize("kind", ["spot", "far point"])
def test_wide_spots_and_far_points_throw_sharp_shadows(kind, scene, lit):
    far = 400.0
    if kind == "spot":
        light = LightComponent(kind="spot", strength=5.0, spot_angle=np.pi, spot_blend=0.0)
        lamp, edge = at(0, 0, HEIGHT), HALF * HEIGHT / (HEIGHT - LIFT)
    else:
        light = LightComponent(kind="point", strength=5.0 * (far / HEIGHT) ** 2)
        lamp, edge = at(0, 0, far), HALF * far / (far - LIFT)
    shadowed = lit(room(scene, light, lamp=lamp))
    free = lit(room(scene, light, plate=False, lamp=lamp), lamp_shadows=0)
    pixel = WIDTH / SIDE
    assert free.min() > 0
    assert (shadowed / free)[reach() < edge - pixel].max() < 0.02
    assert (shadowed / free)[reach() > edge + pixel].min() > 0.98
