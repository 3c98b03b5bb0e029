"""What the steps of the random walk act in: the first 3D view, its scene and layer, and choices."""

from __future__ import annotations

import random

import bpy
import stage


class InfeasibleError(Exception):
    """There is nothing that the step could be done to."""


def within():
    """Return the context of the first 3D view."""
    area, region, _, _ = first_view()
    return bpy.context.temp_override(window=stage.window(), area=area, region=region)


def first_view():
    views = stage.views()
    if not views:
        raise InfeasibleError("no 3D view")
    return views[0]


def scene():
    return stage.window().scene


def layer():
    return stage.window().view_layer


def chosen(chance: random.Random, things):
    things = list(things)
    if not things:
        raise InfeasibleError("nothing to choose from")
    return chance.choice(things)


def an_object(chance: random.Random, kind: str = ""):
    return chosen(chance, [o for o in layer().objects if not kind or o.type == kind])


def make_active(obj) -> None:
    leave_modes()
    for other in layer().objects:
        other.select_set(other == obj, view_layer=layer())
    layer().objects.active = obj


def leave_modes() -> None:
    active = layer().objects.active
    if active is not None and active.mode != "OBJECT":
        with within():
            bpy.ops.object.mode_set(mode="OBJECT")


def push_undo(name: str) -> None:
    """Make an undo step, as Blender does after everything that people do."""
    with within():
        bpy.ops.ed.undo_push(message=name)
