"""Pixels of lit surfaces against the reflection model in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from fyn.engine_core.assets.material import Material
from fyn.engine_core.render.brdf import Lobes
from fyn.engine_core.render.lobe_tables import sample_dfg
from fyn.engine_core.world.components import LightComponent, MeshComponent, RenderSettings
from fyn.engine_core.world.entity import Entity, Transform
from fyn.engine_core.world.world import World

SIDE = 8
PIXELS = 9
VIEW = np.array([0.0, 0.0, 1.0])
COLOR = np.array([0.8, 0.5, 0.1])


def tiles(scene, rng):
    """SIDE x SIDE square tiles, each tilted its own way and of its own material, and their data."""
    world = World(environment=scene.black)
    world.meshes["tile"] = scene.quad(0.8)
    normals = np.empty((SIDE, SIDE, 3))
    metallic, roughness = np.empty((2, SIDE, SIDE, 1))
    for i in range(SIDE):
        for j in range(SIDE):
            key = f"{i} {j}"
            tilt, turn = rng.uniform(0, 1.3), rng.uniform(0, 2 * np.pi)
            normal = [np.sin(tilt) * np.cos(turn), np.sin(tilt) * np.sin(turn), np.cos(tilt)]
            matrix = scene.look_at(normal)
            matrix[:3, 3] = (j - (SIDE - 1) / 2, (SIDE - 1) / 2 - i, 0)
            normals[i, j] = normal
            metallic[i, j], roughness[i, j] = rng.uniform(0, 1), rng.uniform(0.15, 1)
            world.materials[key] = Material(
                base_color=(*COLOR, 1.0),
                metallic=float(metallic[i, j, 0]),
                roughness=float(roughness[i, j, 0]),
            )
            world.entities[key] = Entity(
                id=key,
                mesh=MeshComponent(mesh="tile", materials=(key,)),
                transform=Transform(matrix=tuple(matrix.ravel())),
            )
    return world, normals, metallic, roughness


@pytest.mark.parametrize("geometry", ["smith_correlated", "smith_schlick"])
@pytest.mark.parametrize("sun", [(0.0, 0.0, 1.0), (0.5, 0.3, 0.6), (-0.9, 0.4, 0.15)])
def test_a_lit_tile_has_the_radiance_that_numpy_works_out(scene, draw, geometry, sun):
    world, normals, metallic, roughness = tiles(scene, np.random.default_rng(5))
    towards = np.array(sun) / np.linalg.norm(sun)
    world.entities["sun"] = Entity(
        id="sun",
        light=LightComponent(kind="sun", strength=3.0, casts_shadow=False),
        transform=Transform(matrix=tuple(scene.look_at(towards * 10).ravel())),
    )
    settings = RenderSettings(
        samples=1, bloom=False, tone_map="linear", geometry_term=geometry, shadows=False
    )
    view = scene.flat_view((SIDE * PIXELS, SIDE * PIXELS), width=float(SIDE))
    frame = draw(world, view, ("frame_linear",), settings).outputs["frame_linear"]
    found = frame[PIXELS // 2 :: PIXELS, PIXELS // 2 :: PIXELS, :3]

    dfg = sample_dfg(np.clip(normals[..., 2], 1e-3, 1), roughness[..., 0])
    lobes = Lobes.prepare(np.broadcast_to(COLOR, normals.shape), metallic, roughness, dfg)
    expected = 3.0 * lobes.reflect(normals, VIEW, towards, geometry)
    lit = (normals @ towards) > 0.01
    assert lit.sum() > 20
    np.testing.assert_allclose(found[lit], expected[lit], rtol=6e-3, atol=1e-3)
    assert np.abs(found[normals @ towards < 0]).max(initial=0) == 0, "unlit from behind"
