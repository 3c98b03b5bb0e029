"""Materials of the starter level: Principled BSDF nodes with packed pictures, made in Blender."""

from __future__ import annotations

import io
from dataclasses import dataclass

import bpy
import numpy as np
from PIL import Image

from . import textures

Color = tuple[float, float, float]


def packed_image(name: str, picture: np.ndarray, *, color: bool) -> bpy.types.Image:
    """Put (H, W, 3 | 4) float 0..1, top row first, into the file as a small PNG or JPEG."""
    pixels = (np.clip(picture, 0, 1) * 255 + 0.5).astype(np.uint8)
    data = io.BytesIO()
    if name.endswith(".jpg"):
        Image.fromarray(pixels).save(data, "JPEG", quality=90, subsampling=0, optimize=True)
    else:
        Image.fromarray(pixels).save(data, "PNG", optimize=True)
    image = bpy.data.images.new(name, pixels.shape[1], pixels.shape[0], alpha=pixels.shape[2] == 4)
    image.pack(data=data.getvalue(), data_len=len(data.getvalue()))
    image.source = "FILE"
    image.colorspace_settings.name = "sRGB" if color else "Non-Color"
    return image


@dataclass(frozen=True)
class Surface:
    """What a material is made of; None leaves a map out."""

    name: str
    color: Color = (0.8, 0.8, 0.8)
    metallic: float = 0.0
    roughness: float = 0.5
    color_map: bpy.types.Image | None = None
    normal_map: bpy.types.Image | None = None
    rough_metal_map: bpy.types.Image | None = None
    normal_strength: float = 1.0
    emission: Color = (0.0, 0.0, 0.0)
    emission_strength: float = 0.0
    emission_map: bpy.types.Image | None = None
    alpha: float = 1.0
    cut_out: bool = False
    tinted_by: str | None = None
    """Name of a colour attribute that multiplies the colour."""


def material(surface: Surface) -> bpy.types.Material:
    """A Principled BSDF with the surface's values and maps."""
    made = bpy.data.materials.new(surface.name)
    made.use_nodes = True
    tree = made.node_tree
    shader = next(node for node in tree.nodes if node.type == "BSDF_PRINCIPLED")
    shader.inputs["Base Color"].default_value = (*surface.color, 1.0)
    shader.inputs["Metallic"].default_value = surface.metallic
    shader.inputs["Roughness"].default_value = surface.roughness
    shader.inputs["Emission Color"].default_value = (*surface.emission, 1.0)
    shader.inputs["Emission Strength"].default_value = surface.emission_strength
    shader.inputs["Alpha"].default_value = surface.alpha
    if surface.color_map is not None:
        _wire_color(tree, shader, surface)
    if surface.emission_map is not None:
        glow = _picture(tree, surface.emission_map)
        tree.links.new(glow.outputs["Color"], shader.inputs["Emission Color"])
    if surface.rough_metal_map is not None:
        split = tree.nodes.new("ShaderNodeSeparateColor")
        tree.links.new(_picture(tree, surface.rough_metal_map).outputs["Color"], split.inputs[0])
        tree.links.new(split.outputs["Green"], shader.inputs["Roughness"])
        tree.links.new(split.outputs["Blue"], shader.inputs["Metallic"])
    if surface.normal_map is not None:
        bump = tree.nodes.new("ShaderNodeNormalMap")
        bump.inputs["Strength"].default_value = surface.normal_strength
        tree.links.new(_picture(tree, surface.normal_map).outputs["Color"], bump.inputs["Color"])
        tree.links.new(bump.outputs["Normal"], shader.inputs["Normal"])
    see_through = surface.alpha < 1.0
    made.surface_render_method = "BLENDED" if see_through else "DITHERED"
    made.diffuse_color = (*surface.color, surface.alpha)
    for index, node in enumerate(tree.nodes):
        node.location = (-320 * (index // 3), 260 - 300 * (index % 3))
    return made


def _picture(tree: bpy.types.NodeTree, image: bpy.types.Image) -> bpy.types.Node:
    node = tree.nodes.new("ShaderNodeTexImage")
    node.image = image
    return node


def _wire_color(tree: bpy.types.NodeTree, shader: bpy.types.Node, surface: Surface) -> None:
    picture = _picture(tree, surface.color_map)
    source = picture.outputs["Color"]
    if surface.tinted_by is not None:
        tint = tree.nodes.new("ShaderNodeVertexColor")
        tint.layer_name = surface.tinted_by
        mix = tree.nodes.new("ShaderNodeMix")
        mix.data_type, mix.blend_type = "RGBA", "MULTIPLY"
        colors = [socket for socket in mix.inputs if socket.type == "RGBA"]
        mix.inputs["Factor"].default_value = 1.0
        tree.links.new(source, colors[0])
        tree.links.new(tint.outputs["Color"], colors[1])
        source = next(socket for socket in mix.outputs if socket.type == "RGBA")
    tree.links.new(source, shader.inputs["Base Color"])
    if surface.cut_out:
        above = tree.nodes.new("ShaderNodeMath")
        above.operation = "GREATER_THAN"
        above.inputs[1].default_value = 0.5
        tree.links.new(picture.outputs["Alpha"], above.inputs[0])
        tree.links.new(above.outputs["Value"], shader.inputs["Alpha"])


def everything() -> dict[str, bpy.types.Material]:
    """All materials of the level by a short name."""
    meadow, meadow_normal = textures.meadow(256)
    paving, paving_normal, paving_orm = textures.stone(256)
    stone, stone_normal = textures.limestone(256)
    bark, bark_normal = textures.bark(128)
    stone_maps = {
        "color_map": packed_image("stone_color.jpg", stone, color=True),
        "normal_map": packed_image("stone_normal.png", stone_normal, color=False),
    }
    surfaces = {
        "ground": Surface(
            "Meadow",
            roughness=0.95,
            color_map=packed_image("meadow_color.jpg", meadow, color=True),
            normal_map=packed_image("meadow_normal.png", meadow_normal, color=False),
            tinted_by="Tint",
        ),
        "paving": Surface(
            "Paving",
            color_map=packed_image("paving_color.jpg", paving, color=True),
            normal_map=packed_image("paving_normal.png", paving_normal, color=False),
            rough_metal_map=packed_image("paving_roughness.png", paving_orm, color=False),
        ),
        "stone": Surface("Limestone", roughness=0.82, **stone_maps),
        "bark": Surface(
            "Bark",
            roughness=0.9,
            color_map=packed_image("bark_color.jpg", bark, color=True),
            normal_map=packed_image("bark_normal.png", bark_normal, color=False),
        ),
        "leaves": Surface(
            "Leaves",
            roughness=0.75,
            color_map=packed_image("leaves.png", textures.foliage(256), color=True),
            cut_out=True,
        ),
        "grass": Surface(
            "Grass",
            roughness=0.85,
            color_map=packed_image("grass.png", textures.tuft(256), color=True),
            cut_out=True,
        ),
        "bronze": Surface("Bronze", color=(0.78, 0.45, 0.20), metallic=1.0, roughness=0.28),
        "iron": Surface("Iron", color=(0.10, 0.10, 0.11), metallic=1.0, roughness=0.45),
        "lamp": Surface(
            "Lamp Glass",
            color=(1.0, 0.8, 0.5),
            emission=(1.0, 0.58, 0.22),
            emission_strength=9.0,
        ),
        "crystal": Surface(
            "Crystal",
            color=(0.05, 0.35, 0.45),
            roughness=0.15,
            emission=(0.03, 0.55, 0.85),
            emission_strength=2.2,
        ),
        "gate": Surface(
            "Gate Light",
            color=(0.02, 0.04, 0.08),
            emission_map=packed_image("veil.jpg", textures.veil(192), color=True),
            emission_strength=2.6,
        ),
        "glass": Surface("Clear Glass", color=(0.75, 0.92, 0.95), roughness=0.04, alpha=0.22),
        "amber": Surface("Amber Glass", color=(1.0, 0.42, 0.04), roughness=0.08, alpha=0.55),
        "ruby": Surface("Ruby Glass", color=(0.75, 0.02, 0.06), roughness=0.08, alpha=0.55),
        "azure": Surface("Azure Glass", color=(0.03, 0.22, 0.75), roughness=0.08, alpha=0.55),
    }
    for index, (name, color, metallic, roughness) in enumerate(
        (
            ("Gold, polished", (1.0, 0.72, 0.28), 1.0, 0.06),
            ("Gold, satin", (1.0, 0.72, 0.28), 1.0, 0.30),
            ("Copper, worn", (0.93, 0.50, 0.36), 1.0, 0.55),
            ("Steel, brushed", (0.62, 0.64, 0.68), 1.0, 0.38),
            ("Enamel, wet", (0.50, 0.02, 0.03), 0.0, 0.05),
            ("Enamel, satin", (0.02, 0.14, 0.34), 0.0, 0.30),
            ("Clay, raw", (0.62, 0.30, 0.18), 0.0, 0.90),
        )
    ):
        surfaces[f"ball{index}"] = Surface(
            name, color=color, metallic=metallic, roughness=roughness
        )
    return {key: material(surface) for key, surface in surfaces.items()}
