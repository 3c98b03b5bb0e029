"""Blender materials to engine materials: one module a topic.

values, formulas    numbers and colours that may vary over a surface, and Blender's formulas
samples, pictures   lookups in images, and pictures computed from others
scope, node_reader  following links, evaluating sockets
value_nodes, texture_nodes, uv_nodes, normal_nodes   nodes by what they make
surface, shader_nodes, principled, gltf_groups       shaders
alpha, texture_slots, assemble                       the engine's material
reading             the whole
fingerprint, baked  a material's bake, and whether it still holds
describe            the whole in words
"""

from typing import Any

from .reading import MaterialReading, read_material


def describe_material(material: Any) -> list[str]:
    """Return what the engine shows of a `bpy.types.Material`, a sentence each; see describe.py."""
    from .describe import describe_material  # it needs the image table, which needs this package

    return describe_material(material)


__all__ = ["MaterialReading", "describe_material", "read_material"]
