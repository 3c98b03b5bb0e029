"""Materials to Blender's nodes: a Principled BSDF, or an emission where there is no light."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import bpy

from ...engine_core.assets.material import Material, TextureSlot
from .node_tree import Tree

_EXTENSIONS = {"repeat": "REPEAT", "mirror": "MIRROR", "clamp": "EXTEND"}
_SETTINGS_GROUP = "glTF Material Output"
"""Name of the group that Blender's glTF add-on takes occlusion from; the sync does, too."""


def make_material(
    material_id: str,
    data: Material,
    images: Mapping[str, Any],
    uv_names: Sequence[str],
    color_names: Sequence[str],
) -> Any:
    """Make a `bpy.types.Material`.

    `images` are Blender's by id. `uv_names` and `color_names` are those of a mesh that has the
    material: Blender asks for UV maps and colours by name.
    """
    material: Any = bpy.data.materials.new(material_id)
    if bpy.app.version < (5, 0, 0):
        material.use_nodes = True
    material.use_backface_culling = not data.double_sided
    material.use_backface_culling_shadow = not data.back_casts_shadow
    is_blend = data.alpha_mode == "blend"
    material.surface_render_method = "BLENDED" if is_blend else "DITHERED"
    _Builder(Tree(material.node_tree), data, images, uv_names, color_names).build()
    return material


class _Builder:
    def __init__(
        self,
        tree: Tree,
        data: Material,
        images: Mapping[str, Any],
        uv_names: Sequence[str],
        color_names: Sequence[str],
    ) -> None:
        self.tree, self.data, self.images = tree, data, images
        self.uv_names, self.color_names = uv_names, color_names

    def build(self) -> None:
        output = self.tree.add("ShaderNodeOutputMaterial")
        color, alpha = self._base()
        shader = self._lit(color) if self.data.shading == "lit" else self._unlit(color)
        if self.data.alpha_mode != "opaque":
            shader = self._holed(shader, alpha)
        self.tree.link(shader, output.inputs["Surface"])
        if self.data.occlusion_texture is not None:
            self._occlusion(self.data.occlusion_texture)

    def _base(self) -> tuple[Any | None, Any | None]:
        """Outputs of the base colour and its alpha; None for what is constant."""
        data, tree = self.data, self.tree
        color = alpha = None
        if data.base_color_texture is not None:
            node = self._texture(data.base_color_texture, 4)
            color, alpha = node.outputs["Color"], node.outputs["Alpha"]
        if data.vertex_color_set is not None:
            name = _name(self.color_names, data.vertex_color_set)
            painted = tree.add("ShaderNodeVertexColor", 4, layer_name=name).outputs["Color"]
            color = painted if color is None else tree.times(color, painted, 3)
        if color is not None:
            color = tree.product(color, data.base_color, 3)
        if alpha is not None:
            alpha = tree.scaled(alpha, data.base_color[3], 3)
        return color, alpha

    def _lit(self, color: Any | None) -> Any:
        data, tree = self.data, self.tree
        node = tree.add("ShaderNodeBsdfPrincipled", 1)
        inputs = node.inputs
        inputs["Base Color"].default_value = (*data.base_color[:3], 1.0)
        inputs["Metallic"].default_value = data.metallic
        inputs["Roughness"].default_value = data.roughness
        inputs["IOR"].default_value = data.ior
        inputs["Specular Tint"].default_value = (*data.specular_tint, 1.0)
        inputs["Emission Color"].default_value = (*data.emissive, 1.0)
        inputs["Emission Strength"].default_value = data.emissive_strength
        if color is not None:
            tree.link(color, inputs["Base Color"])
        if data.metallic_roughness_texture is not None:
            channels = self._channels(data.metallic_roughness_texture)
            roughness = tree.scaled(channels.outputs["Green"], data.roughness, 2)
            metallic = tree.scaled(channels.outputs["Blue"], data.metallic, 2)
            tree.link(roughness, inputs["Roughness"])
            tree.link(metallic, inputs["Metallic"])
        if data.emissive_texture is not None:
            picture = self._texture(data.emissive_texture, 4).outputs["Color"]
            tree.link(tree.product(picture, data.emissive, 2), inputs["Emission Color"])
        if data.normal_texture is not None:
            bump = tree.add("ShaderNodeNormalMap", 2)
            bump.uv_map = _name(self.uv_names, data.normal_texture.uv_set)
            bump.inputs["Strength"].default_value = data.normal_scale
            tree.link(self._texture(data.normal_texture, 4).outputs["Color"], bump.inputs["Color"])
            tree.link(bump.outputs["Normal"], inputs["Normal"])
        return node.outputs["BSDF"]

    def _unlit(self, color: Any | None) -> Any:
        node = self.tree.add("ShaderNodeEmission", 1)
        node.inputs["Color"].default_value = (*self.data.base_color[:3], 1.0)
        if color is not None:
            self.tree.link(color, node.inputs["Color"])
        return node.outputs["Emission"]

    def _holed(self, shader: Any, alpha: Any | None) -> Any:
        """Mix `shader` with nothing: by its alpha, or by whether that reaches the cutoff."""
        data, tree = self.data, self.tree
        mix = tree.add("ShaderNodeMixShader", 0)
        clear = tree.add("ShaderNodeBsdfTransparent", 1)
        tree.link(clear.outputs[0], mix.inputs[1])
        tree.link(shader, mix.inputs[2])
        factor = mix.inputs[0]
        if data.alpha_mode == "mask":
            step = tree.add("ShaderNodeMath", 2, operation="GREATER_THAN")
            step.inputs[0].default_value = data.base_color[3]
            step.inputs[1].default_value = data.alpha_cutoff
            if alpha is not None:
                tree.link(alpha, step.inputs[0])
            tree.link(step.outputs[0], factor)
        elif alpha is not None:
            tree.link(alpha, factor)
        else:
            factor.default_value = data.base_color[3]
        return mix.outputs[0]

    def _occlusion(self, slot: TextureSlot) -> None:
        """Put occlusion where glTF's tools look for it: in a group that no shader reads."""
        node = self.tree.add("ShaderNodeGroup", 0, node_tree=_settings_group())
        occlusion = self._channels(slot).outputs["Red"]
        strength = self.data.occlusion_strength
        if strength < 1:
            # 1 + strength * (red - 1)
            mixed = self.tree.add("ShaderNodeMath", 2, operation="MULTIPLY_ADD")
            mixed.inputs[1].default_value = strength
            mixed.inputs[2].default_value = 1 - strength
            self.tree.link(occlusion, mixed.inputs[0])
            occlusion = mixed.outputs[0]
        self.tree.link(occlusion, node.inputs["Occlusion"])

    def _channels(self, slot: TextureSlot) -> Any:
        node = self.tree.add("ShaderNodeSeparateColor", 3)
        self.tree.link(self._texture(slot, 4).outputs["Color"], node.inputs["Color"])
        return node

    def _texture(self, slot: TextureSlot, column: int) -> Any:
        """Add a picture with its UV map and mapping."""
        tree = self.tree
        node = tree.add("ShaderNodeTexImage", column)
        node.image = self.images.get(slot.image)
        node.interpolation = "Closest" if slot.filter == "nearest" else "Linear"
        node.extension = _EXTENSIONS[slot.wrap_u]
        uv = tree.add("ShaderNodeUVMap", column + 2, uv_map=_name(self.uv_names, slot.uv_set))
        if (slot.offset, slot.rotation, slot.scale) == ((0.0, 0.0), 0.0, (1.0, 1.0)):
            tree.link(uv.outputs["UV"], node.inputs["Vector"])
            return node
        mapping = tree.add("ShaderNodeMapping", column + 1)
        mapping.inputs["Location"].default_value = (*_location(slot), 0.0)
        mapping.inputs["Rotation"].default_value = (0.0, 0.0, slot.rotation)
        mapping.inputs["Scale"].default_value = (*slot.scale, 1.0)
        tree.link(uv.outputs["UV"], mapping.inputs["Vector"])
        tree.link(mapping.outputs["Vector"], node.inputs["Vector"])
        return node


def _location(slot: TextureSlot) -> tuple[float, float]:
    """Where the picture's corner lies for Blender, whose v grows upwards.

    The engine has v' = oy - sin sx u + cos sy v with v down; put 1 - v for both.
    """
    sine, cosine = math.sin(slot.rotation), math.cos(slot.rotation)
    return slot.offset[0] + slot.scale[1] * sine, 1 - slot.offset[1] - slot.scale[1] * cosine


def _name(names: Sequence[str], number: int) -> str:
    return names[number] if number < len(names) else ""


def _settings_group() -> Any:
    group: Any = bpy.data.node_groups.get(_SETTINGS_GROUP)
    if group is None or group.bl_idname != "ShaderNodeTree":
        group = bpy.data.node_groups.new(_SETTINGS_GROUP, "ShaderNodeTree")
        socket = group.interface.new_socket(
            "Occlusion", in_out="INPUT", socket_type="NodeSocketFloat"
        )
        socket.default_value = 1.0
        group.nodes.new("NodeGroupInput")
    return group
