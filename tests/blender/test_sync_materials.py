"""Shaders become materials: what is supported exactly, the rest approximately and by name."""

from __future__ import annotations

import numpy as np
import pytest


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


def test_what_transmits_mirrors_at_full_strength(tree):
    shader = tree.principled(Transmission_Weight=1.0)
    assert tree.read().glass
    shader.inputs["Alpha"].default_value = 0.5
    assert not tree.read().glass
    shader.inputs["Transmission Weight"].default_value = 0
    assert not tree.read().glass
