"""The sun of a World's sky as an entity, which no object of Blender stands for."""

from __future__ import annotations

from typing import Any

import numpy as np
from mathutils import Vector

from .sightings import EntityKey, Sighting
from .world_environment import SkySun

SKY_SUN: EntityKey = (-1,)
"""Its key; session keys of objects are positive."""


def sky_sun_sighting(sun: SkySun, world: Any) -> Sighting:
    """Describe the sun of `world`'s sky."""
    name = f"{world.name_full} Sun"
    return Sighting(SKY_SUN, name, name, (), keeps_local_axes=True, light=sun.light)


def sky_sun_matrix(sun: SkySun) -> np.ndarray:
    """Return the Blender world matrix (4, 4) that makes a lamp's +Z point to the sun."""
    return np.array(Vector(sun.towards).to_track_quat("Z", "Y").to_matrix().to_4x4(), np.float64)
