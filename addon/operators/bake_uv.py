"""UV maps to bake on: is one fit for it, and making one that is. The artist's own stay as they are.

All meshes of a material share its pictures, so their islands must not overlap either.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from .bake_channels import CannotBake

BAKE_UV = "FynBake"
"""Name of the UV map that a bake adds to a mesh."""
GRID = 512
"""Cells a side in which overlaps are counted."""
MOST_OVERLAP = 0.002
"""Share of the covered cells that two faces may share."""
LEAST_COVER = 0.1
"""Share of the square that must be covered, or the pictures would be mostly empty."""
ISLAND_GAP = 4.0
"""Pixels between two islands."""


@dataclass(frozen=True)
class BakedMesh:
    """A mesh (the artist's own) and the slots of it that show the material being baked."""

    mesh: Any
    slots: tuple[int, ...]

    def faces(self) -> np.ndarray:
        """Return which faces show the material, (F,) bool."""
        count = len(self.mesh.polygons)
        index = np.zeros(count, np.int32)
        self.mesh.polygons.foreach_get("material_index", index)
        last = max(len(self.mesh.materials) - 1, 0)
        return np.isin(np.minimum(index, last), self.slots)

    def triangles(self) -> np.ndarray:
        """Return the corners of the triangles of those faces, (T, 3) int32."""
        self.mesh.calc_loop_triangles()
        count = len(self.mesh.loop_triangles)
        corners, faces = np.empty(count * 3, np.int32), np.empty(count, np.int32)
        self.mesh.loop_triangles.foreach_get("loops", corners)
        self.mesh.loop_triangles.foreach_get("polygon_index", faces)
        return corners.reshape(-1, 3)[self.faces()[faces]]

    def uvs(self, name: str) -> np.ndarray:
        """Return a UV map, (L, 2) float32."""
        out = np.empty(len(self.mesh.loops) * 2, np.float32)
        self.mesh.uv_layers[name].uv.foreach_get("vector", out)
        return out.reshape(-1, 2)


def fit_uv_map(meshes: Sequence[BakedMesh]) -> str | None:
    """Return the name of a UV map that all meshes have and that can be baked on, None if none."""
    first = sorted(meshes[0].mesh.uv_layers, key=lambda layer: not layer.active_render)
    for layer in first:
        has_all = all(layer.name in item.mesh.uv_layers for item in meshes)
        if has_all and _is_fit([item.uvs(layer.name)[item.triangles()] for item in meshes]):
            return layer.name
    return None


def _is_fit(triangles: list[np.ndarray]) -> bool:
    """Tell whether triangles (T, 3, 2) lie in the unit square, apart, and cover some of it."""
    points = np.concatenate(triangles)
    if len(points) == 0 or not np.isfinite(points).all():
        return False
    if points.min() < -1e-4 or points.max() > 1 + 1e-4:
        return False
    area = np.abs(_cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]))
    if np.count_nonzero(area < 1e-10) > 0.01 * len(area):
        return False
    counts = coverage(points, GRID)
    covered = np.count_nonzero(counts)
    shared = np.count_nonzero(counts > 1)
    return covered >= LEAST_COVER * GRID * GRID and shared <= MOST_OVERLAP * covered


def coverage(triangles: np.ndarray, side: int) -> np.ndarray:
    """Return how many triangles (T, 3, 2) hold each cell's centre, (side, side) int32.

    Edges belong to no triangle (the cells' centres are moved off the usual fractions), so that
    neighbours do not count as an overlap.
    """
    counts = np.zeros(side * side, np.int32)
    shift = np.array([0.1234567, 0.2345678]) / side  # no artist's edge runs through such points
    scaled = (triangles.astype(np.float64) + shift) * side
    low = np.clip(np.floor(scaled.min(axis=1)), 0, side - 1).astype(np.int64)
    high = np.clip(np.floor(scaled.max(axis=1)), 0, side - 1).astype(np.int64)
    size = high - low + 1
    cells = size[:, 0] * size[:, 1]
    step = 4_000_000
    ends = np.cumsum(cells)
    start = 0
    while start < len(cells):
        end = int(np.searchsorted(ends, ends[start] - cells[start] + step)) + 1
        _count(counts, scaled[start:end], low[start:end], size[start:end], side)
        start = end
    return counts.reshape(side, side)


def _count(
    counts: np.ndarray, triangles: np.ndarray, low: np.ndarray, size: np.ndarray, side: int
) -> None:
    cells = size[:, 0] * size[:, 1]
    owner = np.repeat(np.arange(len(cells)), cells)
    within = np.arange(cells.sum()) - np.repeat(np.cumsum(cells) - cells, cells)
    column = low[owner, 0] + within % size[owner, 0]
    row = low[owner, 1] + within // size[owner, 0]
    centre = np.stack([column, row], axis=-1) + 0.5
    a, b, c = (triangles[owner, corner] for corner in range(3))
    sides = np.stack(
        [_cross(b - a, centre - a), _cross(c - b, centre - b), _cross(a - c, centre - c)]
    )
    inside = (sides > 0).all(axis=0) | (sides < 0).all(axis=0)
    counts += np.bincount((row * side + column)[inside], minlength=side * side).astype(np.int32)


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def make_uv_map(
    meshes: Sequence[BakedMesh],
    copies: Sequence[Any],
    within: AbstractContextManager[Any],
    side: int,
) -> None:
    """Give every mesh the UV map `BAKE_UV`, with the faces of the material unwrapped.

    `copies` are the objects of a scene of the bake's own, one a mesh and with a copy of it, that
    Blender unwraps; `within` is the context of that scene in which all of them are selected.
    """
    for item, copy in zip(meshes, copies, strict=True):
        _add_layer(item.mesh)
        layer = copy.data.uv_layers.get(BAKE_UV) or _add_layer(copy.data)
        copy.data.uv_layers.active = layer
        faces = item.faces()
        copy.data.polygons.foreach_set("select", faces)
        copy.data.polygons.foreach_set("hide", ~faces)
        copy.data.update()
    with within:
        bpy.ops.object.mode_set(mode="EDIT")
        try:
            # Its own packing; Blender's better one takes minutes for a monkey.
            bpy.ops.uv.smart_project(margin_method="FRACTION", island_margin=ISLAND_GAP / side)
        finally:
            bpy.ops.object.mode_set(mode="OBJECT")
    for item, copy in zip(meshes, copies, strict=True):
        _take_over(item, copy.data)


def _add_layer(mesh: Any) -> Any:
    """Add the UV map to a mesh, which keeps its active ones. Raises CannotBake if it is full."""
    known = mesh.uv_layers.get(BAKE_UV)
    if known is not None:
        return known
    layers = mesh.uv_layers
    active = layers.active_index
    render = next((layer.name for layer in layers if layer.active_render), None)
    layer = layers.new(name=BAKE_UV, do_init=False)
    if layer is None:
        raise CannotBake(f"the mesh '{mesh.name}' has 8 UV maps already; remove one")
    if render is not None:
        layers.active_index = active
        layers[render].active_render = True
    return layers[BAKE_UV]


def _take_over(item: BakedMesh, unwrapped: Any) -> None:
    """Copy the UVs of the material's faces to the artist's mesh; those of other faces stay."""
    mesh = item.mesh
    corners = np.repeat(item.faces(), _corner_counts(mesh))
    made = np.empty(len(mesh.loops) * 2, np.float32)
    unwrapped.uv_layers[BAKE_UV].uv.foreach_get("vector", made)
    kept = item.uvs(BAKE_UV)
    kept[corners] = made.reshape(-1, 2)[corners]
    mesh.uv_layers[BAKE_UV].uv.foreach_set("vector", kept.ravel())
    mesh.update()


def _corner_counts(mesh: Any) -> np.ndarray:
    out = np.empty(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("loop_total", out)
    return out
