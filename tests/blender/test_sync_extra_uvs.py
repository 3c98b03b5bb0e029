"""Attributes and generated coordinates become UV sets of meshes whose materials ask for them."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from fyn.addon.sync.extra_uvs import GENERATED
from fyn.addon.sync.scene_sync import SceneSync
from fyn.engine_core.world.world import World


def synced():
    sync, world = SceneSync(), World()
    world.apply(sync.full(bpy.context.evaluated_depsgraph_get()))
    return world, sync


def box(name, size=2.0):
    bpy.ops.mesh.primitive_cube_add(size=size)
    bpy.context.object.name = name
    return bpy.context.object


def pictured(name, kind, socket, **settings):
    """A material whose picture lies by the socket of a node of a kind."""
    material = bpy.data.materials.new(name)
    tree = material.node_tree
    picture = tree.nodes.new("ShaderNodeTexImage")
    picture.image = bpy.data.images.get("dots") or bpy.data.images.new("dots", 4, 4)
    source = tree.nodes.new(kind)
    for key, value in settings.items():
        setattr(source, key, value)
    tree.links.new(source.outputs[socket], picture.inputs["Vector"])
    surface = tree.nodes["Principled BSDF"]
    tree.links.new(picture.outputs["Color"], surface.inputs["Base Color"])
    return material


def by_attribute(name):
    return pictured(name, "ShaderNodeAttribute", "Vector", attribute_name="flow")


def set_of(world, entity):
    """The UV set by which the entity's first material lays its picture."""
    mesh = world.meshes[world.entities[entity].mesh.mesh]
    material = world.materials[world.entities[entity].mesh.materials[0]]
    index = material.base_color_texture.uv_set
    return mesh.uv_names[index], mesh.uv_sets[index], mesh


@pytest.mark.parametrize("domain", ["POINT", "CORNER"])
@pytest.mark.parametrize("kind", ["FLOAT_VECTOR", "FLOAT2"])
def test_an_attribute_that_a_material_names_is_a_uv_set(empty_scene, domain, kind):
    obj = box("box")
    flow = obj.data.attributes.new("flow", kind, domain)
    width = 2 if kind == "FLOAT2" else 3
    values = np.random.default_rng(1).random((len(flow.data), width)).astype(np.float32)
    flow.data.foreach_set("vector", values.ravel())
    obj.data.materials.append(by_attribute("m"))
    world, sync = synced()
    assert sync.warnings == []
    name, uvs, _ = set_of(world, "box")
    assert name == "flow"
    expected = {tuple(np.float32([u, 1 - v])) for u, v in values[:, :2]}
    assert {tuple(uv) for uv in uvs} == expected


def test_meshes_without_the_attribute_are_told_and_do_not_spoil_those_with_it(empty_scene):
    material = by_attribute("m")
    plain, rich = box("a plain"), box("b rich")
    rich.data.attributes.new("flow", "FLOAT2", "POINT")
    for obj in (plain, rich):
        obj.data.materials.append(material)
    world, sync = synced()
    assert set_of(world, "b rich")[0] == "flow" and set_of(world, "a plain")[0] == "UVMap"
    assert [(w.kind, w.name) for w in sync.warnings] == [("material", "m")]


def test_a_shared_mesh_grows_a_set_when_the_second_material_asks(empty_scene):
    obj = box("first")
    obj.data.attributes.new("flow", "FLOAT2", "POINT")
    obj.data.materials.append(pictured("by uv", "ShaderNodeUVMap", "UV", uv_map="UVMap"))
    other = bpy.data.objects.new("second", obj.data)
    empty_scene.collection.objects.link(other)
    other.material_slots[0].link = "OBJECT"
    other.material_slots[0].material = by_attribute("by flow")
    world, _ = synced()
    assert len(world.meshes) == 1
    assert set_of(world, "first")[0] == "UVMap" and set_of(world, "second")[0] == "flow"
    assert set(world.materials) == {"by uv", "by flow"} or len(world.materials) == 2


def test_generated_coordinates_span_the_undeformed_mesh(empty_scene):
    obj = box("box", size=4)
    obj.data.vertices[0].co.x = -2
    bend = obj.modifiers.new("bend", "CAST")
    bend.factor = 1
    obj.data.materials.append(pictured("m", "ShaderNodeTexCoord", "Generated"))
    world, sync = synced()
    assert sync.warnings == []
    name, uvs, mesh = set_of(world, "box")
    assert name == GENERATED
    assert {tuple(uv) for uv in uvs.round(5)} == {(u, v) for u in (0, 1) for v in (0, 1)}
    assert np.abs(mesh.positions).max() < 3.9  # what is drawn is the bent one


def test_generated_coordinates_of_text_span_its_mesh(empty_scene):
    bpy.ops.object.text_add()
    text = bpy.context.object
    text.data.materials.append(pictured("m", "ShaderNodeTexCoord", "Generated"))
    world, _ = synced()
    name, uvs, _ = set_of(world, text.name)
    assert name == GENERATED
    assert uvs.min() > -0.01 and uvs.max() < 1.01 and np.ptp(uvs[:, 0]) > 0.5


def test_an_attribute_that_comes_later_is_used(follow):
    obj = box("box")
    obj.data.materials.append(by_attribute("m"))
    follower = follow()
    obj.data.attributes.new("flow", "FLOAT2", "POINT")
    obj.data.update_tag()
    bpy.context.view_layer.update()
    assert set_of(follower.world, "box")[0] == "flow"


def in_space(places, scale):
    """Where Blender's checkerboard shows its first colour, (N,) bool, at places (N, 3)."""
    x, y, z = np.abs(np.floor((places * scale + 1e-6) * 0.999999).astype(int)).T % 2
    return (x == y) == (z == 1)


def in_plane(coordinates, scale):
    """The same of a checkerboard in a plane: the third coordinate is 0."""
    flat = np.concatenate([coordinates, np.zeros((len(coordinates), 1))], axis=1)
    return in_space(flat, scale)


@pytest.mark.parametrize("scale", [1.0, 5.0, 30.0, 7.3, -4.0])
def test_a_checkerboard_on_a_box_has_blenders_squares(empty_scene, scale):
    obj = box("box")
    obj.data.materials.append(checkered("board", scale))
    world, sync = synced()
    assert sync.warnings == []
    name, uv, mesh = set_of(world, "box")
    assert name.startswith(".checker")
    rng = np.random.default_rng(7)
    corners = mesh.indices.reshape(-1, 3)
    weights = rng.dirichlet([1, 1, 1], size=(len(corners), 200))
    engine = np.einsum("tnk,tkc->tnc", weights, mesh.positions[corners]).reshape(-1, 3)
    places = np.stack([engine[:, 0], -engine[:, 2], engine[:, 1]], axis=1) / 2 + 0.5
    flat = np.einsum("tnk,tkc->tnc", weights, uv[corners]).reshape(-1, 2)
    flat[:, 1] = 1 - flat[:, 1]
    same = in_space(places, scale) == in_plane(flat, scale)
    assert same.mean() > 0.999  # but for points on the line between two squares


def test_a_checkerboard_on_a_ball_is_flat_and_says_so(empty_scene):
    bpy.ops.mesh.primitive_uv_sphere_add()
    obj = bpy.context.object
    obj.data.materials.append(checkered("board", 5.0))
    world, sync = synced()
    assert [warning.cause for warning in sync.warnings] == ["NODE_CHECKER"]
    material = world.materials[world.entities[obj.name].mesh.materials[0]]
    np.testing.assert_allclose(material.base_color[:3], 0.5)


def checkered(name, scale):
    """A material of white and black squares on generated coordinates."""
    material = bpy.data.materials.new(name)
    tree = material.node_tree
    board = tree.nodes.new("ShaderNodeTexChecker")
    board.inputs["Color1"].default_value = (1, 1, 1, 1)
    board.inputs["Color2"].default_value = (0, 0, 0, 1)
    board.inputs["Scale"].default_value = scale
    tree.links.new(board.outputs["Color"], tree.nodes["Principled BSDF"].inputs["Base Color"])
    return material
