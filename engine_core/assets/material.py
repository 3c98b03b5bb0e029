"""Material: what a surface looks like, in glTF's metallic-roughness terms."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from ..world.fields import Factor, LinearColor, Vec2, Vec4, field_meta

Wrap = Literal["repeat", "mirror", "clamp"]


class TextureSlot(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """An image asset and how it is laid on a surface.

    Texture coordinates are transformed as KHR_texture_transform does: scale, then rotation
    (counter-clockwise radians), then offset, in the v-down UV space.
    """

    image: Annotated[str, field_meta("Image", "Id of the image asset", kind="image")]
    uv_set: Annotated[int, field_meta("UV Set", "Which of the mesh's UV sets", ge=0, le=7)] = 0
    wrap_u: Annotated[Wrap, field_meta("Wrap U", "Beyond the left and right edge")] = "repeat"
    wrap_v: Annotated[Wrap, field_meta("Wrap V", "Beyond the upper and lower edge")] = "repeat"
    filter: Annotated[
        Literal["linear", "nearest"], field_meta("Filter", "Smooth, or hard texels")
    ] = "linear"
    offset: Annotated[Vec2, field_meta("Offset", "Added last")] = (0.0, 0.0)
    rotation: Annotated[
        float, field_meta("Rotation", "Counter-clockwise, after scaling", unit="rad")
    ] = 0.0
    scale: Annotated[Vec2, field_meta("Scale", "How often the image repeats")] = (1.0, 1.0)


class Material(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A surface. Factors multiply textures; colours are linear.

    metallic_roughness_texture: green is roughness, blue is metallic. occlusion_texture: red.
    normal_texture: +Y up (OpenGL convention). base_color_texture and emissive_texture are colour.

    With a bump_distance other than 0, normal_texture holds two things: red and green are x and y of
    the tangent-space normal, whose z follows; blue and alpha are, in the same way, x and y of a
    unit vector (x, y, z) for which bump_distance * (x, y) / z is how many metres the surface rises
    a unit of the transformed UV, v downwards.
    """

    name: Annotated[str, field_meta("Name", "What people call it; need not be unique")] = ""
    base_color: Annotated[Vec4, field_meta("Base Color", "Linear RGBA", kind="color")] = (
        1.0, 1.0, 1.0, 1.0,
    )  # fmt: skip
    base_color_texture: Annotated[
        TextureSlot | None, field_meta("Base Color Map", "Colour and alpha, multiplied")
    ] = None
    vertex_color_set: Annotated[
        Annotated[int, Meta(ge=0, le=7)] | None,
        field_meta("Vertex Colors", "Colour set of the mesh that multiplies the base colour"),
    ] = None
    metallic: Annotated[Factor, field_meta("Metallic", "0 dielectric, 1 metal")] = 0.0
    roughness: Annotated[Factor, field_meta("Roughness", "0 mirror, 1 matte")] = 0.5
    metallic_roughness_texture: Annotated[
        TextureSlot | None,
        field_meta("Metallic-Roughness Map", "Green: roughness, blue: metallic, multiplied"),
    ] = None
    ior: Annotated[float, field_meta("IOR", "Index of refraction; sets F0", ge=1.0, le=10.0)] = 1.5
    specular_tint: Annotated[LinearColor, field_meta("Specular Tint", "Multiplies F0")] = (
        1.0, 1.0, 1.0,
    )  # fmt: skip
    normal_texture: Annotated[
        TextureSlot | None, field_meta("Normal Map", "Tangent space, +Y up (OpenGL)")
    ] = None
    normal_scale: Annotated[float, field_meta("Normal Strength", "Of the normal map")] = 1.0
    bump_distance: Annotated[
        float,
        field_meta("Bump Distance", "Scale of the slopes in the normal map; 0: none", unit="m"),
    ] = 0.0
    bump_strength: Annotated[
        float, field_meta("Bump Strength", "How much of the bump is seen", ge=0.0)
    ] = 1.0
    occlusion_texture: Annotated[
        TextureSlot | None, field_meta("Occlusion Map", "Red: how much ambient light arrives")
    ] = None
    occlusion_strength: Annotated[Factor, field_meta("Occlusion", "Of the occlusion map")] = 1.0
    emissive: Annotated[LinearColor, field_meta("Emission", "Linear RGB", kind="color")] = (
        0.0, 0.0, 0.0,
    )  # fmt: skip
    emissive_strength: Annotated[
        float, field_meta("Emission Strength", "Multiplies the emission", ge=0.0)
    ] = 1.0
    emissive_texture: Annotated[
        TextureSlot | None, field_meta("Emission Map", "Colour, multiplied")
    ] = None
    alpha_mode: Annotated[
        Literal["opaque", "mask", "blend"],
        field_meta("Alpha Mode", "Alpha is ignored, cuts holes, or blends"),
    ] = "opaque"
    alpha_cutoff: Annotated[Factor, field_meta("Cutoff", "Alpha below this is a hole")] = 0.5
    glass: Annotated[
        bool, field_meta("Glass", "Where it blends, it still mirrors as if it were opaque")
    ] = False
    double_sided: Annotated[bool, field_meta("Double Sided", "Back faces are drawn")] = True
    back_casts_shadow: Annotated[
        bool, field_meta("Back Casts Shadow", "Faces that look away from a light cast shadows too")
    ] = True
    shading: Annotated[
        Literal["lit", "unlit", "holdout"],
        field_meta(
            "Shading",
            "Unlit shows base colour + emission as is; a holdout is a hole in the picture",
        ),
    ] = "lit"

    def texture_slots(self) -> dict[str, TextureSlot]:
        """Return the textures in use by role: base_color, metallic_roughness, normal, ..."""
        slots = {
            "base_color": self.base_color_texture,
            "metallic_roughness": self.metallic_roughness_texture,
            "normal": self.normal_texture,
            "occlusion": self.occlusion_texture,
            "emissive": self.emissive_texture,
        }
        return {role: slot for role, slot in slots.items() if slot is not None}


DEFAULT_MATERIAL = Material(name="Default", base_color=(0.8, 0.8, 0.8, 1.0), roughness=0.5)
"""Drawn where a slot names no material: Blender's own default grey."""
