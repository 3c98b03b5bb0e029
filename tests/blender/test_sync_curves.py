"""Curves, text, surfaces, metaballs and what geometry nodes make: each drawn once."""

from __future__ import annotations

import bpy
import numpy as np

from fyn.addon.sync.scene_sync import SceneSync
from fyn.engine_core.world.world import World


def synced():
    """The scene as its viewport shows it, and the sync that read it."""
    sync, world = SceneSync(), World()
    world.apply(sync.full(bpy.context.evaluated_depsgraph_get()))
    return world, sync


def linked(name, data=None, collection=None):
    obj = bpy.data.objects.new(name, data)
    (collection or bpy.context.scene.collection).objects.link(obj)
    return obj


def instancing_nodes(count):
    """Geometry nodes that put an instance of a mesh primitive on each point of a line."""
    tree = bpy.data.node_groups.new("scatter", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    line = tree.nodes.new("GeometryNodeMeshLine")
    line.inputs["Count"].default_value = count
    shape = tree.nodes.new("GeometryNodeMeshCube")
    put = tree.nodes.new("GeometryNodeInstanceOnPoints")
    output = tree.nodes.new("NodeGroupOutput")
    tree.links.new(line.outputs[0], put.inputs["Points"])
    tree.links.new(shape.outputs[0], put.inputs["Instance"])
    tree.links.new(put.outputs[0], output.inputs[0])
    return tree


def test_geometry_nodes_instances_share_one_mesh(empty_scene):
    obj = linked("scatter", bpy.data.meshes.new("seed"))
    obj.modifiers.new("nodes", "NODES").node_group = instancing_nodes(7)
    world, _ = synced()
    parts = [entity for entity in world.entities.values() if entity.mesh is not None]
    assert len(parts) == 7 and len(world.meshes) == 1
    heights = sorted(world.world_from_local(part.id)[1, 3] for part in parts)
    assert np.allclose(np.diff(heights), heights[1] - heights[0]) and heights[1] > heights[0]
    assert {part.parent for part in parts} == {"scatter"}


def test_curves_text_surfaces_and_metaballs_are_drawn_as_meshes(empty_scene):
    bpy.ops.curve.primitive_bezier_circle_add()
    bpy.context.object.data.bevel_depth = 0.1
    bpy.ops.object.text_add()
    bpy.context.object.data.extrude = 0.1
    bpy.ops.surface.primitive_nurbs_surface_sphere_add()
    bpy.ops.object.metaball_add(location=(5, 0, 0))
    world, sync = synced()
    drawn = [entity.id for entity in world.entities.values() if entity.mesh is not None]
    assert set(drawn) - {"BézierCircle", "BezierCircle"} == {"Text", "SurfSphere", "Mball"}
    assert len(drawn) == len(world.meshes) == 4
    assert all(mesh.triangle_count > 0 for mesh in world.meshes.values())
    assert sync.warnings == []


def test_text_that_shares_its_letters_but_not_its_modifiers_is_drawn_as_modified(empty_scene):
    bpy.ops.object.text_add()
    first = bpy.context.object
    second, third = (linked(name, first.data) for name in ("second", "third"))
    second.modifiers.new("thick", "SOLIDIFY").thickness = 1
    world, _ = synced()
    meshes = {obj.name: world.entities[obj.name].mesh.mesh for obj in (first, second, third)}
    assert meshes["third"] == meshes[first.name] != meshes["second"]
    thick, flat = (world.meshes[meshes[name]] for name in ("second", "third"))
    assert thick.triangle_count > 2 * flat.triangle_count


def test_instances_of_text_are_drawn_once_each(empty_scene):
    source = bpy.data.collections.new("source")
    bpy.ops.object.text_add()
    text = bpy.context.object
    empty_scene.collection.objects.unlink(text)
    source.objects.link(text)
    middle = bpy.data.collections.new("middle")
    for name, inside, where in (
        ("once", source, None), ("left", source, middle), ("right", source, middle),
        ("twice", middle, None),
    ):  # fmt: skip
        instancer = linked(name, None, where)
        instancer.instance_type, instancer.instance_collection = "COLLECTION", inside
    world, _ = synced()
    drawn = [entity for entity in world.entities.values() if entity.mesh is not None]
    assert [entity.name for entity in drawn] == ["Text"] * 3 and len(world.meshes) == 1


def test_text_that_geometry_nodes_add_to_shows_itself_and_its_instances(empty_scene):
    bpy.ops.object.text_add()
    text = bpy.context.object
    nodes = instancing_nodes(3)
    group_in = nodes.nodes.new("NodeGroupInput")
    nodes.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    join = nodes.nodes.new("GeometryNodeJoinGeometry")
    output = next(node for node in nodes.nodes if node.type == "GROUP_OUTPUT")
    made = output.inputs[0].links[0].from_socket
    nodes.links.new(made, join.inputs[0])
    nodes.links.new(group_in.outputs[0], join.inputs[0])
    nodes.links.new(join.outputs[0], output.inputs[0])
    text.modifiers.new("nodes", "NODES").node_group = nodes
    world, _ = synced()
    drawn = [entity for entity in world.entities.values() if entity.mesh is not None]
    assert len(drawn) == 4 and len(world.meshes) == 2
    assert world.entities["Text"].mesh.mesh == "Text"
