"""Lamps: how their light falls off, ends, and adds up; areas against sums of points."""

from __future__ import annotations

import numpy as np
import pytest

from fyn.engine_core.assets.material import Material
from fyn.engine_core.world.components import LightComponent, MeshComponent
from fyn.engine_core.world.entity import Entity, Transform
from fyn.engine_core.world.world import World

# Without a border to the air there is no specular layer: what is left is diffuse.
CHALK = Material(base_color=(1.0, 1.0, 1.0, 1.0), roughness=1.0, ior=1.0)
SIDE = 65
WIDTH = 8.0


def wall(scene, material=CHALK):
    """A wall in the XY plane that faces +Z, WIDTH wide."""
    world = World(environment=scene.black)
    world.meshes["wall"] = scene.quad(WIDTH)
    world.materials["m"] = material
    world.entities["wall"] = Entity(id="wall", mesh=MeshComponent(mesh="wall", materials=("m",)))
    return world


def hang(world, key, light, matrix):
    world.entities[key] = Entity(
        id=key, light=light, transform=Transform(matrix=tuple(np.asarray(matrix, float).ravel()))
    )


def at(x, y, z):
    matrix = np.identity(4)
    matrix[:3, 3] = x, y, z
    return matrix


def points():
    """World positions (SIDE, SIDE, 3) of the pixels' centres."""
    line = ((np.arange(SIDE) + 0.5) / SIDE - 0.5) * WIDTH
    x, y = np.meshgrid(line, -line)
    return np.stack([x, y, np.zeros_like(x)], axis=-1)


@pytest.fixture
def lit_wall(scene, draw):
    """Return a function: radiance (SIDE, SIDE, 3) of the wall of a world."""

    def run(world):
        view = scene.flat_view((SIDE, SIDE), width=WIDTH, distance=20.0)
        return draw(world, view).outputs["frame_linear"][..., :3]

    return run


def test_a_sun_of_strength_one_lights_a_white_wall_to_one(scene, lit_wall):
    world = wall(scene)
    hang(world, "sun", LightComponent(kind="sun", casts_shadow=False), at(0, 0, 5))
    np.testing.assert_allclose(lit_wall(world), 1, atol=1e-3)


def test_a_point_falls_off_with_the_square_of_the_distance(scene, lit_wall):
    world = wall(scene)
    light = LightComponent(kind="point", strength=5.0, color=(1.0, 0.5, 0.25))
    hang(world, "lamp", light, at(1.0, -0.5, 1.5))
    offset = np.array([1.0, -0.5, 1.5]) - points()
    square = (offset**2).sum(axis=-1)
    expected = 5.0 * offset[..., 2] / square**1.5
    found = lit_wall(world)
    for channel, share in enumerate((1.0, 0.5, 0.25)):
        np.testing.assert_allclose(found[..., channel], share * expected, rtol=2e-3, atol=1e-4)


def test_a_point_has_faded_to_nothing_at_its_range(scene, lit_wall):
    bright, windowed = wall(scene), wall(scene)
    hang(bright, "lamp", LightComponent(kind="point", strength=5.0), at(0, 0, 1))
    hang(windowed, "lamp", LightComponent(kind="point", strength=5.0, range=3.0), at(0, 0, 1))
    distance = np.linalg.norm(np.array([0, 0, 1.0]) - points(), axis=-1)
    window = np.clip(1 - (distance / 3.0) ** 4, 0, 1) ** 2
    expected = lit_wall(bright)[..., 0] * window
    np.testing.assert_allclose(lit_wall(windowed)[..., 0], expected, rtol=3e-3, atol=1e-4)
    assert lit_wall(windowed)[distance > 3.0].max() == 0


@pytest.mark.parametrize("blend", [0.0, 0.3, 1.0])
def test_a_spot_has_the_cone_of_cycles(scene, lit_wall, blend):
    world = wall(scene)
    light = LightComponent(kind="spot", strength=9.0, spot_angle=1.2, spot_blend=blend)
    hang(world, "lamp", light, at(0, 0, 3))
    offset = np.array([0, 0, 3.0]) - points()
    distance = np.linalg.norm(offset, axis=-1)
    cosine = offset[..., 2] / distance
    outer = np.cos(0.6)
    t = np.clip((cosine - outer) / max((1 - outer) * blend, 1e-5), 0, 1)
    expected = 9.0 * cosine / distance**2 * t * t * (3 - 2 * t)
    found = lit_wall(world)[..., 0]
    away_from_edge = np.abs(cosine - outer) > 2e-3
    np.testing.assert_allclose(found[away_from_edge], expected[away_from_edge], atol=2e-3)
    assert 0 < (found > 0).mean() < 1


def test_the_factors_of_a_lamp_scale_diffuse_and_highlight_apart(scene, lit_wall):
    def light(diffuse, specular):
        world = wall(scene, Material(base_color=(0.5, 0.5, 0.5, 1.0), roughness=0.4))
        lamp = LightComponent(
            kind="point", strength=5.0, diffuse_factor=diffuse, specular_factor=specular
        )
        hang(world, "lamp", lamp, at(0, 0, 2))
        return lit_wall(world)[..., 0]

    both, diffuse, highlight = light(1, 1), light(1, 0), light(0, 1)
    np.testing.assert_allclose(diffuse + highlight, both, rtol=3e-3, atol=1e-4)
    np.testing.assert_allclose(light(0.5, 2), 0.5 * diffuse + 2 * highlight, rtol=3e-3, atol=1e-4)
    assert highlight[SIDE // 2, SIDE // 2] > 0.1 * both[SIDE // 2, SIDE // 2]


def test_sixty_four_lamps_light_one_frame(scene, lit_wall):
    world, rng = wall(scene), np.random.default_rng(2)
    expected = np.zeros((SIDE, SIDE))
    for k in range(64):
        place = np.array([*rng.uniform(-4, 4, 2), 1.0])
        hang(world, f"{k}", LightComponent(kind="point", strength=0.2), at(*place))
        offset = place - points()
        expected += 0.2 * offset[..., 2] / (offset**2).sum(axis=-1) ** 1.5
    np.testing.assert_allclose(lit_wall(world)[..., 0], expected, rtol=5e-3)


AREAS = {
    "rectangle": LightComponent(kind="area", strength=2.0, area_size=(2.0, 1.0)),
    "ellipse": LightComponent(
        kind="area", strength=2.0, area_size=(2.0, 1.0), area_shape="ellipse"
    ),
    "narrow": LightComponent(kind="area", strength=2.0, area_size=(2.0, 1.0), area_spread=1.5),
}


def sum_of_points(light, matrix, there):
    """Irradiance/π at `there` (..., 3), facing +Z, by summing over a fine grid of the area."""
    line = (np.arange(40) + 0.5) / 40 - 0.5
    u, v = (grid.ravel() for grid in np.meshgrid(line, line))
    if light.area_shape == "ellipse":
        inside = u * u + v * v < 0.25
        u, v = u[inside], v[inside]
    width, height = light.area_size
    total = np.zeros(there.shape[:-1])
    half = light.area_spread / 2
    for a, b in zip(u * width, v * height, strict=True):
        offset = matrix[:3, 3] + a * matrix[:3, 0] + b * matrix[:3, 1] - there
        distance = np.linalg.norm(offset, axis=-1)
        facing = np.clip((offset @ matrix[:3, 2]) / distance, 0, 1)
        light_here = np.clip(offset[..., 2] / distance, 0, 1) * facing / distance**2
        if half < 1.57:
            tangent = np.sqrt(1 - facing**2) / np.maximum(facing, 1e-6)
            light_here *= np.maximum(np.tan(half) - tangent, 0) / (np.tan(half) - half)
        total += light_here
    cell = width * height / 40**2
    return light.strength * total * cell / np.pi


@pytest.mark.parametrize("name", AREAS)
@pytest.mark.parametrize("place", ["ahead", "aslant", "half behind"])
def test_an_area_lights_chalk_as_the_sum_of_its_points_does(scene, lit_wall, name, place):
    light = AREAS[name]
    matrix = {
        "ahead": scene.look_at((0.3, 0.0, 2.0), (0.3, 0.01, 0.0)),
        "aslant": scene.look_at((3.0, 1.0, 2.0), (0.0, 0.0, 0.0)),
        "half behind": scene.look_at((3.5, 0.0, 0.2), (0.0, 0.0, 0.3)),
    }[place]
    world = wall(scene)
    hang(world, "area", light, matrix)
    expected = sum_of_points(light, matrix, points())
    found = lit_wall(world)[..., 0]
    # The slats of a narrow area are sampled at sixteen points only.
    off = 0.08 if name == "narrow" else 0.02
    near_plane = np.abs((matrix[:3, 3] - points()) @ matrix[:3, 2]) < 0.6
    wrong = np.abs(found - expected)[~near_plane]
    assert wrong.max() < off * expected.max()
    assert wrong.mean() < 0.2 * off * expected.max()
