"""The scene every renderer draws in the frame benchmark: 100 smooth monkeys over a floor.

`python scene.py OUT.npz` (with bpy) writes the mesh; the peers read that file with NumPy only.
Everything else (colours, places, camera, sun) is computed here, Z up, metres, radians.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

SIZE = (1280, 720)
FOV_Y = 0.8
EYE = (0.0, -28.0, 22.0)
TOWARDS_SUN = (10.0, -10.0, 20.0)
SUN_STRENGTH = 3.0
FLOOR_Z = -1.2
FLOOR_HALF = 25.0
SEED = 0
FRAMES = 6
"""Frames timed by each renderer; the first two warm up, the rest give the median."""


@dataclass(frozen=True)
class Monkey:
    """One instance: where it stands and what it is made of."""

    location: tuple[float, float, float]
    color: tuple[float, float, float]
    metallic: float
    roughness: float


def monkeys() -> list[Monkey]:
    """Ten by ten, metallic along x, roughness along y."""
    rng = np.random.default_rng(SEED)
    return [
        Monkey(
            ((i % 10 - 4.5) * 3.0, (i // 10 - 4.5) * 3.0, 0.0),
            tuple(float(c) for c in rng.random(3)),
            (i % 10) / 9,
            max(0.05, (i // 10) / 9),
        )
        for i in range(100)
    ]


def height(frame: int) -> float:
    """Metres that the first monkey is raised in a frame: something always moves, as in a game.

    Without it a renderer may keep the shadow map of the frame before.
    """
    return 0.01 * (frame % 10)


def look_at(eye: tuple[float, float, float], target: tuple[float, float, float]) -> np.ndarray:
    """(4, 4) float64 world_from_local of something at `eye` whose -Z looks at `target`."""
    back = np.array(eye, float) - np.array(target, float)
    back /= np.linalg.norm(back)
    right = np.cross((0.0, 0.0, 1.0), back)
    right /= np.linalg.norm(right)
    out = np.eye(4)
    out[:3, 0], out[:3, 1], out[:3, 2], out[:3, 3] = right, np.cross(back, right), back, eye
    return out


def write_mesh(path: Path) -> None:
    """Write Suzanne after one level of subdivision: 3,936 triangles with smooth normals."""
    import bpy

    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.mesh.primitive_monkey_add()
    monkey = bpy.context.object
    monkey.modifiers.new("Subdivision", "SUBSURF").levels = 1
    monkey.data.shade_smooth()
    mesh = monkey.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    mesh.calc_loop_triangles()
    arrays = {}
    for name, source, field, dtype in (
        ("positions", mesh.vertices, "co", np.float32),
        ("normals", mesh.vertices, "normal", np.float32),
        ("indices", mesh.loop_triangles, "vertices", np.int32),
    ):
        flat = np.empty(len(source) * 3, dtype)
        source.foreach_get(field, flat)
        arrays[name] = flat.reshape(-1, 3)
    np.savez(path, **arrays)


if __name__ == "__main__":
    write_mesh(Path(sys.argv[1]))
