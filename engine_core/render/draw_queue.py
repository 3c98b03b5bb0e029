"""Draw queues: what a pass draws, culled, sorted and grouped into instanced batches, by NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .caster_planes import CasterPlanes
from .draw_items import DrawItems, ItemList
from .gpu_assets import Part
from .scene_table import SceneTable


class Batch(NamedTuple):
    """Instances that one draw call draws; a tuple because hundreds are made every frame.

    first_instance: index into `DrawQueue.instances`. mirrored: triangles wind the other way round
    (an odd number of negative scales).
    """

    part: Part
    first_instance: int
    instance_count: int
    mirrored: bool


@dataclass(frozen=True, eq=False)
class DrawQueue:
    """Batches in drawing order. instances: (N,) uint32 rows of the scene table."""

    batches: tuple[Batch, ...]
    instances: np.ndarray


def inside_frustum(
    clip_from_world: np.ndarray, boxes: np.ndarray, bounds: np.ndarray | None = None
) -> np.ndarray:
    """Return (N,) bool: which boxes may reach into the clip volume of `clip_from_world`.

    boxes: (7, N) float32 as in `DrawItems`, all within `bounds` if given, (2, 3). A box is outside
    if all of it lies beyond one of the six planes (Gribb and Hartmann 2001).
    """
    x, y, z, w = clip_from_world.astype(np.float64)
    planes = np.array([w + x, w - x, w + y, w - y, w - z, w + z])
    return inside_planes(planes, boxes, bounds=bounds)


def inside_planes(
    planes: np.ndarray,
    boxes: np.ndarray,
    growth: np.ndarray | None = None,
    bounds: np.ndarray | None = None,
) -> np.ndarray:
    """Return (N,) bool: which boxes reach to the inner side of all of `planes`, (P, 4) inward.

    With `growth` (P,), `boxes` has an eighth row of lengths: each box reaches so many times its
    length farther. With `bounds` (2, 3), which hold all boxes that matter, planes that have all of
    it inside are not looked at.
    """
    normal, offset = planes[:, :3], planes[:, 3:]
    columns = [normal, np.abs(normal), offset]
    if growth is not None:
        columns.append(growth[:, None])
    equations = np.concatenate(columns, axis=1)
    if bounds is not None:
        middle, half = (bounds[0] + bounds[1]) / 2, (bounds[1] - bounds[0]) / 2
        parts_some = normal @ middle - np.abs(normal) @ half + offset[:, 0] < 0
        equations = equations[parts_some]
    # Not a matrix product: BLAS takes several times as long for a matrix this thin, and threads.
    distance = np.einsum("pk,kn->pn", equations.astype(np.float32), boxes)
    return distance.min(axis=0, initial=np.inf) >= 0


def camera_queues(
    table: SceneTable, items: DrawItems, clip_from_world: np.ndarray, view_from_world: np.ndarray
) -> tuple[DrawQueue, DrawQueue]:
    """Return the opaque queue, front to back, and the alpha queue, back to front.

    Opaque batches come in order of their nearest instance, instances front to back within them
    (depths that differ by less than 0.4 % may change places). Alpha items are strictly ordered by
    the depth of their boxes' centres; neighbours that happen to be alike share a batch.
    """
    seen = items.per_box(table.usable & table.visible)
    seen = seen & inside_frustum(clip_from_world, items.boxes, items.scene_bounds(table))
    forward = -view_from_world[2].astype(np.float32)
    depth = np.einsum("k,kn->n", forward[:3], items.boxes[:3]) + forward[3]
    mirrored = table.sign < 0
    opaque = _batched(items.opaque, seen, mirrored, depth)
    return opaque, _back_to_front(items.alpha, seen, mirrored, depth)


def shadow_queue(
    table: SceneTable, items: DrawItems, volume: CasterPlanes, swept: np.ndarray
) -> DrawQueue:
    """Return what casts a shadow that may reach into `volume`.

    swept: (8, B) float32, the boxes of `items` and the lengths of their shadows.
    """
    seen = items.per_box(table.usable & table.casts)
    bounds = items.scene_bounds(table)
    seen = seen & inside_planes(volume.planes, swept, volume.growth, bounds)
    return _batched(items.shadow, seen, table.sign < 0, None)


def lamp_queue(table: SceneTable, items: DrawItems, clip_from_world: np.ndarray) -> DrawQueue:
    """Return what casts a shadow in the face of a lamp, `clip_from_world` (4, 4)."""
    seen = table.usable & table.casts & inside_frustum(clip_from_world, items.boxes)
    return _batched(items.shadow, seen, table.sign < 0, None)


def _batched(
    items: ItemList, seen: np.ndarray, mirrored: np.ndarray, depth: np.ndarray | None
) -> DrawQueue:
    """Group by batch; with `depth` (B,), order by it within and among batches."""
    chosen = np.flatnonzero(seen[items.box])
    rows, key = items.row[chosen], items.key[chosen]
    any_mirrored = mirrored.any()
    if any_mirrored:
        key |= mirrored[rows]
    if depth is not None:
        depth = depth[items.box[chosen]]
        order = _nearest_first(depth, key)
        rows, key, depth = rows[order], key[order], depth[order]
    elif any_mirrored:
        order = np.argsort(key, kind="stable")
        rows, key = rows[order], key[order]
    starts = _run_starts(key)
    batches = _batches(items.parts, key, starts, len(rows))
    if depth is not None and batches:
        nearest = np.argsort(depth[starts], kind="stable")
        batches = [batches[index] for index in nearest.tolist()]
    return DrawQueue(tuple(batches), rows.astype(np.uint32))


def _nearest_first(depth: np.ndarray, key: np.ndarray) -> np.ndarray:
    """Return the order (N,) by key, and by depth within equal keys."""
    # Positive floats sort like their bits; the upper 16 are enough, and NumPy sorts them by radix.
    coarse = (np.maximum(depth, 0).view(np.uint32) >> 15).astype(np.uint16)
    by_depth = np.argsort(coarse, kind="stable")
    return by_depth[np.argsort(key[by_depth], kind="stable")]


def _back_to_front(
    items: ItemList, seen: np.ndarray, mirrored: np.ndarray, depth: np.ndarray
) -> DrawQueue:
    chosen = np.flatnonzero(seen[items.box])
    chosen = chosen[np.argsort(-depth[items.box[chosen]], kind="stable")]
    rows = items.row[chosen]
    key = items.key[chosen] | mirrored[rows]
    batches = _batches(items.parts, key, _run_starts(key), len(rows))
    return DrawQueue(tuple(batches), rows.astype(np.uint32))


def _run_starts(key: np.ndarray) -> np.ndarray:
    """Return where runs of equal keys begin."""
    if not len(key):
        return np.zeros(0, np.int64)
    return np.concatenate([[0], np.flatnonzero(key[1:] != key[:-1]) + 1])


def _batches(
    parts: tuple[Part, ...], key: np.ndarray, starts: np.ndarray, total: int
) -> list[Batch]:
    counts = np.diff(starts, append=total)
    keys = key[starts].tolist()
    chosen = [parts[k >> 1] for k in keys]
    mirrored = [bool(k & 1) for k in keys]
    return list(map(Batch, chosen, starts.tolist(), counts.tolist(), mirrored))
