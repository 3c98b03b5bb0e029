"""Blender materials to engine materials: one module a topic.

values, formulas    numbers and colours that may vary over a surface, and Blender's formulas
samples, pictures   lookups in images, and pictures computed from others
scope, node_reader  following links, evaluating sockets
value_nodes, texture_nodes, uv_nodes, normal_nodes   nodes by what they make
surface, shader_nodes, principled, gltf_groups       shaders
alpha, texture_slots, assemble                       the engine's material
reading             the whole
"""

from .reading import MaterialReading, read_material

__all__ = ["MaterialReading", "read_material"]
