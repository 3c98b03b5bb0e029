"""Which objects a level deforms itself: decided before evaluation, which then leaves them at rest.

Like Blender's own glTF exporter, a mesh is read with its armature off and its shape keys at the
basis, and the deformation is exported beside it. Everything that is switched for that is put back.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from ..warnings import SyncWarning, warn_about
from .animation_causes import AnimationCause

KEEPS_POINTS = frozenset(
    {
        "ARMATURE", "DATA_TRANSFER", "NORMAL_EDIT", "TRIANGULATE", "UV_PROJECT", "UV_WARP",
        "VERTEX_WEIGHT_EDIT", "VERTEX_WEIGHT_MIX", "VERTEX_WEIGHT_PROXIMITY", "WEIGHTED_NORMAL",
    }
)  # fmt: skip
"""Types of modifiers that leave points where they are."""
MOVES_BY_ITSELF = frozenset(
    {
        "BUILD", "CLOTH", "DYNAMIC_PAINT", "EXPLODE", "FLUID", "MESH_CACHE",
        "MESH_SEQUENCE_CACHE", "OCEAN", "SOFT_BODY", "WAVE",
    }
)  # fmt: skip
"""Types of modifiers whose result changes with time."""


@dataclass(frozen=True)
class Deform:
    """How one original object is deformed by the level: by an armature, by shape keys, or both."""

    obj: Any
    armature: Any | None
    modifier: str = ""
    """Name of the armature's modifier; "" if the parent deforms it."""
    has_keys: bool = False


@dataclass(frozen=True)
class DeformPlan:
    """What is deformed in a scene, and what of it is not as in Blender."""

    deforms: tuple[Deform, ...]
    warnings: tuple[SyncWarning, ...]


def plan_deforms(scene: Any) -> DeformPlan:
    """Look at the mesh objects of a scene as they would be rendered."""
    instanced = _instanced_objects(scene)
    deforms: list[Deform] = []
    warnings: list[SyncWarning] = []
    for obj in scene.objects:
        if obj.type != "MESH" or obj.hide_render:
            continue
        deform, found = _plan(obj, is_instanced=obj.session_uid in instanced)
        warnings += found
        if deform is not None:
            deforms.append(deform)
    return DeformPlan(tuple(deforms), tuple(warnings))


@contextmanager
def at_rest(plan: DeformPlan) -> Iterator[None]:
    """Switch off what `plan` deforms, for as long as the context lasts."""
    with ExitStack() as stack:
        for deform in plan.deforms:
            obj = deform.obj
            if deform.armature is not None and deform.modifier:
                stack.enter_context(_set(obj.modifiers[deform.modifier], "show_render", False))
            elif deform.armature is not None:
                stack.enter_context(_set(obj, "parent_type", "OBJECT"))
            if deform.has_keys:
                stack.enter_context(_set(obj, "active_shape_key_index", 0))
                stack.enter_context(_set(obj, "show_only_shape_key", True))
        yield


@contextmanager
def _set(owner: Any, name: str, value: Any) -> Iterator[None]:
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


def _instanced_objects(scene: Any) -> set[int]:
    """Return the session keys of all that collections in the scene instance."""
    found: set[int] = set()
    for obj in scene.objects:
        if obj.instance_type == "COLLECTION" and obj.instance_collection is not None:
            found |= {one.session_uid for one in obj.instance_collection.all_objects}
    return found


def _plan(obj: Any, is_instanced: bool) -> tuple[Deform | None, list[SyncWarning]]:
    enabled = [modifier for modifier in obj.modifiers if modifier.show_render]
    warnings: list[SyncWarning] = []
    moving = [modifier.name for modifier in enabled if modifier.type in MOVES_BY_ITSELF]
    if moving:
        names = ", ".join(moving)
        warnings.append(warn_about(obj, AnimationCause.DEFORM_FROZEN, names=names))
    armature, modifier = _armature(obj, enabled, warnings)
    has_keys = _has_keys(obj, enabled, warnings)
    if armature is None and not has_keys:
        return None, warnings
    if is_instanced:
        return None, [warn_about(obj, AnimationCause.SKIN_INSTANCED)]
    return Deform(obj, armature, modifier, has_keys), warnings


def _armature(obj: Any, enabled: list[Any], warnings: list[SyncWarning]) -> tuple[Any | None, str]:
    found = [one for one in enabled if one.type == "ARMATURE" and _is_armature(one.object)]
    by_parent = obj.parent_type == "ARMATURE" and _is_armature(obj.parent)
    if len(found) + by_parent > 1:
        warnings.append(warn_about(obj, AnimationCause.SKIN_SEVERAL))
        return None, ""
    if by_parent:
        return obj.parent, ""
    if not found:
        return None, ""
    modifier = found[0]
    if not modifier.use_vertex_groups or modifier.vertex_group or modifier.use_multi_modifier:
        warnings.append(warn_about(obj, AnimationCause.SKIN_ENVELOPES))
        return None, ""
    if modifier.use_deform_preserve_volume:
        warnings.append(warn_about(obj, AnimationCause.SKIN_VOLUME))
    if any(bone.bbone_segments > 1 for bone in modifier.object.data.bones):
        warnings.append(warn_about(modifier.object, AnimationCause.SKIN_SEGMENTS))
    after = enabled[enabled.index(modifier) + 1 :]
    if names := [one.name for one in after if not _keeps_points(one)]:
        warnings.append(warn_about(obj, AnimationCause.SKIN_ORDER, names=", ".join(names)))
    return modifier.object, modifier.name


def _is_armature(obj: Any | None) -> bool:
    return obj is not None and obj.type == "ARMATURE"


def _has_keys(obj: Any, enabled: list[Any], warnings: list[SyncWarning]) -> bool:
    keys = obj.data.shape_keys
    if keys is None or len(keys.key_blocks) < 2 or obj.show_only_shape_key:
        return False
    if not keys.use_relative:
        warnings.append(warn_about(obj, AnimationCause.KEYS_ABSOLUTE))
        return False
    if names := [one.name for one in enabled if not _keeps_points(one)]:
        warnings.append(warn_about(obj, AnimationCause.KEYS_MODIFIED, names=", ".join(names)))
        return False
    return True


def _keeps_points(modifier: Any) -> bool:
    group = getattr(modifier, "node_group", None)
    # What Blender makes of "Shade Auto Smooth" marks edges as sharp.
    is_smoothing = group is not None and group.name.startswith("Smooth by Angle")
    return modifier.type in KEEPS_POINTS or is_smoothing
