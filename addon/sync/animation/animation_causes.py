"""AnimationCause: what of deformation and animation a level holds otherwise than Blender."""

from __future__ import annotations

from ..causes import Cause, Sentences


class AnimationCause(Cause):
    """Causes of the export of skins, shape keys and clips."""

    SKIN_INFLUENCES = Sentences(
        "More than four bones a vertex",
        "{count} of its vertices hang on more than 4 bones; the 4 strongest are kept.",
        "Use Weights > Limit Total in Weight Paint mode.",
    )
    SKIN_SEVERAL = Sentences(
        "Several armatures on one mesh",
        "Several armatures deform it, which a skin cannot say; it keeps the pose of one frame.",
        "Apply all but one of its Armature modifiers.",
    )
    SKIN_ENVELOPES = Sentences(
        "Bone envelopes",
        "Its armature deforms by envelopes or by a mask; it keeps the pose of one frame.",
        "Parent it With Automatic Weights.",
    )
    SKIN_VOLUME = Sentences(
        "Preserve Volume", "Preserve Volume is not supported; its joints may look thinner."
    )
    SKIN_SEGMENTS = Sentences(
        "Bendy bones", "The segments of its bendy bones move as one straight bone."
    )
    SKIN_ORDER = Sentences(
        "Modifiers after the armature",
        "Modifiers that follow its armature ({names}) act on the pose at rest.",
        "Move the Armature modifier to the end.",
    )
    SKIN_INSTANCED = Sentences(
        "Deformed meshes in instances",
        "It is instanced by a collection, so it keeps the pose of one frame.",
        "Make the instances real.",
    )
    KEYS_MODIFIED = Sentences(
        "Shape keys under modifiers",
        "Its modifiers ({names}) keep its shape keys from moving; one frame of them is shown.",
        "Apply those modifiers, or the shape keys.",
    )
    KEYS_ABSOLUTE = Sentences(
        "Absolute shape keys",
        "Its shape keys are absolute; one frame of them is shown.",
        "Turn on Relative in the Shape Keys panel.",
    )
    DEFORM_FROZEN = Sentences(
        "Deformation that does not move",
        "What {names} does to it over time is not exported; one frame of it is shown.",
        "Bake it to shape keys, or to bones.",
    )
    CLIP_APPEARS = Sentences(
        "Objects that appear later",
        "It is hidden at the exported frame, so the clips lack it.",
        "Export a frame at which it is shown.",
    )
    CLIP_ACTION = Sentences(
        "Actions that cannot be played", "Its action '{name}' cannot be played alone ({reason})."
    )
    CLIP_REPLACED = Sentences(
        "Clips of an imported level",
        "The clip '{name}' of the imported level is replaced by what moves in the scene now.",
    )
    CLIP_TARGETS = Sentences(
        "Clips that have lost what they move",
        "The clip '{name}' of the imported level moves what is not there any more ({names});"
        " that part of it is left out, {count} in all.",
        "Undo the deletion, or import the level again.",
    )
    SKIN_JOINTS_GONE = Sentences(
        "Skins without their joints",
        "Joints of its imported skin are not in the scene any more; it is shown at rest.",
        "Undo the deletion, or import the level again.",
    )
    DEFORM_EDITED = Sentences(
        "Imported skins and shape keys",
        "Its mesh was edited or replaced after the import, so its imported {names} are lost.",
        "Undo the edit, or bind the mesh to an armature of Blender.",
    )
