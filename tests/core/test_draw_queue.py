"""Draw queues without a GPU: culling, order, and grouping into batches."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from pyglm import glm

from fyn.engine_core.render.caster_planes import CasterPlanes, caster_planes
from fyn.engine_core.render.draw_items import DrawItems
from fyn.engine_core.render.draw_queue import (
    camera_queues,
    inside_frustum,
    shadow_queue,
)
from fyn.engine_core.render.gpu_assets import SetupParts
from fyn.engine_core.render.scene_table import SceneTable
from fyn.engine_core.render.view import View
from fyn.engine_core.world.components import MeshComponent
from fyn.engine_core.world.entity import Entity, Transform


def frustum(*bounds: float) -> np.ndarray:
    """Perspective matrix of left, right, bottom, top, near, far."""
    return np.array(glm.frustumNO(*bounds), np.float64)


def orthographic(*bounds: float) -> np.ndarray:
    """Parallel projection of left, right, bottom, top, near, far."""
    return np.array(glm.orthoNO(*bounds), np.float64)


BOUNDS = np.array([[-0.5, -0.5, -0.5], [0.5, 0.5, 0.5]], np.float32)


class FakeAssets:
    """Parts without buffers: one for each mesh, "two parts" has two; "glass" is blended."""

    version = 0

    def __init__(self) -> None:
        self.parts: dict[tuple, SimpleNamespace] = {}
        self.drawn: set = set()

    def draw(self, begun, ceased) -> None:
        self.drawn = (self.drawn | set(begun)) - set(ceased)

    def take_stale(self) -> set:
        return set()

    def parts_of(self, setup) -> SetupParts:
        if setup.mesh == "missing":
            return SetupParts((), np.zeros((2, 3), np.float32))
        material = setup.materials[0] if setup.materials else ""
        count = 2 if setup.mesh == "two parts" else 1
        parts = tuple(self._part(setup.mesh, number, material) for number in range(count))
        return SetupParts(parts, BOUNDS)

    def _part(self, mesh: str, number: int, material: str) -> SimpleNamespace:
        key = (mesh, number, material)
        if key not in self.parts:
            self.parts[key] = SimpleNamespace(
                key=key,
                material=SimpleNamespace(
                    alpha_mode="blend" if material == "glass" else "opaque",
                    back_casts_shadow=material != "sheet",
                ),
                is_cutout=material in ("glass", "leaf"),
                shadow_defines=(),
                shadow_array=mesh,
                first_index=number,
                bounds=None,
            )
        return self.parts[key]


def build(entities: list[Entity]) -> tuple[SceneTable, DrawItems]:
    table, items = SceneTable(), DrawItems()
    table.apply({entity.id: entity for entity in entities}, ())
    items.refresh(table, FakeAssets(), table.take_moved())
    return table, items


def thing(key: str, x=0.0, y=0.0, z=0.0, mesh="cube", material="", scale=(1.0, 1.0, 1.0), **flags):
    return Entity(
        id=key,
        mesh=MeshComponent(mesh=mesh, materials=(material,) if material else (), **flags),
        transform=Transform(translation=(x, y, z), scale=scale),
    )


def view_down_z(near=0.1, far=100.0) -> View:
    projection = frustum(-near, near, -near, near, near, far)
    return View(np.identity(4), projection, near, far, True, (100, 100))


def queues(table, items, view):
    return camera_queues(table, items, view.clip_from_world, view.view_from_world)


def names(table: SceneTable, queue) -> list[list[str]]:
    """Entity ids of each batch."""
    ids = {row: key for key, row in table.rows.items()}
    return [
        [
            ids[int(row)]
            for row in queue.instances[b.first_instance : b.first_instance + b.instance_count]
        ]
        for b in queue.batches
    ]


def test_equal_parts_share_a_batch_and_others_do_not():
    table, items = build(
        [
            thing("a", z=-5.0),
            thing("b", z=-6.0),
            thing("c", z=-7.0, material="red"),
            thing("d", z=-8.0, mesh="two parts"),
        ]
    )
    opaque, alpha = queues(table, items, view_down_z())
    assert names(table, opaque) == [["a", "b"], ["c"], ["d"], ["d"]]
    assert [b.part.key for b in opaque.batches[2:]] == [("two parts", 0, ""), ("two parts", 1, "")]
    assert alpha.batches == ()


def test_opaque_things_come_front_to_back_within_and_among_batches():
    table, items = build(
        [
            thing("far", z=-30.0),
            thing("other", z=-10.0, mesh="ball"),
            thing("near", z=-4.0),
            thing("middle", z=-20.0),
            thing("nearest", z=-2.0, mesh="disc"),
        ]
    )
    opaque, _ = queues(table, items, view_down_z())
    assert names(table, opaque) == [["nearest"], ["near", "middle", "far"], ["other"]]


def test_blended_things_come_strictly_back_to_front_and_neighbours_share_a_batch():
    table, items = build(
        [
            thing("2", z=-2.0, material="glass"),
            thing("9", z=-9.0, material="glass"),
            thing("5", z=-5.0, mesh="ball", material="glass"),
            thing("8", z=-8.0, material="glass"),
        ]
    )
    opaque, alpha = queues(table, items, view_down_z())
    assert opaque.batches == ()
    assert names(table, alpha) == [["9", "8"], ["5"], ["2"]]


def test_blended_things_are_ordered_along_the_view_axis_of_any_camera():
    rng = np.random.default_rng(0)
    entities = [
        thing(str(i), *rng.uniform(-20, 20, 3), material="glass", mesh=f"m{i % 3}")
        for i in range(200)
    ]
    table, items = build(entities)
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    view_from_world = np.identity(4)
    view_from_world[:3, :3] = turn
    view = View(
        view_from_world, orthographic(-50, 50, -50, 50, -100, 100), -100, 100, False, (9, 9)
    )
    _, alpha = queues(table, items, view)
    centers = table.world[alpha.instances, :3, 3]
    depth = -(centers @ turn[2])
    assert len(depth) == 200
    assert (np.diff(depth) <= 1e-5).all()


def test_mirrored_instances_get_a_batch_of_their_own():
    table, items = build(
        [thing("a", z=-5.0), thing("b", z=-6.0, scale=(-1.0, 1.0, 1.0)), thing("c", z=-7.0)]
    )
    opaque, _ = queues(table, items, view_down_z())
    assert names(table, opaque) == [["a", "c"], ["b"]]
    assert [batch.mirrored for batch in opaque.batches] == [False, True]


def test_what_is_hidden_missing_or_behind_the_camera_is_not_drawn():
    table, items = build(
        [
            thing("seen", z=-5.0),
            thing("hidden", z=-5.0, visible_to_camera=False),
            thing("behind", z=5.0),
            thing("missing", z=-5.0, mesh="missing"),
            thing("collapsed", z=-5.0, scale=(0.0, 0.0, 0.0)),
        ]
    )
    opaque, _ = queues(table, items, view_down_z())
    assert names(table, opaque) == [["seen"]]


def lit_from_above() -> CasterPlanes:
    """Planes of what shades the box of 18 by 18 by 20 metres below z = 0, the sun in +z."""
    corners = np.array([[x, y, z] for z in (0.0, -20.0) for y in (-9.0, 9.0) for x in (-9.0, 9.0)])
    return caster_planes(corners, np.array([0.0, 0.0, 1.0]), 0.0)


def swept(items: DrawItems, length: float) -> np.ndarray:
    """The boxes with shadows of one length."""
    return np.vstack([items.boxes, np.full(items.boxes.shape[1], length, np.float32)])


def test_a_hidden_object_still_casts_and_one_that_casts_nothing_does_not():
    table, items = build(
        [
            thing("ghost", z=-5.0, visible_to_camera=False),
            thing("plain", z=-5.0),
            thing("lamp", z=-5.0, casts_shadow=False),
        ]
    )
    queue = shadow_queue(table, items, lit_from_above(), swept(items, 100.0))
    assert names(table, queue) == [["ghost", "plain"]]


def test_opaque_casters_share_a_batch_whatever_their_material_but_cutouts_do_not():
    table, items = build(
        [
            thing("a", z=-5.0, material="red"),
            thing("b", z=-5.0, material="blue"),
            thing("c", z=-5.0, material="leaf"),
            thing("d", z=-5.0, material="sheet"),
        ]
    )
    queue = shadow_queue(table, items, lit_from_above(), swept(items, 100.0))
    assert names(table, queue) == [["a", "b"], ["c"], ["d"]]


def test_casters_before_the_near_plane_are_kept_and_those_beside_or_beyond_are_not():
    table, items = build(
        [
            thing("towards the sun", z=50.0),
            thing("inside", z=-5.0),
            thing("beyond", z=-50.0),
            thing("beside", x=30.0, z=-5.0),
        ]
    )
    queue = shadow_queue(table, items, lit_from_above(), swept(items, 100.0))
    assert names(table, queue) == [["inside", "towards the sun"]]


def test_a_caster_whose_shadow_ends_before_the_slice_is_left_out():
    table, items = build([thing("low", z=50.0), thing("high", z=90.0)])
    queue = shadow_queue(table, items, lit_from_above(), swept(items, 60.0))
    assert names(table, queue) == [["low"]]


@pytest.mark.parametrize("seed", range(4))
def test_culling_never_drops_a_box_that_is_seen_and_drops_most_others(seed):
    rng = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    view_from_world = np.identity(4)
    view_from_world[:3, :3] = turn
    view_from_world[:3, 3] = rng.normal(size=3)
    if seed % 2:
        projection = frustum(-0.1, 0.3, -0.1, 0.2, 0.1, 40.0)
    else:
        projection = orthographic(-5, 8, -4, 4, 0.1, 40.0)
    clip = projection @ view_from_world
    center = rng.uniform(-40, 40, (4000, 3)).astype(np.float32)
    half = rng.uniform(0.01, 3, (4000, 3)).astype(np.float32)
    boxes = np.concatenate([center.T, half.T, np.ones((1, 4000), np.float32)])
    kept = inside_frustum(clip, boxes)
    # A point inside the box that is inside the clip volume is a witness that it must be kept.
    spots = rng.uniform(-1, 1, (300, 3))
    points = center[:, None] + spots * half[:, None]
    inside = np.ones(points.shape[:2], bool)
    at = points @ clip[:3, :3].T + clip[:3, 3]
    w = points @ clip[3, :3] + clip[3, 3]
    inside = (np.abs(at) <= w[..., None]).all(axis=-1).any(axis=1)
    assert inside.sum() > 20
    assert kept[inside].all()
    assert kept.sum() < 4 * inside.sum() + 100


def test_items_follow_entities_that_begin_or_cease_to_draw():
    table, items, assets = SceneTable(), DrawItems(), FakeAssets()
    table.apply({"a": thing("a", z=-5.0)}, ())
    items.refresh(table, assets, table.take_moved())
    assert len(items.opaque.row) == 1
    table.apply({"b": thing("b", z=-5.0), "c": Entity(id="c")}, ())
    items.refresh(table, assets, table.take_moved())
    assert len(items.opaque.row) == 2
    table.apply({"a": Entity(id="a")}, ["b"])
    items.refresh(table, assets, table.take_moved())
    assert len(items.opaque.row) == 0


def test_boxes_follow_moved_entities():
    table, items, assets = SceneTable(), DrawItems(), FakeAssets()
    table.apply({"a": thing("a"), "b": thing("b", x=3.0)}, ())
    items.refresh(table, assets, table.take_moved())
    turned = Transform(
        translation=(1.0, 2.0, 3.0),
        rotation=(0.0, 0.0, np.sin(np.pi / 8), np.cos(np.pi / 8)),
        scale=(2.0, 2.0, 4.0),
    )
    table.apply({"a": Entity(id="a", mesh=MeshComponent(mesh="cube"), transform=turned)}, ())
    items.refresh(table, assets, table.take_moved())
    row = table.rows["a"]
    np.testing.assert_allclose(items.boxes[:3, row], [1.0, 2.0, 3.0], atol=1e-6)
    np.testing.assert_allclose(items.boxes[3:6, row], [2**0.5, 2**0.5, 2.0], atol=1e-6)
    np.testing.assert_allclose(
        items.scene_bounds(table),
        [[1 - 2**0.5, -0.5, -0.5], [3.5, 2 + 2**0.5, 5.0]],
        atol=1e-6,
    )
