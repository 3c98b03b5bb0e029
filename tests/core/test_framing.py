"""A level without a camera is framed whole, from any shape of picture."""

from __future__ import annotations

import numpy as np
import pytest

from fyn.engine_core.assets.mesh import MeshData, Primitive
from fyn.engine_core.errors import UsageError
from fyn.engine_core.render.framing import FRAMING_SUN, framing
from fyn.engine_core.render.view import camera_view
from fyn.engine_core.world.components import Environment, LightComponent, MeshComponent
from fyn.engine_core.world.entity import Entity, Transform
from fyn.engine_core.world.world import World

CORNERS = np.array(
    [[x, y, z] for x in (-4.0, 4.0) for y in (0.0, 1.0) for z in (-2.0, 2.0)], np.float32
)


def box_world() -> World:
    mesh = MeshData(
        name="Box",
        positions=CORNERS,
        normals=np.tile(np.float32([0, 1, 0]), (8, 1)),
        indices=np.arange(6, dtype=np.uint32),
        primitives=(Primitive(0, 6, 0),),
    )
    entity = Entity(
        id="box",
        transform=Transform(translation=(100.0, 5.0, -30.0)),
        mesh=MeshComponent(mesh="box"),
    )
    return World(entities={"box": entity}, meshes={"box": mesh})


@pytest.mark.parametrize("size", [(480, 270), (270, 480), (300, 300)])
def test_every_corner_of_the_level_lies_inside_the_picture(size: tuple[int, int]) -> None:
    world = box_world()
    world.apply(framing(world, size[0] / size[1]))
    camera = world.entities[world.active_camera]
    view = camera_view(camera.camera, world.world_from_local(camera.id), size)
    points = np.concatenate([CORNERS + np.array([100.0, 5.0, -30.0]), np.ones((8, 1))], axis=1)
    clip = points @ view.clip_from_world.T
    assert (np.abs(clip[:, :3]) < clip[:, 3:]).all()


def test_a_sun_is_added_only_where_nothing_shines() -> None:
    world = box_world()
    assert FRAMING_SUN in framing(world, 1.0).entities
    world.entities["lamp"] = Entity(id="lamp", light=LightComponent())
    assert FRAMING_SUN not in framing(world, 1.0).entities


@pytest.mark.parametrize(
    ("sky", "is_lit"),
    [
        (Environment(), False),
        (Environment(sky_color=(0.9, 0.5, 0.5)), True),
        (Environment(sky_color=(0.1, 0.1, 0.1), strength=5.0), True),
        (Environment(kind="sky"), True),
    ],
)
def test_no_sun_is_added_under_a_bright_sky(sky: Environment, is_lit: bool) -> None:
    world = box_world()
    world.environment = sky
    assert (FRAMING_SUN not in framing(world, 1.0).entities) == is_lit


def test_a_level_that_draws_nothing_cannot_be_framed() -> None:
    with pytest.raises(UsageError, match="add a camera"):
        framing(World(), 1.0)
