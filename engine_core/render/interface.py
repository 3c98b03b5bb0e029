"""What Python and GLSL agree on: vertex attributes, uniform blocks, texture units, limits.

Written once, here. `glsl_include()` makes `common/interface.glsl` from it and `glsl_attributes()`
makes `common/attributes.glsl` (shaders include them by these names; they are no files), and the
renderer packs its uniform buffers with the same tables.
Blocks use std140; only vec4, ivec4, uvec4 and mat4 members are allowed, so that no padding rule
has to be remembered. Bindings are set by name after linking (GLSL 4.10 and ES 3.00 have no
`layout(binding)`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MAX_LIGHTS = 64
"""Lights other than the shadowed sun that one frame can hold."""
MAX_CASCADES = 4
MAX_LAMP_FACES = 32
"""Shadow maps of lamps that one frame can hold; a point has six."""
ENVIRONMENT_LEVELS = 11
"""Roughness levels of the prefiltered environment, 0 (mirror) to 1, evenly apart."""

ATTRIBUTES: dict[str, tuple[int, str]] = {
    "in_position": (0, "vec3"),
    "in_normal": (1, "vec3"),
    "in_tangent": (2, "vec4"),
    "in_uv0": (3, "vec2"),
    "in_uv1": (4, "vec2"),
    "in_color": (5, "vec4"),
    "in_joints": (6, "vec4"),
    "in_weights": (7, "vec4"),
}
"""Vertex attributes: name to (location, GLSL type). A missing array is a constant attribute:
tangent 0 0 0 0 (derive it from screen-space derivatives), colour 1 1 1 1, uv 0 0. Joints are floats
that hold whole numbers, so that they need no pointer of another kind."""


@dataclass(frozen=True)
class Member:
    """One member of a uniform block; `count` > 0 makes it an array."""

    name: str
    type: str
    count: int = 0
    comment: str = ""


FRAME = (
    Member("view_from_world", "mat4"),
    Member("clip_from_view", "mat4"),
    Member("clip_from_world", "mat4"),
    Member("world_from_clip", "mat4"),
    Member("camera_position", "vec4", comment="xyz metres, w: 1 perspective, 0 orthographic"),
    Member("camera_forward", "vec4", comment="xyz unit, w: time in seconds"),
    Member("viewport", "vec4", comment="width, height, 1/width, 1/height, pixels"),
    Member("clip_planes", "vec4", comment="near, far in metres, zw: 0"),
    Member("sun_direction", "vec4", comment="xyz towards the shadowed sun, w: 1 if there is one"),
    Member("sun_color", "vec4", comment="linear rgb times strength, w: specular factor"),
    Member("sun_params", "vec4", comment="x: diffuse factor, y: half angle rad, z: shadows 0/1"),
    Member("sky_color", "vec4", comment="environment from above, at strength 1; w: kind"),
    Member("ground_color", "vec4", comment="environment from below, at strength 1; w: ambient"),
    Member("sky_sun", "vec4", comment="xyz towards the sky's sun, w: disc half angle rad"),
    Member(
        "sky_params",
        "vec4",
        comment="turbidity, disc intensity, background is a colour 0/1, visible 0/1",
    ),
    Member(
        "sky_light", "vec4", comment="strength times tint (and colour); what surfaces get of it"
    ),
    Member("sky_background", "vec4", comment="colour, or factor of the environment, that is seen"),
    Member("image_from_world", "vec4", 3, "rows of the rotation into a panorama's axes"),
    Member("tone", "vec4", comment="x: exp2(exposure), y: tone map id, z: bloom intensity"),
    Member("bloom", "vec4", comment="threshold, knee, zw: 0"),
    Member("options", "ivec4", comment="first area light, light count, cascade count, transparent"),
)
LIGHTS = (
    Member("light_position", "vec4", MAX_LIGHTS, "xyz metres, w: kind (LIGHT_*)"),
    Member("light_direction", "vec4", MAX_LIGHTS, "xyz the way it shines, w: range m, 0: no limit"),
    Member("light_color", "vec4", MAX_LIGHTS, "linear rgb times strength, w: specular factor"),
    Member(
        "light_params",
        "vec4",
        MAX_LIGHTS,
        "x: radius m or half angle, y: cos outer, z: spot blend, w: diffuse factor",
    ),
    Member("light_right", "vec4", MAX_LIGHTS, "area: xyz half width axis m, w: 0 rect, 1 ellipse"),
    Member("light_up", "vec4", MAX_LIGHTS, "area: xyz half height axis m, w: cos half spread"),
)
CASCADES = (
    Member("shadow_from_world", "mat4", MAX_CASCADES, "to texture space 0..1, z in 0..1"),
    Member("cascade_far", "vec4", comment="view depth in metres where each cascade ends"),
    Member("cascade_texel", "vec4", comment="size of a texel in metres, per cascade"),
    Member(
        "shadow_params", "vec4", comment="1/resolution, blend fraction, fade start m, fade end m"
    ),
)
LAMP_SHADOWS = (
    Member("light_shadow", "vec4", MAX_LIGHTS, "first face or -1, faces, radius of the lamp m, 0"),
    Member("lamp_from_world", "mat4", MAX_LAMP_FACES, "to the clip space of a face"),
    Member("lamp_shadow_params", "vec4", comment="1/resolution, yzw: 0"),
)
MATERIAL = (
    Member("base_color", "vec4"),
    Member("emissive", "vec4", comment="linear rgb times strength, w: alpha cutoff"),
    Member("surface", "vec4", comment="metallic, roughness, normal scale, occlusion strength"),
    Member("specular", "vec4", comment="rgb F0 of the dielectric, w: F90"),
    Member(
        "texture_uv",
        "ivec4",
        2,
        "uv set per texture unit (base, mr, normal, occlusion | emissive, -, -, -), -1: none",
    ),
    Member(
        "texture_matrix",
        "vec4",
        10,
        "two rows (a b offset 0) per texture unit, in unit order; w of the normal map's: bump"
        " distance, bump strength",
    ),
    Member(
        "material_flags",
        "ivec4",
        comment="alpha mode (0 opaque 1 mask 2 blend), double sided, unlit, vertex colour 0/1",
    ),
)
BLOCKS: dict[str, tuple[Member, ...]] = {
    "Frame": FRAME,
    "Lights": LIGHTS,
    "Cascades": CASCADES,
    "LampShadows": LAMP_SHADOWS,
    "Material": MATERIAL,
}
"""Uniform blocks by GLSL name; the binding point is the index in this table."""

SAMPLERS: dict[str, tuple[int, str]] = {
    "base_color_map": (0, "sampler2D"),
    "metallic_roughness_map": (1, "sampler2D"),
    "normal_map": (2, "sampler2D"),
    "occlusion_map": (3, "sampler2D"),
    "emissive_map": (4, "sampler2D"),
    "shadow_map": (5, "sampler2DArrayShadow"),
    "environment_map": (6, "sampler2D"),
    "dfg_map": (7, "sampler2D"),
    "entity_table": (8, "sampler2D"),
    "draw_list": (9, "usampler2D"),
    "lamp_shadow_map": (10, "sampler2DArrayShadow"),
    "lamp_depth_map": (11, "sampler2DArray"),
    "environment_image": (12, "sampler2D"),
    "pose_table": (13, "sampler2D"),
    "morph_table": (14, "sampler2D"),
}
"""Samplers that scene shaders may declare, with their fixed texture units. What a pass reads under
other names is bound to units that these leave free.

entity_table: rgba32f, ENTITY_TEXELS texels an entity (three rows of world_from_local, then
x: determinant sign, y: receives shadow, z: first texel of its pose, w: glow), ENTITY_TABLE_WIDTH a
row.
pose_table: rgba32f, POSE_TABLE_WIDTH a row; for each deformed entity a header (x: joints, y: morph
targets, z: line of the morph table, w: vertices), three rows of mesh_from_mesh for each joint, and
a texel for each morph weight (x).
morph_table: rgba32f, MORPH_TABLE_WIDTH a row; for each target of a mesh and each vertex what it
adds to the position, then to the normal. Every mesh begins a line.
draw_list: r32ui, the entity row of each instance in sorted order, DRAW_LIST_WIDTH a row; a draw
sets the int uniform `first_instance`.
dfg_map: rgba16f, `lobe_tables()`: albedo of the specular lobe, and the lobes of area lights.
lamp_shadow_map, lamp_depth_map: depth of the lamps' faces, compared and as it is.
environment_map: rgba16f octahedral map of the environment, ENVIRONMENT_LEVELS prefiltered squares
side by side, level 0 left, then one of the light on diffuse surfaces.
environment_image: the panorama of an environment that has one, top row first, with mipmaps."""

MATERIAL_DEFINES = (
    "HAS_BASE_COLOR_MAP",
    "HAS_METALLIC_ROUGHNESS_MAP",
    "HAS_NORMAL_MAP",
    "HAS_BUMP",
    "HAS_OCCLUSION_MAP",
    "HAS_EMISSIVE_MAP",
    "HAS_VERTEX_COLOR",
    "HAS_TANGENTS",
    "HAS_SKIN",
    "HAS_MORPHS",
    "IS_CUTOUT",
    "IS_BLENDED",
    "IS_GLASS",
    "IS_UNLIT",
    "IS_HOLDOUT",
)
"""Macros of a draw pass's shader variant, defined as 1 when true of the material (and mesh) that
is drawn, else not defined. What a variant lacks costs nothing: software drivers run both sides of
a branch on a uniform. The shadow queue defines IS_CUTOUT (with HAS_BASE_COLOR_MAP and
HAS_VERTEX_COLOR) for what is not opaque, HAS_SKIN and HAS_MORPHS for what is deformed, and nothing
else. A pass' shader `x` is `x.frag` in any folder of shaders/ with `x.vert`, or `fullscreen.vert`
where there is none."""

FRAME_DEFINES = (
    "HAS_SUN",
    "HAS_SHADOWS",
    "HAS_LAMPS",
    "HAS_AREA_LAMPS",
    "HAS_LAMP_SHADOWS",
    "HAS_SKY",
    "HAS_SKY_IMAGE",
    "IS_SMITH_SCHLICK",
)
"""Macros that the draw passes of a frame share (not the shadow queue), on the same terms."""

FULLSCREEN_DEFINES = ("HAS_SKY_IMAGE",)
"""Those of them that fullscreen passes have, too."""

ENTITY_TEXELS = 4
ENTITY_TABLE_WIDTH = 256
DRAW_LIST_WIDTH = 1024
POSE_TABLE_WIDTH = 1024
MORPH_TABLE_WIDTH = 2048
"""As wide as every driver of GLSL ES 3.00 takes."""

TONE_MAPS = ("fyn", "aces", "hable", "reinhard", "linear")
ENVIRONMENT_KINDS = ("color", "hemisphere", "sky", "image")
LIGHT_KINDS = ("sun", "point", "spot", "area")
ALPHA_MODES = ("opaque", "mask", "blend")

_NUMPY = {
    "vec4": (np.float32, (4,)),
    "ivec4": (np.int32, (4,)),
    "uvec4": (np.uint32, (4,)),
    "mat4": (np.float32, (4, 4)),
}


def block_dtype(name: str) -> np.dtype:
    """Structured dtype of uniform block `name`; mat4 members hold the *transposed* matrix
    (GLSL is column-major), everything is tightly packed as std140 packs vec4s."""
    fields = []
    for member in BLOCKS[name]:
        base, shape = _NUMPY[member.type]
        fields.append((member.name, base, (member.count, *shape) if member.count else shape))
    return np.dtype(fields)


def glsl_include() -> str:
    """Text of `common/interface.glsl`: constants and uniform blocks (all named, members global)."""
    lines = [
        "// Generated from engine_core/render/interface.py.",
        f"const int MAX_LIGHTS = {MAX_LIGHTS};",
        f"const int MAX_CASCADES = {MAX_CASCADES};",
        f"const int MAX_LAMP_FACES = {MAX_LAMP_FACES};",
        f"const int ENVIRONMENT_LEVELS = {ENVIRONMENT_LEVELS};",
        f"const int ENTITY_TEXELS = {ENTITY_TEXELS};",
        f"const int ENTITY_TABLE_WIDTH = {ENTITY_TABLE_WIDTH};",
        f"const int DRAW_LIST_WIDTH = {DRAW_LIST_WIDTH};",
        f"const int POSE_TABLE_WIDTH = {POSE_TABLE_WIDTH};",
        f"const int MORPH_TABLE_WIDTH = {MORPH_TABLE_WIDTH};",
    ]
    for prefix, names in (
        ("TONE_MAP", TONE_MAPS),
        ("ENVIRONMENT", ENVIRONMENT_KINDS),
        ("LIGHT", LIGHT_KINDS),
        ("ALPHA", ALPHA_MODES),
    ):
        lines += [f"const int {prefix}_{n.upper()} = {i};" for i, n in enumerate(names)]
    for block, members in BLOCKS.items():
        lines.append(f"layout(std140) uniform {block} {{")
        for member in members:
            array = f"[{member.count}]" if member.count else ""
            comment = f" // {member.comment}" if member.comment else ""
            lines.append(f"    {member.type} {member.name}{array};{comment}")
        lines.append("};")
    return "\n".join(lines) + "\n"


def glsl_attributes() -> str:
    """Text of `common/attributes.glsl`: the vertex attributes at their locations."""
    lines = ["// Generated from engine_core/render/interface.py."]
    lines += [
        f"layout(location = {location}) in {glsl_type} {name};"
        for name, (location, glsl_type) in ATTRIBUTES.items()
    ]
    return "\n".join(lines) + "\n"
