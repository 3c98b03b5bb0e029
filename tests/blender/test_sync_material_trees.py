"""Node trees of any shape are read: groups, circles, unknown nodes, missing pictures."""

from __future__ import annotations

import math
from contextlib import suppress
from random import Random

import bpy
import msgspec
import pytest

from fyn.engine_core.assets.material import Material


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
        Normal=tree.normal_map(node.outputs["Color"]).outputs[0],
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
