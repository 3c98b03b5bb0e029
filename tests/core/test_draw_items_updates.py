"""Draw items that follow changes are those that are made from scratch."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fyn.engine_core.render.draw_items import DrawItems, ItemList
from fyn.engine_core.render.gpu_assets import SetupParts
from fyn.engine_core.render.item_parts import ItemParts
from fyn.engine_core.render.row_order import RowOrder
from fyn.engine_core.render.scene_table import DrawSetup, SceneTable
from fyn.engine_core.world.components import MeshComponent
from fyn.engine_core.world.entity import Entity, Transform

MESHES = ("cube", "cone", "giant")
MATERIALS = ("red", "glass", "leaf")


class Assets:
    """Parts without buffers: a mesh has a part for each material, "giant" three clusters each."""

    def __init__(self) -> None:
        self.version = 0
        self.drawn: set[DrawSetup] = set()
        self._made: dict[tuple[str, int, str], tuple[SimpleNamespace, ...]] = {}
        self._size: dict[str, float] = dict.fromkeys(MESHES, 1.0)
        self._stale: set[DrawSetup] = set()

    def change(self, mesh: str) -> None:
        """Give a mesh another size, so that all of its parts are made anew."""
        self.version += 1
        self._size[mesh] += 0.5
        self._made = {key: made for key, made in self._made.items() if key[0] != mesh}
        self._stale |= {setup for setup in self.drawn if setup.mesh == mesh}

    def take_stale(self) -> set[DrawSetup]:
        stale, self._stale = self._stale, set()
        return stale

    def draw(self, begun: list[DrawSetup], ceased: list[DrawSetup]) -> None:
        self.drawn = (self.drawn | set(begun)) - set(ceased)

    def parts_of(self, setup: DrawSetup) -> SetupParts:
        found = [self._parts(setup.mesh, *pair) for pair in enumerate(setup.materials)]
        return SetupParts(tuple(p for parts in found for p in parts), self._bounds(setup.mesh))  # type: ignore[arg-type]

    def _bounds(self, mesh: str) -> np.ndarray:
        return np.array([[-1.0] * 3, [self._size[mesh]] * 3], np.float32)

    def _parts(self, mesh: str, number: int, material: str) -> tuple[SimpleNamespace, ...]:
        key = (mesh, number, material)
        if key not in self._made:
            count = 3 if mesh == "giant" and material != "glass" else 1
            self._made[key] = tuple(
                SimpleNamespace(
                    material=SimpleNamespace(
                        alpha_mode="blend" if material == "glass" else "opaque",
                        back_casts_shadow=True,
                    ),
                    is_cutout=material != "red",
                    shadow_defines=(),
                    shadow_array=mesh,
                    first_index=10 * number + cluster,
                    bounds=self._bounds(mesh) + cluster if count > 1 else None,
                )
                for cluster in range(count)
            )
        return self._made[key]


def expected(table: SceneTable, assets: Assets) -> dict[str, tuple[list[int], list[int], list]]:
    """Rows, batches and what the batches are of, by list, in plain Python."""
    found: dict[str, list[tuple[int, object]]] = {"opaque": [], "alpha": [], "shadow": []}
    for key in sorted(table.rows):
        row = table.rows[key]
        if table.setup[row] >= 0:
            for part in assets.parts_of(table.setups[table.setup[row]]).parts:
                blends = part.material.alpha_mode == "blend"
                found["alpha" if blends else "opaque"].append((row, part))
                found["shadow"].append((row, shadow_of(part)))
    out = {}
    for name, items in found.items():
        kinds: list[object] = []
        for _, kind in items:
            if kind not in kinds:
                kinds.append(kind)
        ordered = sorted(items, key=lambda item: kinds.index(item[1]))
        batches = [2 * kinds.index(kind) for _, kind in ordered]
        out[name] = ([row for row, _ in ordered], batches, kinds)
    return out


def shadow_of(part) -> object:
    return part if part.is_cutout else (part.shadow_array, part.first_index)


KEYS = st.sampled_from([f"thing {number}" for number in range(8)])
MESH = st.builds(
    lambda mesh, materials: MeshComponent(mesh=mesh, materials=tuple(materials)),
    st.sampled_from(MESHES),
    st.lists(st.sampled_from(MATERIALS), min_size=1, max_size=2),
)
PUT = st.builds(
    lambda key, mesh, x, parent: Entity(
        id=key, mesh=mesh, parent=parent, transform=Transform(translation=(x, 0.0, 0.0))
    ),
    KEYS,
    st.none() | MESH,
    st.floats(-9, 9),
    st.none() | KEYS,
)
STEP = st.tuples(
    st.lists(PUT, max_size=3), st.sets(KEYS, max_size=2), st.none() | st.sampled_from(MESHES)
)


@settings(max_examples=60, deadline=None)
@given(st.lists(STEP, min_size=1, max_size=8))
def test_following_changes_gives_the_items_of_a_rebuild(steps):
    table, items, assets = SceneTable(), DrawItems(), Assets()
    present: dict[str, Entity] = {}
    for put, removed, changed in steps:
        new = {entity.id: entity for entity in put}
        table.apply(new, removed)
        present = {key: e for key, e in present.items() if key not in removed} | new
        if changed is not None:
            assets.change(changed)
        items.refresh(table, assets, table.take_moved())  # type: ignore[arg-type]
        assert assets.drawn == {table.setups[one] for one in table.setup[table.setup >= 0]}
        compare_order(items, expected(table, assets))
        compare_boxes(table, items, assets)
        compare_tables(table, present)


def compare_order(items: DrawItems, wanted: dict[str, tuple[list[int], list[int], list]]) -> None:
    for name, (rows, batches, kinds) in wanted.items():
        found: ItemList = getattr(items, name)
        assert found.row.tolist() == rows
        assert found.key.tolist() == batches
        parts = [shadow_of(part) for part in found.parts] if name == "shadow" else found.parts
        assert list(parts) == kinds


def compare_boxes(table: SceneTable, items: DrawItems, assets: Assets) -> None:
    anew = DrawItems()
    again = Assets()
    again.__dict__.update(assets.__dict__)
    anew.refresh(table, again, np.zeros(0, np.int64))  # type: ignore[arg-type]
    for name in ("opaque", "alpha", "shadow"):
        found, wanted = getattr(items, name), getattr(anew, name)
        assert found.box.tolist() == wanted.box.tolist()
        usable = table.usable[found.row]
        np.testing.assert_array_equal(
            items.boxes[:, found.box[usable]], anew.boxes[:, wanted.box[usable]]
        )
    bounds, wanted_bounds = items.scene_bounds(table), anew.scene_bounds(table)
    assert (bounds is None) == (wanted_bounds is None)
    if bounds is not None and wanted_bounds is not None:
        np.testing.assert_array_equal(bounds, wanted_bounds)


def compare_tables(table: SceneTable, present: dict[str, Entity]) -> None:
    anew = SceneTable()
    anew.apply(present, ())
    assert table.rows.keys() == anew.rows.keys()
    assert sorted(table.warnings()) == sorted(anew.warnings())
    for key, row in table.rows.items():
        other = anew.rows[key]
        assert table.sequence[row] == anew.sequence[other]
        assert table.usable[row] == anew.usable[other]
        if table.usable[row]:
            np.testing.assert_array_equal(table.world[row], anew.world[other])


def test_an_upload_that_fails_is_tried_again():
    table, items, assets = SceneTable(), DrawItems(), Assets()
    red = MeshComponent(mesh="cube", materials=("red",))
    table.apply({"a": Entity(id="a", mesh=red)}, ())
    works = assets.parts_of

    def fails(setup):
        raise MemoryError

    assets.parts_of = fails  # type: ignore[method-assign]
    with pytest.raises(MemoryError):
        items.refresh(table, assets, table.take_moved())  # type: ignore[arg-type]
    assets.parts_of = works  # type: ignore[method-assign]
    items.refresh(table, assets, table.take_moved())  # type: ignore[arg-type]
    compare_order(items, expected(table, assets))
    compare_boxes(table, items, assets)


def test_parts_that_nobody_has_any_more_are_let_go():
    parts, assets = ItemParts(), Assets()
    setup = DrawSetup("giant", ("red", "leaf"))
    parts.make_room(2)
    for _ in range(200):
        parts.put(1, assets.parts_of(setup))
        parts.drop(1)
        assets.change("giant")
    assert not any(part is not None for part in parts.parts)
    assert len(parts.parts) == 64


@given(st.lists(st.dictionaries(st.text(max_size=3), st.integers(0, 99), max_size=90), max_size=4))
def test_rows_come_in_the_order_of_their_keys(tables):
    order, before = RowOrder(), {}
    for rows in tables:
        for key in {*before, *rows}:
            order.note(key)
        assert order.rows(rows).tolist() == [rows[key] for key in sorted(rows)]
        before = rows
