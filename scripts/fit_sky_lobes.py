"""Fits how a specular lobe looks at the blurred environment (shaders/mesh/sky_lobes.npy).

The environment is blurred by round lobes; a real lobe leans to the normal, is not round and ends at
the horizon. It is shown as a round one of some roughness, in a direction between the mirrored view
and the normal, mixed with the cosine around the normal, which diffuse surfaces need anyway. These
three numbers are fitted for each roughness and view, so that the harmonics of both agree, the more
so the lower they are, as environments vary little over small angles. Needs scipy; takes minutes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from fyn.engine_core.render.lobe_tables import DFG_SIZE, round_lobe_fit
from fyn.engine_core.render.panorama import directions_of
from fyn.engine_core.render.sphere_filter import analyse

SIZE = DFG_SIZE
"""Roughnesses and views that are fitted."""
ROWS, DEGREE = 128, 40
SMOOTHEST = 0.25
"""Below this roughness lobes are too narrow to be seen as anything but round."""
BROADEST = 0.9
"""Above this roughness the round lobe alone is the better solution of two."""
OUT = Path(__file__).resolve().parents[1] / "shaders" / "mesh" / "sky_lobes.npy"

DIRECTIONS = directions_of(ROWS)
AREA = np.sin((np.arange(ROWS) + 0.5) / ROWS * np.pi)[:, None]


def coefficients(lobe: np.ndarray) -> np.ndarray:
    """Return the weighted harmonics of a lobe (ROWS, 2 ROWS), scaled to a sum of 1."""
    lobe = lobe / (lobe * AREA).sum()
    picture = np.repeat(lobe[..., None], 3, axis=2)
    found = analyse(picture.astype(np.float32), DEGREE)
    order, half = np.arange(DEGREE + 1)[:, None], np.arange(found.even.shape[1])[None, :]
    parts = []
    for part, first in ((found.even, 0), (found.odd, 1)):
        degree = order + 2 * half + first
        weight = np.where(order > 0, np.sqrt(2), 1) / (1 + degree)
        parts.append((part[..., 0] * weight).ravel())
    return np.concatenate(parts) * 1e3


def true_lobe(n_dot_v: float, alpha: float) -> np.ndarray:
    """Return D G2 of GGX for all directions of light, normal up, mirrored view towards +X."""
    view = np.array([-np.sqrt(1 - n_dot_v**2), n_dot_v, 0.0])
    half = DIRECTIONS + view
    half /= np.maximum(np.linalg.norm(half, axis=-1, keepdims=True), 1e-9)
    up, light = half[..., 1], DIRECTIONS[..., 1]
    density = 1 / (up**2 * (alpha**2 - 1) + 1) ** 2
    light = np.maximum(light, 0)
    both = n_dot_v * np.sqrt(alpha**2 + (1 - alpha**2) * light**2)
    both += light * np.sqrt(alpha**2 + (1 - alpha**2) * n_dot_v**2)
    return density * light / np.maximum(both, 1e-9)


def round_lobe(direction: np.ndarray, alpha: float) -> np.ndarray:
    """Return what environment_map blurs by for this alpha, around a direction."""
    cosine = DIRECTIONS @ direction
    density = 1 / (0.5 * (1 + cosine) * (alpha**2 - 1) + 1) ** 2
    inside = np.maximum(cosine, 0)
    return density * inside / (inside + np.sqrt(alpha**2 + (1 - alpha**2) * inside**2))


COSINE = coefficients(np.maximum(DIRECTIONS[..., 1], 0))


def fit(n_dot_v: float, roughness: float, start: tuple[float, float]) -> tuple[np.ndarray, float]:
    """Return lean, roughness and the round lobe's share, and the relative error that is left."""
    target = coefficients(true_lobe(n_dot_v, roughness**2))
    mirrored = np.array([np.sqrt(1 - n_dot_v**2), n_dot_v, 0.0])

    def mixture(numbers: np.ndarray) -> tuple[float, float]:
        lean, rough = np.clip(numbers, (-0.3, 0.15), (1.0, 1.0))
        direction = mirrored * (1 - lean) + np.array([0.0, lean, 0.0])
        direction /= np.linalg.norm(direction)
        found = coefficients(round_lobe(direction, rough**2))
        apart = found - COSINE
        share = float(np.clip(apart @ (target - COSINE) / max(apart @ apart, 1e-12), 0, 1))
        return share, float(np.sum((share * apart + COSINE - target) ** 2))

    best = minimize(
        lambda numbers: mixture(numbers)[1] + 10 * np.sum(np.maximum(numbers - 1, 0) ** 2),
        start,
        method="Nelder-Mead",
        options={"xatol": 2e-3, "fatol": 1e-6, "maxfev": 90},
    )
    lean, rough = np.clip(best.x, (-0.3, 0.15), (1.0, 1.0))
    share, error = mixture(best.x)
    return np.array([lean, rough, share]), float(np.sqrt(error / (target @ target)))


def main() -> None:
    """Fit all, print what is left, write the table."""
    starts = round_lobe_fit(SIZE)
    table = np.zeros((SIZE, SIZE, 3))
    table[..., :2], table[..., 2] = starts, 1.0
    left = np.zeros((SIZE, SIZE))
    for row in range(SIZE):
        roughness = row / (SIZE - 1)
        if roughness < SMOOTHEST:
            continue
        for column in range(SIZE):
            n_dot_v = np.clip(column / (SIZE - 1), 0.01, 0.999)
            start = starts[row, column]
            if roughness < BROADEST:
                start = start * (0.6, 0.75) + 0.02
            table[row, column], left[row, column] = fit(n_dot_v, roughness, tuple(start))
        print(f"roughness {roughness:.2f}: left {np.round(left[row], 3)}", flush=True)
    np.save(OUT, table.astype(np.float32))
    print(OUT)


if __name__ == "__main__":
    main()
