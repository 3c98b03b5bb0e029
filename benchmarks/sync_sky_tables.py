"""Measures how much light Blender's skies give: the tables of addon/sync/sky_light.py.

A white floor that reflects once is rendered with Cycles under each type of Sky Texture at a few
heights of the sun, with and without its disc. Prints a JSON row a sky and height: the floor's
linear radiance under the sky alone, and what the sun adds. Takes a few minutes.
"""

from __future__ import annotations

import json
import math
import tempfile
from pathlib import Path

import bpy
import numpy as np

from fyn.addon.sync.materials.samples import PHYSICAL_SKIES
from fyn.addon.sync.sky_light import ELEVATIONS

TYPES = ("SINGLE_SCATTERING", "MULTIPLE_SCATTERING", "NISHITA", "PREETHAM", "HOSEK_WILKIE")
TURBIDITY = 2.2
SAMPLES = 1024


def tree_of(owner):
    if owner.node_tree is None:
        owner.use_nodes = True
    owner.node_tree.nodes.clear()
    return owner.node_tree


def floor():
    """A white floor seen from straight above, four pixels a side."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    bpy.ops.mesh.primitive_plane_add(size=10)
    material = bpy.data.materials.new("white")
    tree = tree_of(material)
    diffuse = tree.nodes.new("ShaderNodeBsdfDiffuse")
    diffuse.inputs["Color"].default_value = (1, 1, 1, 1)
    output = tree.nodes.new("ShaderNodeOutputMaterial")
    tree.links.new(diffuse.outputs[0], output.inputs[0])
    bpy.context.object.data.materials.append(material)
    camera = bpy.data.cameras.new("camera")
    camera.type = "ORTHO"
    scene.camera = bpy.data.objects.new("camera", camera)
    scene.camera.location.z = 5
    scene.collection.objects.link(scene.camera)
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.max_bounces = SAMPLES, 0
    scene.cycles.use_denoising = scene.cycles.use_adaptive_sampling = False
    scene.render.resolution_x = scene.render.resolution_y = 4
    scene.view_settings.view_transform = "Raw"
    scene.render.image_settings.file_format = "OPEN_EXR"
    return scene


def sky_of(scene):
    """Make a Sky Texture the scene's world."""
    scene.world = bpy.data.worlds.new("world")
    tree = tree_of(scene.world)
    background = tree.nodes.new("ShaderNodeBackground")
    output = tree.nodes.new("ShaderNodeOutputWorld")
    sky = tree.nodes.new("ShaderNodeTexSky")
    tree.links.new(sky.outputs[0], background.inputs[0])
    tree.links.new(background.outputs[0], output.inputs[0])
    return sky


def radiance(scene, folder):
    """Render, and return the mean linear colour."""
    scene.render.filepath = str(Path(folder) / "floor.exr")
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(scene.render.filepath)
    pixels = np.empty(len(image.pixels), np.float32)
    image.pixels.foreach_get(pixels)
    bpy.data.images.remove(image)
    return pixels.reshape(-1, 4)[:, :3].mean(axis=0)


def rounded(color):
    return [round(float(x), 4) for x in color]


def main():
    scene = floor()
    sky = sky_of(scene)
    known = {item.identifier for item in sky.bl_rna.properties["sky_type"].enum_items}
    with tempfile.TemporaryDirectory() as folder:
        for kind in (kind for kind in TYPES if kind in known):
            sky.sky_type = kind
            for elevation in ELEVATIONS:
                angle = math.radians(elevation)
                sky.sun_direction = (math.cos(angle), 0, math.sin(angle))
                sky.turbidity, sky.sun_elevation, sky.sun_disc = TURBIDITY, angle, False
                row = {"sky": kind, "elevation": elevation}
                alone = radiance(scene, folder)
                row["sky_light"] = rounded(alone)
                if kind in PHYSICAL_SKIES:
                    sky.sun_disc = True
                    row["sun_light"] = rounded(radiance(scene, folder) - alone)
                print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
