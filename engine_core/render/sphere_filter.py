"""Blurs a picture of the whole sphere by lobes that are round, exactly, in spherical harmonics.

Blurring with a round lobe multiplies each degree of the harmonics by one number (Funk and Hecke),
so every blur of a picture costs one sum over its coefficients, however wide the lobe and however
bright and small a sun in the picture. Nothing is drawn at random and nothing is clamped.

Pictures are equirectangular: rows of equal height from +Y (top) to -Y, columns around Y.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

CUT_OFF = 2e-5
"""Degrees whose factor is smaller than this are left out of a blur."""


@dataclass(frozen=True, eq=False)
class Harmonics:
    """Coefficients of a picture up to `degree`; `even` and `odd` by the parity of degree - order.

    Both (degree + 1, half, 6) float32: by order, degree, and real then imaginary parts of r, g, b.
    """

    degree: int
    even: np.ndarray
    odd: np.ndarray


def analyse(picture: np.ndarray, degree: int) -> Harmonics:
    """Return the harmonics of a picture (rows, columns, 3), each pixel an even patch of light.

    `rows` is even, `degree` less than half the columns.
    """
    rows, columns = picture.shape[:2]
    around = np.fft.rfft(picture, axis=1)[:, : degree + 1] * (2 * np.pi / columns)
    around *= _row_heights(rows)[:, None, None] * np.conj(_half_column(columns, degree))
    parts = np.concatenate([around.real, around.imag], axis=2).transpose(1, 0, 2)
    upper, lower = parts[:, : rows // 2], parts[:, rows // 2 :][:, ::-1]
    even, odd = _legendre(rows, degree)
    return Harmonics(
        degree,
        np.matmul(even, (upper + lower).astype(np.float32)),
        np.matmul(odd, (upper - lower).astype(np.float32)),
    )


def blurred(harmonics: Harmonics, factors: np.ndarray, rows: int) -> np.ndarray:
    """Return the picture (rows, 2 rows, 3) float32 of `harmonics`, each degree times its factor.

    `factors` (degree + 1,) are those of `lobe_factors`; `rows` is even.
    """
    used = np.flatnonzero(np.abs(factors) > CUT_OFF)
    degree = min(int(used[-1]) if len(used) else 0, harmonics.degree, rows - 1)
    even, odd = _legendre(rows, degree)
    orders, half = np.arange(degree + 1)[:, None], np.arange(even.shape[1])[None, :]
    padded = np.zeros(2 * (degree + even.shape[1]) + 2)
    padded[: degree + 1] = factors[: degree + 1]
    sides = []
    for table, coefficients, first in ((even, harmonics.even, 0), (odd, harmonics.odd, 1)):
        weight = padded[orders + 2 * half + first].astype(np.float32)
        kept = coefficients[: degree + 1, : table.shape[1]] * weight[..., None]
        sides.append(np.matmul(table.transpose(0, 2, 1), kept))
    around = np.concatenate([sides[0] + sides[1], (sides[0] - sides[1])[:, ::-1]], axis=1)
    spectrum = (around[..., :3] + 1j * around[..., 3:]).transpose(1, 0, 2)
    spectrum *= _half_column(2 * rows, degree) * (2 * rows)
    return np.fft.irfft(spectrum, n=2 * rows, axis=1).astype(np.float32)


def lobe_factors(
    lobe: np.ndarray, cosines: np.ndarray, weights: np.ndarray, degree: int
) -> np.ndarray:
    """Return the factor of each degree 0..`degree` for a round lobe, (degree + 1,) float64.

    `lobe` are its values at `cosines` of the angle to its middle, `weights` those of the integral
    over the cosine. It is scaled to a sum of 1, so the factor of degree 0 is 1.
    """
    measure = lobe * weights
    measure = measure / measure.sum()
    before, now = np.ones_like(cosines), cosines
    factors = [1.0]
    for n in range(1, degree + 1):
        factors.append(float(measure @ now))
        before, now = now, ((2 * n + 1) * cosines * now - n * before) / (n + 1)
    return np.array(factors)


def _half_column(columns: int, degree: int) -> np.ndarray:
    """Return what half a column around does to each order, (degree + 1, 1): pixels have middles."""
    return np.exp(1j * np.pi / columns * np.arange(degree + 1))[:, None]


@cache
def _row_heights(rows: int) -> np.ndarray:
    """Return how much of the height -1..1 each row counts for, (rows,), 2 in all.

    Fejer's first rule, which integrates what is smooth exactly; a row's area would not.
    """
    theta = (np.arange(rows) + 0.5) / rows * np.pi
    k = np.arange(1, rows // 2 + 1)
    return 2 / rows * (1 - 2 * (np.cos(2 * np.outer(theta, k)) / (4.0 * k * k - 1)).sum(axis=1))


@lru_cache(maxsize=8)
def _legendre(rows: int, degree: int) -> tuple[np.ndarray, np.ndarray]:
    """Return orthonormal associated Legendre functions at the middles of the upper rows.

    Two arrays (degree + 1, half, rows / 2) float32, by order m and then degree: m, m + 2, ... in
    the first, m + 1, m + 3, ... in the second; 0 beyond `degree`. The lower rows are the same
    values, mirrored, with the sign of the parity.
    """
    theta = (np.arange(rows // 2) + 0.5) / rows * np.pi
    cos, sin = np.cos(theta), np.sin(theta)
    half = degree // 2 + 1
    tables = np.zeros((2, degree + 1, half, rows // 2), np.float32)
    m = np.arange(degree + 1)[:, None]
    previous = np.zeros((degree + 1, rows // 2))
    current = np.zeros_like(previous)
    sector = np.full(rows // 2, np.sqrt(0.25 / np.pi))
    for n in range(degree + 1):
        if n:
            # The recurrence of normalised functions (Holmes and Featherstone 2002, equation 11).
            below = m[:n].astype(np.float64)
            a = np.sqrt((4.0 * n * n - 1) / (n * n - below**2))
            b = np.sqrt(((n - 1.0) ** 2 - below**2).clip(0) / max(4.0 * (n - 1) ** 2 - 1, 1.0))
            new = a * (cos * current[:n] - b * previous[:n])
            previous[:n], current[:n] = current[:n], new
            sector = sector * sin * np.sqrt((2 * n + 1) / (2 * n))
        current[n] = sector
        order = np.arange(n + 1)
        tables[(n - order) % 2, order, (n - order) // 2] = current[: n + 1]
    return tables[0], tables[1]
