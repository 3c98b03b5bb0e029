"""What the panel says of a material is what the sync makes of it."""

from __future__ import annotations

import time

import bpy
import numpy as np
import pytest

from fyn.addon.sync.materials import describe_material
from fyn.addon.sync.materials.fingerprint import tree_fingerprint


@pytest.fixture
def words(tree):
    """Describes the tree's material as one text."""
    return lambda: "\n".join(describe_material(tree.material))


def test_a_picture_is_named_with_its_map_and_how_often_it_repeats(tree, words):
    picture = tree.picture("wood.png", data=False, alpha=1)
    mapping, uv = tree.add("Mapping"), tree.add("UVMap", uv_map="UVMap")
    mapping.inputs["Scale"].default_value = (4, 4, 1)
    tree.link(uv.outputs[0], mapping.inputs["Vector"])
    tree.link(mapping.outputs[0], picture.inputs["Vector"])
    tree.principled(Base_Color=picture.outputs["Color"], Roughness=0.25)
    assert "Base color: image 'wood.png' on UV map 'UVMap', repeated 4 x 4" in words()
    assert "Metallic 0, roughness 0.25" in words()


def test_a_procedural_texture_says_what_is_shown_and_what_keeps_it(tree, words):
    tree.principled(Roughness=tree.add("TexNoise").outputs[0])
    assert "roughness 0.5" in words()
    assert "Noise Texture" in words() and "Bake it to a picture." in words()


def test_what_is_not_drawn_is_said(tree, words):
    tree.principled(Coat_Weight=1.0)
    assert "Coat is not drawn." in words()


def test_a_computed_picture_says_what_it_is_made_of(tree, words):
    metal, rough = tree.picture("metal"), tree.picture("rough")
    tree.principled(Metallic=metal.outputs["Color"], Roughness=rough.outputs["Color"])
    assert "a picture computed from 'rough' and 'metal'" in words()


def test_a_clear_border_is_not_told_as_a_scale(tree, words):
    picture = tree.picture("sign", data=False, alpha=1, extension="CLIP")
    tree.principled(Base_Color=picture.outputs["Color"], Alpha=picture.outputs["Alpha"])
    assert "image 'sign' on UV map 'UVMap'\n" in words()


def test_a_bump_is_told_in_metres(tree, words):
    bump = tree.add("Bump")
    bump.inputs["Distance"].default_value = 0.02
    tree.link(tree.picture("bark").outputs["Color"], bump.inputs["Height"])
    tree.principled(Normal=bump.outputs[0])
    assert "'bark'" in words() and "0.02 m" in words()


def test_light_alpha_and_sides_are_said(tree, words):
    emission = tree.add("Emission")
    emission.inputs["Strength"].default_value = 3
    mix = tree.add("MixShader")
    mix.inputs[0].default_value = 0.4
    tree.link(tree.add("BsdfTransparent").outputs[0], mix.inputs[1])
    tree.link(emission.outputs[0], mix.inputs[2])
    tree.show(mix.outputs[0])
    tree.material.use_backface_culling = True
    assert words().splitlines()[:3] == [
        "Unlit: 3, 3, 3",
        "Alpha: blended, 0.4",
        "Only its front is drawn",
    ]


def test_words_follow_a_change_and_cost_little_without_one(tree, words):
    image = bpy.data.images.new("big", 1024, 1024, alpha=True)
    image.pixels.foreach_set(np.random.default_rng(1).random(1024 * 1024 * 4, np.float32))
    picture = tree.add("TexImage", image=image)
    shader = tree.principled(Base_Color=picture.outputs[0], Alpha=picture.outputs[1])
    words()
    begin = time.process_time()
    for _ in range(20):
        words()
    assert (time.process_time() - begin) / 20 < 0.01
    shader.inputs["Metallic"].default_value = 0.75
    assert "Metallic 0.75" in words()


def test_a_fingerprint_knows_what_matters(tree):
    ramp = tree.add("ValToRGB")
    shader = tree.principled(Base_Color=ramp.outputs[0])
    before = tree_fingerprint(tree.material.node_tree)
    shader.location, shader.label, shader.select = (5, 5), "x", False
    assert tree_fingerprint(tree.material.node_tree) == before
    seen = {before}
    ramp.color_ramp.elements[0].color = (1, 0, 0, 1)
    seen.add(tree_fingerprint(tree.material.node_tree))
    ramp.color_ramp.interpolation = "CONSTANT"
    seen.add(tree_fingerprint(tree.material.node_tree))
    shader.inputs["Roughness"].default_value = 0.2
    seen.add(tree_fingerprint(tree.material.node_tree))
    shader.mute = True
    seen.add(tree_fingerprint(tree.material.node_tree))
    tree.material.node_tree.links.clear()
    seen.add(tree_fingerprint(tree.material.node_tree))
    assert len(seen) == 6


def test_a_fingerprint_looks_into_groups(tree):
    group = bpy.data.node_groups.new("inner", "ShaderNodeTree")
    math = group.nodes.new("ShaderNodeMath")
    tree.add("Group", node_tree=group)
    before = tree_fingerprint(tree.material.node_tree)
    math.inputs[0].default_value = 7
    assert tree_fingerprint(tree.material.node_tree) != before
