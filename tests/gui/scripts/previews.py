"""Blender's own previews of a material, a world and a lamp, drawn by Fyn."""

from __future__ import annotations

import sys
from pathlib import Path

import bpy
import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import stage
from stage import findings


def script():
    stage.enable_extension()
    stage.use_fyn()
    drawn = []
    engine = stage.part("addon.engine")
    render_still = engine.render_still

    def noting(of_engine, depsgraph):
        drawn.append(of_engine.is_preview)
        return render_still(of_engine, depsgraph)

    engine.render_still = noting
    material = bpy.data.materials.new("Red")
    material.use_nodes = True
    surface = material.node_tree.nodes["Principled BSDF"].inputs
    surface["Base Color"].default_value = (0.9, 0.02, 0.02, 1)
    surface["Roughness"].default_value = 0.4
    blue = bpy.data.worlds.new("Blue")
    blue.use_nodes = True
    blue.node_tree.nodes["Background"].inputs["Color"].default_value = (0.05, 0.1, 0.9, 1)
    lamp = bpy.data.objects["Light"].data
    lamp.energy = 10  # the preview is the size of a hand; a kilowatt would be white
    for name, datablock in (("material", material), ("world", blue), ("lamp", lamp)):
        datablock.preview_ensure()
        with bpy.context.temp_override(window=stage.window(), id=datablock):
            bpy.ops.ed.lib_id_generate_preview()
        preview = datablock.preview

        def is_there(preview=preview):
            return tuple(preview.image_size) != (0, 0) and any(preview.image_pixels_float[3::4])

        yield is_there
        yield 3.0
        width, height = preview.image_size
        pixels = np.array(preview.image_pixels_float[:], np.float32)
        np.save(stage.FOLDER / f"{name}.npy", pixels.reshape(height, width, 4)[::-1])
    findings["drawn"] = drawn


stage.close_splash()
stage.play(script)
