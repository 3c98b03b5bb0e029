"""RigScene: builds rigged and animated things in the open scene, and plays their export."""

from __future__ import annotations

import math

import bpy
import numpy as np

from fyn.addon.headless import read_scene
from fyn.engine_core.world.animation.clip import SCENE_CLIP
from fyn.engine_core.world.animation.playing import sample_clip
from fyn.engine_core.world.components.morph import Morph
from fyn.engine_core.world.components.skin import Skin
from fyn.engine_core.world.level_file import read_level
from fyn.exporters.level import export_level


class RigScene:
    """A scene of frames 1 to `last` at 24 a second."""

    def __init__(self, scene, folder, last=12):
        self.scene, self.folder = scene, folder
        scene.frame_start, scene.frame_end, scene.render.fps = 1, last, 24
        scene.frame_set(1)

    def add(self, name, data, **values):
        """Link a new object of `data`."""
        obj = bpy.data.objects.new(name, data)
        self.scene.collection.objects.link(obj)
        for key, value in values.items():
            setattr(obj, key, value)
        return obj

    def column(self, name="Column", rings=9, sides=8):
        """A column 2 m high along Z, of vertices that a bend keeps apart."""
        places = [
            (0.3 * math.cos(a), 0.3 * math.sin(a), 2 * z / (rings - 1))
            for z in range(rings)
            for a in np.arange(sides) * 2 * math.pi / sides
        ]
        faces = [
            (sides * z + s, sides * z + (s + 1) % sides, sides * (z + 1) + (s + 1) % sides,
             sides * (z + 1) + s)
            for z in range(rings - 1)
            for s in range(sides)
        ]  # fmt: skip
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata(places, [], faces)
        mesh.shade_smooth()
        return self.add(name, mesh)

    def armature(self, name="Rig", bones=2):
        """An armature of `bones` bones of 1 m, one upon the other."""
        data = bpy.data.armatures.new(name)
        obj = self.add(name, data)
        bpy.context.view_layer.objects.active = obj
        bpy.ops.object.mode_set(mode="EDIT")
        parent = None
        for number in range(bones):
            bone = data.edit_bones.new(f"Bone{number}")
            bone.head, bone.tail = (0, 0, number), (0, 0.1 * number, number + 1)
            bone.parent, parent = parent, bone
        bpy.ops.object.mode_set(mode="OBJECT")
        for bone in obj.pose.bones:
            bone.rotation_mode = "XYZ"
        return obj

    @staticmethod
    def bind(mesh, armature):
        """Hang a mesh on an armature by weights that fall off along Z."""
        heights = np.array([vertex.co.z for vertex in mesh.data.vertices])
        bones = len(armature.data.bones)
        for number in range(bones):
            group = mesh.vertex_groups.new(name=f"Bone{number}")
            weights = np.clip(1.0 - np.abs(heights - number - 0.5), 0.0, 1.0)
            for index in np.flatnonzero(weights).tolist():
                group.add([index], float(weights[index]), "REPLACE")
        modifier = mesh.modifiers.new("Armature", "ARMATURE")
        modifier.object = armature
        return modifier

    @staticmethod
    def key(owner, path, **values):
        """Key a property: key(obj, "location", f1=(0, 0, 0), f12=(1, 0, 0))."""
        for frame, value in values.items():
            setattr(owner, path, value)
            owner.keyframe_insert(path, frame=int(frame[1:]))

    def export(self):
        """Export the scene and read it back; returns (world, warnings)."""
        loaded = read_scene(scene=self.scene.name, animated=True)
        report = export_level(loaded.world, self.folder)
        return read_level(report.level), [*loaded.warnings, *report.warnings]

    def played(self, world, frame, clip=SCENE_CLIP):
        """Apply what a clip says at a frame."""
        if clip in world.clips:
            seconds = (frame - self.scene.frame_start) / 24
            world.apply(sample_clip(world, world.clips[clip], seconds))
        return world

    def points(self, obj, frame):
        """Return Blender's vertices of an object at a frame, in the world and in engine axes."""
        self.scene.frame_set(frame)
        evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
        places = np.array([evaluated.matrix_world @ v.co for v in evaluated.data.vertices])
        return places @ np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])


def drawn_points(world, key):
    """Return where joints and morphs carry the vertices of an entity, in the world."""
    entity = world.entities[key]
    mesh = world.meshes[entity.mesh.mesh]
    places = mesh.positions.astype(np.float64)
    morph, skin = entity.get(Morph), entity.get(Skin)
    for weight, target in zip(morph.weights if morph else (), mesh.morphs, strict=True):
        places = places + weight * target.positions
    places = np.c_[places, np.ones(len(places))]
    own = world.world_from_local(key)
    if skin is None:
        return (places @ own.T)[:, :3]
    to_armature = np.linalg.inv(world.world_from_local(skin.armature)) @ own
    out = np.zeros((len(places), 4))
    for number, joint in enumerate(skin.joints):
        matrix = world.world_from_local(joint) @ mesh.skin.inverse_bind[number] @ to_armature
        share = np.where(mesh.skin.joints == number, mesh.skin.weights, 0).sum(axis=1)
        out += share[:, None] * (places @ matrix.T)
    return out[:, :3]


def distance(a, b):
    """Return how far the points of `a` are from their nearest ones of `b`, at most."""
    return float(np.linalg.norm(a[:, None] - b[None], axis=2).min(axis=1).max())
