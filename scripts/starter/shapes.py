"""Geometry of the starter level as plain arrays: terrain, turned stone, boxes, cards, crystals.

A `Shape` is quads and triangles in Blender's axes (metres, Z up) with UVs per corner. Nothing
here knows Blender; scene.py makes meshes of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .textures import fractal


@dataclass(frozen=True)
class Shape:
    """Polygons: `points` (V, 3) float64, `faces` index lists, `uvs` (corners, 2) in face order."""

    points: np.ndarray
    faces: list[list[int]]
    uvs: np.ndarray
    colors: np.ndarray | None = field(default=None)
    """(V, 3) linear, multiplied onto the base colour; None is white."""


def joined(*shapes: Shape) -> Shape:
    """All polygons in one shape (colours are dropped)."""
    faces: list[list[int]] = []
    offset = 0
    for shape in shapes:
        faces += [[index + offset for index in face] for face in shape.faces]
        offset += len(shape.points)
    points = np.concatenate([shape.points for shape in shapes])
    return Shape(points, faces, np.concatenate([shape.uvs for shape in shapes]))


def moved(
    shape: Shape, offset: tuple[float, float, float], turn: float = 0.0, scale: float = 1.0
) -> Shape:
    """Scaled, turned about Z by `turn` radians, then moved."""
    c, s = np.cos(turn), np.sin(turn)
    rotation = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    points = shape.points * scale @ rotation.T + np.asarray(offset)
    return Shape(points, shape.faces, shape.uvs, shape.colors)


def height_at(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Height of the ground in metres: flat in the court, with hills around it."""
    field_size = 256
    noise = fractal(field_size, (4, 4), 4, np.random.default_rng(5)) - 0.5
    u = (np.asarray(x) / 160.0 + 0.5) * field_size % field_size
    v = (np.asarray(y) / 160.0 + 0.5) * field_size % field_size
    u0, v0 = u.astype(int), v.astype(int)
    fu, fv = u - u0, v - v0
    u1, v1 = (u0 + 1) % field_size, (v0 + 1) % field_size
    low = noise[v0, u0] * (1 - fu) + noise[v0, u1] * fu
    high = noise[v1, u0] * (1 - fu) + noise[v1, u1] * fu
    hills = low * (1 - fv) + high * fv
    distance = np.hypot(x, y)
    away = np.clip((distance - 9.0) / 26.0, 0, 1)
    rim = np.clip((distance - 26.0) / 44.0, 0, 1) ** 2
    # The evening sun comes in over the west, where the ground stays low.
    sunless = np.clip(0.55 + np.asarray(x) / 75.0 + np.asarray(y) / 150.0, 0.0, 1.4)
    return away**1.5 * (hills * 9.0 + 0.5) + rim * (13.0 * sunless - 2.5)


def terrain(extent: float, count: int, texture_metres: float) -> Shape:
    """The ground as a grid of `count` squares a side, denser in the middle."""
    t = np.linspace(-1, 1, count + 1)
    line = extent / 2 * (0.42 * t + 0.58 * t**3)
    x, y = np.meshgrid(line, line)
    points = np.stack([x, y, height_at(x, y)], axis=-1)
    uv = points[..., :2] / texture_metres
    noise = fractal(256, (5, 5), 3, np.random.default_rng(9))
    texel = ((points[..., :2] / 90.0) % 1.0 * 256).astype(int)
    dry = noise[texel[..., 1], texel[..., 0]][..., None]
    colors = np.array([0.62, 0.78, 0.55]) * (1 - dry) + np.array([1.15, 0.98, 0.72]) * dry
    shape = sheet(points, uv)
    return Shape(shape.points, shape.faces, shape.uvs, np.clip(colors, 0, 1).reshape(-1, 3))


def sheet(points: np.ndarray, uv: np.ndarray, *, closed: bool = False) -> Shape:
    """Quads over a (rows, columns, 3) array of points; `closed` joins the last column to the first.

    `uv` is (rows, columns, 2), or one column more when closed.
    """
    rows, columns = points.shape[:2]
    last = columns if closed else columns - 1
    r, c = np.meshgrid(np.arange(rows - 1), np.arange(last), indexing="ij")
    r, c = r.ravel(), c.ravel()
    ring = (c + 1) % columns
    quads = np.stack(
        [r * columns + c, r * columns + ring, (r + 1) * columns + ring, (r + 1) * columns + c], 1
    )
    corners = np.stack([uv[r, c], uv[r, c + 1], uv[r + 1, c + 1], uv[r + 1, c]], axis=1)
    return Shape(points.reshape(-1, 3), quads.tolist(), corners.reshape(-1, 2))


def turned(
    profile: list[tuple[float, float]],
    segments: int,
    texture_metres: float = 1.2,
    flutes: tuple[int, slice] = (0, slice(0)),
) -> Shape:
    """A profile of (radius, height) points, from bottom to top, turned about Z.

    `flutes` is how many hollows run up the turned body, and along which points of the profile.
    """
    radius, height = np.array(profile, float).T
    turn = np.arange(segments) / segments * 2 * np.pi
    girth = np.repeat(radius[:, None], segments, axis=1)
    if flutes[0]:
        girth[flutes[1]] *= 1.0 - 0.11 * np.abs(np.cos(turn * flutes[0] / 2))
    points = np.stack(
        [
            girth * np.cos(turn),
            girth * np.sin(turn),
            np.broadcast_to(height[:, None], (len(profile), segments)),
        ],
        axis=-1,
    )
    step = np.hypot(np.diff(radius, prepend=radius[0]), np.diff(height, prepend=height[0]))
    around = np.arange(segments + 1) / segments
    width = max(1.0, round(2 * np.pi * float(radius.max()) / texture_metres))
    uv = np.stack(
        np.broadcast_arrays(around[None] * width, (step.cumsum() / texture_metres)[:, None]), -1
    )
    return sheet(points, uv, closed=True)


def disc(radius: float, height: float, rings: int, segments: int, texture_metres: float) -> Shape:
    """A paved round: the top, and a rim of `height` below it; UVs are laid from above."""
    steps = [radius * (ring + 0.001) / rings for ring in range(rings + 1)]
    profile = [(radius + 0.02, -height), *[(step, 0.0) for step in reversed(steps)]]
    shape = turned(profile, segments)
    corners = np.concatenate([shape.points[face] for face in shape.faces])
    rim = corners[:, 2] < -1e-6
    uv = corners[:, :2] / texture_metres
    uv[rim] *= 1 + height / radius
    return Shape(shape.points, shape.faces, uv)


def box(size: tuple[float, float, float], texture_metres: float = 1.2) -> Shape:
    """A block that stands on Z = 0, with UVs in metres on every side."""
    x, y, z = np.asarray(size) / 2
    corner = np.array([[-x, -y, 0], [x, -y, 0], [x, y, 0], [-x, y, 0]])
    points = np.concatenate([corner, corner + np.array([0, 0, 2 * z])])
    faces = [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]]
    flat = [(0, 1), (0, 1), (0, 2), (1, 2), (0, 2), (1, 2)]
    uvs = [points[face][:, axes] for face, axes in zip(faces, flat, strict=True)]
    return Shape(points, faces, np.concatenate(uvs) / texture_metres)


def arch(inner: float, outer: float, depth: float, legs: float, segments: int) -> Shape:
    """A round gate in the XZ plane: two legs of that height and a half circle above them."""
    turn = np.linspace(0, np.pi, segments)
    path = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    ends = np.array([[1.0, 0.0], [-1.0, 0.0]])
    rings = []
    for radius, y in [(inner, -1), (outer, -1), (outer, 1), (inner, 1), (inner, -1)]:
        outline = np.concatenate([ends[:1] * radius, path * radius + [0, legs], ends[1:] * radius])
        rings.append(np.insert(outline, 1, y * depth / 2, axis=1))
    points = np.stack(rings)
    along = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(points[1][:, [0, 2]], axis=0).T))])
    across = np.cumsum([0, outer - inner, depth, outer - inner, depth])
    uv = np.stack(np.broadcast_arrays(across[:, None], along[None, :]), axis=-1) / 1.2
    return sheet(points[:, ::-1], uv[:, ::-1])


def cards(
    centres: np.ndarray, turns: np.ndarray, tilts: np.ndarray, sizes: np.ndarray, *, rooted: bool
) -> Shape:
    """(N,) square pictures, upright at tilt 0; `rooted` ones stand on their centre."""
    c, s = np.cos(turns), np.sin(turns)
    right = np.stack([c, s, np.zeros_like(c)], axis=1)
    back = np.stack([-s, c, np.zeros_like(c)], axis=1)
    up = back * np.sin(tilts)[:, None] + np.array([0, 0, 1]) * np.cos(tilts)[:, None]
    right, up = right * sizes[:, None], up * sizes[:, None]
    low = 0.0 if rooted else -0.5
    corners = [(-0.5, low), (0.5, low), (0.5, low + 1), (-0.5, low + 1)]
    points = np.stack([centres + u * right + v * up for u, v in corners], axis=1)
    faces = np.arange(4 * len(centres)).reshape(-1, 4)
    uv = np.tile(np.array([[0, 0], [1, 0], [1, 1], [0, 1]], float), (len(centres), 1))
    return Shape(points.reshape(-1, 3), faces.tolist(), uv)


def boulder(seed: int, turns: int = 14, rings: int = 9) -> Shape:
    """A weathered rock about a metre across, standing a little in the ground."""
    rng = np.random.default_rng(seed)
    noise = fractal(64, (4, 4), 3, rng)
    lat = np.linspace(-0.497, 0.497, rings) * np.pi
    lon = np.arange(turns) / turns * 2 * np.pi
    rows = ((lat / np.pi + 0.5) * 63).astype(int)
    columns = (lon / (2 * np.pi) * 64).astype(int)
    radius = 0.34 + 0.38 * noise[rows][:, columns]
    squash = 0.62 + 0.25 * rng.random()
    points = np.stack(
        [
            radius * np.cos(lat)[:, None] * np.cos(lon),
            radius * np.cos(lat)[:, None] * np.sin(lon),
            radius * np.broadcast_to(np.sin(lat)[:, None], radius.shape) * squash + 0.12,
        ],
        axis=-1,
    )
    uv = np.stack(
        np.broadcast_arrays(
            np.linspace(0, 3, turns + 1)[None], np.linspace(0, 1.5, rings)[:, None]
        ),
        -1,
    )
    return sheet(points, uv, closed=True)


def crystals(seed: int, count: int) -> Shape:
    """Six-sided crystals that lean outwards from one root."""
    rng = np.random.default_rng(seed)
    grown = []
    for index in range(count):
        tall = (1.0 if index == 0 else 0.35 + 0.45 * rng.random()) * 1.15
        thick = 0.10 + 0.06 * tall
        prism = turned([(0.0, -0.1), (thick, -0.1), (thick, tall * 0.8), (0.001, tall)], 6)
        lean = 0.0 if index == 0 else 0.25 + 0.45 * rng.random()
        turn = index * 2.399963 + rng.random() * 0.5
        c, s = np.cos(lean), np.sin(lean)
        tilt = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
        leaning = Shape(prism.points @ tilt.T, prism.faces, prism.uvs)
        grown.append(moved(leaning, (0.08 * np.cos(turn), 0.08 * np.sin(turn), 0.0), turn))
    return joined(*grown)


def crown(seed: int, count: int) -> Shape:
    """The leaves of a tree, about its crown's centre; pictures of twigs in a round heap."""
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=(count, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    reach = 0.35 + 0.65 * np.cbrt(rng.random(count))
    centres = direction * reach[:, None] * np.array([1.55, 1.55, 1.25])
    turns, tilts = rng.random(count) * 2 * np.pi, rng.normal(0, 0.6, count)
    return cards(centres, turns, tilts, 0.85 + 0.5 * rng.random(count), rooted=False)


def meadow_tuft(seed: int, count: int) -> Shape:
    """A handful of grass pictures around a point."""
    rng = np.random.default_rng(seed)
    turn = rng.random(count) * 2 * np.pi
    centres = np.stack([np.cos(turn), np.sin(turn), np.full(count, -0.07)], axis=1)
    centres[:, :2] *= 0.55 * np.sqrt(rng.random(count))[:, None]
    sizes = 0.42 + 0.30 * rng.random(count)
    return cards(centres, rng.random(count) * np.pi, rng.normal(0, 0.15, count), sizes, rooted=True)
