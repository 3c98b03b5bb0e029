"""VTK through pyvista: PBR, one shadow map, 4x MSAA, EGL. Usage: MESH.npz PICTURE.png."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pyvista
import scene as shared
from timing import report

mesh = np.load(sys.argv[1])
plotter = pyvista.Plotter(off_screen=True, window_size=shared.SIZE, lighting="none")
triangles = mesh["indices"]
poly = pyvista.PolyData(
    mesh["positions"], np.hstack([np.full((len(triangles), 1), 3), triangles]).ravel()
)
poly.point_data["Normals"] = mesh["normals"]
poly.point_data.active_normals_name = "Normals"
actors = []
for monkey in shared.monkeys():
    actor = plotter.add_mesh(
        poly,
        pbr=True,
        color=monkey.color,
        metallic=monkey.metallic,
        roughness=monkey.roughness,
        smooth_shading=False,  # the normals are there already
        culling="back",
    )
    actor.position = monkey.location
    actors.append(actor)
size = 2 * shared.FLOOR_HALF
plotter.add_mesh(
    pyvista.Plane(i_size=size, j_size=size, center=(0, 0, shared.FLOOR_Z)), pbr=True, roughness=0.8
)
light = pyvista.Light(position=shared.TOWARDS_SUN, light_type="scene light")
light.positional = False
plotter.add_light(light)
plotter.camera_position = [shared.EYE, (0, 0, 0), (0, 0, 1)]
plotter.camera.view_angle = math.degrees(shared.FOV_Y)
plotter.enable_anti_aliasing("msaa", multi_samples=4)
plotter.enable_shadows()
shadow_pass = plotter.renderer._render_passes._shadow_map_pass
shadow_pass.GetShadowMapBakerPass().SetResolution(2048)  # as ours; its default is 256
plotter.show(auto_close=False)


def frame(number: int) -> np.ndarray:
    """Draw frame `number` and read it back, (H, W, 3) uint8."""
    x, y, _ = actors[0].position
    actors[0].position = (x, y, shared.height(number))
    plotter.render()
    return plotter.screenshot(None, return_img=True)


report("vtk", frame, Path(sys.argv[2]))
