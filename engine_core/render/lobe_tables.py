"""Tables of the specular lobe that shaders read: its albedo, and its shape for area lights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from .brdf import LEAST_ALPHA
from .environment_map import round_lobe_lengths
from .shader_constants import SHADER_FOLDER

DFG_SIZE = 32
"""Texels a side of each table."""
_AREA_LOBES = SHADER_FOLDER / "mesh" / "area_lobes.npy"
_SKY_LOBES = SHADER_FOLDER / "mesh" / "sky_lobes.npy"


@cache
def lobe_tables() -> np.ndarray:
    """Return the texture `dfg_map`, (3 * DFG_SIZE, DFG_SIZE, 4) float32, first row at v = 0.

    First comes `dfg_table` (in r and g). Then the area lights' table, rows by roughness and columns
    by sqrt(1 - n·v): the elements 00, 02, 20 and 22 of the matrix that turns the lobe into a cosine
    (made by scripts/fit_area_lights.py). Then how the lobe looks at the blurred environment, rows
    and columns as in `dfg_table`: the normal's share in its direction, its roughness, and its share
    in a mixture with the light on a diffuse surface (made by scripts/fit_sky_lobes.py).
    """
    dfg = np.zeros((DFG_SIZE, DFG_SIZE, 4), np.float32)
    dfg[..., :2] = dfg_table()
    sky = np.zeros((DFG_SIZE, DFG_SIZE, 4), np.float32)
    sky[..., :3] = np.load(_SKY_LOBES)
    tables = np.concatenate([dfg, np.load(_AREA_LOBES), sky])
    tables.setflags(write=False)
    return tables


def sample_dfg(n_dot_v: np.ndarray, roughness: np.ndarray) -> np.ndarray:
    """Return the albedo terms (..., 2) at `n_dot_v`, `roughness` (...), filtered as shaders do."""
    table = dfg_table()
    x, y = n_dot_v * (DFG_SIZE - 1), roughness * (DFG_SIZE - 1)
    column = np.clip(x.astype(np.intp), 0, DFG_SIZE - 2)
    row = np.clip(y.astype(np.intp), 0, DFG_SIZE - 2)
    u, v = (x - column)[..., None], (y - row)[..., None]
    lower = table[row, column] * (1 - u) + table[row, column + 1] * u
    upper = table[row + 1, column] * (1 - u) + table[row + 1, column + 1] * u
    return lower * (1 - v) + upper * v


@cache
def dfg_table(size: int = DFG_SIZE, samples: int = 1024) -> np.ndarray:
    """Return the split-sum table (size, size, 2) float32 (Karis 2013).

    Row i is roughness i / (size - 1), column j is n·v = j / (size - 1), so that the outermost
    texels' centres are the ends of the range. The specular albedo under a uniform white sky is
    f0 * table[..., 0] + f90 * table[..., 1].
    """
    lobe = _lobe_samples(size, samples)
    fresnel = (1 - lobe.v_dot_h) ** 5
    terms = [(lobe.weight * (1 - fresnel)).mean(-1), (lobe.weight * fresnel).mean(-1)]
    table = np.stack(terms, axis=-1).astype(np.float32)
    table.setflags(write=False)
    return table


@cache
def round_lobe_fit(size: int = DFG_SIZE, samples: int = 4096) -> np.ndarray:
    """Return the round lobe with the mean direction of each real one, (size, size, 2) float32.

    Rows and columns as in `dfg_table`. A real lobe leans from the mirrored view to the normal. The
    first number is the normal's share in a mixture of both with the direction of the lobe's mean,
    the second the roughness of the round lobe whose mean is as long. scripts/fit_sky_lobes.py
    begins there.
    """
    lobe = _lobe_samples(size, samples)
    total = lobe.weight.sum(-1)
    along = (lobe.weight * lobe.light_x).sum(-1) / total
    up = (lobe.weight * lobe.light_z).sum(-1) / total
    mirrored = np.arccos(lobe.n_dot_v)
    mean = np.arctan2(-along, up)
    apart = np.sin(mirrored - mean)
    lean = apart / np.maximum(np.sin(mean) + apart, 1e-6)
    lean[:, -1] = lean[:, -2]  # seen straight on, both directions are one
    lengths = round_lobe_lengths()
    levels = np.linspace(0, 1, len(lengths))
    roughness = np.interp(-np.hypot(along, up), -lengths, levels)
    table = np.stack([np.clip(lean, 0, 1), roughness], axis=-1).astype(np.float32)
    table.setflags(write=False)
    return table


@dataclass(frozen=True, eq=False)
class _LobeSamples:
    """Light directions that a lobe reflects to the view, evenly many to equal shares of normals.

    n_dot_v: (1, size). The others (size, size, samples) by roughness and n·v, but for `light_x` and
    `light_z`, the light along the surface (towards the viewer) and the normal, as `weight` G2 / G1.
    """

    n_dot_v: np.ndarray
    light_x: np.ndarray
    light_z: np.ndarray
    v_dot_h: np.ndarray
    weight: np.ndarray


def _lobe_samples(size: int, samples: int) -> _LobeSamples:
    """Sample visible normals (Heitz 2018, "Sampling the GGX Distribution of Visible Normals")."""
    roughness = np.linspace(0, 1, size)[:, None, None]
    alpha = np.maximum(roughness * roughness, LEAST_ALPHA)
    n_dot_v = np.maximum(np.linspace(0, 1, size), 1e-3)[None, :, None]
    u, v = _hammersley(samples)
    view = np.sqrt(1 - n_dot_v * n_dot_v)
    # The view direction in the space where the distribution is a hemisphere, y = 0.
    length = np.sqrt((alpha * view) ** 2 + n_dot_v**2)
    vx, vz = alpha * view / length, n_dot_v / length
    # A point of the projected half disc, in the basis (t1 = y, t2 = v x t1).
    radius, phi = np.sqrt(u), 2 * np.pi * v
    t1 = radius * np.cos(phi)
    t2 = radius * np.sin(phi)
    s = 0.5 * (1 + vz)
    t2 = (1 - s) * np.sqrt(np.maximum(1 - t1 * t1, 0)) + s * t2
    up = np.sqrt(np.maximum(1 - t1 * t1 - t2 * t2, 0))
    hx, hy, hz = alpha * (up * vx - t2 * vz), alpha * t1, up * vz + t2 * vx
    norm = np.sqrt(hx * hx + hy * hy + hz * hz)
    hx, hz = hx / norm, hz / norm
    v_dot_h = np.clip(view * hx + n_dot_v * hz, 0, 1)
    n_dot_l = 2 * v_dot_h * hz - n_dot_v
    lit = n_dot_l > 0
    n_dot_l = np.maximum(n_dot_l, 1e-6)
    root_v = np.sqrt(alpha**2 + (1 - alpha**2) * n_dot_v**2)
    root_l = np.sqrt(alpha**2 + (1 - alpha**2) * n_dot_l**2)
    # G2 / G1(v) of the correlated Smith term.
    weight = lit * n_dot_l * (n_dot_v + root_v) / (n_dot_v * root_l + n_dot_l * root_v)
    return _LobeSamples(n_dot_v[..., 0], 2 * v_dot_h * hx - view, n_dot_l, v_dot_h, weight)


def _hammersley(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return `count` evenly spread points of the unit square as two (count,) arrays."""
    index = np.arange(count, dtype=np.uint32)
    bits = np.zeros(count)
    rest, weight = index.copy(), 0.5
    while np.any(rest):
        bits += (rest & 1) * weight
        rest >>= 1
        weight /= 2
    return (index + 0.5) / count, bits
