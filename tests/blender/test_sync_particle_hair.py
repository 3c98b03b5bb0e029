"""Hair of particle systems is drawn as part of the mesh that grows it."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from fyn.addon.sync.render_depsgraph import with_render_depsgraph
from fyn.addon.sync.scene_sync import SceneSync
from fyn.engine_core.world.world import World


@pytest.fixture
def furry(empty_scene):
    """A sphere of two materials with 50 hairs of the second; 10 children each in renders."""
    bpy.ops.mesh.primitive_uv_sphere_add(segments=12, ring_count=8)
    obj = bpy.context.object
    for name in ("skin", "fur"):
        obj.data.materials.append(bpy.data.materials.new(name))
    bpy.ops.object.particle_system_add()
    settings = obj.particle_systems[0].settings
    settings.type, settings.render_type = "HAIR", "PATH"
    settings.count, settings.hair_length = 50, 0.5
    settings.material = 2
    settings.display_step = settings.render_step = 2
    return obj


def synced(obj, render=False):
    sync, world = SceneSync(), World()
    if render:
        world.apply(with_render_depsgraph(bpy.context.scene, sync.full))
    else:
        world.apply(sync.full(bpy.context.evaluated_depsgraph_get()))
    entity = world.entities[obj.name]
    return world.meshes[entity.mesh.mesh], entity.mesh.materials, sync.warnings


def test_hair_grows_out_of_its_mesh_in_its_material(furry):
    mesh, materials, warnings = synced(furry)
    assert warnings == [] and materials == ("skin", "fur")
    skin, fur = mesh.primitives
    assert (skin.material_slot, fur.material_slot) == (0, 1)
    assert skin.index_count / 3 == 12 * 6 * 2 + 24
    hair = mesh.positions[mesh.indices[fur.first_index :]]
    assert np.linalg.norm(hair, axis=1).max() == pytest.approx(1.5, abs=0.05)
    assert np.linalg.norm(hair, axis=1).min() > 0.9
    roots = mesh.uv_sets[0][mesh.indices[fur.first_index :]]
    assert roots.min() >= 0 and roots.max() <= 1 and np.ptp(roots[:, 0]) > 0.5


def test_children_take_the_place_of_their_parents_where_they_are_shown(furry):
    settings = furry.particle_systems[0].settings
    alone = synced(furry)[0].primitives[1].index_count
    settings.child_type = "INTERPOLATED"
    settings.child_percent, settings.rendered_child_count = 2, 10
    viewport = synced(furry)[0].primitives[1].index_count
    rendered = synced(furry, render=True)[0].primitives[1].index_count
    assert viewport == 2 * alone and rendered == 10 * alone


def test_a_moved_furry_mesh_keeps_its_hair_in_place(furry):
    before = synced(furry)[0].positions
    furry.location, furry.rotation_euler = (5, 1, -2), (0.3, 1, 2)
    bpy.context.view_layer.update()
    after = synced(furry)[0].positions
    assert np.abs(after - before).max() < 1e-3


def test_a_hidden_emitter_shows_its_hair_only_and_stays_hidden_when_it_moves(furry, follow):
    furry.show_instancer_for_viewport = False
    follower = follow()

    def slots():
        mesh = follower.world.meshes[follower.world.entities[furry.name].mesh.mesh]
        return [part.material_slot for part in mesh.primitives]

    assert slots() == [1]
    furry.location.x = 3
    bpy.context.view_layer.update()
    assert slots() == [1]
    furry.show_instancer_for_viewport = True
    bpy.context.view_layer.update()
    assert slots() == [0, 1]


def test_hair_that_is_switched_off_is_not_drawn(furry):
    furry.modifiers[0].show_viewport = False
    mesh, _, warnings = synced(furry)
    assert len(mesh.primitives) == 1 and warnings == []


def test_particles_drawn_as_halos_are_named(furry):
    furry.particle_systems[0].settings.type = "EMITTER"
    furry.particle_systems[0].settings.render_type = "HALO"
    assert [warning.cause for warning in synced(furry)[2]] == ["OBJECT_PARTICLES"]
