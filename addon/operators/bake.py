"""Operators that bake materials, and the settings they have on each material.

In a window the bake runs a step at a time between redraws, with progress, and Esc cancels it; in
the background it runs through at once.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import bpy

from ..sync.materials.baked import drop_bake
from ..sync.render_depsgraph import with_render_depsgraph
from ..sync.scene_sync import SceneSync
from .bake_channels import CannotBake
from .bake_job import DEFAULT_SIDE, SIDES, Progress, bake_steps, materials_that_gain

log = logging.getLogger("fyn.bake")

TICK = 0.02
"""Seconds between two steps, in which Blender redraws."""


class FynBakeSettings(bpy.types.PropertyGroup):
    """How a material is baked."""

    size: bpy.props.EnumProperty(  # type: ignore[valid-type]
        name="Size",
        description="Pixels a side of the pictures that the material is baked to",
        items=[(str(side), str(side), f"{side} x {side} pixels") for side in SIDES],
        default=str(DEFAULT_SIDE),
    )


class _Baking:
    """Bakes materials one after the other; what both operators share."""

    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012 - Blender's own way of saying it

    report: Any  # of bpy.types.Operator, which both operators are
    _left: list[Any]
    _steps: Iterator[Progress] | None
    _timer: Any
    _mode: Any
    _baked: int
    _total: int

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Tell whether there is a scene to bake in."""
        return context.scene is not None

    def materials(self, context: Any) -> list[Any]:
        """Return what is to be baked."""
        raise NotImplementedError

    def execute(self, context: Any) -> set[str]:
        """Bake everything at once."""
        if not self._begin(context):
            return {"CANCELLED"}
        try:
            while self._step(context):
                pass
        finally:
            self._end(context)
        return {"FINISHED"} if self._baked else {"CANCELLED"}

    def invoke(self, context: Any, event: Any) -> set[str]:
        """Bake between redraws."""
        if bpy.app.background or context.window is None:
            return self.execute(context)
        if not self._begin(context):
            return {"CANCELLED"}
        manager = context.window_manager
        manager.progress_begin(0, self._total)
        self._timer = manager.event_timer_add(TICK, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Any, event: Any) -> set[str]:
        """Do the next step, or stop."""
        if event.type == "ESC":
            self._end(context)
            self.report({"INFO"}, f"Baking was cancelled; {self._baked} materials are baked")
            return {"FINISHED"} if self._baked else {"CANCELLED"}
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        if self._step(context):
            return {"RUNNING_MODAL"}
        self._end(context)
        return {"FINISHED"} if self._baked else {"CANCELLED"}

    def cancel(self, context: Any) -> None:
        """Blender ends the operator, for instance because its window closes."""
        self._end(context)

    def _begin(self, context: Any) -> bool:
        self._steps, self._timer, self._baked, self._mode = None, None, 0, ""
        if context.object is not None and context.object.mode != "OBJECT":
            self._mode = context.object.mode
            bpy.ops.object.mode_set(mode="OBJECT")
        self._left = self.materials(context)
        self._total = len(self._left)
        if not self._left:
            self.report({"INFO"}, "No material needs a bake")
            self._end(context)
        return bool(self._left)

    def _step(self, context: Any) -> bool:
        """Go one step on; tells whether there is more to do."""
        if self._steps is None:
            if not self._left:
                return False
            self._steps = bake_steps(self._left[0], context.scene)
        material = self._left[0]
        try:
            progress = next(self._steps)
        except StopIteration:
            self._baked += 1
            self._next()
        except (CannotBake, RuntimeError, MemoryError) as reason:
            if not isinstance(reason, CannotBake):
                log.exception("baking '%s'", material.name)
            self.report({"WARNING"}, f"'{material.name}' was not baked: {reason}")
            self._next()
        else:
            self._show(context, f"{material.name}: {progress.what} (Esc cancels)", progress.done)
        return True

    def _next(self) -> None:
        self._left.pop(0)
        self._steps = None

    def _show(self, context: Any, text: str, done: float) -> None:
        if self._timer is None:
            return
        context.window_manager.progress_update(self._total - len(self._left) + done)
        if context.workspace is not None:
            context.workspace.status_text_set(text)

    def _end(self, context: Any) -> None:
        if self._steps is not None:
            self._steps.close()  # type: ignore[attr-defined] - a generator, which cleans up now
            self._steps = None
        if self._timer is not None:
            context.window_manager.event_timer_remove(self._timer)
            context.window_manager.progress_end()
            if context.workspace is not None:
                context.workspace.status_text_set(None)
            self._timer = None
        if self._mode and context.object is not None:
            bpy.ops.object.mode_set(mode=self._mode)
            self._mode = ""


class FynBakeMaterial(_Baking, bpy.types.Operator):
    """Bake a material's nodes to pictures that Fyn shows. The nodes stay as they are."""

    bl_idname = "fyn.bake_material"
    bl_label = "Bake Material"

    material: bpy.props.StringProperty(  # type: ignore[valid-type]
        name="Material", description="Name of the material; empty: the active object's active one"
    )

    def materials(self, context: Any) -> list[Any]:
        """Return the chosen material."""
        if self.material:
            found = bpy.data.materials.get(self.material)
        else:
            found = getattr(context, "material", None)
            if found is None and context.object is not None:
                found = context.object.active_material
        return [] if found is None else [found]


class FynBakeMaterials(_Baking, bpy.types.Operator):
    """Bake every material of the scene that Fyn cannot show from its nodes."""

    bl_idname = "fyn.bake_materials"
    bl_label = "Bake Materials That Need It"

    def materials(self, context: Any) -> list[Any]:
        """Return the materials that a bake would help."""
        return scene_materials_that_gain(context.scene)


class FynDropBake(bpy.types.Operator):
    """Forget a material's bake and show its nodes again."""

    bl_idname = "fyn.drop_bake"
    bl_label = "Remove Bake"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    material: bpy.props.StringProperty(name="Material")  # type: ignore[valid-type]

    def execute(self, context: Any) -> set[str]:
        """Remove the pictures and the mark."""
        found = bpy.data.materials.get(self.material)
        if found is None and context.object is not None and not self.material:
            found = context.object.active_material
        if found is None or found.library is not None or not drop_bake(found):
            self.report({"INFO"}, "There is no bake to remove")
            return {"CANCELLED"}
        return {"FINISHED"}


def scene_materials_that_gain(scene: Any) -> list[Any]:
    """Return the materials of a scene that a bake would help, by what its sync warns of."""
    sync = SceneSync()
    with_render_depsgraph(scene, sync.full)
    return materials_that_gain(sync.warnings, scene)


CLASSES: tuple[type, ...] = (FynBakeSettings, FynBakeMaterial, FynBakeMaterials, FynDropBake)


def register() -> None:
    """Give every material its settings; the classes are registered already."""
    bpy.types.Material.fyn_bake = bpy.props.PointerProperty(type=FynBakeSettings)  # type: ignore[attr-defined]


def unregister() -> None:
    """Take the settings away."""
    if hasattr(bpy.types.Material, "fyn_bake"):
        del bpy.types.Material.fyn_bake  # type: ignore[attr-defined]
