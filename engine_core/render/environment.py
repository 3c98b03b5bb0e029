"""Light from everywhere, prepared: irradiance as spherical harmonics and the blurred sky map.

Both are made in NumPy from an `Environment` value and remembered by it, so that a change of the
scene that leaves the environment alone costs nothing. The sun's disc is in neither: the sun of a
level is a lamp.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from msgspec import structs

from ..world.components import Environment
from .interface import ENVIRONMENT_KINDS, ENVIRONMENT_LEVELS
from .sky import environment_radiance, unit_sun_direction

MAP_SIDE = 128
"""Texels a side of each of the map's squares."""
_LEVEL_SIDES = (128, 64, 32, 16, 16, 16)
"""Texels a side at which each roughness level is computed before it is enlarged to MAP_SIDE: the
rougher, the smoother."""
_LEVEL_SAMPLES = (1, 96, 128, 256, 256, 256)
"""Directions of the lobe that each texel of a level averages."""
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


def prepare_environment(environment: Environment) -> PreparedEnvironment:
    """Return the light of `environment`, ready for the shaders, which apply `ambient`."""
    return _prepared(structs.replace(environment, ambient=1.0))


@lru_cache(maxsize=8)
def _prepared(environment: Environment) -> PreparedEnvironment:
    levels = [environment_radiance(environment, _square_directions(MAP_SIDE))]
    if environment.kind == "color":
        levels *= ENVIRONMENT_LEVELS
    else:
        halved = _halved(levels[0])
        for level in range(1, ENVIRONMENT_LEVELS):
            # The first lobe is narrow enough to see the map's own texels.
            levels.append(_enlarged(_blurred(levels[0] if level == 1 else halved, level)))
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
        "ground_color": (
            *(c * strength for c in environment.ground_color),
            environment.ambient,
        ),
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


def _corners(side: int, directions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the four texels around each of `directions` (..., 3) in a square of `side` texels, and
    their bilinear weights: flat indices (..., 4) and weights (..., 4) float32."""
    at = (octahedral_from_direction(directions) * 0.5 + 0.5) * (side - 1)
    low = np.clip(at.astype(np.intp), 0, side - 2)
    u, v = np.moveaxis((at - low).astype(np.float32), -1, 0)
    first = low[..., 1] * side + low[..., 0]
    index = first[..., None] + np.array([0, 1, side, side + 1])
    return index, np.stack([(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v], axis=-1)


def _sampled(square: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """Filter a square (S, S, 3) bilinearly in `directions` (..., 3)."""
    index, weight = _corners(len(square), directions)
    return np.einsum("...k,...kc->...c", weight, square.reshape(-1, 3)[index])


def _enlarged(square: np.ndarray) -> np.ndarray:
    return _sampled(square, _square_directions(MAP_SIDE))


def _halved(square: np.ndarray) -> np.ndarray:
    """Return `square` at half the size, each texel the mean of four points within it."""
    side = len(square) // 2
    at = octahedral_from_direction(_square_directions(side))
    mean = np.zeros((side, side, 3))
    for offset in ((-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5), (0.5, 0.5)):
        near = np.clip(at + np.array(offset) / (side - 1), -1, 1)
        mean += _sampled(square, direction_from_octahedral(near)) / 4
    return mean


def _blurred(source: np.ndarray, level: int) -> np.ndarray:
    """Return the map `source` (S, S, 3) as the lobe of a level sees it."""
    index, weight = _lobe_texels(level, len(source))
    side = _LEVEL_SIDES[level]
    blurred = np.stack(
        [
            np.einsum("tk,tk->t", weight, channel[index])
            for channel in source.astype(np.float32).reshape(-1, 3).T
        ],
        axis=1,
    )
    return blurred.reshape(side, side, 3)


@cache
def _lobe_texels(level: int, source_side: int) -> tuple[np.ndarray, np.ndarray]:
    """Return which texels of a source map each texel of a level averages, and their weights.

    Both (T, K). A texel stands for the direction of normal and view in one (Karis 2013: N = V = R);
    its lobe is GGX of the level's roughness, sampled by its distribution of normals.
    """
    towards = _square_directions(_LEVEL_SIDES[level])
    samples = _LEVEL_SAMPLES[level]
    alpha2 = (level / (ENVIRONMENT_LEVELS - 1)) ** 4
    u = (np.arange(samples) + 0.5) / samples
    phi = np.arange(samples) * np.pi * (3 - np.sqrt(5))
    cos_l = 2 * (1 - u) / (1 + (alpha2 - 1) * u) - 1
    phi, cos_l = phi[cos_l > 0], cos_l[cos_l > 0]
    sin_l = np.sqrt(1 - cos_l**2)
    side, up = _bases(towards)
    across = np.cos(phi)[:, None] * side[:, :, None] + np.sin(phi)[:, None] * up[:, :, None]
    lobe = sin_l[:, None] * across + cos_l[:, None] * towards[:, :, None]
    index, weight = _corners(source_side, lobe)
    weight *= (cos_l / cos_l.sum()).astype(np.float32)[:, None]
    count = len(towards) ** 2
    return index.reshape(count, -1).astype(np.int32), weight.reshape(count, -1)


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
