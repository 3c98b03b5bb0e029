"""What no level may hold is put right before it reaches a World, and told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from msgspec import structs

from ...engine_core.assets.mesh import MeshData
from ...engine_core.world.components import COMPONENT_TYPES
from ...engine_core.world.components.morph import Morph
from ...engine_core.world.components.skin import Skin
from ...engine_core.world.entity import Entity
from .animation.animation_causes import AnimationCause
from .causes import Cause
from .ranges import within_ranges
from .scene_causes import SceneCause
from .sightings import Sighting
from .warnings import SyncWarning, named_warning

FARTHEST = 1e18
"""Greatest element of a place: its square still is a float32."""


def without_nowhere(sightings: list[Sighting], matrices: np.ndarray) -> list[Sighting]:
    """Empty the sightings whose matrix (N, 4, 4) is no place, and set that to zero size in place.

    Their children then stand where they do in the world.
    """
    with np.errstate(invalid="ignore"):
        nowhere = ~(np.abs(matrices) <= FARTHEST).all(axis=(1, 2))
    if not nowhere.any():
        return sightings
    matrices[nowhere] = np.diag([0.0, 0.0, 0.0, 1.0])
    out = list(sightings)
    for index in np.flatnonzero(nowhere).tolist():
        sighting = sightings[index]
        warning = _about(sighting, SceneCause.OBJECT_NOWHERE, {})
        out[index] = replace(
            sighting, mesh=None, light=None, camera=None, warnings=(*sighting.warnings, warning)
        )
    return out


def with_sound_values(entity: Entity, sighting: Sighting) -> tuple[Entity, tuple[SyncWarning, ...]]:
    """Return an entity with the values of its components in range, and all its warnings."""
    changes, fields = {}, []
    for name in COMPONENT_TYPES:
        component = getattr(entity, name)
        if component is None:
            continue
        sound, out_of_range = within_ranges(component)
        if out_of_range:
            changes[name] = sound
            fields += out_of_range
    if not changes:
        return entity, sighting.warnings
    values: dict[str, object] = {"fields": ", ".join(fields)}
    warning = _about(sighting, SceneCause.VALUE_OUT_OF_RANGE, values)
    return structs.replace(entity, **changes), (*sighting.warnings, warning)


def fitting_deforms(
    entity: Entity, mesh: MeshData | None, sighting: Sighting
) -> tuple[Entity, tuple[SyncWarning, ...]]:
    """Return an entity of an import without a skin or morph that its mesh has lost."""
    skin, morph = entity.get(Skin), entity.get(Morph)
    lost: dict[str, str] = {}
    joints = 0 if mesh is None or mesh.skin is None else len(mesh.skin.names)
    if skin is not None and len(skin.joints) != joints:
        lost["skin"] = "skin"
    if morph is not None and len(morph.weights) != (0 if mesh is None else len(mesh.morphs)):
        lost["morph"] = "shape keys"
    if not lost:
        return entity, ()
    values: dict[str, object] = {"names": " and ".join(lost.values())}
    warning = _about(sighting, AnimationCause.DEFORM_EDITED, values)
    return structs.replace(entity, **dict.fromkeys(lost)), (warning,)


def _about(sighting: Sighting, cause: Cause, values: dict[str, object]) -> SyncWarning:
    uid = sighting.key[0] if len(sighting.key) == 1 else sighting.key[1]
    return named_warning("object", sighting.name, cause, uid=uid, values=values)
