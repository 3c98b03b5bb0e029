"""Baking: what a material's nodes say arrives in its pictures, and nothing else changes."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from fyn.addon.operators import bake_scene as bake_scene_module
from fyn.addon.operators.bake_channels import CannotBake
from fyn.addon.operators.bake_headless import bake_scene_materials
from fyn.addon.operators.bake_images import UNTOUCHED, filled
from fyn.addon.operators.bake_job import bake_now, bake_steps
from fyn.addon.operators.bake_uv import BAKE_UV, coverage
from fyn.addon.sync.materials.baked import bake_of, drop_bake
from fyn.addon.sync.mesh_arrays import MeshLayout

LAYOUT = MeshLayout(("UVMap",))
SIDE = 64


@pytest.fixture
def plane(tree):
    """A square that shows the tree's material, its UV map the unit square."""
    bpy.ops.mesh.primitive_plane_add(size=2)
    obj = bpy.context.object
    obj.data.materials.append(tree.material)
    return obj


def pixels_of(image):
    """(H, W, 4) 0..1 as stored, row 0 at the bottom."""
    flat = np.empty(len(image.pixels), np.float32)
    image.pixels.foreach_get(flat)
    return flat.reshape(image.size[1], image.size[0], -1)


def gradient(tree):
    """The u coordinate of the UV map, as a colour."""
    node = tree.add("TexGradient")
    tree.link(tree.add("TexCoord").outputs["UV"], node.inputs["Vector"])
    return node.outputs[0]


def uv_of(mesh, name):
    out = np.empty(len(mesh.loops) * 2, np.float32)
    mesh.uv_layers[name].uv.foreach_get("vector", out)
    return out.reshape(-1, 2)


def everything():
    """Names of all datablocks but images, and what a bake could have left changed."""
    kinds = ("scenes", "objects", "meshes", "materials", "node_groups", "collections")
    names = {kind: [item.name for item in getattr(bpy.data, kind)] for kind in kinds}
    scene, layer = bpy.context.scene, bpy.context.view_layer
    links = [
        (m.name, link.from_node.name, link.to_node.name, link.to_socket.identifier)
        for m in bpy.data.materials
        for link in m.node_tree.links
    ]
    state = (scene.name, scene.render.engine, [o.name for o in layer.objects.selected])
    return names, links, state, layer.objects.active, [o.mode for o in scene.objects]


def test_a_gradient_is_baked_as_it_is(tree, plane):
    tree.principled(Base_Color=gradient(tree), Roughness=0.3)
    bake_now(tree.material, bpy.context.scene, SIDE)
    material = tree.read(LAYOUT)
    row = tree.pixels(material.base_color_texture)[SIDE // 2, :, 0]
    linear = np.where(row <= 0.04045, row / 12.92, ((row + 0.055) / 1.055) ** 2.4)
    assert np.abs(linear - (np.arange(SIDE) + 0.5) / SIDE).max() < 0.01
    assert material.roughness == pytest.approx(0.3, abs=1e-3)
    assert material.metallic_roughness_texture is None
    assert tree.warnings == []


def test_nodes_scene_and_selection_are_left_as_they_were(tree, plane):
    tree.principled(Base_Color=gradient(tree))
    uv = uv_of(plane.data, "UVMap")
    before = everything()
    bake_now(tree.material, bpy.context.scene, SIDE)
    assert everything() == before
    assert (uv_of(plane.data, "UVMap") == uv).all()
    assert [layer.name for layer in plane.data.uv_layers] == ["UVMap"]


def test_a_bake_that_fails_leaves_nothing_behind(tree, plane, monkeypatch):
    tree.principled(Base_Color=gradient(tree), Roughness=gradient(tree))
    before, images = everything(), len(bpy.data.images)
    whole = bake_scene_module.BakeScene.bake
    calls = []

    def fails_later(self, uv_map, kind):
        calls.append(kind)
        if len(calls) == 2:
            raise CannotBake("a reason")
        whole(self, uv_map, kind)

    monkeypatch.setattr(bake_scene_module.BakeScene, "bake", fails_later)
    with pytest.raises(CannotBake, match="a reason"):
        bake_now(tree.material, bpy.context.scene, SIDE)
    assert everything() == before
    assert len(bpy.data.images) == images
    assert bake_of(tree.material) is None


def test_a_cancelled_bake_leaves_nothing_behind(tree, plane):
    tree.principled(Base_Color=gradient(tree), Roughness=gradient(tree))
    before, images = everything(), len(bpy.data.images)
    steps = bake_steps(tree.material, bpy.context.scene, SIDE)
    for step in steps:
        if step.done > 0.3:
            break
    steps.close()
    assert everything() == before
    assert len(bpy.data.images) == images


def test_overlapping_uvs_get_a_map_of_their_own_and_stay(tree, plane):
    bpy.ops.mesh.primitive_cube_add()
    cube = bpy.context.object
    cube.data.uv_layers[0].uv.foreach_set("vector", np.tile([0, 0, 1, 0, 1, 1, 0, 1], 6))
    cube.data.materials.append(tree.material)
    before = uv_of(cube.data, "UVMap")
    tree.principled(Base_Color=gradient(tree))
    bake_now(tree.material, bpy.context.scene, SIDE)
    assert bake_of(tree.material).uv_map == BAKE_UV
    for mesh in (cube.data, plane.data):
        assert [layer.name for layer in mesh.uv_layers] == ["UVMap", BAKE_UV]
        assert mesh.uv_layers.active.name == "UVMap"
        assert mesh.uv_layers["UVMap"].active_render
    assert (uv_of(cube.data, "UVMap") == before).all()
    corners = [uv_of(mesh, BAKE_UV).reshape(-1, 4, 2) for mesh in (cube.data, plane.data)]
    quads = np.concatenate(corners)
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    assert coverage(triangles, 256).max() == 1
    assert coverage(triangles, 256).mean() > 0.3


def test_each_material_of_a_mesh_has_its_own_bake(tree, empty_scene):
    bpy.ops.mesh.primitive_cube_add()
    cube = bpy.context.object
    cube.data.uv_layers.remove(cube.data.uv_layers[0])
    other = tree.material.copy()
    other.node_tree.nodes.clear()
    cube.data.materials.append(tree.material)
    cube.data.materials.append(other)
    cube.data.polygons.foreach_set("material_index", [0, 0, 0, 1, 1, 1])
    tree.principled(Base_Color=tree.add("TexNoise").outputs["Color"])
    bake_now(tree.material, bpy.context.scene, SIDE)
    uv = uv_of(cube.data, BAKE_UV).reshape(6, 4, 2)
    assert (uv[3:] == 0).all()
    assert uv[:3].min() >= 0 and uv[:3].max() <= 1
    assert bake_of(other) is None


def test_mixtures_and_groups_are_baked_by_their_shares(tree, plane):
    group = bpy.data.node_groups.new("paint", "ShaderNodeTree")
    for name, kind in (("In", "Shader"), ("Share", "Float")):
        group.interface.new_socket(name, in_out="INPUT", socket_type=f"NodeSocket{kind}")
    group.interface.new_socket("Out", in_out="OUTPUT", socket_type="NodeSocketShader")
    start, end = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    metal, mix = group.nodes.new("ShaderNodeBsdfPrincipled"), group.nodes.new("ShaderNodeMixShader")
    metal.inputs["Metallic"].default_value = 1
    metal.inputs["Roughness"].default_value = 0.1
    metal.inputs["Base Color"].default_value = (1, 0, 0, 1)
    group.links.new(start.outputs["Share"], mix.inputs[0])
    group.links.new(start.outputs["In"], mix.inputs[1])
    group.links.new(metal.outputs[0], mix.inputs[2])
    group.links.new(mix.outputs[0], end.inputs[0])
    node = tree.add("Group", node_tree=group)
    paint = tree.add("BsdfPrincipled")
    paint.inputs["Base Color"].default_value = (0, 0, 1, 1)
    paint.inputs["Roughness"].default_value = 0.9
    tree.link(paint.outputs[0], node.inputs["In"])
    tree.link(gradient(tree), node.inputs["Share"])
    tree.show(node.outputs[0])
    before = everything()
    bake_now(tree.material, bpy.context.scene, SIDE)
    assert everything() == before
    data = pixels_of(bake_of(tree.material).data_image)[SIDE // 2]
    share = (np.arange(SIDE) + 0.5) / SIDE
    assert np.abs(data[:, 2] - share).max() < 0.02
    assert np.abs(data[:, 1] - (0.9 - 0.8 * share)).max() < 0.02


def test_transparency_does_not_darken_what_it_is_mixed_with(tree, plane):
    matt = tree.add("BsdfDiffuse")
    matt.inputs["Color"].default_value = (0.2, 0.4, 0.6, 1)
    mix = tree.add("MixShader")
    tree.link(gradient(tree), mix.inputs[0])
    tree.link(tree.add("BsdfTransparent").outputs[0], mix.inputs[1])
    tree.link(matt.outputs[0], mix.inputs[2])
    tree.show(mix.outputs[0])
    bake_now(tree.material, bpy.context.scene, SIDE)
    bake = bake_of(tree.material)
    row = pixels_of(bake.base_image)[SIDE // 2]
    assert np.abs(row[:, 3] - (np.arange(SIDE) + 0.5) / SIDE).max() < 0.02
    assert np.abs(row[1:, :3] - row[-1, :3]).max() < 0.02
    assert tree.read(LAYOUT).alpha_mode == "blend"


def test_holes_are_cut_and_light_may_be_bright(tree, plane):
    step = tree.add("Math", operation="GREATER_THAN")
    tree.link(gradient(tree), step.inputs[0])
    tree.principled(Alpha=step.outputs[0], Emission_Color=gradient(tree), Emission_Strength=12.0)
    bake_now(tree.material, bpy.context.scene, SIDE)
    material = tree.read(LAYOUT)
    assert material.alpha_mode == "mask"
    assert material.emissive_strength == pytest.approx(12, rel=0.02)
    assert tree.pixels(material.emissive_texture)[SIDE // 2, -1, 0] == pytest.approx(1, abs=0.02)


def test_bump_becomes_a_normal_map(tree, plane):
    bump = tree.add("Bump")
    bump.inputs["Distance"].default_value = 1
    bump.inputs["Strength"].default_value = 1
    tree.link(gradient(tree), bump.inputs["Height"])
    tree.principled(Normal=bump.outputs[0])
    bake_now(tree.material, bpy.context.scene, SIDE)
    middle = pixels_of(bake_of(tree.material).normal_image)[SIDE // 2, SIDE // 2, :3] * 2 - 1
    # The height grows by 1 over the 2 m of the square: a slope of a half, falling towards -u.
    assert middle == pytest.approx(np.array([-0.5, 0, 1]) / np.sqrt(1.25), abs=0.02)


def test_changed_nodes_show_again_and_moved_ones_do_not_matter(tree, plane):
    shader = tree.principled(Base_Color=gradient(tree))
    bake_now(tree.material, bpy.context.scene, SIDE)
    shader.location = (300, 20)
    shader.label = "moved"
    assert tree.read(LAYOUT).base_color_texture is not None
    shader.inputs["Roughness"].default_value = 0.9
    material = tree.read(LAYOUT)
    assert material.base_color_texture is None
    assert material.roughness == pytest.approx(0.9)
    assert any("changed since it was baked" in warning for warning in tree.warnings)


def test_a_mesh_without_the_baked_uv_map_shows_the_nodes(tree, plane):
    tree.principled(Base_Color=gradient(tree))
    bake_now(tree.material, bpy.context.scene, SIDE)
    assert tree.read(MeshLayout(("another",))).base_color_texture is None
    assert any("no UV map 'UVMap'" in warning for warning in tree.warnings)


def test_a_new_bake_takes_the_place_of_the_old_one(tree, plane):
    tree.principled(Base_Color=gradient(tree))
    bake_now(tree.material, bpy.context.scene, SIDE)
    images = len(bpy.data.images)
    bake_now(tree.material, bpy.context.scene, SIDE)
    assert len(bpy.data.images) == images
    assert drop_bake(tree.material)
    assert len(bpy.data.images) == images - 1
    assert not drop_bake(tree.material)


def test_a_bake_is_saved_with_the_file(tree, plane, tmp_path):
    tree.principled(Base_Color=gradient(tree))
    bake_now(tree.material, bpy.context.scene, SIDE)
    path = str(tmp_path / "baked.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    bake = bake_of(bpy.data.materials["material"])
    assert bake.base_image.packed_file is not None
    assert pixels_of(bake.base_image)[0, -1, 0] > 0.9


def test_only_materials_that_gain_are_baked(tree, plane):
    tree.principled(Base_Color=gradient(tree))
    plain = bpy.data.materials.new("plain")
    plane.data.materials.append(plain)
    bpy.ops.mesh.primitive_plane_add()
    bpy.context.object.data.materials.append(plain)
    report = bake_scene_materials(bpy.context.scene, side=SIDE)
    assert (report.baked, report.refused) == (("material",), {})
    assert bake_scene_materials(bpy.context.scene, side=SIDE).baked == ()


def test_a_material_on_no_mesh_is_refused_in_words(tree, empty_scene):
    curve = bpy.data.objects.new("text", bpy.data.curves.new("text", "FONT"))
    curve.data.materials.append(tree.material)
    empty_scene.collection.objects.link(curve)
    with pytest.raises(CannotBake, match="'text'"):
        bake_now(tree.material, empty_scene, SIDE)


def test_the_operator_bakes_the_active_material(registered, tree, plane):
    tree.principled(Base_Color=gradient(tree))
    tree.material.fyn_bake.size = "64"
    bpy.ops.object.mode_set(mode="EDIT")
    assert bpy.ops.fyn.bake_material() == {"FINISHED"}
    assert plane.mode == "EDIT"
    assert bake_of(tree.material).base_image.size[:] == (64, 64)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert bpy.ops.fyn.drop_bake(material="material") == {"FINISHED"}
    assert bake_of(tree.material) is None


def test_gaps_between_islands_are_filled_from_what_is_near():
    pixels = np.full((64, 64, 3), UNTOUCHED, np.float32)
    covered = np.zeros((64, 64), bool)
    covered[:20, :20] = covered[40:, 40:] = True
    pixels[:20, :20], pixels[40:, 40:] = 0.25, 0.75
    out = filled(pixels, covered)
    assert (out[covered] == pixels[covered]).all()
    assert out.min() >= 0.25 - 1e-4 and out.max() <= 0.75 + 1e-4
    assert out[20, 20, 0] == pytest.approx(0.25, abs=0.02)
