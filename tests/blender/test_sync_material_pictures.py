"""Pictures in materials: which channels, packed or computed how, lying where."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest

from fyn.addon.sync.mesh_arrays import MeshLayout


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
        ("CLIP", "clamp", 0),
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
    tree.link(coordinates.outputs["Object"], picture.inputs["Vector"])
    tree.principled(Base_Color=picture.outputs["Color"])
    tree.read()
    assert len(tree.warnings) == 1 and "Object" in tree.warnings[0]


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


def test_a_normal_map_has_its_strength_and_uv_set(tree):
    picture = tree.picture("normals")
    node = tree.normal_map(picture.outputs["Color"])
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
    tree.principled(Normal=tree.normal_map(combine.outputs[0]).outputs[0])
    slot = tree.read().normal_texture
    source = np.empty(8 * 8 * 4, np.float32)
    picture.image.pixels.foreach_get(source)
    source = source.reshape(8, 8, 4)[::-1]
    pixels = tree.pixels(slot)
    assert np.allclose(pixels[..., 0], source[..., 0], atol=0.01)
    assert np.allclose(pixels[..., 1], 1 - source[..., 1], atol=0.01)


def test_object_space_normals_are_named(tree):
    normals = tree.normal_map(tree.picture().outputs["Color"], space="OBJECT")
    tree.principled(Normal=normals.outputs[0])
    assert tree.read().normal_texture is None
    assert len(tree.warnings) == 1


def test_a_clipped_picture_is_clear_beyond_its_edges(tree):
    picture = tree.picture("sign", data=False, alpha=1, extension="CLIP")
    tree.principled(Base_Color=picture.outputs["Color"], Alpha=picture.outputs["Alpha"])
    material = tree.read()
    slot = material.base_color_texture
    assert (slot.image, slot.wrap_u, slot.wrap_v) == ("sign (clipped)", "clamp", "clamp")
    assert material.alpha_mode != "opaque"
    pixels = tree.pixels(slot)
    assert pixels.shape == (10, 10, 4)
    assert (pixels[0] == 0).all() and (pixels[:, -1] == 0).all()
    assert (pixels[1:-1, 1:-1, 3] == 1).all()
    # The unit square still shows the picture alone: pixels 1 to 9 of 10, v downwards.
    assert slot.scale == pytest.approx((0.8, 0.8))
    assert slot.offset == pytest.approx((0.1, 0.1))
    assert tree.warnings == []


def test_a_clipped_picture_without_alpha_is_black_beyond_its_edges(tree):
    picture = tree.picture("sign", data=False, alpha=1, extension="CLIP")
    tree.principled(Base_Color=picture.outputs["Color"])
    material = tree.read()
    assert material.alpha_mode == "opaque"
    pixels = tree.pixels(material.base_color_texture)
    assert (pixels[0, :, :3] == 0).all()
    assert pixels[1:-1, 1:-1, :3].max() > 0.5


def test_a_mask_that_is_clipped_is_computed_with_its_border(tree):
    mask = tree.picture("mask", extension="CLIP")
    invert = tree.add("Invert")
    tree.link(mask.outputs["Color"], invert.inputs["Color"])
    tree.principled(Roughness=invert.outputs[0])
    pixels = tree.pixels(tree.read().metallic_roughness_texture)
    assert pixels.shape[:2] == (10, 10)
    assert (pixels[0, :, 1] == 1).all()


def test_a_checker_in_space_is_their_mean_where_a_mesh_has_no_set_for_it(tree):
    checker = tree.add("TexChecker")
    tree.link(tree.add("TexCoord").outputs["Generated"], checker.inputs["Vector"])
    checker.inputs["Color1"].default_value = (1, 1, 1, 1)
    checker.inputs["Color2"].default_value = (0, 0, 0, 1)
    tree.principled(Base_Color=checker.outputs[0])
    material = tree.read(MeshLayout(("UVMap", ".generated")))
    assert material.base_color_texture is None
    assert material.base_color[0] == pytest.approx(0.5)
    assert any("checkerboard in space" in warning for warning in tree.warnings)
