"""The size of a collider by the bounds of what its object shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Fit:
    """Box, sphere and capsule (along Z) around one middle, in the object's space, metres."""

    center: tuple[float, float, float]
    size: tuple[float, float, float]
    sphere_radius: float
    capsule_radius: float
    height: float


def fit_points(points: np.ndarray) -> Fit:
    """Return the fit of the bounds of (N, 3) points, N > 0.

    The round shapes touch the bounds from within, as those of other engines do: what stands on the
    floor still stands on it, while corners may stick out.
    """
    low, high = points.min(axis=0).astype(np.float64), points.max(axis=0).astype(np.float64)
    half = (high - low) / 2
    return Fit(
        center=_three((low + high) / 2),
        size=_three(high - low),
        sphere_radius=float(half.max()),
        capsule_radius=float(half[:2].max()),
        height=float(2 * half[2]),
    )


def shown_points(obj: Any, depsgraph: Any) -> np.ndarray | None:
    """Return the points (N, 3) float32 of what an object shows, modifiers applied; None if none."""
    evaluated = obj.evaluated_get(depsgraph)
    try:
        mesh = evaluated.to_mesh()
    except RuntimeError:  # it is of no kind that has geometry
        return None
    try:
        if mesh is None or not len(mesh.vertices):
            return None
        points = np.empty(len(mesh.vertices) * 3, np.float32)
        mesh.vertices.foreach_get("co", points)
        points = points.reshape(-1, 3)
        points = points[np.isfinite(points).all(axis=1)]
        return points if len(points) else None
    finally:
        evaluated.to_mesh_clear()


def fit_collider(obj: Any, depsgraph: Any) -> bool:
    """Set the collider of an object to the bounds of what it shows; False if it shows nothing."""
    points = shown_points(obj, depsgraph)
    if points is None:
        return False
    fit, collider = fit_points(points), obj.fyn.collider
    collider.center, collider.size, collider.height = fit.center, fit.size, fit.height
    is_capsule = collider.shape == "capsule"
    collider.radius = fit.capsule_radius if is_capsule else fit.sphere_radius
    return True


def _three(vector: np.ndarray) -> tuple[float, float, float]:
    x, y, z = vector.tolist()
    return (x, y, z)
