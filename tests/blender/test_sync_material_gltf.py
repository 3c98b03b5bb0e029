"""Groups of glTF importers that are understood by their names: specular-glossiness."""

from __future__ import annotations

import bpy
import pytest

INPUTS = {
    "Diffuse": "Color", "DiffuseFactor": "Color", "Specular": "Color", "SpecularFactor": "Color",
    "Glossiness": "Float", "GlossinessFactor": "Float",
}  # fmt: skip


@pytest.fixture
def gloss(tree):
    """A node "glTF Specular Glossiness" on show, everything white and one."""
    group = bpy.data.node_groups.new("glTF Specular Glossiness", "ShaderNodeTree")
    for name, kind in INPUTS.items():
        group.interface.new_socket(name, in_out="INPUT", socket_type=f"NodeSocket{kind}")
    group.interface.new_socket("Shader", in_out="OUTPUT", socket_type="NodeSocketShader")
    node = tree.add("Group", node_tree=group)
    for name, kind in INPUTS.items():
        node.inputs[name].default_value = (1, 1, 1, 1) if kind == "Color" else 1.0
    tree.show(node.outputs["Shader"])
    return node


def f0(material):
    plain = ((material.ior - 1) / (material.ior + 1)) ** 2
    return [plain * tint for tint in material.specular_tint]


def test_the_specular_colour_is_what_is_mirrored_head_on(tree, gloss):
    gloss.inputs["Diffuse"].default_value = (0.2, 0.4, 0.6, 1)
    gloss.inputs["Specular"].default_value = (0.5, 0.25, 0.1, 1)
    gloss.inputs["SpecularFactor"].default_value = (0.8, 0.8, 0.8, 1)
    gloss.inputs["Glossiness"].default_value = 0.75
    material = tree.read()
    assert f0(material) == pytest.approx([0.4, 0.2, 0.08], abs=1e-4)
    assert material.base_color[:3] == pytest.approx((0.2, 0.4, 0.6))
    assert (material.metallic, material.roughness) == (0, pytest.approx(0.25))
    assert tree.warnings == []


def test_what_mirrors_everything_is_a_smooth_metal(tree, gloss):
    gloss.inputs["Diffuse"].default_value = (0.1, 0.1, 0.1, 1)
    material = tree.read()
    assert (material.metallic, material.roughness) == (1, 0)
    assert material.base_color[:3] == (1, 1, 1)
    assert tree.warnings == []


def test_gold_is_a_metal_and_its_diffuse_part_is_named(tree, gloss):
    gloss.inputs["Specular"].default_value = (0.95, 0.7, 0.3, 1)
    material = tree.read()
    assert material.metallic == 1
    assert material.base_color[:3] == pytest.approx((0.95, 0.7, 0.3))
    assert len(tree.warnings) == 1


def test_what_mirrors_nothing_is_matt(tree, gloss):
    gloss.inputs["Specular"].default_value = (0, 0, 0, 1)
    assert tree.read().ior == 1
