"""The reflection model in NumPy: a twin of the shaders' (`common/brdf.glsl`, `mesh/surface.glsl`).

Everything is scaled by π: a white diffuse surface returns 1 for a light of strength 1 overhead.
Cosines are those between unit vectors; arrays broadcast against each other. `lobe_tables.py` makes
the tables that `Lobes.prepare` reads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from .shader_constants import shader_constants

_CONSTANTS = shader_constants("common/brdf_constants.glsl")
LEAST_ALPHA = float(_CONSTANTS["LEAST_ALPHA"])
"""The smoothest lobe that is drawn; alpha = roughness²."""

GeometryTerm = Literal["smith_correlated", "smith_schlick"]


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
    n_dot_l: np.ndarray | float, n_dot_v: np.ndarray | float, alpha: np.ndarray | float
) -> np.ndarray:
    """Return height-correlated Smith masking-shadowing over 4 n·l n·v (Heitz 2014, eq. 99)."""
    a2 = np.square(alpha)
    l_term = n_dot_v * np.sqrt(np.square(n_dot_l) * (1 - a2) + a2)
    v_term = n_dot_l * np.sqrt(np.square(n_dot_v) * (1 - a2) + a2)
    return 0.5 / np.maximum(l_term + v_term, 1e-7)


def visibility_smith_schlick(
    n_dot_l: np.ndarray | float, n_dot_v: np.ndarray | float, roughness: np.ndarray | float
) -> np.ndarray:
    """Return Schlick's Smith with k = (roughness + 1)² / 8 over 4 n·l n·v (Karis 2013)."""
    k = np.square(np.asarray(roughness) + 1) / 8
    return 0.25 / ((n_dot_l * (1 - k) + k) * (n_dot_v * (1 - k) + k))


def fresnel_schlick(
    v_dot_h: np.ndarray, f0: np.ndarray | float, f90: np.ndarray | float = 1.0
) -> np.ndarray:
    """Return the reflectance of a microfacet (Schlick 1994)."""
    return f0 + (np.asarray(f90) - f0) * np.clip(1 - v_dot_h, 0, 1) ** 5


def grazing_reflectance(f0: float) -> float:
    """Return Schlick's F90 of a dielectric with reflectance `f0` seen straight on.

    1, but for what is hardly denser than air: without a border there is nothing to reflect
    (Lagarde and de Rousiers 2014, "Moving Frostbite to Physically Based Rendering", 3.1.3).
    """
    return min(1.0, 50.0 * f0)


def average_albedo(roughness: np.ndarray | float) -> np.ndarray:
    """Return the share of energy that single scattering returns for Fresnel 1, on average."""
    r = np.asarray(roughness)
    x, y, z = _CONSTANTS["LOST_ENERGY"]
    return 1 - r * r * (x + y * r + z * r * r)


def multiple_scattering(
    f0: np.ndarray, f90: float, albedo: np.ndarray | float, roughness: np.ndarray | float
) -> np.ndarray:
    """Return by how much repeated bounces between microfacets brighten the lobe.

    `albedo` is the share that single scattering returns towards the viewer for Fresnel 1. Turquin
    2019 with the mean Fresnel of Kulla and Conty 2017.
    """
    mean_fresnel = f0 + (f90 - f0) / 21
    mean = average_albedo(roughness)
    returned = mean_fresnel * mean / (1 - mean_fresnel * (1 - mean))
    return 1 + returned * (1 - albedo) / np.maximum(albedo, 1e-3)


@dataclass(frozen=True, eq=False)
class Lobes:
    """A surface as lamps see it from one direction of view; arrays broadcast, colours are (..., 3).

    f0, f90: both specular lobes in one. diffuse: what the specular layer leaves of the colour.
    """

    diffuse: np.ndarray
    f0: np.ndarray
    f90: np.ndarray
    roughness: np.ndarray

    @staticmethod
    def prepare(
        color: np.ndarray,
        metallic: np.ndarray,
        roughness: np.ndarray,
        dfg: np.ndarray,
        dielectric_f0: float = 0.04,
    ) -> Lobes:
        """Combine metal and dielectric.

        color (..., 3) linear; metallic, roughness (..., 1); dfg (..., 2): the split-sum albedo of
        the lobe in this direction of view.
        """
        single = dfg.sum(axis=-1, keepdims=True)
        scale, bias = dfg[..., :1], dfg[..., 1:]
        metal = multiple_scattering(color, 1.0, single, roughness) * metallic
        base, f90 = np.full(3, dielectric_f0), grazing_reflectance(dielectric_f0)
        gain = multiple_scattering(base, f90, single, roughness)
        layer = (gain * (base * scale + f90 * bias)).max(axis=-1, keepdims=True)
        dielectric = gain * (1 - metallic)
        return Lobes(
            diffuse=color * (1 - metallic) * np.clip(1 - layer, 0, 1),
            f0=metal * color + dielectric * base,
            f90=metal + dielectric * f90,
            roughness=np.asarray(roughness),
        )

    def reflect(
        self,
        normal: np.ndarray,
        view: np.ndarray,
        light: np.ndarray,
        geometry: GeometryTerm = "smith_correlated",
    ) -> np.ndarray:
        """Return what comes back of unit light from one direction, cosine included, (..., 3).

        normal, view (towards the viewer), light (towards the light): unit vectors (..., 3).
        """
        halfway = light + view
        halfway = halfway / np.linalg.norm(halfway, axis=-1, keepdims=True)
        n_dot_l = np.clip(_dot(normal, light), 0, 1)
        n_dot_v = np.clip(np.abs(_dot(normal, view)), 1e-3, 1)
        alpha = np.maximum(self.roughness**2, LEAST_ALPHA)
        if geometry == "smith_correlated":
            visibility = visibility_smith_correlated(n_dot_l, n_dot_v, alpha)
        else:
            visibility = visibility_smith_schlick(n_dot_l, n_dot_v, self.roughness)
        lobe = distribution_ggx(_dot(normal, halfway), alpha) * visibility * n_dot_l
        return self.diffuse * n_dot_l + lobe * fresnel_schlick(
            _dot(view, halfway), self.f0, self.f90
        )


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a * b).sum(axis=-1, keepdims=True)
