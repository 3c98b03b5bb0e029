"""Fits the numbers of the daylight sky (shaders/sky/sky_constants.glsl) to Blender's own.

Cycles renders its multiple-scattering sky all around at many heights of the sun; the constants of
`fyn.engine_core.render.sky.daylight` are then moved until the logarithms of both agree best. Prints
the constants and what error is left. Needs bpy and scipy; takes a minute.
"""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from scipy.optimize import least_squares

from fyn.engine_core.render import sky

ELEVATIONS = (85, 60, 40, 25, 15, 8, 5, 3, 1.5, 0.5, -1, -2, -4, -6, -9)
SIZE = (32, 64)
UNITS = 0.06
"""Engine units for one of Blender's: at strength 1 a floor in the shade of noon is near 0.3."""
SUN = np.array([57.0, 52.4, 47.8])
"""Radiance of a white floor in the sun outside of the air, from two heights of Cycles' sun disc."""
DARKEST = 0.02
"""Share of a picture's mean below which differences count less and less."""

FITTED = {
    "RAYLEIGH": np.array([0.04, 0.094, 0.277]),
    "AEROSOL": np.array([0.015, 0.02, 0.028]),
    "OZONE": np.array([0.026, 0.035, 1e-6]),
    "FORWARDNESS": np.array([0.78]),
    "EVEN_SOURCE": np.array([[0.048, 0.8, 0.01], [0.066, 0.84, 0.005], [0.07, 0.62, 0.006]]),
    "LIT_HEIGHT": np.array([3.35]),
    "DETOUR": np.array([0.84]),
}
"""Where the fit begins; every value is positive."""


def main() -> None:
    """Render, fit, print."""
    looks = directions()
    above = looks[..., 1] > 0.008
    pictures = [np.maximum(picture[above], 0) for picture in render_skies()]
    constants = dict(sky.CONSTANTS, SUNLIGHT=SUN)
    start = np.log(np.concatenate([value.ravel() for value in FITTED.values()]))

    def difference(logarithms: np.ndarray) -> np.ndarray:
        sky.CONSTANTS = {**constants, **unpack(np.exp(logarithms))}
        parts = []
        for elevation, theirs in zip(ELEVATIONS, pictures, strict=True):
            angle = math.radians(elevation)
            towards = np.array([0.0, math.sin(angle), -math.cos(angle)])
            ours = sky.daylight(looks[above], towards, float(constants["CLEAR_TURBIDITY"]))
            floor = DARKEST * theirs.mean()
            # Deep twilight is dim: it may be off by more.
            weight = 1.0 if elevation > -5 else 0.4
            parts.append(weight * np.log((ours + floor) / (theirs + floor)))
        return np.stack(parts).ravel()

    result = least_squares(difference, start, loss="soft_l1", max_nfev=300)
    print(f"SUNLIGHT {np.round(SUN * UNITS, 2)}")
    for name, value in unpack(np.exp(result.x)).items():
        print(name, np.round(value, 5).tolist())
    left = difference(result.x).reshape(len(ELEVATIONS), -1)
    for elevation, row in zip(ELEVATIONS, left, strict=True):
        print(f"sun at {elevation} degrees: rms of the logarithm {np.sqrt((row**2).mean()):.3f}")


def unpack(values: np.ndarray) -> dict[str, np.ndarray]:
    """Return the constants by name, in the shapes of FITTED."""
    constants, at = {}, 0
    for name, like in FITTED.items():
        constants[name] = values[at : at + like.size].reshape(like.shape).squeeze()
        at += like.size
    return constants


def directions() -> np.ndarray:
    """Return the panorama's directions above the horizon, (H / 2, W, 3), engine space."""
    height, width = SIZE
    up = (0.5 - (np.arange(height // 2) + 0.5) / height) * np.pi
    around = ((np.arange(width) + 0.5) / width - 0.5) * 2 * np.pi
    around, up = np.meshgrid(around, up)
    flat = np.cos(up)
    return np.stack([flat * np.sin(around), np.sin(up), -flat * np.cos(around)], axis=-1)


def render_skies() -> list[np.ndarray]:
    """Return Cycles' sky above the horizon at ELEVATIONS, each (H / 2, W, 3), linear."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    camera = bpy.data.cameras.new("camera")
    camera.type, camera.panorama_type = "PANO", "EQUIRECTANGULAR"
    scene.camera = bpy.data.objects.new("camera", camera)
    scene.camera.rotation_euler = (math.pi / 2, 0, 0)
    scene.collection.objects.link(scene.camera)
    scene.world = bpy.data.worlds.new("sky")
    tree = scene.world.node_tree
    node = tree.nodes.new("ShaderNodeTexSky")
    node.sky_type, node.sun_disc = "MULTIPLE_SCATTERING", False
    tree.links.new(node.outputs["Color"], tree.nodes["Background"].inputs["Color"])
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising = 16, False
    scene.render.resolution_y, scene.render.resolution_x = SIZE
    settings = scene.render.image_settings
    settings.file_format, settings.color_depth = "OPEN_EXR", "32"
    with tempfile.TemporaryDirectory() as folder:
        return [_render(scene, node, elevation, Path(folder)) for elevation in ELEVATIONS]


def _render(scene: Any, node: Any, elevation: float, folder: Path) -> np.ndarray:
    node.sun_elevation = math.radians(elevation)
    scene.render.filepath = str(folder / f"{elevation}.exr")
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(scene.render.filepath)
    image.colorspace_settings.name = "Non-Color"
    pixels = np.array(image.pixels[:]).reshape(*SIZE, image.channels)
    return pixels[::-1][: SIZE[0] // 2, :, :3]


if __name__ == "__main__":
    main()
