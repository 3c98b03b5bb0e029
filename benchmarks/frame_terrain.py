"""CPU time of a frame of a terrain of 2.1 million triangles in one mesh, whole and in clusters.

The camera stands on the ground at one side and looks along it, the sun throws shadows in three
cascades, 1280x720 with 4x multisampling. The floor is the same frame with the mesh drawn whole, as
it was before `engine_core/render/mesh_clusters.py`. Both pictures must be the same. Prints one row.
"""

from __future__ import annotations

import json
import time

import numpy as np

from fyn.engine_core.assets.mesh import MeshData, Primitive
from fyn.engine_core.render import mesh_clusters
from fyn.engine_core.render.device import Device
from fyn.engine_core.render.view import camera_view
from fyn.engine_core.render.world_renderer import WorldRenderer
from fyn.engine_core.world.components import CameraComponent, LightComponent, MeshComponent
from fyn.engine_core.world.entity import Entity, Transform
from fyn.engine_core.world.world import World

SIDE = 1024
METRES = 400.0
ROUNDS = 5
SIZE = (1280, 720)


def hills(side: int) -> MeshData:
    """A square of `side` x `side` quads with hills, `METRES` wide around the origin."""
    x, z = np.meshgrid(*[np.linspace(-0.5, 0.5, side + 1)] * 2)
    height = 0.03 * np.sin(17 * x) * np.cos(13 * z) + 0.004 * np.sin(90 * x + 40 * z)
    slope_z, slope_x = np.gradient(height, 1 / side)
    positions = np.stack([x, height, z], axis=-1).reshape(-1, 3) * METRES
    normals = np.stack([-slope_x, np.ones_like(x), -slope_z], axis=-1).reshape(-1, 3)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    corner = (np.arange(side)[:, None] * (side + 1) + np.arange(side)).ravel()
    quads = [
        corner,
        corner + side + 1,
        corner + 1,
        corner + 1,
        corner + side + 1,
        corner + side + 2,
    ]
    indices = np.stack(quads, axis=1).ravel().astype(np.uint32)
    return MeshData(
        "hills",
        positions.astype(np.float32),
        normals.astype(np.float32),
        indices,
        (Primitive(0, len(indices), 0),),
    )


def scene() -> World:
    """The terrain and a low sun."""
    world = World()
    world.meshes["hills"] = hills(SIDE)
    world.entities["hills"] = Entity(id="hills", mesh=MeshComponent(mesh="hills"))
    tilt = np.array([-0.5, 0.3, 0.0, 1.0])
    world.entities["sun"] = Entity(
        id="sun",
        light=LightComponent(kind="sun"),
        transform=Transform(rotation=tuple((tilt / np.linalg.norm(tilt)).tolist())),
    )
    return world


def measure(world: World) -> tuple[float, np.ndarray]:
    """Return the median CPU seconds of a frame, all threads together, and the picture."""
    place = np.identity(4)
    place[:3, 3] = (0.0, 14.0, 0.3 * METRES)
    view = camera_view(CameraComponent(fov=1.1, far=500.0), place, SIZE)
    with Device.create() as device:
        renderer = WorldRenderer(device)
        renderer.apply(world.as_delta())
        frame = renderer.render(view)
        times = []
        for _ in range(ROUNDS):
            start = time.process_time()
            frame = renderer.render(view)
            times.append(time.process_time() - start)
    return float(np.median(times)), frame.outputs["frame_color"]


def main() -> None:
    world = scene()
    value, picture = measure(world)
    mesh_clusters.LEAST_TRIANGLES = 1 << 30
    floor, whole = measure(world)
    assert np.array_equal(picture, whole), "clusters changed the picture"
    row = {
        "name": "frame_terrain.clusters_against_whole",
        "value": round(value, 3),
        "unit": "s of CPU",
        "floor": round(floor, 3),
        "ratio": round(value / floor, 3),
        "bound": 0.85,
        "ok": value <= 0.85 * floor,
    }
    print(json.dumps(row))


if __name__ == "__main__":
    main()
