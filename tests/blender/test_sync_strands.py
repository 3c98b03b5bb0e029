"""Hair curves become tubes and point clouds small spheres, with their colours and materials."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from fyn.addon.sync.point_spheres import MAX_TRIANGLES as MAX_BALL_TRIANGLES
from fyn.addon.sync.point_spheres import spheres
from fyn.addon.sync.scene_sync import SceneSync
from fyn.addon.sync.tubes import BEZIER, CATMULL_ROM, MAX_TRIANGLES, POLY, Strands, tubes
from fyn.engine_core.world.world import World


def synced():
    sync, world = SceneSync(), World()
    world.apply(sync.full(bpy.context.evaluated_depsgraph_get()))
    return world, sync


def corners(made):
    return (made.positions[made.indices[k::3]].astype(np.float64) for k in range(3))


def volume(made):
    a, b, c = corners(made)
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


def strand(points, radius=0.1, kind=CATMULL_ROM, cyclic=False, handles=None):
    points = np.array(points, np.float32)
    count = len(points)
    return Strands(
        np.array([0, count]), points, np.full(count, radius, np.float32),
        np.array([kind]), np.array([cyclic]), handles,
    )  # fmt: skip


def octagon(radius):
    return 4 * radius**2 * np.sin(np.pi / 4)


def test_a_straight_strand_is_a_closed_tube_of_its_radius():
    made = tubes(strand([(0, 0, 0), (0, 0, 1), (0, 0, 4)]))
    assert volume(made) == pytest.approx(4 * octagon(0.1), rel=1e-5)
    assert np.allclose(np.hypot(made.positions[:, 0], made.positions[:, 1]), 0.1, atol=1e-6)
    assert np.allclose(np.linalg.norm(made.normals, axis=1), 1, atol=1e-6)


def test_a_smooth_ring_is_round_and_without_caps():
    turn = np.arange(8) * (np.pi / 4)
    ring = np.stack([np.cos(turn), np.sin(turn), 0 * turn], axis=1)
    made = tubes(strand(ring, 0.05, cyclic=True))
    assert volume(made) == pytest.approx(2 * np.pi * octagon(0.05), rel=0.02)
    edges = np.sort(made.indices.reshape(-1, 3)[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    _, inner = np.unique(edges, axis=0, return_counts=True)
    assert np.count_nonzero(inner == 1) == 16  # only where the first and last ring meet


def test_a_winding_strand_is_neither_pinched_nor_inside_out():
    turn = np.linspace(0, 6 * np.pi, 40)
    made = tubes(strand(np.stack([np.cos(turn), np.sin(turn), turn / 4], axis=1), 0.05))
    a, b, c = corners(made)
    facing = np.einsum("ij,ij->i", np.cross(b - a, c - a), made.normals[made.indices[0::3]])
    assert np.count_nonzero(facing < -1e-6) == 0
    length = 6 * np.pi * np.hypot(1, 1 / 4)
    assert volume(made) == pytest.approx(length * octagon(0.05), rel=0.02)


def test_bezier_strands_follow_their_handles_and_poly_strands_none():
    ends = [(0, 0, 0), (1, 0, 0)]
    left, right = (np.array(h, np.float32) for h in (ends, [(0, 1, 0), (1, 0, 0)]))
    bent = tubes(strand(ends, 0.001, BEZIER, handles=(left, right)))
    assert bent.positions[:, 1].max() == pytest.approx(4 / 9, abs=0.02)
    assert tubes(strand(ends, 0.001, POLY)).positions[:, 1].max() < 0.002


def test_strands_that_are_points_or_not_numbers_are_left_out():
    assert tubes(strand([(0, 0, 0)])) is None
    assert tubes(strand([(0, 0, 0), (np.nan, 0, 0)])) is None
    standing = tubes(strand([(1, 1, 1)] * 3))
    assert np.isfinite(standing.positions).all() and np.isfinite(standing.normals).all()


def test_a_hundred_thousand_strands_stay_within_their_budget():
    count, steps = 150_000, 8
    points = np.random.default_rng(1).random((count * steps, 3)).astype(np.float32)
    many = Strands(
        np.arange(count + 1) * steps, points, np.full(len(points), 0.01, np.float32),
        np.zeros(count, int), np.zeros(count, bool),
    )  # fmt: skip
    made = tubes(many)
    assert len(made.indices) / 3 < MAX_TRIANGLES * 1.2 and 0 < made.drawn < count


def test_points_are_balls_of_their_radius_and_very_many_are_thinned():
    points = np.array([(0, 0, 0), (5, 0, 0), (np.nan, 0, 0)], np.float32)
    made = spheres(points, np.array([1, 2, 1], np.float32))
    assert made.drawn == 2
    assert volume(made) == pytest.approx(3.6587 * (1 + 8), rel=1e-3)
    many = spheres(np.zeros((2_000_000, 3), np.float32), np.ones(2_000_000, np.float32))
    assert len(many.indices) / 3 <= MAX_BALL_TRIANGLES and many.drawn < 2_000_000


def test_hair_curves_show_their_colour_their_radius_and_their_material(empty_scene):
    hair = bpy.data.hair_curves.new("hair")
    hair.add_curves([3, 4])
    points = [(0, 0, z) for z in range(3)] + [(2, 0, z) for z in range(4)]
    hair.position_data.foreach_set("vector", np.array(points, np.float32).ravel())
    hair.attributes.new("radius", "FLOAT", "POINT").data.foreach_set("value", [0.25] * 7)
    color = hair.attributes.new("tint", "FLOAT_COLOR", "CURVE")
    color.data.foreach_set("color", [1, 0, 0, 1, 0, 1, 0, 1])
    root = hair.attributes.new("surface_uv_coordinate", "FLOAT2", "CURVE")
    root.data.foreach_set("vector", [0.25, 0.75, 0.5, 0.5])
    hair.materials.append(bpy.data.materials.new("brown"))
    empty_scene.collection.objects.link(bpy.data.objects.new("Haar", hair))
    world, sync = synced()
    assert sync.warnings == []
    entity = world.entities["Haar"]
    mesh = world.meshes[entity.mesh.mesh]
    assert entity.mesh.materials == ("brown",)
    assert np.allclose(mesh.bounds, [(-0.25, 0, -0.25), (2.25, 3, 0.25)], atol=0.02)
    assert mesh.color_names == ("tint",) and mesh.uv_names == ("surface_uv_coordinate",)
    first = mesh.positions[:, 0] < 1
    assert np.allclose(mesh.color_sets[0][first], (1, 0, 0, 1))
    assert np.allclose(mesh.color_sets[0][~first], (0, 1, 0, 1))
    assert np.allclose(mesh.uv_sets[0][first], (0.25, 0.25))


def node_object(name, *, count, radius, material):
    """An object whose geometry nodes make `count` points at its origin."""
    group = bpy.data.node_groups.new(name, "GeometryNodeTree")
    group.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    points = group.nodes.new("GeometryNodePoints")
    points.inputs["Count"].default_value = count
    points.inputs["Radius"].default_value = radius
    paint = group.nodes.new("GeometryNodeSetMaterial")
    paint.inputs["Material"].default_value = material
    output = group.nodes.new("NodeGroupOutput")
    group.links.new(points.outputs[0], paint.inputs[0])
    group.links.new(paint.outputs[0], output.inputs[0])
    obj = bpy.data.objects.new(name, bpy.data.meshes.new(name))
    obj.modifiers.new("nodes", "NODES").node_group = group
    bpy.context.scene.collection.objects.link(obj)
    return obj


def test_a_point_cloud_of_geometry_nodes_shows_its_points_and_its_material(empty_scene):
    red = bpy.data.materials.new("red")
    node_object("Punkte", count=3, radius=0.5, material=red).location = (1, 0, 0)
    world, sync = synced()
    assert sync.warnings == []
    (drawn,) = (entity for entity in world.entities.values() if entity.mesh is not None)
    mesh = world.meshes[drawn.mesh.mesh]
    assert mesh.triangle_count == 240 and drawn.mesh.materials == ("red",)
    assert np.allclose(mesh.bounds, [(-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)], atol=0.03)
    assert np.allclose(world.world_from_local(drawn.id)[:3, 3], (1, 0, 0))
