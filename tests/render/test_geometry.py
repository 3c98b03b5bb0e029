"""Where things are drawn and what is read of them: projection, depth, normals, instances."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest

from fyn.engine_core.assets.material import Material
from fyn.engine_core.assets.mesh import Primitive
from fyn.engine_core.render.view import camera_view
from fyn.engine_core.world.components import CameraComponent, MeshComponent
from fyn.engine_core.world.entity import Entity, Transform
from fyn.engine_core.world.world import World

WHITE = Material(base_color=(1.0, 1.0, 1.0, 1.0), shading="unlit")
GEOMETRY = ("frame_depth", "frame_normal")


def world_of(scene, meshes: dict, entities: list[Entity], material: Material = WHITE) -> World:
    world = World(environment=scene.black)
    world.meshes = meshes
    world.materials["m"] = material
    world.entities = {entity.id: entity for entity in entities}
    return world


def thing(key: str, mesh: str = "mesh", **transform) -> Entity:
    component = MeshComponent(mesh=mesh, materials=("m",))
    return Entity(id=key, mesh=component, transform=Transform(**transform))


def pixel_centers(size: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Clip coordinates x, y (H, W) of the pixels' centres, top row first."""
    x = (np.arange(size[0]) + 0.5) / size[0] * 2 - 1
    y = 1 - (np.arange(size[1]) + 0.5) / size[1] * 2
    return np.meshgrid(x, y)


CAMERAS = {
    "perspective": CameraComponent(fov=0.8),
    "portrait fit": CameraComponent(fov=0.6, fit="vertical"),
    "shifted": CameraComponent(fov=0.8, shift=(0.15, -0.2)),
    "orthographic": CameraComponent(projection="orthographic", ortho_scale=7.0),
    "shifted orthographic": CameraComponent(
        projection="orthographic", ortho_scale=7.0, shift=(-0.1, 0.25)
    ),
}


def camera_plane_point(camera: CameraComponent, size, point: np.ndarray) -> np.ndarray:
    """Where a view-space point falls, in pixels from the top left: written without matrices."""
    fitted = size[1] if camera.fit == "vertical" or size[1] > size[0] else size[0]
    if camera.projection == "perspective":
        across = point[:2] / -point[2] / (2 * math.tan(camera.fov / 2))
    else:
        across = point[:2] / camera.ortho_scale
    across = (across - camera.shift) * fitted
    return np.array([size[0] / 2 + across[0], size[1] / 2 - across[1]])


@pytest.mark.parametrize("name", CAMERAS)
def test_points_fall_where_the_lens_says(scene, draw, name):
    camera, size = CAMERAS[name], (160, 100)
    eye = scene.look_at((3.0, 2.0, 9.0), (0.5, 0.0, 0.0))
    view = camera_view(camera, eye, size)
    rng = np.random.default_rng(5)
    found = 0
    for _ in range(12):
        place = rng.uniform(-2.5, 2.5, 3)
        dot = thing("dot", translation=tuple(place), scale=(0.15,) * 3)
        frame = draw(world_of(scene, {"mesh": scene.sphere(rings=16)}, [dot]), view)
        lit = frame.outputs["frame_linear"][..., 0]
        seen = np.linalg.inv(eye) @ [*place, 1.0]
        expected = camera_plane_point(camera, size, seen[:3])
        if not ((expected > 10) & (expected < np.array(size) - 10)).all():
            continue
        found += 1
        rows, columns = np.nonzero(lit)
        center = np.array([columns.mean(), rows.mean()]) + 0.5
        # A sphere off the axis is an ellipse whose middle lies a little outside its centre.
        np.testing.assert_allclose(center, expected, atol=0.35)
    assert found >= 4


@pytest.mark.parametrize("name", CAMERAS)
def test_depth_of_a_tilted_plane_is_exact(scene, draw, name):
    camera, size = CAMERAS[name], (96, 60)
    view = camera_view(camera, np.identity(4), size)
    turn = scene.look_at((0.0, 0.0, 0.0), (-0.5, -0.7, -1.0))
    placed = np.array(turn)
    placed[:3, 3] = (0.0, 0.0, -8.0)
    plane = thing("plane", matrix=tuple(placed.ravel()))
    frame = draw(world_of(scene, {"mesh": scene.quad(200.0)}, [plane]), view, GEOMETRY)
    normal = placed[:3, 2]
    x, y = pixel_centers(size)
    inverse = np.linalg.inv(view.clip_from_view)
    near = np.stack([x, y, np.full_like(x, -1), np.ones_like(x)], axis=-1) @ inverse.T
    far = np.stack([x, y, np.full_like(x, 1), np.ones_like(x)], axis=-1) @ inverse.T
    near, far = near[..., :3] / near[..., 3:], far[..., :3] / far[..., 3:]
    along = ((placed[:3, 3] - near) @ normal) / ((far - near) @ normal)
    expected = -(near + along[..., None] * (far - near))[..., 2]
    depth = frame.outputs["frame_depth"]
    visible = (along > 0) & (along < 1) & np.isfinite(depth)
    assert visible.mean() > 0.9
    np.testing.assert_allclose(depth[visible], expected[visible], rtol=2e-4)
    facing = np.where(normal[2] < 0, -1, 1) * normal
    np.testing.assert_allclose(
        frame.outputs["frame_normal"][visible], np.broadcast_to(facing, (visible.sum(), 3)),
        atol=1e-3,
    )  # fmt: skip


def test_normals_and_depth_of_a_sphere_are_those_of_its_formula(scene, draw):
    size, radius = (80, 80), 1.5
    world = world_of(scene, {"mesh": scene.sphere(radius, rings=160)}, [thing("ball")])
    frame = draw(world, scene.flat_view(size, width=4.0, distance=5.0), GEOMETRY)
    x, y = (2 * c for c in pixel_centers(size))
    inside = x * x + y * y < (0.95 * radius) ** 2
    z = np.sqrt(np.maximum(radius**2 - x * x - y * y, 0))
    np.testing.assert_allclose(frame.outputs["frame_depth"][inside], 5 - z[inside], atol=1e-3)
    normal = np.stack([x, y, z], axis=-1) / radius
    np.testing.assert_allclose(frame.outputs["frame_normal"][inside], normal[inside], atol=3e-3)
    outside = x * x + y * y > (1.02 * radius) ** 2
    assert np.isinf(frame.outputs["frame_depth"][outside]).all()
    assert (frame.outputs["frame_normal"][outside] == 0).all()


def test_normals_stay_perpendicular_under_uneven_scale_and_shear(scene, draw):
    shear = np.array([[2.0, 0.7, 0, 0], [0, 0.5, 0, 0], [0.3, 0, 1.0, 0], [0, 0, 0, 1]])
    world = world_of(scene, {"mesh": scene.quad(4.0)}, [thing("q", matrix=tuple(shear.ravel()))])
    frame = draw(world, scene.flat_view((20, 20)), GEOMETRY)
    expected = np.linalg.inv(shear[:3, :3]).T @ [0.0, 0.0, 1.0]
    expected /= np.linalg.norm(expected)
    np.testing.assert_allclose(frame.outputs["frame_normal"][10, 10], expected, atol=1e-3)


def test_a_back_face_has_the_normal_of_the_side_that_is_seen(scene, draw):
    turned = thing("q", rotation=(0.0, 1.0, 0.0, 0.0))
    frame = draw(world_of(scene, {"mesh": scene.quad(4.0)}, [turned]), scene.flat_view((9, 9)),
                 GEOMETRY)  # fmt: skip
    np.testing.assert_allclose(frame.outputs["frame_normal"][4, 4], [0, 0, 1], atol=1e-3)


def test_single_sided_surfaces_are_seen_from_their_front_only(scene, draw):
    one_sided = msgspec.structs.replace(WHITE, double_sided=False)
    both = {"mesh": scene.quad(1.0)}
    view = scene.flat_view((20, 20))
    front = draw(world_of(scene, both, [thing("q")], one_sided), view)
    back = draw(world_of(scene, both, [thing("q", rotation=(0.0, 1.0, 0.0, 0.0))], one_sided), view)
    two_sided = draw(world_of(scene, both, [thing("q", rotation=(0.0, 1.0, 0.0, 0.0))]), view)
    assert front.outputs["frame_linear"][10, 10, 0] == 1
    assert back.outputs["frame_linear"][10, 10, 0] == 0
    assert two_sided.outputs["frame_linear"][10, 10, 0] == 1


@pytest.mark.parametrize("scale", [(-1, 1, 1), (1, -1, 1), (-1, -1, -1), (-1, -1, 1)])
def test_a_mirrored_object_looks_like_its_mirrored_mesh(scene, draw, scale):
    material = Material(base_color=(0.8, 0.8, 0.8, 1.0), double_sided=False)
    wedge = scene.mesh(
        [[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 1.5]],
        [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3],
        normals=[[-0.6, -0.6, -0.5], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
    )
    flip = np.prod(scale) < 0
    factor = np.array(scale, np.float32)
    mirrored = scene.mesh(
        wedge.positions * factor,
        wedge.indices.reshape(-1, 3)[:, ::-1] if flip else wedge.indices,
        normals=wedge.normals * factor,
    )
    view = camera_view(CameraComponent(), scene.look_at((2.0, 3.0, 4.0)), (80, 60))
    outputs = ("frame_linear", *GEOMETRY)
    by_scale = draw(
        world_of(scene, {"mesh": wedge}, [thing("w", scale=tuple(map(float, scale)))], material),
        view, outputs,
    )  # fmt: skip
    by_mesh = draw(world_of(scene, {"mesh": mirrored}, [thing("w")], material), view, outputs)
    assert np.isfinite(by_mesh.outputs["frame_depth"]).sum() > 100
    for name in outputs:
        a, b = by_scale.outputs[name], by_mesh.outputs[name]
        # Corners of a triangle in another order round differently at the last digit.
        different = ~np.isclose(a, b, atol=2e-3, rtol=2e-3)
        assert different.mean() < 0.002, name


def test_instances_of_one_batch_look_like_separate_draws(scene, draw):
    rng = np.random.default_rng(7)
    places = [
        {
            "translation": tuple(rng.uniform(-4, 4, 3)),
            "scale": tuple(rng.choice([-1, 1], 3) * rng.uniform(0.3, 1, 3)),
        }
        for _ in range(300)
    ]
    lit = Material(base_color=(0.8, 0.3, 0.2, 1.0))
    together = world_of(
        scene,
        {"mesh": scene.box()},
        [thing(f"e{i}", **place) for i, place in enumerate(places)],
        lit,
    )
    apart = world_of(
        scene,
        {f"mesh{i}": scene.box() for i in range(300)},
        [thing(f"e{i}", mesh=f"mesh{i}", **place) for i, place in enumerate(places)],
        lit,
    )
    view = camera_view(CameraComponent(), scene.look_at((5.0, 6.0, 9.0)), (120, 80))
    outputs = ("frame_linear", *GEOMETRY)
    one, many = draw(together, view, outputs), draw(apart, view, outputs)
    for name in outputs:
        assert one.outputs[name].tobytes() == many.outputs[name].tobytes(), name
    assert np.isfinite(one.outputs["frame_depth"]).mean() > 0.3


def test_more_instances_than_a_line_of_the_tables_are_drawn(scene, draw):
    count = 60
    grid = [
        thing(f"{x} {y}", translation=((x + 0.5) / count * 2 - 1, (y + 0.5) / count * 2 - 1, 0.0))
        for x in range(count)
        for y in range(count)
    ]
    size = (4 * count, 4 * count)
    world = world_of(scene, {"mesh": scene.quad(0.6 / count * 2)}, grid)
    lit = draw(world, scene.flat_view(size)).outputs["frame_linear"][..., 0]
    cells = lit.reshape(count, 4, count, 4).transpose(0, 2, 1, 3).reshape(count * count, 16)
    assert (cells.sum(axis=1) == 4).all()


def test_each_primitive_is_drawn_with_the_material_of_its_slot(scene, draw):
    corners = [[-1, -1, 0], [0, -1, 0], [0, 1, 0], [-1, 1, 0], [1, -1, 0], [1, 1, 0]]
    mesh = scene.mesh(
        corners,
        [0, 1, 2, 0, 2, 3, 1, 4, 5, 1, 5, 2],
        primitives=(Primitive(0, 6, 1), Primitive(6, 6, 0)),
    )
    world = World(environment=scene.black, meshes={"mesh": mesh})
    for name, color in (("red", (1.0, 0.0, 0.0, 1.0)), ("green", (0.0, 1.0, 0.0, 1.0))):
        world.materials[name] = Material(base_color=color, shading="unlit")
    component = MeshComponent(mesh="mesh", materials=("red", "green"))
    world.entities["e"] = Entity(id="e", mesh=component)
    pixels = draw(world, scene.flat_view((8, 8))).outputs["frame_linear"]
    np.testing.assert_array_equal(pixels[4, 1, :3], [0, 1, 0])
    np.testing.assert_array_equal(pixels[4, 6, :3], [1, 0, 0])


def test_multisampling_smooths_an_edge_to_its_coverage(scene, draw):
    turned = thing("q", rotation=(0.0, 0.0, math.sin(0.15), math.cos(0.15)))
    world = world_of(scene, {"mesh": scene.quad(1.2)}, [turned])
    view = scene.flat_view((40, 40))
    hard = draw(world, view).outputs["frame_linear"][..., 0]
    smooth_settings = msgspec.structs.replace(scene.plain, samples=4)
    smooth = draw(world, view, settings=smooth_settings).outputs["frame_linear"][..., 0]
    assert set(np.unique(hard)) == {0.0, 1.0}
    between = (smooth > 0.1) & (smooth < 0.9)
    assert 20 < between.sum() < 200
    assert abs(smooth.sum() - 1.44 * 400) < 6
    assert (np.abs(smooth - hard) <= 0.8).all()
    inner = np.zeros_like(hard, bool)
    inner[14:26, 14:26] = True
    assert (smooth[inner] == 1).all()
