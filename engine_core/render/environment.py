"""Light from everywhere, prepared: irradiance as spherical harmonics and the blurred sky map.

Both are made in NumPy from an `Environment` value and remembered by it, so that a change of the
scene that leaves the environment alone costs nothing. The sun's disc is in neither: the sun of a
level is a lamp.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from ..world.components import Environment
from .interface import ENVIRONMENT_KINDS, ENVIRONMENT_LEVELS
from .sky import environment_radiance, unit_sun_direction

MAP_SIDE = 128
"""Texels a side of each of the map's squares."""
_LEVEL_SIDES = (128, 64, 32, 16, 16, 16)
"""Texels a side at which each roughness level is computed before it is enlarged to MAP_SIDE: the
rougher, the smoother."""
_LOBE_SAMPLES = 64
_LARGEST = 65504.0


@dataclass(frozen=True, eq=False)
class PreparedEnvironment:
    """What shaders need of an Environment.

    irradiance_sh: (9, 4) float32, the uniform of that name: coefficients of 1, x, y, z, xy, yz,
    3y²-1, xz, x²-z². sky_map: (MAP_SIDE, ENVIRONMENT_LEVELS * MAP_SIDE, 4) float16, the texture
    `environment_map`, first row at v = 0.
    """

    irradiance_sh: np.ndarray
    sky_map: np.ndarray


@lru_cache(maxsize=8)
def prepare_environment(environment: Environment) -> PreparedEnvironment:
    """Return the light of `environment`, ready for the shaders."""
    levels = [environment_radiance(environment, _square_directions(MAP_SIDE))]
    sources = _halvings(levels[0])
    for level in range(1, ENVIRONMENT_LEVELS):
        roughness = level / (ENVIRONMENT_LEVELS - 1)
        blurred = _blurred(sources, _square_directions(_LEVEL_SIDES[level]), roughness)
        levels.append(_enlarged(blurred))
    rgb = np.clip(np.concatenate(levels, axis=1), 0, _LARGEST)
    alpha = np.ones((*rgb.shape[:2], 1))
    return PreparedEnvironment(
        irradiance_sh=_irradiance_harmonics(environment),
        sky_map=np.concatenate([rgb, alpha], axis=2).astype(np.float16),
    )


def environment_uniforms(environment: Environment) -> dict[str, np.ndarray]:
    """Return the members of uniform block `Frame` that describe the environment, by name."""
    strength = environment.strength
    kind = float(ENVIRONMENT_KINDS.index(environment.kind))
    visible = float(environment.visible)
    sun = (*unit_sun_direction(environment), environment.sun_size / 2)
    members = {
        "sky_color": (*(c * strength for c in environment.sky_color), kind),
        "ground_color": (*(c * strength for c in environment.ground_color), 0.0),
        "sky_sun": sun,
        "sky_params": (environment.turbidity, environment.sun_intensity, strength, visible),
    }
    uniforms = {name: np.array(value, np.float32) for name, value in members.items()}
    uniforms["irradiance_sh"] = prepare_environment(environment).irradiance_sh
    return uniforms


def direction_from_octahedral(square: np.ndarray) -> np.ndarray:
    """Return unit directions (..., 3) of points (..., 2) in -1..1; twin of octahedral.glsl."""
    x, z = square[..., 0], square[..., 1]
    y = 1 - np.abs(x) - np.abs(z)
    fold = np.maximum(-y, 0)
    direction = np.stack([x - np.copysign(fold, x), y, z - np.copysign(fold, z)], axis=-1)
    return direction / np.linalg.norm(direction, axis=-1, keepdims=True)


def octahedral_from_direction(direction: np.ndarray) -> np.ndarray:
    """Return points (..., 2) in -1..1 of unit directions (..., 3); twin of octahedral.glsl."""
    flat = direction[..., [0, 2]] / np.abs(direction).sum(axis=-1, keepdims=True)
    folded = (1 - np.abs(flat[..., ::-1])) * np.where(flat < 0, -1.0, 1.0)
    return np.where(direction[..., 1:2] < 0, folded, flat)


@cache
def _square_directions(side: int) -> np.ndarray:
    """Directions (side, side, 3) of a square's texels; the outermost centres lie on its edge."""
    at = np.linspace(-1, 1, side)
    return direction_from_octahedral(np.stack(np.meshgrid(at, at), axis=-1))


def _sampled(square: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """Filter a square (S, S, 3) bilinearly in `directions` (..., 3)."""
    side = len(square)
    at = (octahedral_from_direction(directions) * 0.5 + 0.5) * (side - 1)
    low = np.clip(at.astype(np.intp), 0, side - 2)
    part = at - low
    x, y = low[..., 0], low[..., 1]
    u, v = part[..., :1], part[..., 1:]
    upper = square[y, x] * (1 - u) + square[y, x + 1] * u
    lower = square[y + 1, x] * (1 - u) + square[y + 1, x + 1] * u
    return upper * (1 - v) + lower * v


def _enlarged(square: np.ndarray) -> np.ndarray:
    return _sampled(square, _square_directions(MAP_SIDE))


def _halvings(square: np.ndarray) -> list[np.ndarray]:
    """Return `square` and ever smaller versions of it, each averaging the one before."""
    sources = [square]
    while len(sources[-1]) > 8:
        side = len(sources[-1]) // 2
        directions = _square_directions(side)
        # Four points half a texel around each centre: the mean of what the texel covers.
        step = 1.0 / (side - 1)
        at = octahedral_from_direction(directions)
        mean = np.zeros((side, side, 3))
        for offset in ((-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5), (0.5, 0.5)):
            near = np.clip(at + np.array(offset) * step, -1, 1)
            mean += _sampled(sources[-1], direction_from_octahedral(near)) / 4
        sources.append(mean)
    return sources


def _blurred(sources: list[np.ndarray], towards: np.ndarray, roughness: float) -> np.ndarray:
    """Return radiance around directions `towards` (S, S, 3), weighted as a GGX lobe of `roughness`
    seen along its normal does (Karis 2013: N = V = R).

    Samples follow the lobe; each reads a level whose texels are as large as its share of the lobe
    (Krivanek and Colbert 2008, "Real-time Shading with Filtered Importance Sampling").
    """
    alpha2 = roughness**4
    u = (np.arange(_LOBE_SAMPLES) + 0.5) / _LOBE_SAMPLES
    golden = np.pi * (3 - np.sqrt(5))
    phi = golden * np.arange(_LOBE_SAMPLES)
    cos_h = np.sqrt((1 - u) / (1 + (alpha2 - 1) * u))
    cos_l = 2 * cos_h**2 - 1
    sin_l = np.sqrt(np.maximum(1 - cos_l**2, 0))
    density = alpha2 / (np.pi * (cos_h**2 * (alpha2 - 1) + 1) ** 2) / 4
    texel = 4 * np.pi / len(sources[0]) ** 2
    level = 0.5 * np.log2(np.maximum(1 / (_LOBE_SAMPLES * density * texel), 1)) + 0.5
    level = np.clip(np.rint(level).astype(int), 0, len(sources) - 1)
    side, up = _bases(towards)
    total = np.zeros((*towards.shape[:2], 3))
    weight = 0.0
    for sample in np.flatnonzero(cos_l > 0):
        across = np.cos(phi[sample]) * side + np.sin(phi[sample]) * up
        direction = sin_l[sample] * across + cos_l[sample] * towards
        total += cos_l[sample] * _sampled(sources[level[sample]], direction)
        weight += cos_l[sample]
    return total / weight


def _bases(normals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return two unit vectors (..., 3) that complete each normal to a basis (Duff et al. 2017)."""
    x, y, z = np.moveaxis(normals, -1, 0)
    sign = np.copysign(1.0, z)
    a = -1 / (sign + z)
    b = x * y * a
    first = np.stack([1 + sign * x * x * a, sign * b, -sign * x], axis=-1)
    return first, np.stack([b, sign + y * y * a, -y], axis=-1)


def _irradiance_harmonics(environment: Environment) -> np.ndarray:
    """Return irradiance/π as order-2 harmonics, constants folded into the coefficients, (9, 4).

    Ramamoorthi and Hanrahan 2001: the cosine lobe keeps 1, 2/3 and 1/4 of bands 0, 1 and 2.
    """
    directions, weights = _sphere_quadrature()
    basis = _harmonic_basis(directions)
    # Mean squares of the basis functions over the sphere, to divide their projection by.
    norms = weights @ (basis * basis)
    light = environment_radiance(environment, directions)
    coefficients = np.einsum("n,nk,nc->kc", weights, basis, light) / norms[:, None]
    coefficients *= np.repeat([1.0, 2 / 3, 1 / 4], [1, 3, 5])[:, None]
    out = np.zeros((9, 4), np.float32)
    out[:, :3] = coefficients
    return out


def _harmonic_basis(n: np.ndarray) -> np.ndarray:
    """Return 1, x, y, z, xy, yz, 3y²-1, xz, x²-z² of unit directions (N, 3), as (N, 9)."""
    x, y, z = n.T
    columns = [np.ones_like(x), x, y, z, x * y, y * z, 3 * y * y - 1, x * z, x * x - z * z]
    return np.stack(columns, axis=1)


@cache
def _sphere_quadrature(rings: int = 64, around: int = 64) -> tuple[np.ndarray, np.ndarray]:
    """Return directions (N, 3) and weights (N,) that sum to 1: Gauss-Legendre over the height."""
    height, weight = np.polynomial.legendre.leggauss(rings)
    phi = (np.arange(around) + 0.5) / around * 2 * np.pi
    y, angle = (grid.ravel() for grid in np.meshgrid(height, phi, indexing="ij"))
    flat = np.sqrt(1 - y * y)
    directions = np.stack([flat * np.cos(angle), y, flat * np.sin(angle)], axis=1)
    return directions, np.repeat(weight / 2 / around, around)
