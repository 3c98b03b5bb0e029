"""Large meshes in clusters: nothing is lost, nothing looks different, less is drawn."""

from __future__ import annotations

import numpy as np
import pytest

from fyn.engine_core.assets.material import Material
from fyn.engine_core.assets.mesh import MeshData, Primitive
from fyn.engine_core.render import mesh_clusters, world_renderer
from fyn.engine_core.render.view import camera_view
from fyn.engine_core.world.components import (
    CameraComponent,
    LightComponent,
    MeshComponent,
    RenderSettings,
)
from fyn.engine_core.world.entity import Entity, Transform
from fyn.engine_core.world.world import World, WorldDelta

SIDE = 200
HALF = 40.0


def hills(scatter: int = 0) -> MeshData:
    """80,000 triangles of bumpy ground in two primitives, the second of 60 triangles."""
    x, z = np.meshgrid(*[np.linspace(-HALF, HALF, SIDE + 1)] * 2)
    positions = np.stack([x, np.sin(x / 3) * np.cos(z / 4), z], axis=-1).reshape(-1, 3)
    corner = (np.arange(SIDE)[:, None] * (SIDE + 1) + np.arange(SIDE)).ravel()
    steps = [0, SIDE + 1, 1, 1, SIDE + 1, SIDE + 2]
    triangles = np.stack([corner + step for step in steps], axis=1).reshape(-1, 3)
    if scatter:
        triangles = np.random.default_rng(scatter).permutation(triangles)
    indices = triangles.ravel().astype(np.uint32)
    return MeshData(
        "hills",
        positions.astype(np.float32),
        np.tile(np.array([0, 1, 0], np.float32), (len(positions), 1)),
        indices,
        (Primitive(0, len(indices) - 180, 0), Primitive(len(indices) - 180, 180, 1)),
    )


def sorted_triangles(indices: np.ndarray) -> np.ndarray:
    triangles = indices.reshape(-1, 3)
    return triangles[np.lexsort(triangles.T)]


@pytest.fixture
def small_clusters(monkeypatch):
    monkeypatch.setattr(mesh_clusters, "MOST_TRIANGLES", 2000)


def test_clusters_hold_every_triangle_once_within_their_bounds(small_clusters):
    mesh = hills(scatter=1)
    indices, clusters = mesh_clusters.cluster_mesh(mesh)
    large, small = mesh.primitives
    assert list(clusters) == [large]
    np.testing.assert_array_equal(indices[small.first_index :], mesh.indices[small.first_index :])
    np.testing.assert_array_equal(sorted_triangles(indices), sorted_triangles(mesh.indices))
    at = 0
    for cluster in clusters[large]:
        assert cluster.first_index == at
        at += cluster.index_count
        points = mesh.positions[indices[cluster.first_index : at]]
        np.testing.assert_array_equal(cluster.bounds, [points.min(axis=0), points.max(axis=0)])
    assert at == large.index_count


def test_clusters_are_compact_however_the_triangles_lie_in_the_file(small_clusters):
    mesh = hills(scatter=2)
    _, clusters = mesh_clusters.cluster_mesh(mesh)
    sizes = [c.bounds[1] - c.bounds[0] for c in clusters[mesh.primitives[0]]]
    area = sum(float(size[0] * size[2]) for size in sizes)
    assert len(sizes) > 30
    assert area < 2 * (2 * HALF) ** 2


def test_small_meshes_keep_their_indices():
    mesh = hills()
    few = MeshData("few", mesh.positions, mesh.normals, mesh.indices[:300], (Primitive(0, 300, 0),))
    indices, clusters = mesh_clusters.cluster_mesh(few)
    np.testing.assert_array_equal(indices, few.indices)
    assert clusters == {}


def test_thousands_of_triangles_in_one_place_are_one_cluster(small_clusters):
    mesh = hills()
    heap = MeshData(
        "heap",
        np.zeros_like(mesh.positions),
        mesh.normals,
        mesh.indices,
        (Primitive(0, len(mesh.indices), 0),),
    )
    _, clusters = mesh_clusters.cluster_mesh(heap)
    assert [c.index_count for c in clusters[heap.primitives[0]]] == [len(mesh.indices)]


def ground(alpha_mode: str = "opaque") -> World:
    world = World()
    world.meshes["hills"] = hills(scatter=3)
    world.materials["m"] = Material(alpha_mode=alpha_mode, base_color=(0.8, 0.5, 0.2, 0.6))
    for number, (x, scale) in enumerate(((0.0, 1.0), (30.0, -0.7))):
        world.entities[f"hills {number}"] = Entity(
            id=f"hills {number}",
            mesh=MeshComponent(mesh="hills", materials=("m", "m")),
            transform=Transform(translation=(x, number * 1.0, 0.0), scale=(scale, 1.0, 1.0)),
        )
    tilt = np.array([-0.5, 0.3, 0.0, 1.0])
    world.entities["sun"] = Entity(
        id="sun",
        light=LightComponent(kind="sun"),
        transform=Transform(rotation=tuple((tilt / np.linalg.norm(tilt)).tolist())),
    )
    return world


def drawn(monkeypatch, make_renderer, world: World) -> tuple[np.ndarray, dict[str, int]]:
    """The picture, and how many triangles each queue draws."""
    counts: dict[str, int] = {}
    real = world_renderer.WorldRenderer._queues

    def counting(self, view, cascades):
        queues = real(self, view, cascades)
        for name, parts in queues.items():
            batches = [batch for part in parts for batch in part.batches]
            counts[name] = sum(b.part.index_count * b.instance_count for b in batches) // 3
        return queues

    monkeypatch.setattr(world_renderer.WorldRenderer, "_queues", counting)
    pose = np.identity(4)
    pose[:3, 3] = (5.0, 4.0, 10.0)
    view = camera_view(CameraComponent(fov=0.8, far=200.0), pose, (320, 180))
    settings = RenderSettings(samples=1, shadow_resolution=512, shadow_distance=60.0)
    frame = make_renderer(world).render(view, settings=settings)
    return frame.outputs["frame_color"], dict(counts)


@pytest.mark.parametrize("alpha_mode", ["opaque", "mask", "blend"])
def test_clusters_change_no_pixel_and_leave_out_what_is_not_seen(
    alpha_mode, small_clusters, monkeypatch, make_renderer
):
    world = ground(alpha_mode)
    picture, few = drawn(monkeypatch, make_renderer, world)
    monkeypatch.setattr(mesh_clusters, "LEAST_TRIANGLES", 1 << 30)
    whole, all_of_them = drawn(monkeypatch, make_renderer, world)
    np.testing.assert_array_equal(picture, whole)
    assert picture.std() > 5, "the test means nothing if there is nothing to see"
    if alpha_mode == "blend":
        assert few == all_of_them, "what is blended stays in its order"
    else:
        assert few["opaque"] < 0.5 * all_of_them["opaque"]
        assert few["shadow"] < 0.6 * all_of_them["shadow"]


def test_clusters_follow_a_mesh_that_moves(small_clusters, monkeypatch, make_renderer):
    world = ground()
    renderer = make_renderer(world)
    pose = np.identity(4)
    pose[:3, 3] = (5.0, 4.0, 10.0)
    view = camera_view(CameraComponent(fov=0.8, far=200.0), pose, (160, 90))
    renderer.render(view)
    moved = World()
    for key, shift in (("hills 0", 33.0), ("hills 1", -21.0)):
        entity = world.entities[key]
        place = (shift, 0.5, 7.0)
        moved.entities[key] = Entity(
            id=key, mesh=entity.mesh, transform=Transform(translation=place)
        )
    renderer.apply(WorldDelta(entities=moved.entities))
    followed = renderer.render(view).outputs["frame_color"]
    world.entities.update(moved.entities)
    anew = make_renderer(world).render(view).outputs["frame_color"]
    np.testing.assert_array_equal(followed, anew)
