"""The engine's sky against Blender's multiple-scattering sky, all around above the horizon."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest

from fyn.addon.sync.world_environment import read_environment
from fyn.engine_core.render.sky import environment_radiance

pytestmark = pytest.mark.one_blender

SIZE = (64, 32)


def sky_node(world):
    node = world.node_tree.nodes.new("ShaderNodeTexSky")
    if "MULTIPLE_SCATTERING" not in [
        item.identifier for item in node.bl_rna.properties["sky_type"].enum_items
    ]:
        pytest.skip("this Blender has no multiple-scattering sky")
    node.sky_type, node.sun_disc = "MULTIPLE_SCATTERING", False
    world.node_tree.links.new(node.outputs["Color"], world.node_tree.nodes["Background"].inputs[0])
    return node


def panorama(scene, folder):
    """Cycles' picture of the world all around, (H, W, 3); the middle looks along Blender's +Y."""
    camera = bpy.data.cameras.new("camera")
    camera.type, camera.panorama_type = "PANO", "EQUIRECTANGULAR"
    scene.camera = bpy.data.objects.new("camera", camera)
    scene.camera.rotation_euler = (math.pi / 2, 0, 0)
    scene.collection.objects.link(scene.camera)
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising = 16, False
    scene.render.resolution_x, scene.render.resolution_y = SIZE
    settings = scene.render.image_settings
    settings.file_format, settings.color_depth = "OPEN_EXR", "32"
    scene.render.filepath = str(folder / "sky.exr")
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(scene.render.filepath)
    image.colorspace_settings.name = "Non-Color"
    pixels = np.array(image.pixels[:]).reshape(SIZE[1], SIZE[0], image.channels)
    return pixels[::-1, :, :3]


def directions():
    """Engine-space directions of the panorama's pixels; Blender's +Y is the engine's -Z."""
    height = (0.5 - (np.arange(SIZE[1]) + 0.5) / SIZE[1]) * np.pi
    around = ((np.arange(SIZE[0]) + 0.5) / SIZE[0] - 0.5) * 2 * np.pi
    around, height = np.meshgrid(around, height)
    flat = np.cos(height)
    return np.stack([flat * np.sin(around), np.sin(height), -flat * np.cos(around)], axis=-1)


@pytest.mark.parametrize(
    ("elevation", "limit"), [(75, 0.08), (40, 0.09), (20, 0.12), (8, 0.16), (2, 0.2)]
)
def test_the_sky_is_as_bright_as_blenders_in_every_direction(
    empty_scene, tmp_path, elevation, limit
):
    world = bpy.data.worlds.new("sky")
    if world.node_tree is None:
        world.use_nodes = True
    empty_scene.world = world
    node = sky_node(world)
    node.sun_elevation = math.radians(elevation)
    theirs = panorama(empty_scene, tmp_path)
    environment = read_environment(world).environment
    ours = environment_radiance(environment, directions())
    above = slice(0, SIZE[1] // 2 - 1)
    off = np.log(ours[above] / np.maximum(theirs[above], 1e-4))
    assert np.sqrt((off**2).mean()) < limit
    assert abs(np.median(off)) < 0.1
