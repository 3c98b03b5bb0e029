"""Exported skins, shape keys, bones and clips, held against Blender frame by frame."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path

import bpy
import numpy as np
import pytest

from fyn.addon.headless import open_blend, read_scene
from fyn.engine_core.render.view import camera_view
from fyn.engine_core.world.animation.clip import SCENE_CLIP
from fyn.engine_core.world.animation.playing import sample_clip
from fyn.engine_core.world.components.morph import Morph
from fyn.engine_core.world.components.skin import Skin
from fyn.engine_core.world.level_file import read_level
from fyn.exporters.level import export_level

_spec = importlib.util.spec_from_file_location(
    "rig_scene", Path(__file__).with_name("rig_scene.py")
)
assert _spec is not None and _spec.loader is not None
rig_scene = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(rig_scene)

FRAMES = (1, 5, 8, 12)
CLOSE = 5e-4
"""Metres: what reduction (1e-4 m and rad a joint) adds up to along two bones."""


@pytest.fixture
def rig(empty_scene, tmp_path):
    return rig_scene.RigScene(empty_scene, tmp_path / "level")


@pytest.fixture
def walker(rig):
    """A column that bends and leans, bound to an armature that moves and is scaled unevenly."""
    armature = rig.armature()
    armature.scale = (1.2, 0.8, 1.0)
    armature.rotation_euler = (0.2, 0.1, 0.4)
    column = rig.column()
    column.location = (0.1, 0.2, 0.0)
    rig.bind(column, armature)
    rig.key(armature, "location", f1=(0, 0, 0), f12=(3, 1, 0))
    for name, turn in (("Bone0", (0.3, 0, 0.5)), ("Bone1", (1.1, 0.4, 0))):
        rig.key(armature.pose.bones[name], "rotation_euler", f1=(0, 0, 0), f6=turn, f12=(0, 0.2, 0))
    return armature, column


def _agree(rig, world, obj, frames=FRAMES, close=CLOSE):
    for frame in frames:
        ours = rig_scene.drawn_points(rig.played(world, frame), obj.name)
        theirs = rig.points(obj, frame)
        assert rig_scene.distance(ours, theirs) < close
        assert rig_scene.distance(theirs, ours) < close


def test_a_skinned_mesh_is_where_blender_has_it_at_every_frame(rig, walker):
    world, warnings = rig.export()
    assert warnings == []
    skin = world.entities["Column"].get(Skin)
    assert skin == Skin(armature="Rig", joints=("Rig/Bone0", "Rig/Bone1"))
    assert world.entities["Rig/Bone1"].parent == "Rig/Bone0"
    _agree(rig, world, walker[1])


def test_the_level_without_its_clip_is_the_exported_frame(rig, walker):
    rig.scene.frame_set(6)
    world, _ = rig.export()
    ours = rig_scene.drawn_points(world, "Column")
    assert rig_scene.distance(ours, rig.points(walker[1], 6)) < 1e-5


def test_a_mesh_below_its_armature_and_an_armature_hidden_from_renders_move_alike(rig, walker):
    armature, column = walker
    column.parent = armature
    armature.hide_render = True
    world, _ = rig.export()
    _agree(rig, world, column)


def test_a_mesh_deformed_by_its_parent_without_a_modifier_is_a_skin(rig, walker):
    armature, column = walker
    column.modifiers.clear()
    column.parent, column.parent_type = armature, "ARMATURE"
    world, _ = rig.export()
    assert world.entities["Column"].get(Skin) is not None
    assert column.parent_type == "ARMATURE"
    _agree(rig, world, column)


def test_only_the_four_strongest_bones_of_a_vertex_are_kept_and_it_is_said(rig):
    armature = rig.armature(bones=6)
    column = rig.column()
    for number, weight in enumerate((0.1, 0.3, 0.2, 0.25, 0.05, 0.4)):
        group = column.vertex_groups.new(name=f"Bone{number}")
        group.add([0] if number > 3 else list(range(72)), weight, "REPLACE")
    column.modifiers.new("Armature", "ARMATURE").object = armature
    world, warnings = rig.export()
    assert [warning.cause for warning in warnings] == ["SKIN_INFLUENCES"]
    assert "1 of its vertices" in str(warnings[0])
    mesh = world.meshes[world.entities["Column"].mesh.mesh]
    crowded = next(place for place, joints in enumerate(mesh.skin.joints.tolist()) if 5 in joints)
    strongest = np.array([0.4, 0.3, 0.25, 0.2])
    assert mesh.skin.joints[crowded].tolist() == [5, 1, 3, 2]
    assert mesh.skin.weights[crowded] == pytest.approx(strongest / strongest.sum(), abs=1e-6)


def test_vertices_without_weights_stay_with_their_object(rig, walker):
    _, column = walker
    column.vertex_groups["Bone0"].remove(range(16))
    column.vertex_groups["Bone1"].remove(range(16))
    world, _ = rig.export()
    _agree(rig, world, column)


def test_what_is_parented_to_a_bone_hangs_from_its_entity_and_follows_it(rig, walker):
    armature, _ = walker
    hat = rig.column("Hat", rings=2)
    hat.parent, hat.parent_type, hat.parent_bone = armature, "BONE", "Bone1"
    hat.rotation_euler = (0.3, 0.2, 0.1)
    world, _ = rig.export()
    assert world.entities["Hat"].parent == "Rig/Bone1"
    _agree(rig, world, hat)


@pytest.fixture
def face(rig):
    """A column with shape keys: one animated, one relative to it, one muted, one masked."""
    column = rig.column("Face")
    column.shape_key_add(name="Basis")
    random = np.random.default_rng(2)
    for number, name in enumerate(("Lean", "More", "Muted", "Half")):
        block = column.shape_key_add(name=name, from_mix=False)
        for point in block.data:
            point.co.x += 0.2 * number + point.co.z * 0.3
            point.co.y += float(random.random()) * 0.1
    keys = column.data.shape_keys.key_blocks
    keys["More"].relative_key = keys["Lean"]
    keys["Muted"].mute, keys["Muted"].value = True, 1.0
    group = column.vertex_groups.new(name="Top")
    group.add(list(range(40, 72)), 0.5, "REPLACE")
    keys["Half"].vertex_group, keys["Half"].value = "Top", 0.8
    rig.key(keys["Lean"], "value", f1=0.0, f7=1.0, f12=0.3)
    return column


def test_shape_keys_become_morph_targets_that_move_as_blender_moves_them(rig, face):
    curve = face.data.shape_keys.key_blocks["More"].driver_add("value")
    curve.driver.expression = "frame / 24"
    world, warnings = rig.export()
    assert warnings == []
    assert len(world.entities["Face"].get(Morph).weights) == 4
    _agree(rig, world, face)


def test_shape_keys_under_an_armature_come_before_the_joints(rig, face):
    armature = rig.armature()
    rig.bind(face, armature)
    bone = armature.pose.bones["Bone1"]
    rig.key(bone, "rotation_euler", f1=(0, 0, 0), f12=(1.0, 0.3, 0))
    world, _ = rig.export()
    _agree(rig, world, face)


def test_shape_keys_under_a_generative_modifier_are_frozen_and_it_is_said(rig, face):
    face.modifiers.new("Subdivision", "SUBSURF").render_levels = 1
    world, warnings = rig.export()
    assert [warning.cause for warning in warnings] == ["KEYS_MODIFIED"]
    assert world.entities["Face"].get(Morph) is None
    shown = rig_scene.drawn_points(world, "Face")
    assert rig_scene.distance(shown, rig.points(face, rig.scene.frame_current)) < 1e-4


def test_everything_that_moves_is_in_the_clip_of_the_scene_and_nothing_else(rig):
    for number in range(20):
        rig.column(f"Still {number}", rings=2)
    target = rig.add("Target", None)
    rig.key(target, "location", f1=(0, 0, 0), f12=(0, 4, 2))
    tracker = rig.column("Tracker", rings=2)
    tracker.constraints.new("COPY_LOCATION").target = target
    follower = rig.column("Child", rings=2)
    follower.parent = target  # carried along: its own transform rests
    driven = rig.column("Driven", rings=2)
    driven.driver_add("location", 0).driver.expression = "frame / 10"
    lamp = rig.add("Lamp", bpy.data.lights.new("Lamp", "POINT"))
    rig.key(lamp.data, "energy", f1=10.0, f12=1000.0)
    camera = rig.add("Camera", bpy.data.cameras.new("Camera"))
    rig.key(camera.data, "lens", f1=35.0, f12=85.0)
    material = bpy.data.materials.new("Paint")
    material.use_nodes = True
    socket = material.node_tree.nodes["Principled BSDF"].inputs["Roughness"]
    rig.key(socket, "default_value", f1=0.1, f12=0.9)
    driven.data.materials.append(material)
    world, warnings = rig.export()
    assert warnings == []
    moved = {(c.target, c.path) for c in world.clips[SCENE_CLIP].channels}
    assert moved == {
        ("Target", "transform.translation"),
        ("Tracker", "transform.translation"),
        ("Driven", "transform.translation"),
        ("Lamp", "light.strength"),
        ("Camera", "camera.fov"),
        ("Paint", "roughness"),
    }
    for frame in FRAMES:
        rig.scene.frame_set(frame)
        expected = read_scene(scene=rig.scene.name).world
        rig.played(world, frame)
        for key, entity in expected.entities.items():
            ours = world.world_from_local(key)
            assert np.abs(ours - expected.world_from_local(key)).max() < CLOSE, key
            if entity.light is not None:
                assert world.entities[key].light.strength == pytest.approx(
                    entity.light.strength, rel=1e-3
                )
            if entity.camera is not None:
                assert world.entities[key].camera.fov == pytest.approx(entity.camera.fov, rel=1e-3)
        wanted = expected.materials["Paint"].roughness
        assert world.materials["Paint"].roughness == pytest.approx(wanted, abs=1e-3)


def test_an_object_that_is_hidden_at_times_is_hidden_in_the_clip(rig):
    column = rig.column(rings=2)
    rig.column("Other", rings=2)
    rig.key(column, "hide_render", f1=False, f5=True, f9=False)
    world, _ = rig.export()
    shown = [
        rig.played(world, frame).entities["Column"].mesh.visible_to_camera for frame in range(1, 13)
    ]
    assert shown == [not 5 <= frame < 9 for frame in range(1, 13)]


def test_an_object_that_is_hidden_at_the_exported_frame_is_said_to_be_missing(rig):
    column = rig.column(rings=2)
    rig.column("Other", rings=2)
    rig.key(column, "hide_render", f1=True, f5=False)
    rig.scene.frame_set(1)
    _, warnings = rig.export()
    assert [(warning.cause, warning.name) for warning in warnings] == [("CLIP_APPEARS", "Column")]


def test_a_still_scene_has_no_clips_and_no_frame_of_it_is_looked_at(rig):
    rig.column()
    calls = []
    loaded = read_scene(animated=True, progress=lambda *step: calls.append(step))
    assert loaded.world.clips == {}
    assert calls == []


def test_actions_of_an_armature_are_clips_of_their_own_that_hold_all_bones(rig, walker):
    armature, _ = walker
    walk = armature.animation_data.action
    walk.name = "walk"
    track = armature.animation_data.nla_tracks.new()
    track.strips.new("walk", 1, walk)
    track.mute = True
    armature.animation_data.action = None
    armature.animation_data.action = bpy.data.actions.new("idle")
    rig.key(armature.pose.bones["Bone0"], "rotation_euler", f1=(0, 0, 0), f5=(0.4, 0, 0))
    world, _ = rig.export()
    assert set(world.clips) == {SCENE_CLIP, "Rig/idle", "Rig/walk"}
    for name, seconds in (("idle", 4 / 24), ("walk", 11 / 24)):
        clip = world.clips[f"Rig/{name}"]
        assert (clip.name, clip.entity) == (name, "Rig")
        assert clip.duration == pytest.approx(seconds)
        assert {"Rig/Bone0", "Rig/Bone1"} <= {channel.target for channel in clip.channels}
    at = sample_clip(world, world.clips["Rig/walk"], 5 / 24).entities["Rig/Bone1"].transform
    armature.animation_data.action = walk
    rig.scene.frame_set(6)
    basis = armature.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones["Bone1"]
    turn = (basis.parent.matrix.inverted() @ basis.matrix).to_quaternion()
    wanted = (turn.x, turn.z, -turn.y, turn.w)
    assert abs(abs(np.dot(at.rotation, wanted)) - 1) < 1e-6


def test_export_leaves_the_artists_scene_as_it_was(rig, walker, face):
    armature, column = walker
    rig.scene.frame_set(7)
    bone = armature.pose.bones["Bone0"]
    bone.rotation_euler = (0.7, 0.6, 0.5)  # posed, not keyed
    face.active_shape_key_index = 3
    before = (tuple(bone.rotation_euler), armature.animation_data.action, rig.scene.frame_current)
    rig.export()
    after = (tuple(bone.rotation_euler), armature.animation_data.action, rig.scene.frame_current)
    assert after == before
    assert column.modifiers["Armature"].show_render
    assert (face.active_shape_key_index, face.show_only_shape_key) == (3, False)


def test_cancelling_leaves_the_artists_scene_as_it_was(rig, walker):
    _, column = walker
    rig.scene.frame_set(7)

    def cancel(done, _total, _what):
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read_scene(animated=True, progress=cancel)
    assert rig.scene.frame_current == 7
    assert column.modifiers["Armature"].show_render


def test_the_same_scene_gives_the_same_bytes(rig, walker, face, tmp_path):
    rig.export()
    first = {path.name: path.read_bytes() for path in rig.folder.rglob("*") if path.is_file()}
    loaded = read_scene(animated=True)
    export_level(loaded.world, tmp_path / "again")
    again = (tmp_path / "again").rglob("*")
    assert {path.name: path.read_bytes() for path in again if path.is_file()} == first


@pytest.mark.one_blender
@pytest.mark.parametrize(
    ("file", "frames"),
    [
        ("khronos_gltf_io/scenes/28_shapekeys_anim.blend", (1, 5, 10)),
        ("khronos_gltf_io/scenes/00_parented_to_bone_and_animated.blend", (1, 6, 10)),
        ("khronos_gltf_io/scenes/26_nla_export_mode.blend", (1, 30, 200)),
        ("armory_examples/animation_blend/animation_blend.blend", (0, 13)),
        ("armory_examples/game_endlessrun/game_endless.blend", (0, 11)),
    ],
)
def test_shared_scenes_look_alike_posed_by_blender_and_played_from_the_level(
    gl, shared_data, tmp_path, file, frames
):
    from fyn.engine_core.render.device import Device
    from fyn.engine_core.render.framing import framing
    from fyn.engine_core.render.world_renderer import WorldRenderer, find_camera

    assert gl
    size = (320, 240)
    open_blend(shared_data / file)
    scene = bpy.context.scene
    level = export_level(read_scene(animated=True).world, tmp_path).level
    with Device.create() as device:
        for frame in frames:
            posed = read_scene(frame=frame).world
            played = read_level(level)
            seconds = (frame - scene.frame_start) / scene.render.fps * scene.render.fps_base
            played.apply(sample_clip(played, played.clips[SCENE_CLIP], seconds))
            added = framing(posed, size[0] / size[1]) if not list(posed.cameras()) else None
            pictures = []
            for world in (posed, played):
                if added is not None:
                    world.apply(added)
                renderer = WorldRenderer(device)
                renderer.apply(world.as_delta())
                camera = world.entities[find_camera(world, None)]
                view = camera_view(camera.camera, world.world_from_local(camera.id), size)
                pictures.append(renderer.render(view).outputs["frame_color"].astype(float))
                renderer.release()
            assert pictures[0].std() > 5
            assert np.abs(pictures[0] - pictures[1]).mean() < 0.5


def test_angles_are_in_radians_and_turns_beyond_half_a_circle_are_kept(rig):
    column = rig.column(rings=2)
    rig.key(column, "rotation_euler", f1=(0, 0, 0), f12=(0, 0, 4 * math.pi))
    for curve in column.animation_data.action.layers[0].strips[0].channelbags[0].fcurves:
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    world, _ = rig.export()
    _agree(rig, world, column, frames=range(1, 13))


def test_rigid_bodies_fall_in_the_clip_as_in_blender(rig):
    rig.scene.frame_end = 30
    bpy.ops.mesh.primitive_plane_add(size=20)
    bpy.ops.rigidbody.object_add(type="PASSIVE")
    bpy.ops.mesh.primitive_cube_add(location=(0, 0, 4))
    bpy.ops.rigidbody.object_add()
    cube = bpy.context.object
    world, _ = rig.export()
    assert rig.scene.frame_current == 1
    _agree(rig, world, cube, frames=range(1, 31))


def test_the_command_draws_a_level_at_a_time(gl, rig, walker, tmp_path):
    from fyn.cli.main import main
    from fyn.compare.pictures import read_picture

    assert gl
    rig.export()
    pictures = []
    for number, seconds in enumerate((None, 0.0, 5 / 24)):
        output = tmp_path / f"{number}.png"
        options = [] if seconds is None else ["--time", str(seconds)]
        level = str(rig.folder / "level.fyn")
        command = ["render", level, "-o", str(output), "--whole", "--size", "64x48", *options]
        assert main(command) == 0
        pictures.append(read_picture(output).astype(int))
    assert np.array_equal(pictures[0], pictures[1])  # exported at the first frame
    assert np.abs(pictures[0] - pictures[2]).mean() > 2
