"""World and deltas: what is added, replaced and removed, and where entities stand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from fyn.engine_core.assets.material import DEFAULT_MATERIAL, Material, TextureSlot
from fyn.engine_core.errors import LevelError
from fyn.engine_core.world.components import CameraComponent, Environment, RenderSettings
from fyn.engine_core.world.entity import Entity, Transform
from fyn.engine_core.world.world import World, WorldDelta


def test_a_delta_adds_replaces_and_removes_in_every_table(sample_world, make_mesh):
    rock, glow = make_mesh("new"), Material(name="new")
    delta = WorldDelta(
        entities={"Rock": Entity(id="Rock", name="new"), "New": Entity(id="New")},
        meshes={"Rock": rock},
        materials={"Glow": glow},
        removed_entities=frozenset({"Lamp", "never there"}),
        removed_meshes=frozenset({"岩"}),
        removed_materials=frozenset({"Stone"}),
        removed_images=frozenset({"sky"}),
        environment=Environment(strength=9.0),
        render=RenderSettings(samples=1),
        active_camera="",
    )
    sample_world.apply(delta)
    assert list(sample_world.entities) == ["Root", "Rock", "岩", "Camera", "New"]
    assert sample_world.entities["Rock"].name == "new"
    assert sample_world.meshes == {"Rock": rock}
    assert sample_world.materials == {"Glow": glow}
    assert list(sample_world.images) == ["bark.png", "stone"]
    assert sample_world.environment.strength == 9.0
    assert sample_world.render.samples == 1
    assert sample_world.active_camera == ""


def test_what_is_both_removed_and_added_is_there_afterwards():
    world = World(entities={"a": Entity(id="a", name="old")})
    again = WorldDelta(
        entities={"a": Entity(id="a", name="new")}, removed_entities=frozenset({"a"})
    )
    world.apply(again)
    assert world.entities["a"].name == "new"


def test_an_empty_delta_changes_nothing_and_says_so(sample_world):
    before = sample_world.as_delta()
    sample_world.apply(WorldDelta())
    assert sample_world.as_delta() == before
    assert WorldDelta().is_empty()
    assert not WorldDelta(active_camera="").is_empty()
    assert not before.is_empty()


def test_the_delta_of_a_world_builds_it_from_nothing(sample_world):
    world = World()
    world.apply(sample_world.as_delta())
    assert world == sample_world
    world.entities.clear()
    assert sample_world.entities


def test_cameras_come_in_order():
    camera = CameraComponent()
    entities = [Entity(id="b", camera=camera), Entity(id="x"), Entity(id="a", camera=camera)]
    world = World(entities={entity.id: entity for entity in entities})
    assert [entity.id for entity in world.cameras()] == ["b", "a"]


def test_a_transform_scales_then_rotates_then_moves_as_another_library_does():
    random = np.random.default_rng(5)
    for _ in range(20):
        rotation = Rotation.random(random_state=random.integers(2**31))
        scale, place = random.normal(size=3), random.normal(size=3)
        transform = Transform(
            translation=tuple(place), rotation=tuple(rotation.as_quat()), scale=tuple(scale)
        )
        matrix = transform.to_matrix()
        point = random.normal(size=3)
        expected = rotation.apply(point * scale) + place
        np.testing.assert_allclose(matrix @ [*point, 1.0], [*expected, 1.0], atol=1e-12)


def test_a_matrix_stands_in_for_the_three_others():
    rows = (*(float(k) for k in range(12)), 0.0, 0.0, 0.0, 1.0)
    transform = Transform(translation=(9.0, 9.0, 9.0), matrix=rows)
    assert np.array_equal(transform.to_matrix(), np.reshape(rows, (4, 4)))


def test_world_matrices_multiply_from_the_root_down():
    turn = Transform(rotation=(0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)))  # x to y
    world = World(
        entities={
            "root": Entity(id="root", transform=Transform(translation=(10.0, 0.0, 0.0))),
            "arm": Entity(id="arm", parent="root", transform=turn),
            "hand": Entity(
                id="hand", parent="arm", transform=Transform(translation=(2.0, 0.0, 0.0))
            ),
        }
    )
    origin = world.world_from_local("hand") @ [0.0, 0.0, 0.0, 1.0]
    np.testing.assert_allclose(origin, [10.0, 2.0, 0.0, 1.0], atol=1e-12)


@pytest.mark.parametrize(
    ("parents", "words"),
    [({"a": "b", "b": "a"}, "own ancestor"), ({"a": "a"}, "own ancestor"), ({"a": "x"}, "missing")],
)
def test_parents_that_lead_nowhere_are_an_error_in_words(parents, words):
    world = World(entities={key: Entity(id=key, parent=value) for key, value in parents.items()})
    with pytest.raises(LevelError, match=words):
        world.world_from_local("a")


def test_components_cannot_be_changed_in_place():
    with pytest.raises(AttributeError):
        Entity(id="a").name = "b"
    with pytest.raises(AttributeError):
        DEFAULT_MATERIAL.roughness = 0.0


def test_a_material_lists_the_textures_it_uses_by_role():
    slot = TextureSlot(image="x")
    material = Material(normal_texture=slot, metallic_roughness_texture=slot)
    assert material.texture_slots() == {"metallic_roughness": slot, "normal": slot}
    assert Material().texture_slots() == {}
