"""Fits the table that area lights are shaded with, and writes it to shaders/mesh/area_lobes.npy.

Heitz, Dupuy, Hill and Neubelt 2016, "Real-Time Polygonal-Light Shading with Linearly Transformed
Cosines": for each roughness and angle of view, the 3x3 matrix that turns a cosine lobe into the
GGX lobe. Needs scipy; takes a minute or two. Run it again after a change of the BRDF.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from fyn.engine_core.render.brdf import (
    LEAST_ALPHA,
    distribution_ggx,
    visibility_smith_correlated,
)

SIZE = 32
SAMPLES = 24
OUTPUT = Path(__file__).resolve().parent.parent / "shaders" / "mesh" / "area_lobes.npy"

_AT = (np.arange(SAMPLES) + 0.5) / SAMPLES
U, V = (grid.ravel() for grid in np.meshgrid(_AT, _AT))


def main() -> None:
    """Fit and write the table."""
    table = np.zeros((SIZE, SIZE, 4))
    above = np.array([1.0, 1.0, 0.0])
    for row in reversed(range(SIZE)):
        alpha = max((row / (SIZE - 1)) ** 2, LEAST_ALPHA)
        fitted = above
        for column in range(SIZE):
            cosine = 1 - (column / (SIZE - 1)) ** 2
            # Short of grazing, where the lobe is too thin to fit.
            angle = min(np.arccos(cosine), 1.54)
            view = np.array([np.sin(angle), 0.0, np.cos(angle)])
            # Neighbouring lobes are alike: the fit of one is a good guess of the next.
            fitted = fit_lobe(view, alpha, fitted, round_lobe=column == 0)
            if column == 0:
                above = fitted
            inverse = np.linalg.inv(lobe_matrix(fitted, mean_direction(view, alpha)))
            inverse /= inverse[1, 1]
            table[row, column] = inverse[[0, 0, 2, 2], [0, 2, 0, 2]]
    np.save(OUTPUT, table.astype(np.float32))


def reflected(view: np.ndarray, light: np.ndarray, alpha: float) -> np.ndarray:
    """Return the GGX lobe (Fresnel 1) times the cosine for unit `light` (N, 3), a density."""
    halfway = light + view
    halfway /= np.linalg.norm(halfway, axis=1, keepdims=True)
    cosine = np.maximum(light[:, 2], 1e-9)
    lobe = distribution_ggx(halfway[:, 2], alpha) / np.pi
    lobe *= visibility_smith_correlated(cosine, view[2], alpha) * cosine
    return np.where(light[:, 2] > 0, lobe, 0)


def sampled(view: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """Return directions (N, 3) that follow the distribution of normals, and their density."""
    cos_h = np.sqrt((1 - U) / (1 + (alpha**2 - 1) * U))
    sin_h = np.sqrt(1 - cos_h**2)
    phi = 2 * np.pi * V
    halfway = np.stack([sin_h * np.cos(phi), sin_h * np.sin(phi), cos_h], axis=1)
    v_dot_h = halfway @ view
    light = 2 * v_dot_h[:, None] * halfway - view
    return light, halfway_density(view, light, alpha)


def halfway_density(view: np.ndarray, light: np.ndarray, alpha: float) -> np.ndarray:
    """Return the density with which `sampled` finds `light` (N, 3)."""
    halfway = light + view
    halfway /= np.linalg.norm(halfway, axis=1, keepdims=True)
    density = distribution_ggx(halfway[:, 2], alpha) / np.pi * np.abs(halfway[:, 2])
    return density / (4 * np.maximum(np.abs(halfway @ view), 1e-9))


def mean_direction(view: np.ndarray, alpha: float) -> np.ndarray:
    """Return the unit mean direction (3,) of the lobe; it lies in the plane of view and normal."""
    light, density = sampled(view, alpha)
    mean = (light * (reflected(view, light, alpha) / density)[:, None]).sum(axis=0)
    mean[1] = 0
    return mean / np.linalg.norm(mean)


def albedo(view: np.ndarray, alpha: float) -> float:
    """Return the share of light that the lobe returns."""
    light, density = sampled(view, alpha)
    return float((reflected(view, light, alpha) / density).mean())


def lobe_matrix(parameters: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Return the matrix (3, 3) from the cosine lobe to the fitted one."""
    width, depth, lean = parameters
    frame = np.array([[mean[2], 0, mean[0]], [0, 1, 0], [-mean[0], 0, mean[2]]])
    return frame @ np.array([[width, 0, lean], [0, depth, 0], [0, 0, 1]])


def fit_lobe(view: np.ndarray, alpha: float, guess: np.ndarray, *, round_lobe: bool) -> np.ndarray:
    """Return (width, depth, lean) of the transformed cosine nearest to the lobe from `view`."""
    mean = np.array([0.0, 0.0, 1.0]) if round_lobe else mean_direction(view, alpha)
    scale = albedo(view, alpha)
    own, own_density = sampled(view, alpha)
    own_lobe = reflected(view, own, alpha)
    cos = np.sqrt(U)
    sin, phi = np.sqrt(1 - U), 2 * np.pi * V
    cosine_samples = np.stack([sin * np.cos(phi), sin * np.sin(phi), cos], axis=1)

    def unpack(x: np.ndarray) -> np.ndarray:
        # Sizes as logarithms and the lean in widths: a step means the same for all of them.
        width = np.exp(x[0])
        return np.array([width, width, 0] if round_lobe else [width, np.exp(x[1]), x[2] * width])

    def error(x: np.ndarray) -> float:
        parameters = unpack(x)
        if mean[2] - parameters[2] * mean[0] < 0:
            return 1e9  # leans over backwards: no neighbour of the other fits
        matrix = lobe_matrix(parameters, mean)
        inverse, size = np.linalg.inv(matrix), abs(np.linalg.det(matrix))

        def transformed(light: np.ndarray) -> np.ndarray:
            back = light @ inverse.T
            length = np.maximum(np.linalg.norm(back, axis=1), 1e-9)
            return np.maximum(back[:, 2] / length, 0) / np.pi / (size * length**3)

        moved = cosine_samples @ matrix.T
        moved /= np.linalg.norm(moved, axis=1, keepdims=True)
        moved_density = transformed(moved)
        pairs = (
            (own_lobe, own_density, transformed(own)),
            (reflected(view, moved, alpha), halfway_density(view, moved, alpha), moved_density),
        )
        total = 0.0
        for lobe, density, fit in pairs:
            # The third power, as the authors do: it punishes a wrong peak more than a wrong tail.
            difference = np.abs(lobe - scale * fit) ** 3
            total += float((difference / (density + fit)).sum())
        return total

    start = np.log(guess[:1]) if round_lobe else np.array([*np.log(guess[:2]), guess[2] / guess[0]])
    simplex = np.vstack([start, start + 0.1 * np.eye(len(start))])
    result = minimize(
        error,
        start,
        method="Nelder-Mead",
        options={"initial_simplex": simplex, "xatol": 1e-5, "fatol": 1e-7, "maxiter": 120},
    )
    return unpack(result.x)


if __name__ == "__main__":
    main()
