"""Holds the renderer against Cycles: a board of spheres, roughness x metallic, under one light.

Cycles traces no bounces, so both answer the same question: what does a Principled surface send to
the camera of the light that a lamp, or a panorama all around, sends to it? Writes both pictures, a
map of the error and the numbers of every sphere into a folder with an index.html. Needs the bpy
module.

    python scripts/prove_cycles.py [-o FOLDER] [LIGHT ...]
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Vector
from PIL import Image

from fyn.addon.sync.scene_sync import SceneSync
from fyn.engine_core.render.tone import srgb_encode
from fyn.engine_core.render.world_renderer import render_world
from fyn.engine_core.world.world import World

SIDE = 7
"""Spheres a side: roughness 0.1 to 1 to the right, metallic 0 to 1 upwards."""
PIXELS = 64
"""Width of a sphere's cell in the picture."""
SPACING = 2.2
COLOR = (0.8, 0.4, 0.1)
OVERSAMPLING = 4
"""Under a panorama Fyn's frame is drawn this much larger and averaged: mirrored, it holds what is
smaller than a pixel, and Cycles averages the light of a pixel where a frame shades its middle."""
DARKEST = 0.01
"""Pixels below this share of the brightest (99th percentile) do not count as lit."""


@dataclass(frozen=True)
class Measurement:
    """How far the frame is from Cycles, as mean relative error of linear radiance."""

    lamp: str
    mean: float
    worst_sphere: float
    brightness: float
    """Sum of our light over sum of theirs, over all lit pixels."""
    spheres: list[list[float]]
    """By metallic (0 first), then roughness (0.1 first)."""


def _sun(light: Any, angle: float = 0.0) -> None:
    light.energy, light.angle = math.pi, math.radians(angle)


def _ball(light: Any, radius: float = 0.0) -> None:
    light.energy, light.shadow_soft_size = 4 * math.pi**2 * 100, radius


def _spot(light: Any, radius: float = 0.0) -> None:
    _ball(light, radius)
    light.spot_size, light.spot_blend = 1.5, 0.4


def _area(light: Any, shape: str = "RECTANGLE", spread: float = math.pi) -> None:
    light.energy, light.shape, light.spread = 1500, shape, spread
    light.size, light.size_y = 4.0, 2.0


LAMPS: dict[str, tuple[str, tuple[float, float, float], Callable[[Any], None], int]] = {
    "sun": ("SUN", (5, -8, 6), _sun, 16),
    "point": ("POINT", (3, -8, 4), _ball, 16),
    "spot": ("SPOT", (3, -9, 4), _spot, 16),
    "area": ("AREA", (4, -6, 4), _area, 48),
    "area_ellipse": ("AREA", (4, -6, 4), lambda light: _area(light, "ELLIPSE"), 48),
    "area_spread": ("AREA", (4, -6, 4), lambda light: _area(light, spread=2.0), 48),
    "sun_soft": ("SUN", (5, -8, 6), lambda light: _sun(light, 10.0), 48),
    "point_soft": ("POINT", (3, -8, 4), lambda light: _ball(light, 1.0), 48),
    "spot_soft": ("SPOT", (3, -9, 4), lambda light: _spot(light, 0.5), 48),
}
"""Name -> type in Blender, place, how it is set, Cycles' samples a pixel."""


PANORAMAS: dict[str, tuple[str, tuple[float, float, float], int]] = {
    "forest": ("forest.exr", (0.0, 0.0, 1.0), 384),
    "city": ("city.exr", (0.0, 0.0, -2.0), 384),
    "studio": ("studio.exr", (0.3, -0.2, 2.5), 384),
    "interior": ("interior.exr", (0.0, 0.0, 0.6), 384),
    "courtyard": ("courtyard.exr", (0.0, 0.0, 0.0), 384),
    "night": ("night.exr", (0.0, 0.4, 1.5), 384),
    "sunrise": ("sunrise.exr", (0.0, 0.0, 3.0), 384),
    "sunset": ("sunset.exr", (0.0, 0.0, 0.8), 384),
}
"""Name -> one of Blender's own studio lights, how it is turned (radians), Cycles' samples."""


def main(arguments: list[str] | None = None) -> int:
    """Prove the lights that are named, or all; return 0."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    known = [*LAMPS, *PANORAMAS]
    parser.add_argument("lights", nargs="*", metavar="LIGHT", help=", ".join(known))
    parser.add_argument("-o", "--output", type=Path, default=Path("out/cycles"))
    options = parser.parse_args(arguments)
    if unknown := set(options.lights) - set(known):
        parser.error(f"no light {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    measurements = [prove(light, options.output) for light in options.lights or known]
    write_index(measurements, options.output)
    print(options.output / "index.html")
    return 0


def prove(lamp: str, folder: Path) -> Measurement:
    """Render the board under a light by both, write the pictures into `folder`, and measure."""
    scene = build_board()
    if lamp in LAMPS:
        add_lamp(scene, lamp)
    else:
        add_panorama(scene, lamp)
    theirs = render_cycles(scene, LAMPS[lamp][3] if lamp in LAMPS else PANORAMAS[lamp][2])
    ours = render_fyn(1 if lamp in LAMPS else OVERSAMPLING)
    measurement, error = measure(lamp, theirs, ours)
    folder.mkdir(parents=True, exist_ok=True)
    white = 0.9 / np.percentile(theirs[..., :3], 99.5)
    for name, picture in (("cycles", theirs), ("fyn", ours)):
        _save(srgb_encode(picture[..., :3] * white), folder / f"{lamp}_{name}.png")
    _save(np.clip(error / 0.2, 0, 1), folder / f"{lamp}_error.png")
    (folder / f"{lamp}.json").write_text(json.dumps(asdict(measurement), indent=1), "utf-8")
    print(f"{lamp}: mean {measurement.mean:.2%}, worst sphere {measurement.worst_sphere:.2%}")
    return measurement


def build_board() -> Any:
    """Fill a new Blender file with the board, without light; return its scene."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=5, radius=1.0)
    model = bpy.context.object
    mesh = model.data
    bpy.data.objects.remove(model)
    mesh.shade_smooth()
    mesh.materials.append(None)
    for row in range(SIDE):
        for column in range(SIDE):
            sphere = bpy.data.objects.new(f"{row} {column}", mesh)
            scene.collection.objects.link(sphere)
            x, z = ((index - (SIDE - 1) / 2) * SPACING for index in (column, row))
            sphere.location = (x, 0.0, z)
            # Neighbours take light from each other in Cycles alone; here none does.
            sphere.visible_shadow = sphere.visible_diffuse = sphere.visible_glossy = False
            sphere.material_slots[0].link = "OBJECT"
            sphere.material_slots[0].material = _principled(
                metallic=row / (SIDE - 1), roughness=0.1 + 0.9 * column / (SIDE - 1)
            )
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.data.type, camera.data.ortho_scale = "ORTHO", SIDE * SPACING
    camera.location, camera.rotation_euler = (0, -30, 0), (math.pi / 2, 0, 0)
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.world = bpy.data.worlds.new("black")
    _nodes(scene.world)["Background"].inputs["Strength"].default_value = 0
    scene.render.resolution_x = scene.render.resolution_y = SIDE * PIXELS
    scene.render.film_transparent = True
    return scene


def add_lamp(scene: Any, lamp: str) -> None:
    """Add one of LAMPS to a scene."""
    kind, place, set_up, _samples = LAMPS[lamp]
    light = bpy.data.objects.new("lamp", bpy.data.lights.new("lamp", kind))
    # What a surface gets of a lamp is compared, not what stands in between.
    light.data.use_shadow = False
    set_up(light.data)
    light.location = place
    light.rotation_euler = (-Vector(place)).to_track_quat("-Z", "Y").to_euler()
    scene.collection.objects.link(light)


def panorama_file(panorama: str) -> Path | None:
    """Return the file of one of PANORAMAS in this Blender, None if it has it not."""
    for kind in ("LOCAL", "SYSTEM"):
        folder = Path(bpy.utils.resource_path(kind)) / "datafiles" / "studiolights" / "world"
        if (path := folder / PANORAMAS[panorama][0]).is_file():
            return path
    return None


def add_panorama(scene: Any, panorama: str) -> None:
    """Light a scene by one of PANORAMAS. Raises FileNotFoundError if this Blender has it not."""
    path = panorama_file(panorama)
    if path is None:
        raise FileNotFoundError(f"This Blender has no studio light {PANORAMAS[panorama][0]}.")
    nodes, links = _nodes(scene.world), scene.world.node_tree.links
    texture, mapping = nodes.new("ShaderNodeTexEnvironment"), nodes.new("ShaderNodeMapping")
    coordinates = nodes.new("ShaderNodeTexCoord")
    texture.image = bpy.data.images.load(str(path))
    mapping.inputs["Rotation"].default_value = PANORAMAS[panorama][1]
    links.new(coordinates.outputs["Generated"], mapping.inputs["Vector"])
    links.new(mapping.outputs["Vector"], texture.inputs["Vector"])
    links.new(texture.outputs["Color"], nodes["Background"].inputs["Color"])
    nodes["Background"].inputs["Strength"].default_value = 1.0


def _principled(metallic: float, roughness: float) -> Any:
    material = bpy.data.materials.new(f"metallic {metallic:.2f} roughness {roughness:.2f}")
    inputs = _nodes(material)["Principled BSDF"].inputs
    inputs["Base Color"].default_value = (*COLOR, 1.0)
    inputs["Metallic"].default_value = metallic
    inputs["Roughness"].default_value = roughness
    return material


def _nodes(owner: Any) -> Any:
    """Return the nodes of a material or world; before Blender 5 they have to be asked for."""
    if owner.node_tree is None:
        owner.use_nodes = True
    return owner.node_tree.nodes


def render_cycles(scene: Any, samples: int) -> np.ndarray:
    """Return Cycles' frame without bounces, (H, W, 4) float32 linear, top row first."""
    scene.render.engine = "CYCLES"
    cycles = scene.cycles
    cycles.samples, cycles.use_adaptive_sampling, cycles.use_denoising = samples, False, False
    cycles.max_bounces = 0
    cycles.sample_clamp_direct, cycles.blur_glossy = 0.0, 0.0
    cycles.pixel_filter_type = "BOX"
    settings = scene.render.image_settings
    settings.file_format, settings.color_mode, settings.color_depth = "OPEN_EXR", "RGBA", "32"
    with tempfile.TemporaryDirectory() as folder:
        scene.render.filepath = str(Path(folder) / "board.exr")
        bpy.ops.render.render(write_still=True)
        image = bpy.data.images.load(scene.render.filepath)
        image.colorspace_settings.name = "Non-Color"
        pixels = np.empty(image.size[0] * image.size[1] * 4, np.float32)
        image.pixels.foreach_get(pixels)
        width, height = image.size
        bpy.data.images.remove(image)
    return pixels.reshape(height, width, 4)[::-1]


def render_fyn(oversampling: int = 1) -> np.ndarray:
    """Return our frame of the open scene, (H, W, 4) float32 linear, top row first.

    It is drawn `oversampling` times as large and averaged.
    """
    world = World()
    world.apply(SceneSync().full(bpy.context.evaluated_depsgraph_get()))
    side = SIDE * PIXELS
    size = (side * oversampling, side * oversampling)
    frame = render_world(world, None, size, outputs=("frame_linear",)).outputs["frame_linear"]
    return frame.reshape(side, oversampling, side, oversampling, 4).mean(axis=(1, 3))


def measure(lamp: str, theirs: np.ndarray, ours: np.ndarray) -> tuple[Measurement, np.ndarray]:
    """Compare two frames (H, W, 4); return the numbers and the relative error (H, W)."""
    a, b = theirs[..., :3].astype(np.float64), ours[..., :3].astype(np.float64)
    covered = (theirs[..., 3] > 0.999) & (ours[..., 3] > 0.999)
    lit = covered & (a.max(axis=-1) > DARKEST * np.percentile(a, 99))
    error = np.where(lit, np.abs(a - b).sum(-1) / np.maximum(a.sum(-1), 1e-9), 0)
    cells = (SIDE, PIXELS, SIDE, PIXELS)
    lit_of = lit[::-1].reshape(cells).sum(axis=(1, 3))
    error_of = error[::-1].reshape(cells).sum(axis=(1, 3)) / np.maximum(lit_of, 1)
    # A sphere of which a mere rim is lit says nothing.
    error_of[lit_of < 0.02 * PIXELS**2] = 0
    measurement = Measurement(
        lamp=lamp,
        mean=float(error[lit].mean()),
        worst_sphere=float(error_of.max()),
        brightness=float(b[lit].sum() / a[lit].sum()),
        spheres=np.round(error_of, 5).tolist(),
    )
    return measurement, error


def write_index(measurements: list[Measurement], folder: Path) -> None:
    """Write a page that shows all pictures beside their numbers."""
    parts = [
        "<!doctype html><meta charset=utf-8><title>Fyn against Cycles</title>",
        "<style>body{font:14px sans-serif;background:#222;color:#ddd}img{width:30%}</style>",
        "<p>Left Cycles, middle Fyn, right the relative error (white: 20 % and more). Roughness"
        " 0.1 to 1 to the right, metallic 0 to 1 upwards.</p>",
    ]
    for m in measurements:
        parts.append(
            f"<h2>{m.lamp}</h2><p>mean {m.mean:.2%}, worst sphere {m.worst_sphere:.2%},"
            f" brightness {m.brightness:.4f}</p>"
        )
        parts += [f'<img src="{m.lamp}_{name}.png">' for name in ("cycles", "fyn", "error")]
    (folder / "index.html").write_text("\n".join(parts), "utf-8")


def _save(picture: np.ndarray, path: Path) -> None:
    """Write 0..1 values (H, W[, 3]) as an 8-bit PNG."""
    Image.fromarray((np.clip(picture, 0, 1) * 255 + 0.5).astype(np.uint8)).save(path)


if __name__ == "__main__":
    sys.exit(main())
