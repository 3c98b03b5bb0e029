"""A Blender material as a whole: node tree or plain settings to Material."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import bpy
import msgspec

from ....engine_core.assets.material import Material
from ..material_causes import MaterialCause
from ..mesh_arrays import MeshLayout
from ..warnings import SyncWarning, WarningKind
from .assemble import Assembler
from .baked import baked_material, is_mended, usable_bake, without_channels
from .gltf_groups import settings_occlusion
from .node_reader import Evaluator, NodeReader
from .pictures import ImageSource
from .scope import Scope
from .shader_nodes import ShaderReader
from .surface import NOTHING, Surface
from .texture_nodes import TEXTURE_EVALUATORS
from .value_nodes import VALUE_EVALUATORS
from .values import Color

EVALUATORS = {**VALUE_EVALUATORS, **TEXTURE_EVALUATORS}


@dataclass(frozen=True)
class MaterialReading:
    """A material and what was approximated of it.

    uv_maps, color_attributes: names that the tree asks for; the material's set numbers hold for
    meshes where these stand at the same places.
    """

    material: Material
    warnings: tuple[SyncWarning, ...] = ()
    uv_maps: frozenset[str] = frozenset()
    color_attributes: frozenset[str] = frozenset()


def read_material(
    material: Any, name: str, layout: MeshLayout, images: ImageSource
) -> MaterialReading:
    """Turn a `bpy.types.Material` into a Material called `name`, for meshes of a given layout."""
    tree = node_tree_in_use(material, (5, 0, 0))
    double_sided = not material.use_backface_culling
    back_casts_shadow = not material.use_backface_culling_shadow
    if tree is None:
        return MaterialReading(
            Material(
                name=name,
                base_color=(*tuple(material.diffuse_color)[:3], 1.0),
                metallic=material.metallic,
                roughness=material.roughness,
                double_sided=double_sided,
                back_casts_shadow=back_casts_shadow,
            )
        )
    reader = NodeReader("material", name, EVALUATORS, layout)
    reader.owner_uid = material.original.session_uid
    surface = _surface(reader, tree)
    blended = getattr(material, "surface_render_method", "DITHERED") == "BLENDED"
    bake = usable_bake(material, reader)
    if bake is not None:
        surface = without_channels(surface)
    result = Assembler(reader, images).material(surface, name, blended, double_sided)
    if bake is not None:
        result = baked_material(bake, result, blended, reader, images)
        result = msgspec.structs.replace(result, glass=surface.is_glass)
    return MaterialReading(
        msgspec.structs.replace(result, back_casts_shadow=back_casts_shadow),
        tuple(w for w in reader.warnings if bake is None or not is_mended(w)),
        frozenset(reader.uv_maps),
        frozenset(reader.color_attributes),
    )


def node_tree_in_use(datablock: Any, always_since: tuple[int, int, int]) -> Any | None:
    """Return the tree of a material, world or lamp, None if it is switched off.

    From version `always_since` of Blender on there is no such switch any more.
    """
    if bpy.app.version < always_since and not datablock.use_nodes:
        return None
    return datablock.node_tree


def _surface(reader: NodeReader, tree: Any) -> Surface:
    output = tree.get_output_node("EEVEE")
    if output is None:
        reader.warn(None, MaterialCause.MATERIAL_NO_OUTPUT)
        return NOTHING
    for name, label in (("Volume", "A volume"), ("Displacement", "Displacement")):
        socket = output.inputs.get(name)
        if socket is not None and socket.is_linked:
            reader.warn(output, MaterialCause.MATERIAL_NOT_DRAWN, what=label)
    surface = ShaderReader(reader).surface(output.inputs["Surface"], Scope())
    occlusion = settings_occlusion(reader, tree)
    if occlusion is None:
        return surface
    return replace(surface, occlusion=occlusion)


def read_emission(
    tree: Any, kind: WarningKind, name: str, evaluators: dict[str, Evaluator] | None = None
) -> tuple[Color, tuple[SyncWarning, ...]]:
    """Return the colour that the tree of a lamp or world emits, and warnings about the tree.

    `kind` and `name` say whose tree it is; `evaluators` are those of further node types.
    """
    reader = NodeReader(kind, name, {**EVALUATORS, **(evaluators or {})})
    output = tree.get_output_node("EEVEE")
    if output is None:
        return NOTHING.emission, ()
    surface = ShaderReader(reader).surface(output.inputs["Surface"], Scope())
    volume = output.inputs.get("Volume")
    if volume is not None and volume.is_linked:
        reader.warn(output, MaterialCause.MATERIAL_NOT_DRAWN, what="A volume")
    return surface.emission, tuple(reader.warnings)
