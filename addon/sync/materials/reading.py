"""A Blender material as a whole: node tree or plain settings to Material."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ....engine_core.assets.material import Material, TextureSlot
from ..warnings import SyncWarning

ImageIdOf = Callable[[Any], str]
"""Gives the id under which a `bpy.types.Image` is known, reading it if it is new."""


@dataclass(frozen=True)
class MaterialReading:
    """A material, the images it uses (by id) and what was approximated of it."""

    material: Material
    images: frozenset[str] = frozenset()
    warnings: tuple[SyncWarning, ...] = ()


def read_material(material: Any, name: str, image_id_of: ImageIdOf) -> MaterialReading:
    """Turn a `bpy.types.Material` into a Material called `name`."""
    tree = material.node_tree
    node = next((n for n in tree.nodes if n.type == "BSDF_PRINCIPLED"), None) if tree else None
    if node is None:
        return MaterialReading(
            Material(
                name=name,
                base_color=tuple(material.diffuse_color),
                metallic=material.metallic,
                roughness=material.roughness,
                double_sided=not material.use_backface_culling,
            )
        )
    base = node.inputs["Base Color"]
    slot = None
    if base.is_linked and base.links[0].from_node.type == "TEX_IMAGE":
        image = base.links[0].from_node.image
        slot = TextureSlot(image=image_id_of(image)) if image is not None else None
    return MaterialReading(
        Material(
            name=name,
            base_color=(1.0, 1.0, 1.0, 1.0) if slot else tuple(base.default_value),
            base_color_texture=slot,
            metallic=node.inputs["Metallic"].default_value,
            roughness=node.inputs["Roughness"].default_value,
            emissive=tuple(node.inputs["Emission Color"].default_value)[:3],
            emissive_strength=node.inputs["Emission Strength"].default_value,
            double_sided=not material.use_backface_culling,
        ),
        frozenset([slot.image] if slot else []),
    )
