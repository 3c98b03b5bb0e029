"""EEVEE at one sample through bpy, with shadows. Usage: MESH.npz PICTURE.png."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import bpy
import mathutils
import numpy as np
import scene as shared
from timing import report

data = np.load(sys.argv[1])
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
mesh = bpy.data.meshes.new("Monkey")
mesh.from_pydata(data["positions"].tolist(), [], data["indices"].tolist())
mesh.shade_smooth()
mesh.materials.append(None)


def add(name: str, content: object, pose: np.ndarray) -> bpy.types.Object:
    """Link a new object at `pose`, (4, 4)."""
    added = bpy.data.objects.new(name, content)
    added.matrix_world = mathutils.Matrix(pose.tolist())
    scene.collection.objects.link(added)
    return added


added = []
for monkey in shared.monkeys():
    material = bpy.data.materials.new("Monkey")
    material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*monkey.color, 1.0)
    shader.inputs["Metallic"].default_value = monkey.metallic
    shader.inputs["Roughness"].default_value = monkey.roughness
    pose = np.eye(4)
    pose[:3, 3] = monkey.location
    added.append(add("Monkey", mesh, pose))
    slot = added[-1].material_slots[0]
    slot.link = "OBJECT"
    slot.material = material
bpy.ops.mesh.primitive_plane_add(size=2 * shared.FLOOR_HALF, location=(0, 0, shared.FLOOR_Z))
sun = bpy.data.lights.new("Sun", "SUN")
sun.energy = shared.SUN_STRENGTH
add("Sun", sun, shared.look_at(shared.TOWARDS_SUN, (0, 0, 0)))
camera = bpy.data.cameras.new("Camera")
camera.sensor_fit, camera.angle = "VERTICAL", shared.FOV_Y
scene.camera = add("Camera", camera, shared.look_at(shared.EYE, (0, 0, 0)))
scene.render.resolution_x, scene.render.resolution_y = shared.SIZE
scene.render.engine = "BLENDER_EEVEE" if bpy.app.version >= (5, 0) else "BLENDER_EEVEE_NEXT"
scene.eevee.taa_render_samples = 1


def frame(number: int) -> np.ndarray:
    """Render frame `number` and read it back, (H, W, 3) uint8."""
    added[0].location.z = shared.height(number)
    bpy.ops.render.render()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "frame.png"
        bpy.data.images["Render Result"].save_render(str(path))
        from PIL import Image

        return np.asarray(Image.open(path))[..., :3]


report("eevee", frame, Path(sys.argv[2]))
