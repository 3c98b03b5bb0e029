"""A material that changes in its numbers is drawn anew, and nothing else is made again."""

from __future__ import annotations

import numpy as np
import pytest

from fyn.engine_core.assets.material import Material
from fyn.engine_core.world.components import MeshComponent
from fyn.engine_core.world.entity import Entity
from fyn.engine_core.world.world import World, WorldDelta


@pytest.fixture
def drawn(scene, make_renderer):
    """A renderer of one unlit white square, and a function that draws its middle."""
    world = World(environment=scene.black)
    world.meshes["mesh"] = scene.quad(2.0)
    world.materials["m"] = Material(name="m", shading="unlit")
    world.entities["e"] = Entity(id="e", mesh=MeshComponent(mesh="mesh", materials=("m",)))
    renderer = make_renderer(world)
    view = scene.flat_view((8, 8))
    return renderer, lambda: renderer.render(view, ("frame_linear",)).outputs["frame_linear"][4, 4]


def changed(**numbers):
    material = Material(name="m", shading="unlit", **numbers)
    return WorldDelta(materials={"m": material})


def test_a_dragged_colour_rewrites_its_block_only(drawn):
    renderer, middle = drawn
    np.testing.assert_allclose(middle()[:3], 1, atol=1e-3)
    before = renderer._assets.version
    renderer.apply(changed(base_color=(0.25, 0.5, 0.75, 1)))
    np.testing.assert_allclose(middle()[:3], (0.25, 0.5, 0.75), atol=1e-3)
    assert renderer._assets.version == before


def test_another_way_of_drawing_is_noticed(drawn):
    renderer, middle = drawn
    middle()
    before = renderer._assets.version
    renderer.apply(changed(base_color=(1, 1, 1, 0), alpha_mode="blend"))
    np.testing.assert_allclose(middle()[:3], 0, atol=1e-3)
    assert renderer._assets.version > before
