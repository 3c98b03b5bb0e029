"""pyrender: PBR, one directional shadow map, 4x MSAA, EGL. Usage: MESH.npz PICTURE.png."""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["PYOPENGL_PLATFORM"] = "egl"
import numpy as np

if not hasattr(np, "infty"):
    np.infty = np.inf  # pyrender 0.1.45 predates NumPy 2
import pyrender
import scene as shared
from timing import report

mesh = np.load(sys.argv[1])
scene = pyrender.Scene(ambient_light=[0.1] * 3)
nodes = []
for monkey in shared.monkeys():
    pose = np.eye(4)
    pose[:3, 3] = monkey.location
    material = pyrender.MetallicRoughnessMaterial(
        baseColorFactor=[*monkey.color, 1.0],
        metallicFactor=monkey.metallic,
        roughnessFactor=monkey.roughness,
    )
    primitive = pyrender.Primitive(
        positions=mesh["positions"],
        normals=mesh["normals"],
        indices=mesh["indices"],
        material=material,
    )
    nodes.append(scene.add(pyrender.Mesh([primitive]), pose=pose))
half, z = shared.FLOOR_HALF, shared.FLOOR_Z
floor = pyrender.Primitive(
    positions=np.array([[-half, -half, z], [half, -half, z], [half, half, z], [-half, half, z]]),
    normals=np.tile([[0.0, 0.0, 1.0]], (4, 1)),
    indices=np.array([[0, 1, 2], [0, 2, 3]]),
)
scene.add(pyrender.Mesh([floor]))
aspect = shared.SIZE[0] / shared.SIZE[1]
scene.add(
    pyrender.PerspectiveCamera(yfov=shared.FOV_Y, aspectRatio=aspect, znear=0.1, zfar=200),
    pose=shared.look_at(shared.EYE, (0, 0, 0)),
)
scene.add(
    pyrender.DirectionalLight(intensity=shared.SUN_STRENGTH),
    pose=shared.look_at(shared.TOWARDS_SUN, (0, 0, 0)),
)
renderer = pyrender.OffscreenRenderer(*shared.SIZE)
flags = pyrender.RenderFlags.SHADOWS_DIRECTIONAL


def frame(number: int) -> np.ndarray:
    """Draw frame `number` and read it back, (H, W, 3) uint8."""
    pose = nodes[0].matrix.copy()
    pose[2, 3] = shared.height(number)
    scene.set_pose(nodes[0], pose)
    return renderer.render(scene, flags=flags)[0]


report("pyrender", frame, Path(sys.argv[2]))
