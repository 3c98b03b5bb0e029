"""What a material keeps of its bake, and the engine's material made of that.

A bake is a custom property of the material (so it needs no registration, and is saved, undone and
linked with it). The artist's node tree is never touched; the fingerprint of it says whether the
bake still shows what the tree says.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import msgspec

from ....engine_core.assets.material import Material, TextureSlot
from ..causes import Cause
from ..material_causes import MaterialCause
from ..warnings import SyncWarning
from .alpha import AlphaPlan, plan_alpha
from .fingerprint import tree_fingerprint
from .node_reader import NodeReader
from .pictures import AlphaKind, ImageSource
from .samples import ImageSample, UvMapping
from .surface import BLACK, CLEAR, DEFAULT_GREY, HALF, OPAQUE, Surface
from .texture_slots import TextureBuilder
from .values import constant

BAKED = "fyn_baked"
"""Custom property of a material that holds its bake."""
VERSION = 1
BAKE_FIX = "bake_material"
"""What a cause names as its fix if a bake shows what the nodes alone cannot."""

Rgb = tuple[float, float, float]


@dataclass(frozen=True)
class Bake:
    """The channels of a baked material; a picture of None means the constant beside it.

    base_image: colour and alpha; data_image: green roughness, blue metallic; emission: the factor
    of `emission_image`, or the constant light. uv_map: the UV map that all pictures lie on.
    alpha_kind: what the alpha in `base_image` looks like; "opaque": it has none.
    """

    tree: str
    uv_map: str
    base_image: Any | None = None
    base: tuple[float, float, float, float] = (0.8, 0.8, 0.8, 1.0)
    data_image: Any | None = None
    roughness: float = 0.5
    metallic: float = 0.0
    normal_image: Any | None = None
    emission_image: Any | None = None
    emission: Rgb = (0.0, 0.0, 0.0)
    alpha_kind: AlphaKind = "opaque"

    def images(self) -> list[Any]:
        """Return the pictures that there are."""
        found = (self.base_image, self.data_image, self.normal_image, self.emission_image)
        return [image for image in found if image is not None]


_IMAGES = ("base_image", "data_image", "normal_image", "emission_image")


def bake_of(material: Any) -> Bake | None:
    """Return the bake that a `bpy.types.Material` holds, None if there is none that can be read."""
    held = material.original.get(BAKED)
    if held is None or not hasattr(held, "to_dict") or held.get("version") != VERSION:
        return None
    try:
        red, green, blue, alpha = (float(x) for x in held["base"])
        glow_red, glow_green, glow_blue = (float(x) for x in held["emission"])
        return Bake(
            tree=str(held["tree"]),
            uv_map=str(held["uv_map"]),
            base=(red, green, blue, alpha),
            roughness=float(held["roughness"]),
            metallic=float(held["metallic"]),
            emission=(glow_red, glow_green, glow_blue),
            alpha_kind=held["alpha_kind"],
            **{name: held.get(name) for name in _IMAGES},
        )
    except (KeyError, TypeError, ValueError):  # someone edited it by hand
        return None


def keep_bake(material: Any, bake: Bake) -> None:
    """Store a bake on a material; the pictures of an older one go if nothing else uses them."""
    before = bake_of(material)
    values = {
        name: getattr(bake, name)
        for name in ("tree", "uv_map", "base", "roughness", "metallic", "emission", "alpha_kind")
    }
    material[BAKED] = {"version": VERSION, **values}
    for name in _IMAGES:
        image = getattr(bake, name)
        if image is not None:
            material[BAKED][name] = image
    _remove_unused(before)
    material.update_tag()


def drop_bake(material: Any) -> bool:
    """Remove a material's bake and its pictures; tells whether there was one."""
    before = bake_of(material)
    if BAKED not in material:
        return False
    del material[BAKED]
    _remove_unused(before)
    material.update_tag()
    return True


def _remove_unused(bake: Bake | None) -> None:
    import bpy

    for image in bake.images() if bake is not None else ():
        if image.users == 0:
            bpy.data.images.remove(image)


def is_outdated(material: Any, bake: Bake) -> bool:
    """Tell whether the node tree has changed since the bake, or a picture of it is gone."""
    return tree_fingerprint(material.node_tree) != bake.tree


def usable_bake(material: Any, reader: NodeReader) -> Bake | None:
    """Return the bake to show in place of the tree; None, with a warning, if it does not fit."""
    bake = bake_of(material)
    if bake is None:
        return None
    reader.uv_maps.add(bake.uv_map)
    if is_outdated(material, bake):
        reader.warn(None, MaterialCause.BAKE_OUTDATED)
        return None
    if bake.uv_map not in reader.layout.uv_names and bake.images():
        reader.warn(None, MaterialCause.BAKE_NO_UV_MAP, name=bake.uv_map)
        return None
    return bake


def is_mended(warning: SyncWarning) -> bool:
    """Tell whether a bake of the material would mend what a warning is about."""
    cause = Cause.all().get(warning.cause)
    return cause is not None and cause.words.fix == BAKE_FIX


def without_channels(surface: Surface) -> Surface:
    """Return what of a surface no bake holds: IOR, tint, occlusion, sides."""
    return replace(
        surface,
        base=DEFAULT_GREY,
        metallic=CLEAR,
        roughness=HALF,
        emission=BLACK,
        alpha=OPAQUE,
        normal=None,
    )


def baked_material(
    bake: Bake, plain: Material, blended: bool, reader: NodeReader, images: ImageSource
) -> Material:
    """Return `plain` (what the tree was read as) with the channels of the bake in their places."""
    textures = TextureBuilder(reader, images)

    def slot(image: Any | None) -> TextureSlot | None:
        return None if image is None else textures.slot(_sample(image, bake.uv_map))

    plan = plan_alpha(constant(bake.base[3]), blended, images)
    if bake.alpha_kind != "opaque":
        plan = AlphaPlan("mask" if bake.alpha_kind == "cutout" and not blended else "blend")
    tint = (1.0, 1.0, 1.0) if bake.base_image is not None else bake.base[:3]
    strength = max(1.0, *bake.emission)
    red, green, blue = (x / strength for x in bake.emission)
    has_data = bake.data_image is not None
    return msgspec.structs.replace(
        plain,
        base_color=(*tint, plan.factor),
        base_color_texture=slot(bake.base_image),
        vertex_color_set=None,
        metallic=1.0 if has_data else bake.metallic,
        roughness=1.0 if has_data else bake.roughness,
        metallic_roughness_texture=slot(bake.data_image),
        normal_texture=slot(bake.normal_image),
        normal_scale=1.0,
        bump_distance=0.0,
        bump_strength=1.0,
        emissive=(red, green, blue),
        emissive_strength=strength,
        emissive_texture=slot(bake.emission_image),
        alpha_mode=plan.mode,
        alpha_cutoff=plan.cutoff,
    )


def _sample(image: Any, uv_map: str) -> ImageSample:
    return ImageSample(
        uid=image.original.session_uid,
        frame=0,
        mapping=UvMapping(uv_map),
        wrap="clamp",
        name=image.name_full,
        image=image,
    )
