"""Resident memory and live GL objects after 500 re-renders and 200 mesh edits.

The floor is what both were after the first ten frames. Prints two JSON rows.
"""

from __future__ import annotations

import gc
import json
import sys
from pathlib import Path

import numpy as np

from fyn.engine_core.assets.image import ImageData
from fyn.engine_core.assets.material import Material, TextureSlot
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

FRAMES = 500
EDITS = 200
FIRST = 10
SIZE = (160, 90)
SIDE = 120
"""Vertices along a side of the edited mesh: an edit replaces about a megabyte."""
MEMORY_BOUND = 1.05


def wavy_ground(phase: float) -> MeshData:
    """A grid of SIDE x SIDE vertices."""
    x, z = np.meshgrid(np.linspace(-5, 5, SIDE), np.linspace(-5, 5, SIDE))
    y = 0.3 * np.sin(x + phase) * np.cos(z)
    positions = np.stack([x, y, z], axis=-1).reshape(-1, 3).astype(np.float32)
    corner = (np.arange(SIDE - 1)[:, None] * SIDE + np.arange(SIDE - 1)).ravel()
    faces = [corner, corner + SIDE, corner + 1, corner + 1, corner + SIDE, corner + SIDE + 1]
    indices = np.stack(faces, axis=1).ravel().astype(np.uint32)
    normals = np.tile(np.array([0, 1, 0], np.float32), (len(positions), 1))
    uv = np.ascontiguousarray(positions[:, [0, 2]])
    return MeshData("ground", positions, normals, indices, (Primitive(0, len(indices), 0),), (uv,))


def scene() -> World:
    """A textured ground under a shadowed sun."""
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 256, (256, 256, 4), dtype=np.uint8)
    world = World()
    world.images["noise"] = ImageData("noise", pixels=pixels)
    world.materials["m"] = Material(base_color_texture=TextureSlot(image="noise"))
    world.meshes["ground"] = wavy_ground(0.0)
    component = MeshComponent(mesh="ground", materials=("m",))
    world.entities["ground"] = Entity(id="ground", mesh=component)
    tilted = Transform(rotation=(-0.5, 0.0, 0.0, 0.8660254))
    world.entities["sun"] = Entity(id="sun", light=LightComponent(kind="sun"), transform=tilted)
    return world


def resident_bytes() -> int:
    """Resident memory of this process."""
    if sys.platform.startswith("linux"):
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * 4096
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def report(name: str, value: float, unit: str, floor: float, bound: float) -> None:
    ratio = value / floor
    row = {"name": name, "value": value, "unit": unit, "floor": floor, "ratio": round(ratio, 4)}
    print(json.dumps({**row, "bound": bound, "ok": ratio <= bound}), flush=True)


def main() -> None:
    place = np.identity(4)
    place[:3, 3] = (0.0, 1.5, 8.0)
    view = camera_view(CameraComponent(), place, SIZE)
    settings = RenderSettings(shadow_resolution=512, samples=1)
    outputs = ("frame_color", "frame_depth")
    with Device.create() as device:
        renderer = WorldRenderer(device)
        renderer.apply(scene().as_delta())
        first_bytes = first_objects = 0
        for number in range(FRAMES):
            if number < EDITS:
                renderer.apply(WorldDelta(meshes={"ground": wavy_ground(0.1 * number)}))
            renderer.render(view, outputs, settings)
            if number + 1 == FIRST:
                gc.collect()
                first_bytes, first_objects = resident_bytes(), device.live_objects
        gc.collect()
        report("memory.resident", resident_bytes(), "bytes", first_bytes, MEMORY_BOUND)
        report("memory.gl_objects", device.live_objects, "objects", first_objects, 1.0)
        renderer.release()
        left = device.live_objects_by_kind
        assert set(left) <= {"program"}, left


if __name__ == "__main__":
    main()
