"""Sync of a terrain of 2.1 million triangles, against bare reads and Blender's glTF exporter.

Each measurement begins with the file opened anew, so that Blender has computed no normals and no
triangles yet. The floor reads the very same arrays (positions, corner vertices, triangle corners,
point normals, UVs) by the fastest `foreach_get` there is and does nothing with them. Takes the best
of a few rounds, because everything here is memory traffic that other work disturbs. Prints a row
against the floor and one against the exporter. Usage: sync_terrain.py [FILE.blend]
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path

import bpy
import numpy as np

from fyn.addon.sync.scene_sync import SceneSync

DATA = Path(os.environ.get("FYN_TEST_DATA") or Path(__file__).parents[2] / "shared" / "data")
TERRAIN = DATA / "armory_examples" / "mesh_terrain" / "mesh_terrain.blend"
ROUNDS = 5
FLOOR_BOUND = 1.5
EXPORTER_BOUND = 0.2


def fresh(path):
    """Open the file and let Blender evaluate its modifiers."""
    bpy.ops.wm.open_mainfile(filepath=str(path), load_ui=False)
    return bpy.context.evaluated_depsgraph_get()


def largest_mesh(depsgraph):
    meshes = [i.object.data for i in depsgraph.object_instances if i.object.type == "MESH"]
    return max(meshes, key=lambda mesh: len(mesh.polygons))


def read_bare(mesh):
    """Fill the arrays that the sync needs, by the calls that Blender serves with one memcpy."""
    corners, points, triangles = len(mesh.loops), len(mesh.vertices), len(mesh.loop_triangles)
    positions, normals = np.empty(points * 3, np.float32), np.empty(points * 3, np.float32)
    point_of_corner = np.empty(corners, np.int32)
    corner_of_triangle = np.empty(triangles * 3, np.uint32)
    mesh.attributes["position"].data.foreach_get("vector", positions)
    mesh.attributes[".corner_vert"].data.foreach_get("value", point_of_corner)
    mesh.loop_triangles.foreach_get("loops", corner_of_triangle)
    mesh.vertex_normals.foreach_get("vector", normals)
    for layer in mesh.uv_layers:
        uv = np.empty(corners * 2, np.float32)
        mesh.attributes[layer.name].data.foreach_get("vector", uv)


def milliseconds(work):
    begin = time.perf_counter()
    work()
    return (time.perf_counter() - begin) * 1e3


def best_of_rounds(path):
    """Return the best times of bare reads and of the sync, in turns."""
    bare, synced = [], []
    for _ in range(ROUNDS):
        mesh = largest_mesh(fresh(path))
        bare.append(milliseconds(lambda mesh=mesh: read_bare(mesh)))
        depsgraph = fresh(path)
        synced.append(milliseconds(lambda depsgraph=depsgraph: SceneSync().full(depsgraph)))
    return min(bare), min(synced)


def exporter(path):
    fresh(path)
    with tempfile.TemporaryDirectory() as folder:
        target = str(Path(folder) / "terrain.glb")
        return milliseconds(
            lambda: bpy.ops.export_scene.gltf(
                filepath=target, export_format="GLB", export_apply=True
            )
        )


def row(name, value, floor, bound):
    ratio = value / floor
    print(
        json.dumps(
            {
                "name": name,
                "value": round(value, 1),
                "unit": "ms",
                "floor": round(floor, 1),
                "ratio": round(ratio, 3),
                "bound": bound,
                "ok": ratio <= bound,
            }
        )
    )


def main(path=TERRAIN):
    if not Path(path).is_file():
        sys.exit(f"no file '{path}': set FYN_TEST_DATA to the folder of real scenes")
    floor, value = best_of_rounds(path)
    row("sync.terrain_against_foreach_get", value, floor, FLOOR_BOUND)
    row("sync.terrain_against_gltf_exporter", value, exporter(path), EXPORTER_BOUND)


if __name__ == "__main__":
    main(*sys.argv[1:2])
