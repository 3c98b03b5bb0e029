"""Fyn: PBR, three cascades of 2048, 4x MSAA HDR, bloom, tone map. Usage: MESH.npz PICTURE.png."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import scene as shared
from msgspec.structs import replace
from timing import report

from fyn.addon.sync.axes import ENGINE_FROM_BLENDER
from fyn.engine_core.assets.material import Material
from fyn.engine_core.assets.mesh import MeshData, Primitive
from fyn.engine_core.render.device import Device
from fyn.engine_core.render.view import camera_view
from fyn.engine_core.render.world_renderer import WorldRenderer
from fyn.engine_core.world.components import (
    CameraComponent,
    LightComponent,
    MeshComponent,
    RenderSettings,
)
from fyn.engine_core.world.entity import Entity, Transform
from fyn.engine_core.world.world import World, WorldDelta


def mesh_data(
    name: str, positions: np.ndarray, normals: np.ndarray, indices: np.ndarray
) -> MeshData:
    """A mesh with one primitive."""
    flat = np.ascontiguousarray(indices, np.uint32).ravel()
    return MeshData(
        name=name,
        positions=np.ascontiguousarray(positions, np.float32),
        normals=np.ascontiguousarray(normals, np.float32),
        indices=flat,
        primitives=(Primitive(0, len(flat), 0),),
    )


def place(pose: np.ndarray) -> Transform:
    """Engine transform of a (4, 4) pose that is Z up; mesh space stays as it is."""
    return Transform(matrix=tuple((ENGINE_FROM_BLENDER @ pose).ravel().tolist()))


data = np.load(sys.argv[1])
half, z = shared.FLOOR_HALF, shared.FLOOR_Z
world = World(render=RenderSettings(shadow_distance=60.0))
world.meshes["monkey"] = mesh_data("monkey", data["positions"], data["normals"], data["indices"])
world.meshes["floor"] = mesh_data(
    "floor",
    np.array([[-half, -half, z], [half, -half, z], [half, half, z], [-half, half, z]]),
    np.tile([[0.0, 0.0, 1.0]], (4, 1)),
    np.array([[0, 1, 2], [0, 2, 3]]),
)
world.materials["floor"] = Material(roughness=0.8)
for i, monkey in enumerate(shared.monkeys()):
    world.materials[f"monkey {i}"] = Material(
        base_color=(*monkey.color, 1.0),
        metallic=monkey.metallic,
        roughness=monkey.roughness,
        double_sided=False,  # as pyrender and VTK are set, for the camera and for the sun
        back_casts_shadow=False,
    )
    pose = np.eye(4)
    pose[:3, 3] = monkey.location
    world.entities[f"monkey {i}"] = Entity(
        id=f"monkey {i}",
        transform=place(pose),
        mesh=MeshComponent(mesh="monkey", materials=(f"monkey {i}",)),
    )
world.entities["floor"] = Entity(
    id="floor", transform=place(np.eye(4)), mesh=MeshComponent(mesh="floor", materials=("floor",))
)
world.entities["sun"] = Entity(
    id="sun",
    transform=place(shared.look_at(shared.TOWARDS_SUN, (0, 0, 0))),
    light=LightComponent(kind="sun", strength=shared.SUN_STRENGTH / math.pi),
)
camera = CameraComponent(fov=shared.FOV_Y, fit="vertical", near=0.1, far=200.0)
view = camera_view(camera, ENGINE_FROM_BLENDER @ shared.look_at(shared.EYE, (0, 0, 0)), shared.SIZE)
with Device.create() as device:
    renderer = WorldRenderer(device)
    renderer.apply(world.as_delta())
    first = world.entities["monkey 0"]

    def frame(number: int) -> np.ndarray:
        """Draw frame `number` and read it back, (H, W, 4) uint8."""
        pose = np.eye(4)
        pose[:3, 3] = shared.monkeys()[0].location
        pose[2, 3] = shared.height(number)
        moved = replace(first, transform=place(pose))
        renderer.apply(WorldDelta(entities={first.id: moved}))
        return renderer.render(view).outputs["frame_color"]

    report("fyn", frame, Path(sys.argv[2]))
