"""Skins and morph targets on the GPU, held against the same sums done by NumPy."""

from __future__ import annotations

from dataclasses import replace as replaced

import numpy as np
import pytest
from msgspec.structs import replace

from fyn.engine_core.assets.mesh import MeshData, MeshSkin, MorphTarget, Primitive
from fyn.engine_core.render.view import camera_view
from fyn.engine_core.world.components import CameraComponent, LightComponent, MeshComponent
from fyn.engine_core.world.components.morph import Morph
from fyn.engine_core.world.components.skin import Skin
from fyn.engine_core.world.entity import Entity, Transform
from fyn.engine_core.world.world import World, WorldDelta

from .conftest import BLACK, PLAIN

SIZE = (96, 96)


def _tower(levels: int = 8, morph: bool = True) -> MeshData:
    """A square column 2 m high along Y, bound to two joints that meet at half its height."""
    heights = np.linspace(0.0, 2.0, levels + 1)
    ring = np.array([(-0.3, -0.3), (0.3, -0.3), (0.3, 0.3), (-0.3, 0.3)])
    positions = np.array([(x, y, z) for y in heights for x, z in ring], np.float32)
    normals = positions * np.float32([1, 0, 1])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    indices = []
    for level in range(levels):
        for side in range(4):
            a, b = 4 * level + side, 4 * level + (side + 1) % 4
            indices += [a, a + 4, b, b, a + 4, b + 4]
    weights = np.zeros((len(positions), 4), np.float32)
    weights[:, 1] = np.clip(positions[:, 1] - 0.5, 0, 1)
    weights[:, 0] = 1 - weights[:, 1]
    joints = np.zeros((len(positions), 4), np.uint16)
    joints[:, 1] = 1
    inverse = np.stack([np.identity(4), np.identity(4)]).astype(np.float32)
    inverse[1, 1, 3] = -1.0
    deltas = np.zeros_like(positions)
    deltas[:, 0] = positions[:, 1]
    return MeshData(
        "Tower", positions, normals.astype(np.float32), np.array(indices, np.uint32),
        (Primitive(0, len(indices), 0),),
        skin=MeshSkin(joints, weights, inverse, ("low", "high")),
        morphs=(MorphTarget("lean", deltas, np.zeros_like(deltas)),) if morph else (),
    )  # fmt: skip


def _bent(angle: float) -> Transform:
    half = angle / 2
    return Transform(translation=(0.0, 1.0, 0.0), rotation=(0, 0, np.sin(half), np.cos(half)))


def _world(mesh: MeshData, angle: float = 0.0, weight: float = 0.0, **more) -> World:
    armature = Transform(translation=(0.2, -0.8, 0.0), scale=(1.1, 1.1, 1.1))
    entities = [
        Entity(id="Armature", transform=armature),
        Entity(id="low", parent="Armature"),
        Entity(id="high", parent="low", transform=_bent(angle)),
        Entity(
            id="Tower",
            transform=Transform(translation=(-0.3, -0.8, 0.1), scale=(1.0, 0.9, 1.0)),
            mesh=MeshComponent(mesh="Tower"),
            skin=Skin(armature="Armature", joints=("low", "high")),
            morph=Morph(weights=(weight,)),
        ),
        Entity(id="Sun", light=LightComponent(kind="sun", casts_shadow=False)),
    ]
    return World(
        entities={e.id: e for e in entities}, meshes={"Tower": mesh}, environment=BLACK, **more
    )


def _deformed_by_hand(world: World) -> World:
    """The same world with the mesh deformed by NumPy, without joints or morphs."""
    mesh, tower = world.meshes["Tower"], world.entities["Tower"]
    place = {key: world.world_from_local(key) for key in ("Tower", "Armature", "low", "high")}
    points = mesh.positions.astype(np.float64)
    morph = tower.get(Morph)
    for weight, target in zip(morph.weights if morph else (), mesh.morphs, strict=False):
        points = points + weight * target.positions
    points = np.c_[points, np.ones(len(points))]
    assert mesh.skin is not None
    to_armature = np.linalg.inv(place["Armature"]) @ place["Tower"]
    moved = np.zeros((len(points), 4))
    for number, joint in enumerate(("low", "high")):
        matrix = place[joint] @ mesh.skin.inverse_bind[number] @ to_armature
        share = np.where(mesh.skin.joints == number, mesh.skin.weights, 0).sum(axis=1)
        moved += share[:, None] * (points @ (np.linalg.inv(place["Tower"]) @ matrix).T)
    plain = replaced(mesh, positions=moved[:, :3].astype(np.float32), skin=None, morphs=())
    entities = {**world.entities, "Tower": replace(tower, skin=None, morph=None)}
    return World(entities=entities, meshes={"Tower": plain}, environment=BLACK)


def _view(world: World, z: float = 6.0):
    place = np.identity(4)
    place[2, 3] = z
    return camera_view(CameraComponent(fov=0.7), place, SIZE)


@pytest.mark.parametrize(("angle", "weight"), [(0.0, 0.0), (1.2, 0.0), (0.0, 0.5), (-0.9, -0.4)])
def test_a_vertex_is_drawn_where_joints_and_morphs_carry_it(draw, angle, weight):
    world = _world(_tower(), angle, weight)
    outputs = ("frame_depth",)
    ours = draw(world, _view(world), outputs).outputs["frame_depth"]
    expected = draw(_deformed_by_hand(world), _view(world), outputs).outputs["frame_depth"]
    seen = np.isfinite(ours)
    assert 100 < seen.sum() < ours.size // 2
    assert (seen != np.isfinite(expected)).sum() <= 4  # roundings along the outline
    both = seen & np.isfinite(expected)
    assert np.abs(ours[both] - expected[both]).max() < 2e-3


def test_bending_a_joint_bends_the_picture_without_uploading_the_mesh_again(make_renderer):
    world = _world(_tower())
    renderer = make_renderer(world)
    before = renderer.render(_view(world), ("frame_depth",), PLAIN).outputs["frame_depth"]
    entity = replace(world.entities["high"], transform=_bent(1.2))
    renderer.apply(WorldDelta(entities={"high": entity}))
    after = renderer.render(_view(world), ("frame_depth",), PLAIN).outputs["frame_depth"]
    assert (np.isfinite(before) != np.isfinite(after)).sum() > 100


def test_two_poses_of_one_mesh_stand_side_by_side(draw):
    world = _world(_tower(morph=False))
    del world.entities["Tower"]
    alone = []
    for name, angle, x in (("A", 1.0, -1.0), ("B", -0.5, 1.0)):
        single = World(meshes=world.meshes, environment=BLACK)
        place = Transform(translation=(x, -0.8, 0.0))
        for entity in (
            Entity(id=f"{name} armature", transform=place),
            Entity(id=f"{name} low", parent=f"{name} armature"),
            Entity(id=f"{name} high", parent=f"{name} low", transform=_bent(angle)),
            Entity(
                id=name, transform=place, mesh=MeshComponent(mesh="Tower"),
                skin=Skin(armature=f"{name} armature", joints=(f"{name} low", f"{name} high")),
            ),
        ):  # fmt: skip
            world.entities[entity.id] = single.entities[entity.id] = entity
        alone.append(draw(single, _view(single), ("frame_depth",)).outputs["frame_depth"])
    both = draw(world, _view(world), ("frame_depth",)).outputs["frame_depth"]
    assert np.array_equal(both, np.minimum(*alone))


def test_a_pose_that_reaches_into_view_is_drawn_though_the_mesh_at_rest_is_outside(draw):
    world = _world(_tower(morph=False))
    far = Transform(translation=(0.0, 0.0, 0.0))
    world.entities["low"] = replace(world.entities["low"], transform=far)
    world.entities["Armature"] = replace(
        world.entities["Armature"], transform=Transform(translation=(50.0, 0.0, 0.0))
    )
    world.entities["Tower"] = replace(
        world.entities["Tower"], transform=Transform(translation=(50.0, 0.0, 0.0))
    )
    back = Transform(translation=(-50.0, -1.0, 0.0))
    world.entities["low"] = replace(world.entities["low"], transform=back)
    depth = draw(world, _view(world), ("frame_depth",)).outputs["frame_depth"]
    assert np.isfinite(depth).sum() > 100


def test_a_skin_whose_joints_are_missing_is_drawn_at_rest_and_said(draw):
    world = _world(_tower(morph=False), 1.2)
    del world.entities["high"]
    frame = draw(world, _view(world), ("frame_depth",))
    assert any("'Tower' lacks joints" in text for text in frame.warnings)
    assert np.isfinite(frame.outputs["frame_depth"]).sum() > 100


def test_the_shadow_is_that_of_the_pose(draw):
    floor = np.array([(-4, -1, -4), (4, -1, -4), (4, -1, 4), (-4, -1, 4)], np.float32)
    up = np.tile(np.float32([0, 1, 0]), (4, 1))
    plane = MeshData(
        "Floor", floor, up, np.array([0, 2, 1, 0, 3, 2], np.uint32), (Primitive(0, 6, 0),)
    )
    pictures = []
    for world in (one := _world(_tower(), 1.2, 0.3), _deformed_by_hand(one)):
        world.meshes["Floor"] = plane
        world.entities["Floor"] = Entity(id="Floor", mesh=MeshComponent(mesh="Floor"))
        tower = world.entities["Tower"]
        hidden = replace(tower.mesh, visible_to_camera=False)
        world.entities["Tower"] = replace(tower, mesh=hidden)
        slanted = Transform(rotation=(-np.sin(0.6), 0.0, 0.0, np.cos(0.6)))
        world.entities["Sun"] = Entity(
            id="Sun", transform=slanted, light=LightComponent(kind="sun", strength=2.0)
        )
        place = np.array([[1, 0, 0, 0], [0, 0, 1, 6], [0, -1, 0, 0], [0, 0, 0, 1]], float)
        view = camera_view(CameraComponent(fov=0.9), place, SIZE)
        settings = replace(PLAIN, shadows=True)
        pictures.append(draw(world, view, ("frame_linear",), settings).outputs["frame_linear"])
    ours, expected = (picture[..., 0] for picture in pictures)
    dark = ours < 0.5 * ours.max()
    assert 50 < dark.sum() < ours.size // 2
    assert np.abs(ours - expected).mean() < 0.002
