"""Playing the timeline in a viewport: only what moves is read again and handed on."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from fyn.addon.sync import geometry, scene_sync

STILL, MOVING = 1000, 10


@pytest.fixture
def crowd(empty_scene):
    """1,000 objects of one mesh that stand still, and 10 that move."""
    mesh = bpy.data.meshes.new("Tile")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    for number in range(STILL + MOVING):
        moves = number >= STILL
        obj = bpy.data.objects.new(f"{'Mover' if moves else 'Tile'} {number}", mesh)
        empty_scene.collection.objects.link(obj)
        if moves:
            for frame, place in ((1, (number, 0, 0)), (25, (number, 5, 1))):
                obj.location = place
                obj.keyframe_insert("location", frame=frame)
    empty_scene.frame_set(1)
    return empty_scene


@pytest.fixture
def play(crowd, follow):
    """Starts following: (follower, a function that goes to a frame and gives the deltas)."""
    follower = follow()
    bpy.app.handlers.frame_change_post.append(follower.on_update)

    def to(frame):
        follower.deltas.clear()
        bpy.context.scene.frame_set(frame)
        return list(follower.deltas)

    yield follower, to
    bpy.app.handlers.frame_change_post.remove(follower.on_update)


def _movers():
    return {f"Mover {number}" for number in range(STILL, STILL + MOVING)}


def test_a_frame_of_the_timeline_hands_on_only_what_moves(crowd, play, monkeypatch):
    _, to = play
    seen = []
    sight = scene_sync.sight_object
    monkeypatch.setattr(
        scene_sync, "sight_object", lambda obj, *more: seen.append(obj.name) or sight(obj, *more)
    )
    read = []
    monkeypatch.setattr(geometry, "read_mesh", lambda *more: read.append(more))
    for frame in (2, 3, 4):
        seen.clear()
        (delta,) = to(frame)
        assert set(delta.entities) == _movers()
        assert not (delta.meshes or delta.materials or delta.images or delta.removed_entities)
        assert set(seen) == _movers()
    assert read == []


@pytest.fixture
def wave(crowd):
    """A mesh among the crowd whose shape key is animated."""
    wave = bpy.data.meshes.new("Wave")
    wave.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    obj = bpy.data.objects.new("Wave", wave)
    crowd.collection.objects.link(obj)
    obj.shape_key_add(name="Basis")
    block = obj.shape_key_add(name="High")
    block.data[0].co.z = 2.0
    for frame, value in ((1, 0.0), (25, 1.0)):
        block.value = value
        block.keyframe_insert("value", frame=frame)
    crowd.frame_set(1)
    return obj


def test_a_mesh_that_deforms_is_read_again_and_no_other(wave, play, monkeypatch):
    follower, to = play
    read = []
    read_mesh = geometry.read_mesh

    def counted(mesh, name, *more):
        read.append(name)
        return read_mesh(mesh, name, *more)

    monkeypatch.setattr(geometry, "read_mesh", counted)
    (delta,) = to(13)
    assert read == ["Wave"]
    assert set(delta.meshes) == {"Wave"}
    lifted = follower.world.meshes["Wave"].positions[:, 1].max()
    assert np.isclose(lifted, 2 * wave.data.shape_keys.key_blocks["High"].value, atol=1e-5)
