"""Node trees become materials: what is supported exactly, the rest approximately and by name."""

from __future__ import annotations

import math
from contextlib import suppress
from random import Random

import bpy
import msgspec
import numpy as np
import pytest

from fyn.addon.sync.image_table import ImageTable
from fyn.addon.sync.materials import read_material
from fyn.addon.sync.mesh_arrays import MeshLayout
from fyn.engine_core.assets.image_io import decode
from fyn.engine_core.assets.material import Material

LAYOUT = MeshLayout(("UVMap", "second"), ("Color", "other"))


class Tree:
    """A material's node tree being built."""

    def __init__(self, name="material"):
        self.material = bpy.data.materials.new(name)
        if self.material.node_tree is None:
            self.material.use_nodes = True
        self.nodes = self.material.node_tree.nodes
        self.nodes.clear()
        self.output = self.add("OutputMaterial")

    def add(self, kind, **settings):
        node = self.nodes.new(f"ShaderNode{kind}")
        for name, value in settings.items():
            setattr(node, name, value)
        return node

    def link(self, source, target):
        self.material.node_tree.links.new(source, target)

    def show(self, socket):
        self.link(socket, self.output.inputs["Surface"])

    def principled(self, **inputs):
        """A Principled BSDF on show; inputs by name with _ for a blank."""
        node = self.add("BsdfPrincipled")
        for name, value in inputs.items():
            self.feed(node.inputs[name.replace("_", " ")], value)
        self.show(node.outputs[0])
        return node

    def feed(self, socket, value):
        if isinstance(value, bpy.types.NodeSocket):
            self.link(value, socket)
        else:
            socket.default_value = value

    def picture(self, name="picture", data=True, alpha=None, **settings):
        image = bpy.data.images.new(name, 8, 8, alpha=True, is_data=data)
        pixels = np.random.default_rng(len(bpy.data.images)).random((8, 8, 4)).astype(np.float32)
        if alpha is not None:
            pixels[..., 3] = alpha
        image.pixels.foreach_set(pixels.ravel())
        return self.add("TexImage", image=image, **settings)

    def read(self, layout=LAYOUT):
        self.images = ImageTable()
        self.reading = read_material(self.material, self.material.name, layout, self.images)
        self.warnings = [str(warning) for warning in self.reading.warnings]
        return self.reading.material

    def pixels(self, slot):
        return decode(self.images.images.by_id(slot.image)) / 255


@pytest.fixture
def tree(empty_scene):
    return Tree()


# Principled BSDF


def test_plain_settings_of_principled_arrive(tree):
    tree.principled(
        Base_Color=(0.1, 0.2, 0.3, 1), Metallic=0.7, Roughness=0.2, IOR=1.8,
        Specular_Tint=(1, 0.5, 0.25, 1), Emission_Color=(1, 0.5, 0, 1), Emission_Strength=4,
    )  # fmt: skip
    material = tree.read()
    assert material.base_color == pytest.approx((0.1, 0.2, 0.3, 1))
    assert (material.metallic, material.roughness) == pytest.approx((0.7, 0.2))
    assert material.ior == pytest.approx(1.8)
    assert material.specular_tint == pytest.approx((1, 0.5, 0.25))
    assert material.emissive == pytest.approx((1, 0.5, 0))
    assert material.emissive_strength == pytest.approx(4)
    assert material.shading == "lit" and material.alpha_mode == "opaque"
    assert tree.warnings == []


@pytest.mark.parametrize(("level", "f0_factor"), [(0, 0), (0.25, 0.5), (0.5, 1), (1, 2)])
def test_the_specular_level_scales_the_reflection_at_normal_incidence(tree, level, f0_factor):
    tree.principled(IOR=1.5, Specular_IOR_Level=level)
    ior = tree.read().ior
    assert ((ior - 1) / (ior + 1)) ** 2 == pytest.approx(0.04 * f0_factor, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("Subsurface_Weight", "Subsurface"),
        ("Coat_Weight", "Coat"),
        ("Sheen_Weight", "Sheen"),
        ("Anisotropic", "Anisotropy"),
        ("Transmission_Weight", "Transmission"),
    ],
)
def test_what_principled_can_and_the_engine_cannot_is_named(tree, name, word):
    tree.principled(**{name: 0.5})
    tree.read()
    assert len(tree.warnings) == 1
    assert word in tree.warnings[0] and "Principled BSDF" in tree.warnings[0]
    assert "'material'" in tree.warnings[0]


@pytest.mark.parametrize(("weight", "double_sided"), [(0, True), (0.5, False), (1, False)])
def test_what_transmits_does_not_show_its_inside(tree, weight, double_sided):
    tree.principled(Transmission_Weight=weight)
    assert tree.read().double_sided is double_sided


def test_glass_does_not_show_its_inside(tree):
    tree.show(tree.add("BsdfGlass").outputs[0])
    assert not tree.read().double_sided


def test_a_colour_picture_is_kept_with_its_tint(tree):
    picture = tree.picture("wood", data=False)
    mix = tree.add("Mix", data_type="RGBA", blend_type="MULTIPLY")
    mix.inputs[0].default_value = 1
    tree.link(picture.outputs["Color"], mix.inputs[6])
    mix.inputs[7].default_value = (1, 0.5, 0.25, 1)
    tree.principled(Base_Color=mix.outputs[2])
    material = tree.read()
    assert material.base_color == pytest.approx((1, 0.5, 0.25, 1))
    assert material.base_color_texture.image == "wood"
    assert tree.warnings == []


def test_one_packed_picture_serves_metal_roughness_and_occlusion(tree):
    picture = tree.picture("orm")
    separate = tree.add("SeparateColor")
    tree.link(picture.outputs["Color"], separate.inputs[0])
    tree.principled(Metallic=separate.outputs["Blue"], Roughness=separate.outputs["Green"])
    group = bpy.data.node_groups.new("glTF Material Output", "ShaderNodeTree")
    group.interface.new_socket("Occlusion", socket_type="NodeSocketFloat")
    settings = tree.add("Group", node_tree=group)
    tree.link(separate.outputs["Red"], settings.inputs["Occlusion"])
    material = tree.read()
    assert material.metallic_roughness_texture.image == "orm"
    assert material.occlusion_texture.image == "orm"
    assert (material.metallic, material.roughness, material.occlusion_strength) == (1, 1, 1)
    assert list(tree.images.images.known_ids()) == ["orm"]


def test_separate_grey_pictures_are_packed_into_one(tree):
    metal, rough = tree.picture("metal"), tree.picture("rough")
    tree.principled(Metallic=metal.outputs["Color"], Roughness=rough.outputs["Alpha"])
    material = tree.read()
    pixels = tree.pixels(material.metallic_roughness_texture)
    source = np.empty(8 * 8 * 4, np.float32)
    rough.image.pixels.foreach_get(source)
    assert np.allclose(pixels[..., 1], source.reshape(8, 8, 4)[::-1, :, 3], atol=0.01)
    metal.image.pixels.foreach_get(source)
    grey = source.reshape(8, 8, 4)[::-1, :, :3] @ np.array([0.2126, 0.7152, 0.0722], np.float32)
    assert np.allclose(pixels[..., 2], grey, atol=0.01)
    assert (material.metallic, material.roughness) == (1, 1)


def test_gloss_becomes_roughness(tree):
    gloss = tree.picture("gloss")
    invert = tree.add("Math", operation="SUBTRACT")
    invert.inputs[0].default_value = 1
    tree.link(gloss.outputs["Alpha"], invert.inputs[1])
    tree.principled(Roughness=invert.outputs[0], Metallic=0)
    material = tree.read()
    source = np.empty(8 * 8 * 4, np.float32)
    gloss.image.pixels.foreach_get(source)
    pixels = tree.pixels(material.metallic_roughness_texture)
    assert np.allclose(pixels[..., 1], 1 - source.reshape(8, 8, 4)[::-1, :, 3], atol=0.01)
    assert (pixels[..., 2] == 0).all()


def test_a_ramp_over_a_picture_is_computed(tree):
    picture = tree.picture("height")
    ramp = tree.add("ValToRGB")
    ramp.color_ramp.elements[0].color = (1, 0, 0, 1)
    ramp.color_ramp.elements[1].color = (0, 0, 1, 1)
    tree.link(picture.outputs["Alpha"], ramp.inputs[0])
    tree.principled(Base_Color=ramp.outputs[0])
    material = tree.read()
    pixels = tree.pixels(material.base_color_texture)
    assert (pixels[..., 1] == 0).all()
    assert pixels[..., 0].std() > 0.05
    assert tree.warnings == []


def test_vertex_colours_multiply_a_picture(tree):
    picture, paint = tree.picture("wood", data=False), tree.add("VertexColor", layer_name="other")
    mix = tree.add("Mix", data_type="RGBA", blend_type="MULTIPLY")
    mix.inputs[0].default_value = 1
    tree.link(picture.outputs["Color"], mix.inputs[6])
    tree.link(paint.outputs["Color"], mix.inputs[7])
    tree.principled(Base_Color=mix.outputs[2])
    material = tree.read()
    assert material.base_color_texture.image == "wood"
    assert material.vertex_color_set == 1
    assert tree.reading.color_attributes == {"other"}
    material = tree.read(MeshLayout(("UVMap",), ("other",)))
    assert material.vertex_color_set == 0
    tree.read(MeshLayout())
    assert any("other" in warning for warning in tree.warnings)


# Where a picture lies


def test_an_untouched_mapping_leaves_the_slot_untouched(tree):
    picture, mapping = tree.picture(), tree.add("Mapping")
    uv = tree.add("TexCoord")
    tree.link(uv.outputs["UV"], mapping.inputs["Vector"])
    tree.link(mapping.outputs[0], picture.inputs["Vector"])
    tree.principled(Base_Color=picture.outputs["Color"])
    slot = tree.read().base_color_texture
    assert (slot.offset, slot.rotation, slot.scale, slot.uv_set) == ((0, 0), 0, (1, 1), 0)


def test_mapping_and_uv_map_say_where_a_picture_lies(tree):
    picture, mapping = tree.picture(), tree.add("Mapping")
    uv = tree.add("UVMap", uv_map="second")
    mapping.inputs["Location"].default_value = (0.25, 0.5, 0)
    mapping.inputs["Rotation"].default_value = (0, 0, math.radians(90))
    mapping.inputs["Scale"].default_value = (2, 3, 1)
    tree.link(uv.outputs[0], mapping.inputs["Vector"])
    tree.link(mapping.outputs[0], picture.inputs["Vector"])
    tree.principled(Base_Color=picture.outputs["Color"])
    slot = tree.read().base_color_texture
    assert slot.uv_set == 1
    assert slot.scale == pytest.approx((2, 3))
    assert slot.rotation == pytest.approx(math.radians(90))
    # Blender's exporter to glTF writes this offset for such a node.
    assert slot.offset == pytest.approx((0.25 - 3, 0.5), abs=1e-6)


def test_a_mapping_of_type_texture_is_the_inverse(tree):
    picture, mapping = tree.picture(), tree.add("Mapping", vector_type="TEXTURE")
    mapping.inputs["Scale"].default_value = (2, 4, 1)
    tree.link(mapping.outputs[0], picture.inputs["Vector"])
    tree.principled(Base_Color=picture.outputs["Color"])
    assert tree.read().base_color_texture.scale == pytest.approx((0.5, 0.25))


@pytest.mark.parametrize(
    ("extension", "wrap", "warns"),
    [
        ("REPEAT", "repeat", 0),
        ("EXTEND", "clamp", 0),
        ("MIRROR", "mirror", 0),
        ("CLIP", "clamp", 1),
    ],
)
def test_extensions_are_wraps(tree, extension, wrap, warns):
    picture = tree.picture(extension=extension, interpolation="Closest")
    tree.principled(Base_Color=picture.outputs["Color"])
    slot = tree.read().base_color_texture
    assert (slot.wrap_u, slot.wrap_v, slot.filter) == (wrap, wrap, "nearest")
    assert len(tree.warnings) == warns


def test_wraps_made_of_math_nodes_are_understood(tree):
    picture, uv = tree.picture(), tree.add("UVMap")
    separate, combine = tree.add("SeparateXYZ"), tree.add("CombineXYZ")
    mirror = tree.add("Math", operation="PINGPONG")
    mirror.inputs[1].default_value = 1
    repeat = tree.add("Math", operation="WRAP")
    repeat.inputs[1].default_value, repeat.inputs[2].default_value = 0, 1
    tree.link(uv.outputs[0], separate.inputs[0])
    for index, node in enumerate((mirror, repeat)):
        tree.link(separate.outputs[index], node.inputs[0])
        tree.link(node.outputs[0], combine.inputs[index])
    tree.link(combine.outputs[0], picture.inputs["Vector"])
    tree.principled(Base_Color=picture.outputs["Color"])
    slot = tree.read().base_color_texture
    assert (slot.wrap_u, slot.wrap_v) == ("mirror", "repeat")
    assert tree.warnings == []


def test_coordinates_that_are_no_uv_map_are_named(tree):
    picture, coordinates = tree.picture(), tree.add("TexCoord")
    tree.link(coordinates.outputs["Generated"], picture.inputs["Vector"])
    tree.principled(Base_Color=picture.outputs["Color"])
    tree.read()
    assert len(tree.warnings) == 1 and "Generated" in tree.warnings[0]


def test_a_checkerboard_on_uv_coordinates_is_a_picture(tree):
    checker, uv = tree.add("TexChecker"), tree.add("UVMap")
    checker.inputs["Color1"].default_value = (1, 0, 0, 1)
    checker.inputs["Color2"].default_value = (0, 0, 1, 1)
    checker.inputs["Scale"].default_value = 8
    tree.link(uv.outputs[0], checker.inputs["Vector"])
    tree.principled(Base_Color=checker.outputs["Color"])
    material = tree.read()
    slot = material.base_color_texture
    pixels = tree.pixels(slot)
    assert slot.scale == (4, 4)
    assert pixels[-1, 0, :3].tolist() == [0, 0, 1]  # the square at the origin shows Color2
    assert pixels[-1, -1, :3].tolist() == pixels[0, 0, :3].tolist() == [1, 0, 0]
    assert tree.warnings == []


# Normals


def normal_of(tree, color, **settings):
    node = tree.add("NormalMap", **settings)
    tree.link(color, node.inputs["Color"])
    return node


def test_a_normal_map_has_its_strength_and_uv_set(tree):
    picture = tree.picture("normals")
    node = normal_of(tree, picture.outputs["Color"])
    node.inputs["Strength"].default_value = 0.5
    tree.principled(Normal=node.outputs[0])
    material = tree.read()
    assert material.normal_texture.image == "normals"
    assert material.normal_scale == 0.5


def test_a_normal_map_with_an_inverted_channel_is_turned_right(tree):
    picture = tree.picture("normals")
    separate, combine = tree.add("SeparateColor"), tree.add("CombineColor")
    invert = tree.add("Invert")
    tree.link(picture.outputs["Color"], separate.inputs[0])
    tree.link(separate.outputs["Green"], invert.inputs["Color"])
    tree.link(separate.outputs["Red"], combine.inputs["Red"])
    tree.link(invert.outputs[0], combine.inputs["Green"])
    tree.link(separate.outputs["Blue"], combine.inputs["Blue"])
    tree.principled(Normal=normal_of(tree, combine.outputs[0]).outputs[0])
    slot = tree.read().normal_texture
    source = np.empty(8 * 8 * 4, np.float32)
    picture.image.pixels.foreach_get(source)
    source = source.reshape(8, 8, 4)[::-1]
    pixels = tree.pixels(slot)
    assert np.allclose(pixels[..., 0], source[..., 0], atol=0.01)
    assert np.allclose(pixels[..., 1], 1 - source[..., 1], atol=0.01)


def test_bump_and_object_space_normals_are_named(tree):
    bump, picture = tree.add("Bump"), tree.picture()
    tree.link(picture.outputs["Color"], bump.inputs["Height"])
    inner = normal_of(tree, picture.outputs["Color"], space="OBJECT")
    tree.link(inner.outputs[0], bump.inputs["Normal"])
    tree.principled(Normal=bump.outputs[0])
    assert tree.read().normal_texture is None
    assert len(tree.warnings) == 2


# Alpha


def test_a_constant_alpha_is_blended(tree):
    tree.principled(Alpha=0.3)
    material = tree.read()
    assert material.alpha_mode == "blend" and material.base_color[3] == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("alpha", "mode"), [("hard", "mask"), ("soft", "blend"), ("opaque", "opaque")]
)
def test_the_alpha_of_a_picture_decides_how_it_is_drawn(tree, alpha, mode):
    column = np.linspace(0, 1, 8, dtype=np.float32)
    values = {"hard": (column > 0.5) * 1.0, "soft": column, "opaque": np.ones(8)}[alpha]
    picture = tree.picture("leaf", data=False, alpha=values[None, :])
    tree.principled(Base_Color=picture.outputs["Color"], Alpha=picture.outputs["Alpha"])
    material = tree.read()
    assert material.alpha_mode == mode
    assert material.base_color_texture.image == "leaf"


def test_a_blended_material_is_blended_whatever_the_picture(tree):
    picture = tree.picture("leaf", data=False, alpha=np.float32([0, 1] * 4)[None, :])
    tree.principled(Base_Color=picture.outputs["Color"], Alpha=picture.outputs["Alpha"])
    tree.material.surface_render_method = "BLENDED"
    assert tree.read().alpha_mode == "blend"


@pytest.mark.parametrize(
    ("operation", "first", "cutoff"), [("GREATER_THAN", True, 0.3), ("LESS_THAN", False, 0.3)]
)
def test_a_threshold_is_a_cut_out(tree, operation, first, cutoff):
    picture = tree.picture("leaf", data=False)
    math_node = tree.add("Math", operation=operation)
    math_node.inputs[0 if first else 1].default_value = cutoff
    math_node.inputs[1 if first else 0].default_value = cutoff
    tree.link(picture.outputs["Alpha"], math_node.inputs[0 if first else 1])
    tree.principled(Base_Color=picture.outputs["Color"], Alpha=math_node.outputs[0])
    material = tree.read()
    assert material.alpha_mode == "mask"
    assert material.alpha_cutoff == pytest.approx(cutoff)
    assert material.base_color_texture.image == "leaf"


def test_one_minus_less_than_is_a_cut_out_too(tree):
    picture = tree.picture("leaf", data=False)
    less = tree.add("Math", operation="LESS_THAN")
    less.inputs[1].default_value = 0.4
    minus = tree.add("Math", operation="SUBTRACT")
    minus.inputs[0].default_value = 1
    tree.link(picture.outputs["Alpha"], less.inputs[0])
    tree.link(less.outputs[0], minus.inputs[1])
    tree.principled(Base_Color=picture.outputs["Color"], Alpha=minus.outputs[0])
    material = tree.read()
    assert (material.alpha_mode, material.alpha_cutoff) == ("mask", pytest.approx(0.4))
    assert material.base_color_texture.image == "leaf"


def test_alpha_from_another_picture_is_packed_with_the_colour(tree):
    color, mask = tree.picture("leaf", data=False, alpha=1), tree.picture("mask")
    tree.principled(Base_Color=color.outputs["Color"], Alpha=mask.outputs["Alpha"])
    material = tree.read()
    pixels = tree.pixels(material.base_color_texture)
    source = np.empty(8 * 8 * 4, np.float32)
    mask.image.pixels.foreach_get(source)
    assert np.allclose(pixels[..., 3], source.reshape(8, 8, 4)[::-1, :, 3], atol=0.01)
    color.image.pixels.foreach_get(source)
    assert np.allclose(pixels[..., :3], source.reshape(8, 8, 4)[::-1, :, :3], atol=0.01)


def test_a_picture_with_unused_alpha_does_not_make_a_see_through_material_clearer(tree):
    picture = tree.picture("leaf", data=False, alpha=np.float32([0, 1] * 4)[None, :])
    tree.principled(Base_Color=picture.outputs["Color"], Alpha=0.5)
    material = tree.read()
    assert (tree.pixels(material.base_color_texture)[..., 3] == 1).all()


# Other shaders


def test_diffuse_reflects_nothing(tree):
    node = tree.add("BsdfDiffuse")
    node.inputs["Color"].default_value = (0.2, 0.4, 0.6, 1)
    tree.show(node.outputs[0])
    material = tree.read()
    assert material.base_color == pytest.approx((0.2, 0.4, 0.6, 1))
    assert (material.ior, material.metallic) == (1, 0)


def test_glossy_is_a_metal(tree):
    node = tree.add("BsdfGlossy")
    node.inputs["Roughness"].default_value = 0.3
    tree.show(node.outputs[0])
    material = tree.read()
    assert (material.metallic, material.roughness) == (1, pytest.approx(0.3))


def test_emission_alone_is_unlit(tree):
    node = tree.add("Emission")
    node.inputs["Color"].default_value = (1, 0.5, 0.25, 1)
    node.inputs["Strength"].default_value = 8
    tree.show(node.outputs[0])
    material = tree.read()
    assert material.shading == "unlit"
    assert material.base_color == (0, 0, 0, 1)
    product = [x * material.emissive_strength for x in material.emissive]
    assert product == pytest.approx([8, 4, 2])


def test_emission_added_to_a_surface_keeps_the_surface(tree):
    surface, light, both = tree.add("BsdfPrincipled"), tree.add("Emission"), tree.add("AddShader")
    surface.inputs["Base Color"].default_value = (0.5, 0.5, 0.5, 1)
    tree.link(surface.outputs[0], both.inputs[0])
    tree.link(light.outputs[0], both.inputs[1])
    tree.show(both.outputs[0])
    material = tree.read()
    assert material.base_color[:3] == pytest.approx((0.5, 0.5, 0.5))
    assert material.emissive == (1, 1, 1) and material.shading == "lit"


@pytest.mark.parametrize("transparent_first", [True, False])
def test_a_mix_with_transparent_is_alpha(tree, transparent_first):
    picture, mix = tree.picture("leaf", data=False), tree.add("MixShader")
    surface, clear = tree.add("BsdfPrincipled"), tree.add("BsdfTransparent")
    tree.link(picture.outputs["Color"], surface.inputs["Base Color"])
    tree.link(picture.outputs["Alpha"], mix.inputs[0])
    first, second = (clear, surface) if transparent_first else (surface, clear)
    tree.link(first.outputs[0], mix.inputs[1])
    tree.link(second.outputs[0], mix.inputs[2])
    tree.show(mix.outputs[0])
    material = tree.read()
    assert material.alpha_mode == "blend"
    source = np.empty(8 * 8 * 4, np.float32)
    picture.image.pixels.foreach_get(source)
    wanted = source.reshape(8, 8, 4)[::-1, :, 3]
    alpha = tree.pixels(material.base_color_texture)[..., 3]
    assert np.allclose(alpha, wanted if transparent_first else 1 - wanted, atol=0.01)


def test_a_mix_of_two_surfaces_is_their_mean_and_says_so(tree):
    mix = tree.add("MixShader")
    mix.inputs[0].default_value = 0.25
    for index, value in enumerate((0.0, 0.8)):
        node = tree.add("BsdfPrincipled")
        node.inputs["Roughness"].default_value = value
        tree.link(node.outputs[0], mix.inputs[1 + index])
    tree.show(mix.outputs[0])
    assert tree.read().roughness == pytest.approx(0.2)
    assert len(tree.warnings) == 1


def matt_and_glossy(tree, share, glossy_first, paint=(0.8, 0.1, 0.05, 1)):
    """Show paint and a metal of colour (1, 0.5, 0.25), mixed so that the metal has a share."""
    matt, glossy, mix = tree.add("BsdfDiffuse"), tree.add("BsdfGlossy"), tree.add("MixShader")
    tree.feed(matt.inputs["Color"], paint)
    tree.feed(glossy.inputs["Color"], (1, 0.5, 0.25, 1))
    tree.feed(glossy.inputs["Roughness"], 0.3)
    tree.feed(mix.inputs[0], 1 - share if glossy_first else share)
    order = (glossy, matt) if glossy_first else (matt, glossy)
    for index, node in enumerate(order):
        tree.link(node.outputs[0], mix.inputs[1 + index])
    tree.show(mix.outputs[0])


@pytest.mark.parametrize("glossy_first", [True, False])
@pytest.mark.parametrize("share", [0.05, 0.2, 0.5])
def test_matt_mixed_with_glossy_is_paint_that_reflects_the_metals_share(tree, share, glossy_first):
    matt_and_glossy(tree, share, glossy_first)
    material = tree.read()
    f0 = ((material.ior - 1) / (material.ior + 1)) ** 2
    reflected = [f0 * tint for tint in material.specular_tint]
    assert reflected == pytest.approx([share, share / 2, share / 4], rel=1e-4)
    # The engine's paint gets 1 - f0 of the light, so its colour is what Diffuse has.
    assert material.base_color == pytest.approx((0.8, 0.1, 0.05, 1), rel=1e-4)
    assert (material.metallic, material.roughness) == pytest.approx((0, 0.3))
    assert len(tree.warnings) == 1 and "paint" in tree.warnings[0]


def test_paint_under_more_metal_than_a_dielectric_reflects_gets_darker(tree):
    matt_and_glossy(tree, 0.8, False)
    material = tree.read()
    f0 = ((material.ior - 1) / (material.ior + 1)) ** 2
    assert f0 == pytest.approx(0.66, rel=1e-4)
    assert material.base_color[0] * (1 - f0) == pytest.approx(0.8 * 0.2, rel=1e-4)


def test_a_picture_of_paint_under_glossy_stays_the_picture(tree):
    picture = tree.picture("paint", data=False, alpha=1)
    matt_and_glossy(tree, 0.1, False, paint=picture.outputs["Color"])
    material = tree.read()
    assert material.base_color[:3] == pytest.approx((1, 1, 1))
    assert material.base_color_texture is not None and material.metallic == 0


def test_a_mix_by_the_kind_of_ray_shows_what_the_camera_sees(tree):
    mix, rays = tree.add("MixShader"), tree.add("LightPath")
    diffuse, emission = tree.add("BsdfDiffuse"), tree.add("Emission")
    tree.link(rays.outputs["Is Camera Ray"], mix.inputs[0])
    tree.link(diffuse.outputs[0], mix.inputs[1])
    tree.link(emission.outputs[0], mix.inputs[2])
    tree.show(mix.outputs[0])
    assert tree.read().shading == "unlit"


# The tree itself


def test_values_pass_through_reroutes_groups_and_muted_nodes(tree):
    group = bpy.data.node_groups.new("tint", "ShaderNodeTree")
    group.interface.new_socket("In", socket_type="NodeSocketColor")
    group.interface.new_socket("Out", in_out="OUTPUT", socket_type="NodeSocketColor")
    start, end = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    gamma, muted = group.nodes.new("ShaderNodeGamma"), group.nodes.new("ShaderNodeInvert")
    gamma.inputs["Gamma"].default_value = 2
    muted.mute = True
    group.links.new(start.outputs[0], gamma.inputs[0])
    group.links.new(gamma.outputs[0], muted.inputs["Color"])
    group.links.new(muted.outputs[0], end.inputs[0])
    node, reroute = tree.add("Group", node_tree=group), tree.nodes.new("NodeReroute")
    color = tree.add("RGB")
    color.outputs[0].default_value = (0.5, 0.25, 1, 1)
    tree.link(color.outputs[0], reroute.inputs[0])
    tree.link(reroute.outputs[0], node.inputs[0])
    tree.principled(Base_Color=node.outputs[0])
    assert tree.read().base_color == pytest.approx((0.25, 0.0625, 1, 1))
    assert tree.warnings == []


def test_two_uses_of_a_group_keep_their_own_inputs(tree):
    group = bpy.data.node_groups.new("pass", "ShaderNodeTree")
    group.interface.new_socket("In", socket_type="NodeSocketFloat")
    group.interface.new_socket("Out", in_out="OUTPUT", socket_type="NodeSocketFloat")
    start, end = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    double = group.nodes.new("ShaderNodeMath")
    double.operation = "MULTIPLY"
    double.inputs[1].default_value = 2
    group.links.new(start.outputs[0], double.inputs[0])
    group.links.new(double.outputs[0], end.inputs[0])
    first, second = (tree.add("Group", node_tree=group) for _ in range(2))
    first.inputs[0].default_value, second.inputs[0].default_value = 0.1, 0.3
    tree.principled(Metallic=first.outputs[0], Roughness=second.outputs[0])
    material = tree.read()
    assert (material.metallic, material.roughness) == pytest.approx((0.2, 0.6))


def test_a_shader_in_a_group_is_found(tree):
    group = bpy.data.node_groups.new("whole", "ShaderNodeTree")
    group.interface.new_socket("BSDF", in_out="OUTPUT", socket_type="NodeSocketShader")
    shader, end = group.nodes.new("ShaderNodeBsdfPrincipled"), group.nodes.new("NodeGroupOutput")
    shader.inputs["Base Color"].default_value = (1, 0, 0, 1)
    group.links.new(shader.outputs[0], end.inputs[0])
    tree.show(tree.add("Group", node_tree=group).outputs[0])
    assert tree.read().base_color == (1, 0, 0, 1)


@pytest.mark.parametrize(
    "kind", ["TexNoise", "TexVoronoi", "TexBrick", "Wavelength", "TexCoord", "ObjectInfo"]
)
def test_a_node_that_cannot_be_shown_is_named_with_its_material(tree, kind):
    node = tree.add(kind)
    node.name = "Knoten 1"
    tree.principled(Base_Color=node.outputs[0])
    tree.read()
    assert len(tree.warnings) == 1
    assert "'material'" in tree.warnings[0] and "'Knoten 1'" in tree.warnings[0]


def test_a_shader_that_cannot_be_shown_is_named(tree):
    tree.show(tree.add("BsdfToon").outputs[0])
    tree.read()
    assert "Toon" in tree.warnings[0]


def test_displacement_and_volume_are_named(tree):
    tree.principled()
    tree.link(tree.add("Displacement").outputs[0], tree.output.inputs["Displacement"])
    tree.link(tree.add("VolumeScatter").outputs[0], tree.output.inputs["Volume"])
    tree.read()
    assert len(tree.warnings) == 2


def test_a_tree_without_output_is_black_and_named(tree):
    tree.nodes.clear()
    assert tree.read().base_color == (0, 0, 0, 1)
    assert len(tree.warnings) == 1


def test_an_empty_image_node_is_pink_with_full_alpha_and_named(tree):
    node = tree.add("TexImage")
    tree.principled(Base_Color=node.outputs["Color"], Alpha=node.outputs["Alpha"])
    material = tree.read()
    assert material.base_color == (1, 0, 1, 1) and material.alpha_mode == "opaque"
    assert len(tree.warnings) == 1 and "pink" in tree.warnings[0]


def test_a_missing_picture_is_pink_where_it_is_seen_and_left_out_where_it_is_not(tree, tmp_path):
    image = bpy.data.images.new("日本.png", 4, 4)
    image.source, image.filepath = "FILE", str(tmp_path / "no [such] file.png")
    node = tree.add("TexImage", image=image)
    tree.principled(
        Base_Color=node.outputs["Color"],
        Roughness=node.outputs["Alpha"],
        Normal=normal_of(tree, node.outputs["Color"]).outputs[0],
    )
    material = tree.read()
    assert tree.images.images.by_id(material.base_color_texture.image).missing
    assert material.metallic_roughness_texture is None and material.normal_texture is None
    (warning,) = tree.images.images.warnings()
    assert warning.name == "日本.png" and "no [such] file.png" in str(warning)


def test_hundreds_of_nodes_in_a_row_are_cut_off_with_a_warning(tree):
    last = tree.add("Value").outputs[0]
    for _ in range(250):
        node = tree.add("Math", operation="ADD")
        tree.link(last, node.inputs[0])
        last = node.outputs[0]
    tree.principled(Roughness=last)
    tree.read()
    assert any("in a row" in warning for warning in tree.warnings)


def test_backface_culling_makes_a_material_one_sided(tree):
    tree.principled()
    assert tree.read().double_sided
    tree.material.use_backface_culling = True
    assert not tree.read().double_sided


def test_backface_culling_of_shadows_is_a_setting_of_its_own(tree):
    tree.principled()
    assert tree.read().back_casts_shadow
    tree.material.use_backface_culling_shadow = True
    assert not tree.read().back_casts_shadow
    assert tree.read().double_sided


@pytest.mark.skipif(bpy.app.version >= (5, 0, 0), reason="materials always use nodes since 5.0")
def test_a_material_without_nodes_has_its_viewport_settings(tree):
    tree.material.use_nodes = False
    tree.material.diffuse_color = (0.1, 0.2, 0.3, 1)
    assert tree.read().base_color == pytest.approx((0.1, 0.2, 0.3, 1))


SHADER_NODES = sorted(
    name
    for name in dir(bpy.types)
    if name.startswith("ShaderNode") and name not in {"ShaderNode", "ShaderNodeTree"}
)


@pytest.mark.parametrize("seed", range(40))
def test_a_tree_of_random_nodes_and_links_is_read_without_an_exception(tree, seed):
    random = Random(seed)
    nodes = []
    for name in random.choices(SHADER_NODES, k=25):
        try:
            nodes.append(tree.nodes.new(name))
        except RuntimeError:  # abstract, or of lamps and worlds only
            continue
    for node in nodes:
        for item in node.bl_rna.properties:
            if item.type == "ENUM" and not item.is_readonly and item.enum_items:
                choice = random.choice([value.identifier for value in item.enum_items])
                with suppress(TypeError):
                    setattr(node, item.identifier, choice)
    inputs = [socket for node in [*nodes, tree.output] for socket in node.inputs]
    outputs = [socket for node in nodes for socket in node.outputs]
    for socket in random.sample(inputs, k=len(inputs) * 2 // 3):
        tree.link(random.choice(outputs), socket)
    shaders = [socket for socket in outputs if socket.type == "SHADER"] or outputs
    tree.show(random.choice(shaders))
    material = tree.read()
    assert msgspec.convert(msgspec.to_builtins(material), Material) == material
    numbers = (*material.base_color, *material.emissive, material.ior, material.normal_scale)
    assert all(math.isfinite(number) for number in numbers)


def test_hundreds_of_mixtures_within_each_other_are_cut_off(tree):
    last = tree.add("BsdfPrincipled").outputs[0]
    for _ in range(200):
        mix = tree.add("MixShader")
        tree.link(last, mix.inputs[1])
        last = mix.outputs[0]
    tree.show(last)
    tree.read()
    assert any("not followed" in warning for warning in tree.warnings)
