"""Entity: a name, a stable id, a parent, a transform and a handful of optional components."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from .components import CameraComponent, LightComponent, MeshComponent
from .fields import Vec3, Vec4

Matrix16 = tuple[
    float, float, float, float, float, float, float, float,
    float, float, float, float, float, float, float, float,
]  # fmt: skip


class Transform(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Where an entity stands relative to its parent, engine space.

    `rotation` is a unit quaternion (x, y, z, w). `matrix` (row-major, 4x4) stands in for the three
    others where they cannot say it (shear from a rotated child of an unevenly scaled parent).
    """

    translation: Vec3 = (0.0, 0.0, 0.0)
    rotation: Vec4 = (0.0, 0.0, 0.0, 1.0)
    scale: Vec3 = (1.0, 1.0, 1.0)
    matrix: Matrix16 | None = None

    def to_matrix(self) -> np.ndarray:
        """Return parent_from_local, (4, 4) float64."""
        if self.matrix is not None:
            return np.array(self.matrix, dtype=np.float64).reshape(4, 4)
        x, y, z, w = self.rotation
        out = np.identity(4)
        rotation = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
            ]
        )
        out[:3, :3] = rotation * np.array(self.scale)
        out[:3, 3] = self.translation
        return out


class Entity(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One thing in a level. Frozen: a change is a new Entity with the same id."""

    id: str
    name: str = ""
    parent: str | None = None
    transform: Transform = Transform()
    mesh: MeshComponent | None = None
    light: LightComponent | None = None
    camera: CameraComponent | None = None
