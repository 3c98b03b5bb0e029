"""Entity: a name, a stable id, a parent, a transform and a handful of optional components."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from msgspec import Struct

from .components import EntityComponents
from .fields import Vec3, Vec4, field_meta

Matrix16 = tuple[
    float, float, float, float, float, float, float, float,
    float, float, float, float, float, float, float, float,
]  # fmt: skip


class Transform(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Where an entity stands relative to its parent, engine space.

    `rotation` is a unit quaternion (x, y, z, w). `matrix` (row-major, 4x4) stands in for the three
    others where they cannot say it (shear from a rotated child of an unevenly scaled parent).
    """

    translation: Annotated[
        Vec3, field_meta("Translation", "Place of the origin in the parent's space", unit="m")
    ] = (0.0, 0.0, 0.0)
    rotation: Annotated[Vec4, field_meta("Rotation", "Unit quaternion (x, y, z, w)")] = (
        0.0, 0.0, 0.0, 1.0,
    )  # fmt: skip
    scale: Annotated[Vec3, field_meta("Scale", "Along the local axes; negative mirrors")] = (
        1.0, 1.0, 1.0,
    )  # fmt: skip
    matrix: Annotated[
        Matrix16 | None,
        field_meta("Matrix", "Row-major 4x4, last row 0 0 0 1; replaces the three others"),
    ] = None

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


class Entity(EntityComponents, frozen=True):
    """One thing in a level. Frozen: a change is a new Entity with the same id."""

    id: Annotated[str, field_meta("Id", "Unique in the level; others refer to it by this")]
    name: Annotated[str, field_meta("Name", "What people call it; need not be unique")] = ""
    parent: Annotated[
        str | None,
        field_meta("Parent", "Entity in whose space this one's transform is", kind="entity"),
    ] = None
    transform: Annotated[
        Transform, field_meta("Transform", "Where it stands, relative to its parent")
    ] = Transform()
