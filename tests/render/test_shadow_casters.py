"""Leaving out casters that cannot matter changes no pixel."""

from __future__ import annotations

import numpy as np
import pytest

from fyn.engine_core.assets.mesh import MeshData, Primitive
from fyn.engine_core.render import world_renderer
from fyn.engine_core.render.caster_planes import CasterPlanes
from fyn.engine_core.render.view import camera_view
from fyn.engine_core.world.components import (
    CameraComponent,
    LightComponent,
    MeshComponent,
    RenderSettings,
)
from fyn.engine_core.world.entity import Entity, Transform
from fyn.engine_core.world.world import World

ALL = CasterPlanes(planes=np.array([[0.0, 0.0, 0.0, 1.0]]), growth=np.zeros(1))
"""The volume that everything reaches into."""


def slab(half: tuple[float, float, float], name: str) -> MeshData:
    """A box with flat faces around the origin."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float32)
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    order = np.array([[q[0], q[i], q[i + 1]] for q in quads for i in (1, 2)]).ravel()
    normals = np.repeat(np.array([[-1, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0], [0, 0, -1],
                                  [0, 0, 1]], np.float32), 6, axis=0)  # fmt: skip
    return MeshData(
        name=name,
        positions=np.ascontiguousarray(corners[order] * np.float32(half)),
        normals=normals,
        indices=np.arange(36, dtype=np.uint32),
        primitives=(Primitive(0, 36, 0),),
    )


def columns(seed: int) -> World:
    """A floor with 800 columns and floating blocks, the sun from a random side above."""
    rng = np.random.default_rng(seed)
    world = World()
    world.meshes["floor"] = slab((60.0, 0.1, 60.0), "floor")
    world.meshes["block"] = slab((0.4, 1.5, 0.4), "block")
    world.entities["floor"] = Entity(id="floor", mesh=MeshComponent(mesh="floor"))
    for number in range(800):
        place = rng.uniform((-50, 0, -50), (50, 12, 50))
        world.entities[f"block {number}"] = Entity(
            id=f"block {number}",
            mesh=MeshComponent(mesh="block"),
            transform=Transform(translation=tuple(place.tolist())),
        )
    quaternion = np.array([-rng.uniform(0.2, 0.6), rng.uniform(-0.6, 0.6), 0.0, 1.0])
    world.entities["sun"] = Entity(
        id="sun",
        light=LightComponent(kind="sun"),
        transform=Transform(rotation=tuple((quaternion / np.linalg.norm(quaternion)).tolist())),
    )
    return world


@pytest.mark.parametrize("seed", range(6))
def test_shadows_are_the_same_as_if_everything_cast(seed, make_renderer, monkeypatch):
    rng = np.random.default_rng(seed)
    renderer = make_renderer(columns(seed))
    pose = np.identity(4)
    pose[:3, 3] = rng.uniform((-20, 3, 10), (20, 8, 30))
    view = camera_view(CameraComponent(fov=1.0, far=200.0), pose, (320, 180))
    settings = RenderSettings(samples=1, shadow_resolution=1024, shadow_distance=90.0)
    culled = renderer.render(view, settings=settings).outputs["frame_color"]
    drawn = []
    real = world_renderer.shadow_queue

    def everything(table, items, volume, swept):
        drawn.append(len(real(table, items, volume, swept).instances))
        return real(table, items, ALL, swept)

    monkeypatch.setattr(world_renderer, "shadow_queue", everything)
    whole = renderer.render(view, settings=settings).outputs["frame_color"]
    np.testing.assert_array_equal(culled, whole)
    assert sum(drawn) < 0.7 * 3 * 801, "the test means nothing if hardly anything is left out"
    unshadowed = RenderSettings(samples=1, shadows=False)
    lit = renderer.render(view, settings=unshadowed).outputs["frame_color"]
    assert (lit != whole).any(axis=2).mean() > 0.03, "nor if there are no shadows to be seen"
