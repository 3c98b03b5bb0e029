"""The scene that a bake happens in: copies of what shows the material, and nothing of the artist's.

The artist's scene, selection, render engine and node trees are never touched, so there is nothing
to restore; leaving the context removes every copy, whatever happened.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import bpy

from .bake_channels import CannotBake, ChannelTree
from .bake_images import bake_target

SAMPLES = 8
"""Rays a pixel: channels carry no noise, so these only smooth edges within a pixel."""


@dataclass
class BakeScene:
    """A scene with a copy of every object that is baked.

    `copies` are the objects, with meshes of their own; `channels` is the rewired tree of the
    material's copy; `target` is the float picture that a bake writes.
    """

    scene: Any
    copies: list[Any]
    target: Any
    material: Any
    channels: ChannelTree

    @contextmanager
    def context(self) -> Iterator[None]:
        """Make this scene the context's own, with all copies selected."""
        layer = self.scene.view_layers[0]
        layer.objects.active = self.copies[0]
        for copy in self.copies:
            copy.select_set(True, view_layer=layer)
        with bpy.context.temp_override(
            scene=self.scene,
            view_layer=layer,
            active_object=self.copies[0],
            object=self.copies[0],
            edit_object=self.copies[0],
            selected_objects=self.copies,
            selected_editable_objects=self.copies,
        ):
            yield

    def bake(self, uv_map: str, kind: str) -> None:
        """Bake 'EMIT' or 'NORMAL' into `target` on a UV map. Raises CannotBake."""
        for copy in self.copies:
            layer = copy.data.uv_layers.get(uv_map)
            if layer is None:
                raise CannotBake(f"'{copy.data.name}' lost its UV map '{uv_map}'")
            copy.data.uv_layers.active = layer
        with self.context():
            try:
                bake: Any = bpy.ops.object.bake
                bake(
                    type=kind,
                    margin=0,
                    use_clear=False,
                    use_selected_to_active=False,
                    target="IMAGE_TEXTURES",
                    save_mode="INTERNAL",
                    normal_space="TANGENT",
                )
            except RuntimeError as reason:
                raise CannotBake(f"Cycles refused: {' '.join(str(reason).split())}") from reason


@contextmanager
def bake_scene(material: Any, objects: Sequence[Any], side: int) -> Iterator[BakeScene]:
    """Open a scene for baking `material` on `objects`, one object a mesh.

    Raises CannotBake if Cycles is not there or the tree cannot be rewired.
    """
    made: list[Any] = []
    try:
        yield _open(material, objects, side, made)
    finally:
        bpy.data.batch_remove(made)  # at once: an object goes with its mesh


def _open(material: Any, objects: Sequence[Any], side: int, made: list[Any]) -> BakeScene:
    scene = bpy.data.scenes.new("Fyn Bake")
    made.append(scene)
    _set_up(scene)
    target = bake_target("Fyn Bake", side)
    made.append(target)
    own = material.copy()
    made.append(own)
    channels = ChannelTree(own)
    made += channels.copies
    _aim(own, target)
    other_target = bake_target("Fyn Bake Other", 4)
    made.append(other_target)
    other = bpy.data.materials.new("Fyn Bake Other")
    made.append(other)
    if other.node_tree is None:
        other.use_nodes = True
    _aim(other, other_target)
    copies: list[Any] = []
    for obj in objects:
        copies.append(_copied(obj, material, own, other, made))
        scene.collection.objects.link(copies[-1])
    return BakeScene(scene, copies, target, own, channels)


def _set_up(scene: Any) -> None:
    try:
        scene.render.engine = "CYCLES"
    except TypeError:
        raise CannotBake("Cycles is not there; enable its add-on in the preferences") from None
    cycles = scene.cycles
    cycles.device = "CPU"
    cycles.samples = SAMPLES
    cycles.use_adaptive_sampling = False
    cycles.use_denoising = False
    cycles.seed = 0
    scene.render.bake.view_from = "ABOVE_SURFACE"
    scene.render.bake.use_multires = False


def _aim(material: Any, image: Any) -> None:
    """Add the node that Blender looks for to know where to bake to."""
    nodes = material.node_tree.nodes
    node = nodes.new("ShaderNodeTexImage")
    node.image = image
    for other in nodes:
        other.select = False
    node.select = True
    nodes.active = node


def _copied(obj: Any, material: Any, own: Any, other: Any, made: list[Any]) -> Any:
    """Return a copy of an object whose slots show `own` in the material's place, else `other`."""
    shown = [slot.material for slot in obj.material_slots] or [None]
    copy = obj.copy()
    made.append(copy)
    copy.data = obj.data.copy()
    made.append(copy.data)
    copy.animation_data_clear()
    copy.hide_render = copy.hide_viewport = False
    copy.visible_camera = True
    if not copy.material_slots:
        copy.data.materials.append(None)
    for slot, original in zip(copy.material_slots, shown, strict=True):
        slot.material = own if original == material else other
    return copy
