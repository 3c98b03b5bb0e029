"""The blurred map of the light from everywhere: what surfaces of each roughness get of a panorama.

A strip of octahedral squares: one for each roughness (see ENVIRONMENT_LEVELS), then one of the
light that a diffuse surface gets. All blurs are round lobes and are exact (see sphere_filter).
"""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np

from .interface import ENVIRONMENT_LEVELS
from .octahedral import square_directions
from .panorama import corners
from .sphere_filter import analyse, blurred, lobe_factors

_LOBE_POINTS = 8192
"""Cosines at which a lobe is integrated; half of them lie in its middle, however narrow it is."""
_ROWS = 8.0
"""Rows of a blurred panorama times its alpha, which makes some eight across the width of a lobe."""
_LEAST_ROWS = 128


def prefiltered_map(panorama: np.ndarray, side: int, degree: int) -> np.ndarray:
    """Return the strip (side, (ENVIRONMENT_LEVELS + 1) * side, 3) float32 of a panorama.

    `panorama` is (rows, 2 rows, 3), `side` the texels of a square, `degree` that of the harmonics
    with which it is blurred, less than `rows`. The first row of the strip is at v = 0.
    """
    rows = len(panorama)
    harmonics = analyse(panorama, degree)
    squares = [_square(panorama, side)]
    for level in range(1, ENVIRONMENT_LEVELS):
        alpha = (level / (ENVIRONMENT_LEVELS - 1)) ** 2
        wanted = min(max(_LEAST_ROWS, 2 ** int(np.ceil(np.log2(_ROWS / alpha)))), rows)
        squares.append(_square(blurred(harmonics, _specular_factors(level, degree), wanted), side))
    squares.append(_square(blurred(harmonics, _diffuse_factors(degree), _LEAST_ROWS), side))
    return np.maximum(np.concatenate(squares, axis=1), 0)


def _square(panorama: np.ndarray, side: int) -> np.ndarray:
    """Return a panorama laid on a square (side, side, 3)."""
    index, weight = _square_corners(len(panorama), panorama.shape[1], side)
    flat = np.ascontiguousarray(panorama.reshape(-1, 3))
    out = flat[index[0]] * weight[0][..., None]
    for where, share in zip(index[1:], weight[1:], strict=True):
        out += flat[where] * share[..., None]
    return out


@lru_cache(maxsize=12)
def _square_corners(rows: int, columns: int, side: int) -> tuple[np.ndarray, np.ndarray]:
    index, weight = corners(rows, columns, square_directions(side))
    return index.astype(np.int32), weight


@cache
def round_lobe_lengths() -> np.ndarray:
    """Return how long the mean direction of each level's lobe is, (ENVIRONMENT_LEVELS,)."""
    blurs = [_specular_factors(level, 1)[1] for level in range(1, ENVIRONMENT_LEVELS)]
    return np.array([1.0, *blurs])


@lru_cache(maxsize=64)
def _specular_factors(level: int, degree: int) -> np.ndarray:
    """Return the factors of a level's lobe: what a GGX surface seen straight on reflects.

    Walter et al. 2007 and Heitz 2014: with normal and view in one, the light from an angle t counts
    as D(t / 2) G1(t).
    """
    alpha2 = (level / (ENVIRONMENT_LEVELS - 1)) ** 4
    cosine, weight = _cosines(np.sqrt(alpha2))
    distribution = alpha2 / (0.5 * (1 + cosine) * (alpha2 - 1) + 1) ** 2
    masking = 2 * cosine / (cosine + np.sqrt(alpha2 + (1 - alpha2) * cosine**2))
    return lobe_factors(distribution * masking, cosine, weight, degree)


@lru_cache(maxsize=4)
def _diffuse_factors(degree: int) -> np.ndarray:
    """Return the factors of the cosine over a hemisphere."""
    cosine, weight = _cosines(1.0)
    return lobe_factors(cosine, cosine, weight, degree)


def _cosines(alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """Return cosines 0..1 and their weights, denser towards 1 where a lobe of `alpha` is narrow.

    1 - cosine is a t / (1 + a - t) over t in 0..1, so half of the points lie where it is below a.
    """
    t = (np.arange(_LOBE_POINTS) + 0.5) / _LOBE_POINTS
    a = 2 * alpha * alpha
    return 1 - a * t / (1 + a - t), a * (1 + a) / (1 + a - t) ** 2 / _LOBE_POINTS
