"""Strands to tubes of triangles: hair curves and hair particles. Knows no bpy.

The engine draws triangles, so a strand becomes a tube of few sides with round normals. All strands
are built at once; no Python loop touches one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

CATMULL_ROM, POLY, BEZIER, NURBS = 0, 1, 2, 3
"""Kinds of curves, numbered as in Blender's attribute `curve_type`."""

MAX_TRIANGLES = 3_000_000
"""Triangles of one object's strands; beyond, only every n-th strand is drawn, thicker."""
MAX_STEPS = 6
"""Pieces into which a smooth curve is cut between two of its points."""


@dataclass(frozen=True, eq=False)
class Strands:
    """Curves: curve c has the points offsets[c]..offsets[c + 1].

    offsets (C + 1,) integers; points (P, 3) and radii (P,) float32; kinds (C,) integers (see
    `CATMULL_ROM`); cyclic (C,) bool; handles: left and right (P, 3) float32 for Bézier curves,
    else None; uvs, colors: per set (P, 2), (P, 4) float32.
    """

    offsets: np.ndarray
    points: np.ndarray
    radii: np.ndarray
    kinds: np.ndarray
    cyclic: np.ndarray
    handles: tuple[np.ndarray, np.ndarray] | None = None
    uvs: tuple[np.ndarray, ...] = ()
    colors: tuple[np.ndarray, ...] = ()


@dataclass(frozen=True, eq=False)
class Tubes:
    """Triangles: positions, normals (V, 3), uvs (V, 2), colors (V, 4) float32, indices (I,) uint32.

    `drawn` of the strands are drawn.
    """

    positions: np.ndarray
    normals: np.ndarray
    indices: np.ndarray
    uvs: tuple[np.ndarray, ...]
    colors: tuple[np.ndarray, ...]
    drawn: int


@dataclass(frozen=True, eq=False)
class _Path:
    """Sampled strands: sample k of all lies at `at[k]` between points `before[k]` and `after[k]`.

    ends (C + 1,): where strands begin. positions (N, 3) float64.
    """

    ends: np.ndarray
    positions: np.ndarray
    before: np.ndarray
    after: np.ndarray
    at: np.ndarray

    def of_points(self, values: np.ndarray) -> np.ndarray:
        """Return the values (P, ...) of points at the samples, between points linearly."""
        at = self.at.reshape(-1, *(1,) * (values.ndim - 1))
        return (values[self.before] * (1 - at) + values[self.after] * at).astype(np.float32)


def tubes(strands: Strands, steps: int = MAX_STEPS) -> Tubes | None:
    """Return tubes around `strands`, None if none has two points.

    The part of a smooth curve between two points is cut into `steps`, fewer for many strands.
    Tubes have 8 sides up to 4,000 rings in all, 5 up to 40,000, else 3.
    """
    strands = _usable(strands)
    count = len(strands.kinds)
    if count == 0:
        return None
    segments = int((np.diff(strands.offsets) - 1 + strands.cyclic).sum())
    if (strands.kinds == POLY).all():
        steps = 1
    while steps > 1 and segments * steps * 6 > MAX_TRIANGLES // 4:
        steps -= 1
    kept = _thinned(strands, segments * steps * 6)
    path = _sampled(kept, steps)
    samples = len(path.positions)
    sides = 8 if samples <= 4_000 else 5 if samples <= 40_000 else 3
    thicker = np.sqrt(count / len(kept.kinds))
    return _around(kept, path, sides, float(thicker))


def _usable(strands: Strands) -> Strands:
    """Leave out strands with fewer than two points or with points that are not numbers."""
    lengths = np.diff(strands.offsets)
    finite = np.isfinite(strands.points).all(axis=1) & np.isfinite(strands.radii)
    if strands.handles is not None:
        finite &= np.isfinite(strands.handles[0]).all(axis=1)
        finite &= np.isfinite(strands.handles[1]).all(axis=1)
    curve_of_point = np.repeat(np.arange(len(lengths)), lengths)
    bad = np.bincount(curve_of_point[~finite], minlength=len(lengths)) > 0
    return _chosen(strands, np.flatnonzero((lengths >= 2) & ~bad))


def _thinned(strands: Strands, triangles: int) -> Strands:
    if triangles <= MAX_TRIANGLES:
        return strands
    every = -(-triangles // MAX_TRIANGLES)
    return _chosen(strands, np.arange(0, len(strands.kinds), every))


def _chosen(strands: Strands, curves: np.ndarray) -> Strands:
    if len(curves) == len(strands.kinds):
        return strands
    lengths = np.diff(strands.offsets)[curves]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    points = np.arange(offsets[-1]) + np.repeat(strands.offsets[curves] - offsets[:-1], lengths)
    handles = strands.handles
    return Strands(
        offsets,
        strands.points[points],
        strands.radii[points],
        strands.kinds[curves],
        strands.cyclic[curves],
        None if handles is None else (handles[0][points], handles[1][points]),
        tuple(uv[points] for uv in strands.uvs),
        tuple(color[points] for color in strands.colors),
    )


# Along the strands --------------------------------------------------------------------------------


def _sampled(strands: Strands, steps: int) -> _Path:
    """Cut every segment into `steps` pieces; each strand ends with its last point."""
    first, lengths = strands.offsets[:-1], np.diff(strands.offsets)
    segments = lengths - 1 + strands.cyclic
    curve = np.repeat(np.arange(len(lengths)), segments)
    number = np.arange(len(curve)) - np.repeat(np.cumsum(segments) - segments, segments)
    control, after = _bezier_segments(strands, curve, number)
    samples = segments * steps + 1
    ends = np.concatenate([[0], np.cumsum(samples)])
    of_curve = np.repeat(np.arange(len(lengths)), samples)
    place = np.arange(ends[-1]) - ends[of_curve]
    local = np.minimum(place // steps, segments[of_curve] - 1)
    segment = local + (np.cumsum(segments) - segments)[of_curve]
    t = ((place - local * steps) / steps)[:, None]
    basis = np.hstack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3])
    positions = np.einsum("nk,nkj->nj", basis, control[segment])
    return _Path(ends, positions, first[of_curve] + local, after[segment], t[:, 0])


def _bezier_segments(
    strands: Strands, curve: np.ndarray, number: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return cubic Bézier points (S, 4, 3) of all segments, and the point each ends with.

    A Catmull-Rom segment from p1 to p2 has the inner points p1 + (p2 - p0) / 6 and
    p2 - (p3 - p1) / 6; at its ends a strand repeats its first or last point.
    """
    first, length = strands.offsets[curve], np.diff(strands.offsets)[curve]
    cyclic = strands.cyclic[curve]

    def point(offset: int) -> np.ndarray:
        place = number + offset
        return first + np.where(cyclic, place % length, np.clip(place, 0, length - 1))

    p0, p1, p2, p3 = (strands.points[point(k)].astype(np.float64) for k in (-1, 0, 1, 2))
    control = np.stack([p1, p1 + (p2 - p0) / 6, p2 - (p3 - p1) / 6, p2], axis=1)
    kinds = strands.kinds[curve]
    straight = kinds == POLY
    control[straight, 1] = (p1 + (p2 - p1) / 3)[straight]
    control[straight, 2] = (p2 - (p2 - p1) / 3)[straight]
    if strands.handles is not None:
        bezier = kinds == BEZIER
        control[bezier, 1] = strands.handles[1][point(0)][bezier]
        control[bezier, 2] = strands.handles[0][point(1)][bezier]
    return control, point(1)


# Around them --------------------------------------------------------------------------------------


def _around(strands: Strands, path: _Path, sides: int, thicker: float) -> Tubes:
    tangents = _tangents(path)
    across = _across(path, tangents)
    up = np.cross(tangents, across)
    angles = np.arange(sides) * (2 * np.pi / sides)
    normals = (
        across[:, None] * np.cos(angles)[:, None] + up[:, None] * np.sin(angles)[:, None]
    )  # (N, sides, 3)
    radii = np.maximum(path.of_points(strands.radii), 0) * thicker
    positions = path.positions[:, None] + normals * radii[:, None, None]
    return Tubes(
        positions.reshape(-1, 3).astype(np.float32),
        normals.reshape(-1, 3).astype(np.float32),
        _indices(path, tangents, across, up, sides, ~strands.cyclic),
        tuple(np.repeat(path.of_points(uv), sides, axis=0) for uv in strands.uvs),
        tuple(np.repeat(path.of_points(color), sides, axis=0) for color in strands.colors),
        len(strands.kinds),
    )


def _tangents(path: _Path) -> np.ndarray:
    """Return unit directions (N, 3) along the strands: from the sample before to the one after."""
    count = len(path.positions)
    before, after = np.arange(count) - 1, np.arange(count) + 1
    before[path.ends[:-1]] = path.ends[:-1]
    after[path.ends[1:] - 1] = path.ends[1:] - 1
    along = path.positions[after] - path.positions[before]
    length = np.linalg.norm(along, axis=1)
    along[length < 1e-12] = (0, 0, 1)
    return along / np.linalg.norm(along, axis=1, keepdims=True)


def _across(path: _Path, tangents: np.ndarray) -> np.ndarray:
    """Return unit directions (N, 3) square to the tangents, turning as little as can be.

    Each strand has one reference: the direction along which it runs least; an axis for one so
    straight that there is no telling. What still turns is taken up by `_indices`.
    """
    outer = tangents[:, :, None] * tangents[:, None, :]
    spread, axes = np.linalg.eigh(np.add.reduceat(outer, path.ends[:-1], axis=0))
    least = axes[:, :, 0]
    is_straight = spread[:, 1] < 1e-3 * spread[:, 2]
    leaning = np.abs(axes[is_straight, :, 2]).round(3)  # so that a tie stays one
    least[is_straight] = np.eye(3)[leaning.argmin(axis=1)]
    reference = np.repeat(least, np.diff(path.ends), axis=0)
    across = np.cross(reference, tangents)
    lost = np.linalg.norm(across, axis=1) < 1e-6
    other = np.eye(3)[np.abs(tangents[lost]).argmin(axis=1)]
    across[lost] = np.cross(other, tangents[lost])
    return across / np.linalg.norm(across, axis=1, keepdims=True)


def _indices(
    path: _Path,
    tangents: np.ndarray,
    across: np.ndarray,
    up: np.ndarray,
    sides: int,
    is_open: np.ndarray,
) -> np.ndarray:
    """Join neighbouring rings, each vertex with the one that a turn without twist leads to.

    The ends of strands that are open are closed with a cap.
    """
    is_last = np.zeros(len(path.positions), bool)
    is_last[path.ends[1:] - 1] = True
    ring = np.flatnonzero(~is_last)
    carried = _carried(across[ring], tangents[ring], tangents[ring + 1])
    x = np.einsum("ij,ij->i", carried, across[ring + 1])
    y = np.einsum("ij,ij->i", carried, up[ring + 1])
    shift = np.rint(np.arctan2(y, x) / (2 * np.pi / sides)).astype(np.int64)
    side = np.arange(sides)
    a = ring[:, None] * sides + side
    b = ring[:, None] * sides + (side + 1) % sides
    c = (ring[:, None] + 1) * sides + (side + shift[:, None]) % sides
    d = (ring[:, None] + 1) * sides + (side + 1 + shift[:, None]) % sides
    walls = np.stack([a, b, d, a, d, c], axis=-1).reshape(-1)
    fan = np.stack([np.zeros(sides - 2, np.int64), side[1:-1], side[2:]], axis=-1)
    heads = (path.ends[:-1][is_open] * sides)[:, None, None] + fan[:, ::-1]
    tails = ((path.ends[1:] - 1)[is_open] * sides)[:, None, None] + fan
    return np.concatenate([walls, heads.reshape(-1), tails.reshape(-1)]).astype(np.uint32)


def _carried(vectors: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Turn `vectors` by the smallest rotation from `start` to `end`, all (N, 3) unit.

    Rodrigues' formula; v - (a . v) (start + end) / (1 + start . end) for v square to `start`.
    """
    factor = np.einsum("ij,ij->i", end, vectors) / (1 + np.einsum("ij,ij->i", start, end) + 1e-9)
    return vectors - factor[:, None] * (start + end)
