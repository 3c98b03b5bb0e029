"""The reflection model in NumPy: the DFG table that shaders read, and a twin of `common/brdf.glsl`.

Everything is scaled by pi: a white diffuse surface returns 1 for a light of strength 1 overhead.
Cosines are those between unit vectors; arrays broadcast against each other.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from .shader_constants import SHADER_FOLDER

LEAST_ALPHA = 0.002
"""The smoothest lobe that is drawn, alpha = roughness^2; brdf.glsl has the same number."""
_AREA_LOBES = SHADER_FOLDER / "mesh" / "area_lobes.npy"
DFG_SIZE = 32
"""Texels a side of the DFG table."""


def distribution_ggx(
    n_dot_h: np.ndarray, alpha: np.ndarray | float, reach: np.ndarray | float = 0.0
) -> np.ndarray:
    """Return π times the GGX density of microfacet normals (Walter et al. 2007, eq. 33).

    With `reach` > 0 it is averaged over the disc of that radius, in slope, around the halfway
    vector; brdf.glsl says why this has a closed form.
    """
    a2, c2 = np.square(alpha), np.square(n_dot_h)
    r2, s2 = np.square(reach) * c2, np.maximum(1 - c2, 0)
    total = a2 * c2 + s2 + r2
    both = np.sqrt(np.maximum(total**2 - 4 * s2 * r2, 0))
    return 2 * a2 / np.maximum(both * (both + total - 2 * r2), 1e-14)


def visibility_smith_correlated(
    n_dot_l: np.ndarray, n_dot_v: np.ndarray, alpha: np.ndarray | float
) -> np.ndarray:
    """Return height-correlated Smith masking-shadowing over 4 n·l n·v (Heitz 2014, eq. 99)."""
    a2 = np.square(alpha)
    l_term = n_dot_v * np.sqrt(n_dot_l * n_dot_l * (1 - a2) + a2)
    v_term = n_dot_l * np.sqrt(n_dot_v * n_dot_v * (1 - a2) + a2)
    return 0.5 / np.maximum(l_term + v_term, 1e-7)


def visibility_smith_schlick(
    n_dot_l: np.ndarray, n_dot_v: np.ndarray, roughness: np.ndarray | float
) -> np.ndarray:
    """Return Schlick's Smith with k = (roughness + 1)^2 / 8 over 4 n·l n·v (Karis 2013)."""
    k = np.square(np.asarray(roughness) + 1) / 8
    return 0.25 / ((n_dot_l * (1 - k) + k) * (n_dot_v * (1 - k) + k))


def fresnel_schlick(
    v_dot_h: np.ndarray, f0: np.ndarray | float, f90: np.ndarray | float = 1.0
) -> np.ndarray:
    """Return the reflectance of a microfacet (Schlick 1994)."""
    return f0 + (np.asarray(f90) - f0) * np.clip(1 - v_dot_h, 0, 1) ** 5


@cache
def lobe_tables() -> np.ndarray:
    """Return the texture `dfg_map`, (2 * DFG_SIZE, DFG_SIZE, 4) float32, first row at v = 0.

    Its lower half is `dfg_table` (in r and g), its upper half the area lights' table, rows by
    roughness and columns by sqrt(1 - n·v): the elements 00, 02, 20 and 22 of the matrix that turns
    the lobe into a cosine (made by scripts/fit_area_lights.py).
    """
    dfg = np.zeros((DFG_SIZE, DFG_SIZE, 4), np.float32)
    dfg[..., :2] = dfg_table()
    tables = np.concatenate([dfg, np.load(_AREA_LOBES)])
    tables.setflags(write=False)
    return tables


@cache
def dfg_table(size: int = DFG_SIZE, samples: int = 1024) -> np.ndarray:
    """Return the split-sum table (size, size, 2) float32 (Karis 2013).

    Row i is roughness i / (size - 1), column j is n·v = j / (size - 1), so that the outermost
    texels' centres are the ends of the range. The specular albedo under a uniform white sky is
    f0 * table[..., 0] + f90 * table[..., 1]. Integrated over the visible normals (Heitz 2018,
    "Sampling the GGX Distribution of Visible Normals"), where the weight G2 / G1 is smooth.
    """
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
    fresnel = (1 - v_dot_h) ** 5
    table = np.stack([(weight * (1 - fresnel)).mean(-1), (weight * fresnel).mean(-1)], axis=-1)
    table = table.astype(np.float32)
    table.setflags(write=False)
    return table


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
