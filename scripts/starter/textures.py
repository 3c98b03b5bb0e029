"""Pictures of the starter level, made from numbers: ground, stone, bark, leaves and grass.

Every function returns rows from top to bottom, (H, W, 3 or 4) float32 in 0..1, ready to be written
as they are (colours already in sRGB). All but the cut-outs repeat without a seam.
"""

from __future__ import annotations

import numpy as np

Picture = np.ndarray


def _smooth(t: np.ndarray) -> np.ndarray:
    return t * t * t * (t * (t * 6.0 - 15.0) + 10.0)


def tile_noise(size: int, cells: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """(size, size) float64 in 0..1: value noise on a grid of (rows, columns), without a seam."""
    lattice = rng.random(cells)
    rows = np.arange(size) / size * cells[0]
    columns = np.arange(size) / size * cells[1]
    r0, c0 = rows.astype(int), columns.astype(int)
    fr, fc = _smooth(rows - r0)[:, None], _smooth(columns - c0)[None, :]
    r1, c1 = (r0 + 1) % cells[0], (c0 + 1) % cells[1]
    top = lattice[r0][:, c0] * (1 - fc) + lattice[r0][:, c1] * fc
    bottom = lattice[r1][:, c0] * (1 - fc) + lattice[r1][:, c1] * fc
    return top * (1 - fr) + bottom * fr


def fractal(
    size: int, cells: tuple[int, int], octaves: int, rng: np.random.Generator
) -> np.ndarray:
    """(size, size) in 0..1: octaves of `tile_noise`, each twice as fine and half as strong."""
    total, weight = np.zeros((size, size)), 0.0
    for octave in range(octaves):
        scale = 0.5**octave
        total += scale * tile_noise(size, (cells[0] << octave, cells[1] << octave), rng)
        weight += scale
    return total / weight


def normal_map(height: np.ndarray, depth: float) -> Picture:
    """Tangent-space normals (+Y up) of a repeating height field; `depth` is its range in pixels."""
    right = (np.roll(height, -1, axis=1) - np.roll(height, 1, axis=1)) * 0.5 * depth
    down = (np.roll(height, -1, axis=0) - np.roll(height, 1, axis=0)) * 0.5 * depth
    normal = np.stack([-right, down, np.ones_like(height)], axis=-1)
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
    return (normal * 0.5 + 0.5).astype(np.float32)


def _mix(dark: tuple[float, ...], bright: tuple[float, ...], factor: np.ndarray) -> np.ndarray:
    return np.asarray(dark) * (1 - factor[..., None]) + np.asarray(bright) * factor[..., None]


def meadow(size: int) -> tuple[Picture, Picture]:
    """Short grass and earth: (colour, normal)."""
    rng = np.random.default_rng(11)
    blades = fractal(size, (24, 40), 3, rng)
    patches = fractal(size, (3, 3), 3, rng)
    shade = np.clip((blades - 0.5) * 1.5 + 0.5, 0, 1)
    grass = _mix((0.20, 0.27, 0.10), (0.50, 0.55, 0.24), shade)
    earth = _mix((0.27, 0.21, 0.14), (0.44, 0.36, 0.24), shade)
    bare = np.clip((patches - 0.60) * 7.0, 0, 1)
    color = grass * (1 - bare[..., None]) + earth * bare[..., None]
    return color.astype(np.float32), normal_map(0.7 * blades + 0.3 * patches, 9.0)


def _courses(size: int, rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Stones in courses, every second one shifted by half: (stone index, distance to its joint)."""
    y = np.arange(size)[:, None] / size * rows
    row = np.floor(y).astype(int)
    x = np.arange(size)[None, :] / size * columns + 0.5 * (row % 2)
    column = np.floor(x).astype(int) % columns
    across = 0.5 - np.abs(x - np.floor(x) - 0.5)
    along = 0.5 - np.abs(y - np.floor(y) - 0.5)
    edge = np.minimum(across / columns, np.broadcast_to(along, across.shape) / rows) * rows
    return row * columns + column, edge


def stone(size: int) -> tuple[Picture, Picture, Picture]:
    """Worn paving of pale limestone: (colour, normal, roughness in green and metallic in blue)."""
    rng = np.random.default_rng(23)
    index, edge = _courses(size, 4, 4)
    grain, wear = fractal(size, (16, 16), 4, rng), fractal(size, (5, 5), 3, rng)
    edge = edge + (fractal(size, (10, 10), 3, rng) - 0.5) * 0.10
    block = np.clip((edge - 0.035) / 0.06, 0, 1)
    tint = rng.random(16)[index]
    light = np.clip(0.30 * tint + 0.45 * grain + 0.25 * wear, 0, 1)
    face = _mix((0.50, 0.45, 0.38), (0.80, 0.75, 0.66), light)
    moss = np.clip((wear - 0.62) * 5.0, 0, 1)[..., None] * 0.55
    face = face * (1 - moss) + np.asarray((0.36, 0.40, 0.22)) * moss
    joint = _mix((0.30, 0.28, 0.21), (0.44, 0.41, 0.32), grain)
    color = joint * (1 - block[..., None]) + face * block[..., None]
    height = 0.75 * _smooth(block) + 0.10 * tint + 0.22 * grain
    rough = 0.95 - 0.30 * block * (0.4 + 0.6 * tint) + 0.10 * (grain - 0.5)
    packed = np.stack([np.ones_like(rough), np.clip(rough, 0, 1), np.zeros_like(rough)], axis=-1)
    return color.astype(np.float32), normal_map(height, 7.0), packed.astype(np.float32)


def limestone(size: int) -> tuple[Picture, Picture]:
    """One piece of hewn limestone, stained where rain runs down it: (colour, normal)."""
    rng = np.random.default_rng(29)
    grain, stains = fractal(size, (20, 20), 3, rng), fractal(size, (3, 9), 4, rng)
    chisel = fractal(size, (40, 8), 2, rng)
    color = _mix((0.56, 0.51, 0.43), (0.84, 0.80, 0.71), np.clip(0.5 * grain + 0.5 * stains, 0, 1))
    dark = np.clip((stains - 0.60) * 4.0, 0, 1)[..., None] * 0.5
    color = color * (1 - dark) + np.asarray((0.33, 0.33, 0.25)) * dark
    return color.astype(np.float32), normal_map(0.6 * grain + 0.4 * chisel, 5.0)


def veil(size: int) -> Picture:
    """Light behind a gate: threads that rise, brightest in the middle, deep blue at the rim."""
    rng = np.random.default_rng(83)
    threads = 1.0 - np.abs(fractal(size, (2, 9), 4, rng) - 0.5) * 5.0
    clouds = fractal(size, (3, 3), 3, rng)
    v, u = np.meshgrid(np.linspace(-1, 1, size), np.linspace(-1, 1, size), indexing="ij")
    glow = np.exp(-1.6 * (u**2 + 0.6 * (v - 0.15) ** 2))
    light = np.clip(glow * (0.45 + 0.35 * clouds + 0.45 * np.clip(threads, 0, 1)), 0, 1)
    low = _mix((0.02, 0.05, 0.20), (0.10, 0.52, 0.86), np.clip(light * 1.6, 0, 1))
    high = np.clip((light - 0.6) * 2.5, 0, 1)[..., None]
    return (low * (1 - high) + np.asarray((0.75, 0.97, 1.0)) * high).astype(np.float32)


def bark(size: int) -> tuple[Picture, Picture]:
    """Bark that runs along v: (colour, normal)."""
    rng = np.random.default_rng(37)
    ridges = fractal(size, (3, 20), 3, rng)
    ridges = np.abs(ridges - 0.5) * 2.0
    color = _mix((0.20, 0.15, 0.11), (0.46, 0.37, 0.28), np.clip(ridges * 1.5, 0, 1))
    return color.astype(np.float32), normal_map(ridges, 10.0)


def _ellipses(
    size: int, centre: np.ndarray, angle: np.ndarray, length: np.ndarray, slim: float
) -> np.ndarray:
    """(N, size, size): how far inside each pointed leaf a pixel lies; negative is outside."""
    grid = (np.arange(size) + 0.5) / size
    x = grid[None, None, :] - centre[:, 0, None, None]
    y = grid[None, :, None] - centre[:, 1, None, None]
    c, s = np.cos(angle)[:, None, None], np.sin(angle)[:, None, None]
    along = (x * c + y * s) / length[:, None, None]
    across = (y * c - x * s) / length[:, None, None]
    # Width of a leaf over its length: round at the stem, pointed at the tip.
    width = slim * np.sqrt(np.clip(1 - along**2, 0, 1)) * (1 - 0.45 * along)
    return np.where(np.abs(along) < 1, width - np.abs(across), -1.0)


def _painted(size: int, leaves: np.ndarray, tints: np.ndarray, soft: float) -> Picture:
    """Leaves laid over one another, later ones on top, on a ground of their mean colour."""
    color = np.broadcast_to(tints.mean(axis=0), (size, size, 3)).copy()
    alpha = np.zeros((size, size))
    for inside, tint in zip(leaves, tints, strict=True):
        cover = np.clip(inside / soft + 0.5, 0, 1)
        vein = 0.80 + 0.45 * np.clip(inside / max(inside.max(), 1e-6), 0, 1)
        color += (tint * vein[..., None] - color) * cover[..., None]
        alpha = np.maximum(alpha, cover)
    return np.dstack([np.clip(color, 0, 1), alpha]).astype(np.float32)


def foliage(size: int) -> Picture:
    """A twig full of leaves, RGBA; alpha is the cut-out."""
    rng = np.random.default_rng(53)
    count = 64
    turn = rng.random(count) * 2 * np.pi
    reach = 0.36 * np.sqrt(rng.random(count))
    centre = 0.5 + np.stack([np.cos(turn), np.sin(turn)], axis=1) * reach[:, None]
    angle = turn + rng.normal(0, 0.6, count)
    length = 0.055 + 0.045 * rng.random(count)
    fresh = rng.random(count)
    tints = _mix((0.20, 0.30, 0.10), (0.52, 0.58, 0.20), fresh)
    return _painted(size, _ellipses(size, centre, angle, length, 0.42), tints, 0.06)


def tuft(size: int) -> Picture:
    """Blades of grass that rise from the lower edge, RGBA; alpha is the cut-out."""
    rng = np.random.default_rng(71)
    count = 34
    lean = rng.normal(0, 0.30, count)
    tall = 0.28 + 0.18 * rng.random(count)
    foot = 0.15 + 0.70 * rng.random(count)
    centre = np.stack([foot + np.sin(lean) * tall, 1.0 - np.cos(lean) * tall], axis=1)
    tints = _mix((0.24, 0.32, 0.10), (0.66, 0.64, 0.30), rng.random(count))
    blades = _ellipses(size, centre, lean - np.pi / 2, tall, 0.045)
    return _painted(size, blades, tints, 0.012)
