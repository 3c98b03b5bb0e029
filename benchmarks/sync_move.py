"""One of 10,000 linked duplicates is moved: what the sync pays, and that no mesh is touched.

Blender's own evaluation of its depsgraph is the floor, measured beside it and not counted. Prints
one JSON row for the move and, for comparison, one for the sync of the whole scene from nothing.
"""

from __future__ import annotations

import json
import statistics
import time

import bpy
from mathutils import Vector

from fyn.addon.sync import geometry
from fyn.addon.sync.scene_sync import SceneSync

OBJECTS = 10_000
MOVES = 40
BOUND_MS = 5.0


class MeshReads:
    """Counts how often the sync reads a mesh."""

    def __init__(self):
        self.count = 0
        self._read = geometry.read_mesh

    def __call__(self, *args, **options):
        self.count += 1
        return self._read(*args, **options)


def linked_duplicates():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    mesh = bpy.data.meshes.new("shared")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    mesh.materials.append(bpy.data.materials.new("shared"))
    objects = [bpy.data.objects.new("copy", mesh) for _ in range(OBJECTS)]
    for index, obj in enumerate(objects):
        obj.location = (index % 100, index // 100, 0)
        bpy.context.scene.collection.objects.link(obj)
    return objects


def main():
    objects = linked_duplicates()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    sync, reads = SceneSync(), MeshReads()
    geometry.read_mesh = reads
    begin = time.perf_counter()
    sync.full(depsgraph)
    whole = (time.perf_counter() - begin) * 1e3
    assert reads.count == 1
    reads.count = 0
    spent, deltas = [], []

    def on_update(scene, depsgraph):
        begin = time.process_time()
        deltas.append(sync.update(depsgraph))
        spent.append((time.process_time() - begin) * 1e3)

    bpy.app.handlers.depsgraph_update_post.append(on_update)
    blender = []
    for move in range(MOVES):
        objects[move * 7].location += Vector((0, 0, 1))
        begin = time.perf_counter()
        bpy.context.view_layer.update()
        blender.append((time.perf_counter() - begin) * 1e3 - spent[-1])
    bpy.app.handlers.depsgraph_update_post.remove(on_update)
    assert all(len(delta.entities) == 1 and not delta.meshes for delta in deltas)
    value, floor = statistics.median(spent), statistics.median(blender)
    rows = [
        ("sync.move_one_of_10000", value, floor, BOUND_MS, value <= BOUND_MS and not reads.count),
        ("sync.full_10000_objects", whole, None, None, True),
    ]
    for name, measured, least, bound, ok in rows:
        ratio = round(measured / least, 4) if least else None
        row = {"name": name, "value": round(measured, 3), "unit": "ms"}
        row |= {"floor": least and round(least, 3), "ratio": ratio, "bound": bound, "ok": ok}
        print(json.dumps(row))


if __name__ == "__main__":
    main()
