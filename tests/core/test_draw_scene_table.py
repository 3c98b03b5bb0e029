"""SceneTable: columns that follow a world through deltas, hierarchies included."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from fyn.engine_core.render.scene_table import SceneTable, local_matrices
from fyn.engine_core.world.components import LightComponent, MeshComponent
from fyn.engine_core.world.entity import Entity, Transform
from fyn.engine_core.world.world import World, WorldDelta


def table_of(world: World) -> SceneTable:
    table = SceneTable()
    table.apply(world.entities, ())
    return table


def assert_follows(table: SceneTable, world: World) -> None:
    assert set(table.rows) == set(world.entities)
    for key in world.entities:
        expected = world.world_from_local(key)
        np.testing.assert_allclose(table.world[table.rows[key]], expected, atol=1e-9)


def random_transform(rng: np.random.Generator) -> Transform:
    rotation = rng.normal(size=4)
    rotation /= np.linalg.norm(rotation)
    return Transform(
        translation=tuple(rng.normal(size=3)),
        rotation=tuple(rotation),
        scale=tuple(rng.uniform(0.5, 2.0, 3)),
    )


def random_forest(rng: np.random.Generator, count: int) -> World:
    world = World()
    for number in range(count):
        parent = None
        if number and rng.random() < 0.7:
            parent = f"e{rng.integers(number)}"
        key = f"e{number}"
        world.entities[key] = Entity(id=key, parent=parent, transform=random_transform(rng))
    return world


def test_matrices_of_many_transforms_equal_those_of_each():
    rng = np.random.default_rng(1)
    transforms = [random_transform(rng) for _ in range(5)]
    transforms.insert(2, Transform(matrix=tuple(float(n) for n in range(16))))
    expected = [transform.to_matrix() for transform in transforms]
    np.testing.assert_allclose(local_matrices(transforms), expected, atol=1e-12)


def test_world_matrices_multiply_down_the_hierarchy_in_any_order_of_entities():
    rng = np.random.default_rng(2)
    world = random_forest(rng, 200)
    keys = list(world.entities)
    rng.shuffle(keys)
    world.entities = {key: world.entities[key] for key in keys}
    assert_follows(table_of(world), world)


def test_moving_an_ancestor_moves_its_descendants_and_no_other_row():
    rng = np.random.default_rng(3)
    world = random_forest(rng, 300)
    table = table_of(world)
    table.take_moved()
    moved = msgspec.structs.replace(world.entities["e3"], transform=random_transform(rng))
    delta = WorldDelta(entities={"e3": moved})
    world.apply(delta)
    table.apply(delta.entities, ())
    assert_follows(table, world)

    def hangs_from_e3(key: str | None) -> bool:
        return key is not None and (key == "e3" or hangs_from_e3(world.entities[key].parent))

    expected = {table.rows[key] for key in world.entities if hangs_from_e3(key)}
    assert set(table.take_moved().tolist()) == expected
    assert 1 < len(expected) < 100


@pytest.mark.parametrize("seed", range(5))
def test_random_deltas_lead_to_the_same_matrices_as_the_world_itself(seed):
    rng = np.random.default_rng(seed)
    world = random_forest(rng, 60)
    table = table_of(world)
    for step in range(30):
        keys = list(world.entities)
        changed = {}
        for key in rng.choice(keys, 3, replace=False):
            entity = world.entities[str(key)]
            changed[str(key)] = msgspec.structs.replace(entity, transform=random_transform(rng))
        fresh = f"n{step}"
        changed[fresh] = Entity(id=fresh, parent=str(rng.choice(keys)))
        leaves = set(keys) - {e.parent for e in world.entities.values()} - set(changed)
        gone = frozenset(sorted(leaves)[:2]) - {changed[fresh].parent}
        delta = WorldDelta(entities=changed, removed_entities=gone)
        world.apply(delta)
        table.apply(delta.entities, delta.removed_entities)
        assert_follows(table, world)


def test_reparenting_moves_a_subtree():
    world = World()
    for key, parent, x in (("a", None, 1.0), ("b", None, 10.0), ("c", "a", 0.5), ("d", "c", 0.25)):
        world.entities[key] = Entity(
            id=key, parent=parent, transform=Transform(translation=(x, 0.0, 0.0))
        )
    table = table_of(world)
    assert table.world[table.rows["d"], 0, 3] == 1.75
    moved = msgspec.structs.replace(world.entities["c"], parent="b")
    table.apply({"c": moved}, ())
    assert table.world[table.rows["d"], 0, 3] == 10.75


def test_a_missing_parent_is_a_warning_until_it_comes():
    child = Entity(id="child", parent="late", transform=Transform(translation=(1.0, 0.0, 0.0)))
    table = SceneTable()
    table.apply({"child": child}, ())
    assert "'child' has parent 'late', which is missing" in table.warnings()[0]
    assert table.world[table.rows["child"], 0, 3] == 1.0
    late = Entity(id="late", transform=Transform(translation=(5.0, 0.0, 0.0)))
    table.apply({"late": late}, ())
    assert table.warnings() == []
    assert table.world[table.rows["child"], 0, 3] == 6.0
    table.apply({}, ["late"])
    assert table.world[table.rows["child"], 0, 3] == 1.0
    assert len(table.warnings()) == 1


def test_a_cycle_of_parents_is_a_warning_and_not_drawn_until_it_is_broken():
    drawn = MeshComponent(mesh="m")
    entities = {
        "a": Entity(id="a", parent="b", mesh=drawn),
        "b": Entity(id="b", parent="a"),
        "under": Entity(id="under", parent="a", mesh=drawn),
        "free": Entity(id="free", mesh=drawn),
    }
    table = SceneTable()
    table.apply(entities, ())
    assert [key for key, row in table.rows.items() if table.usable[row]] == ["free"]
    assert len(table.warnings()) == 3
    table.apply({"b": Entity(id="b")}, ())
    assert all(table.usable[row] for row in table.rows.values())
    assert table.warnings() == []


@pytest.mark.parametrize(
    "transform",
    [
        Transform(scale=(0.0, 0.0, 0.0)),
        Transform(scale=(0.0, 1.0, 0.0)),
        Transform(translation=(float("nan"), 0.0, 0.0)),
        Transform(translation=(1e300, 0.0, 0.0)),
        Transform(matrix=(float("inf"),) * 16),
    ],
)
def test_a_matrix_that_cannot_be_drawn_is_skipped_with_a_warning(transform):
    table = SceneTable()
    table.apply({"e": Entity(id="e", mesh=MeshComponent(mesh="m"), transform=transform)}, ())
    assert not table.usable[table.rows["e"]]
    assert "'e' has a scale of zero or a matrix that is not finite" in table.warnings()[0]


def test_a_surface_flattened_along_one_axis_is_still_drawn():
    flat = Transform(scale=(1.0, 1.0, 0.0))
    table = SceneTable()
    table.apply({"e": Entity(id="e", mesh=MeshComponent(mesh="m"), transform=flat)}, ())
    assert table.usable[table.rows["e"]]
    assert table.warnings() == []


def test_the_sign_tells_mirrored_entities_through_their_parents():
    mirror = Transform(scale=(-1.0, 1.0, 1.0))
    entities = {
        "one": Entity(id="one", transform=mirror),
        "two": Entity(id="two", parent="one", transform=mirror),
        "plain": Entity(id="plain", parent="one"),
    }
    table = SceneTable()
    table.apply(entities, ())
    signs = {key: float(table.sign[row]) for key, row in table.rows.items()}
    assert signs == {"one": -1.0, "two": 1.0, "plain": -1.0}


def test_versions_change_only_when_drawn_things_or_lights_do():
    entity = Entity(id="e", mesh=MeshComponent(mesh="m"), light=LightComponent())
    table = SceneTable()
    table.apply({"e": entity}, ())
    versions = (table.items_version, table.lights_version)
    moved = msgspec.structs.replace(entity, transform=Transform(translation=(1.0, 0.0, 0.0)))
    table.apply({"e": moved}, ())
    assert (table.items_version, table.lights_version) == versions
    table.apply({"e": msgspec.structs.replace(moved, light=LightComponent(strength=3.0))}, ())
    assert (table.items_version, table.lights_version) == (versions[0], versions[1] + 1)
    table.apply({"e": msgspec.structs.replace(moved, mesh=MeshComponent(mesh="other"))}, ())
    assert table.items_version == versions[0] + 1


def test_the_order_of_entities_is_that_of_their_ids_however_they_came():
    table = SceneTable()
    table.apply({key: Entity(id=key) for key in "cab"}, ())
    table.apply({"aa": Entity(id="aa")}, ["a"])
    order = sorted(table.rows, key=lambda key: table.sequence[table.rows[key]])
    assert order == ["aa", "b", "c"]


def test_ten_thousand_levels_of_parents_are_followed():
    entities = {
        f"e{i}": Entity(
            id=f"e{i}",
            parent=f"e{i - 1}" if i else None,
            transform=Transform(translation=(1.0, 0.0, 0.0)),
        )
        for i in range(10_000)
    }
    table = SceneTable()
    table.apply(entities, ())
    assert table.world[table.rows["e9999"], 0, 3] == 10_000.0
