"""A material in words: what the engine shows of it, from the evaluation that the sync makes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy

from ....engine_core.assets.material import Material, TextureSlot
from ..extra_uvs import CHECKER, GENERATED
from ..image_table import ImageTable
from ..mesh_arrays import MeshLayout, mesh_layout
from .baked import bake_of
from .fingerprint import tree_fingerprint
from .pictures import BumpImage, DerivedImage
from .reading import MaterialReading, read_material
from .samples import ImageSample


def describe_material(material: Any, layout: MeshLayout | None = None) -> list[str]:
    """Return what the engine shows of a `bpy.types.Material`, a sentence each.

    First what every channel is, then what is not shown as Blender shows it. `layout` is that of
    the mesh it is seen on; None: of the first mesh that has it. Costs little while nothing changes.
    """
    if layout is None:
        layout = _layout_of(material)
    state = (_state(material), layout)
    uid = material.original.session_uid
    known = _known.get(uid)
    if known is not None and known.state == state:
        return list(known.sentences)
    if len(_known) > MOST_KNOWN:
        _known.clear()
    sentences = _sentences(material, layout)
    _known[uid] = _Known(state, tuple(sentences))
    return sentences


MOST_KNOWN = 64
"""Materials whose descriptions are kept."""


@dataclass(frozen=True)
class _Known:
    state: tuple
    sentences: tuple[str, ...]


_known: dict[int, _Known] = {}
"""Descriptions by session uid."""


def _state(material: Any) -> tuple:
    """Return what a description depends on, apart from what is in the pictures."""
    bake = bake_of(material)
    plain = (tuple(material.diffuse_color), material.metallic, material.roughness)
    return (
        material.name,
        tree_fingerprint(material.node_tree),
        None if bake is None else (bake.tree, bake.uv_map, *(i.name for i in bake.images())),
        getattr(material, "surface_render_method", ""),
        material.use_backface_culling,
        plain if material.node_tree is None else None,
    )


def _layout_of(material: Any) -> MeshLayout:
    original = material.original
    for mesh in bpy.data.meshes:
        if original.name in mesh.materials and mesh.materials[original.name] == original:
            return mesh_layout(mesh)
    return MeshLayout(("UVMap",))


class _NamedPictures(ImageTable):
    """Pictures that are to be named, not shown: what would be computed is not."""

    def __init__(self) -> None:
        super().__init__()
        self.labels: dict[str, str] = {}

    def image_id(self, sample: ImageSample) -> str:
        """Return the id under which the image is known here."""
        self._reading(sample)
        return self._label(f"{sample.name}\0image", f"image '{sample.name}'")

    def derived_id(self, recipe: DerivedImage) -> str:
        """Return the id of a picture that is not computed."""
        return self._of(recipe)

    def bump_id(self, recipe: BumpImage) -> tuple[str, float]:
        """Return the id of a picture that is not computed; its unit is the height's own."""
        return self._of(recipe), 1.0

    def tile_grid(self, sample: ImageSample) -> tuple[int, int]:
        """Tiles are the artist's own way of numbering, not something that repeats."""
        return (1, 1)

    def border(self, sample: ImageSample) -> tuple[float, float]:
        """What is added for the engine's sake is not told."""
        return (0.0, 0.0)

    def _of(self, recipe: DerivedImage | BumpImage) -> str:
        names = dict.fromkeys(sample.name for sample in recipe.samples())
        listed = " and ".join(f"'{name}'" for name in names)
        return self._label("+".join(names) + "\0made", f"a picture computed from {listed}")

    def _label(self, key: str, text: str) -> str:
        self.labels[key] = text
        return key


def _sentences(material: Any, layout: MeshLayout) -> list[str]:
    if GENERATED not in layout.uv_names:
        layout = MeshLayout((*layout.uv_names, GENERATED), layout.color_names)
    pictures = _NamedPictures()
    reading = read_material(material, material.name_full, layout, pictures)
    writer = _Writer(reading.material, layout, pictures.labels)
    return [*_heading(material, reading), *writer.sentences(), *_warnings(reading)]


def _heading(material: Any, reading: MaterialReading) -> list[str]:
    bake = bake_of(material)
    if bake is None or any(
        w.cause in {"BAKE_OUTDATED", "BAKE_NO_UV_MAP"} for w in reading.warnings
    ):
        return []
    sizes = {image.size[0] for image in bake.images()}
    size = f", {max(sizes)} pixels a side" if sizes else ""
    return [f"Shown from its bake on UV map '{bake.uv_map}'{size}"]


def _warnings(reading: MaterialReading) -> list[str]:
    found: list[str] = []
    for warning in reading.warnings:
        where = f"{warning.node}: " if warning.node else ""
        advice = f" {warning.advice}" if warning.advice else ""
        found.append(f"{where}{warning.what}{advice}")
    return list(dict.fromkeys(found))


@dataclass(frozen=True)
class _Writer:
    """Words for a Material whose texture slots name pictures by `labels`."""

    material: Material
    layout: MeshLayout
    labels: dict[str, str]

    def sentences(self) -> list[str]:
        """Return a sentence for each channel that says something."""
        material = self.material
        if material.shading == "unlit":
            return [f"Unlit: {self._emission()}", *self._alpha(), *self._sides()]
        return [
            f"Base color: {self._base()}",
            *self._alpha(),
            *self._metal_and_roughness(),
            *self._reflection(),
            *self._normals(),
            *self._occlusion(),
            *self._glow(),
            *self._sides(),
        ]

    def _base(self) -> str:
        material = self.material
        parts: list[str] = []
        if material.base_color_texture is not None:
            parts.append(self._slot(material.base_color_texture))
        if material.vertex_color_set is not None:
            names = self.layout.color_names
            index = material.vertex_color_set
            name = f" '{names[index]}'" if index < len(names) else ""
            parts.append(f"color attribute{name}")
        tint = material.base_color[:3]
        if not parts or tint != (1.0, 1.0, 1.0):
            parts.append(_rgb(tint))
        return ", times ".join(parts)

    def _alpha(self) -> list[str]:
        material = self.material
        if material.alpha_mode == "opaque":
            return []
        if material.alpha_mode == "mask":
            return [f"Alpha: cut out where it is less than {_number(material.alpha_cutoff)}"]
        level = material.base_color[3]
        return ["Alpha: blended" + ("" if level == 1 else f", {_number(level)}")]

    def _metal_and_roughness(self) -> list[str]:
        material, slot = self.material, self.material.metallic_roughness_texture
        metallic, roughness = _number(material.metallic), _number(material.roughness)
        if slot is None:
            return [f"Metallic {metallic}, roughness {roughness}"]
        what = self._slot(slot)
        if material.metallic == 0:
            return [f"Roughness: {what}, times {roughness}", "Metallic 0"]
        if material.metallic == material.roughness == 1:
            return [f"Metallic and roughness: {what}"]
        return [f"Metallic and roughness: {what}, times {metallic} and {roughness}"]

    def _reflection(self) -> list[str]:
        if self.material.metallic == 1 and self.material.metallic_roughness_texture is None:
            return []
        if self.material.ior <= 1:
            return ["No reflection: it is matt"]
        tint = self.material.specular_tint
        tinted = "" if tint == (1.0, 1.0, 1.0) else f", tinted {_rgb(tint)}"
        return [f"Reflection: IOR {_number(self.material.ior)}{tinted}"]

    def _normals(self) -> list[str]:
        material, slot = self.material, self.material.normal_texture
        if slot is None:
            return []
        if material.bump_distance:
            strength = f", strength {_number(material.bump_strength)}"
            return [f"Bump: {self._slot(slot)}, {_number(material.bump_distance)} m{strength}"]
        return [f"Normal map: {self._slot(slot)}, strength {_number(material.normal_scale)}"]

    def _occlusion(self) -> list[str]:
        slot = self.material.occlusion_texture
        return [] if slot is None else [f"Occlusion: {self._slot(slot)}"]

    def _glow(self) -> list[str]:
        is_dark = self.material.emissive == (0.0, 0.0, 0.0)
        return [] if is_dark else [f"Emission: {self._emission()}"]

    def _emission(self) -> str:
        material = self.material
        light = (
            material.emissive[0] * material.emissive_strength,
            material.emissive[1] * material.emissive_strength,
            material.emissive[2] * material.emissive_strength,
        )
        if material.emissive_texture is None:
            return _rgb(light)
        return f"{self._slot(material.emissive_texture)}, times {_rgb(light)}"

    def _sides(self) -> list[str]:
        return [] if self.material.double_sided else ["Only its front is drawn"]

    def _slot(self, slot: TextureSlot) -> str:
        """Return which picture, on which UV map, how it lies there."""
        text = self.labels.get(slot.image, f"image '{slot.image}'")
        names = self.layout.uv_names
        if slot.uv_set < len(names):
            name = names[slot.uv_set]
            is_generated = name.startswith((GENERATED, CHECKER))
            text += " on generated coordinates" if is_generated else f" on UV map '{name}'"
        if slot.scale != (1.0, 1.0):
            text += f", repeated {_number(slot.scale[0])} x {_number(slot.scale[1])}"
        if slot.rotation:
            text += ", turned"
        if slot.filter == "nearest":
            text += ", with hard texels"
        return text


def _rgb(color: tuple[float, ...]) -> str:
    return ", ".join(_number(x) for x in color)


def _number(value: float) -> str:
    return f"{value:.3g}"
