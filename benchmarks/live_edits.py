"""What an edit costs the live viewport besides drawing, in scenes of 10, 1,000 and 10,000 objects.

Every scene holds a mesh of a million triangles beside its many small objects. An edit is made, and
four costs are measured as CPU time of the main thread (median of several): `sync` reads what has
changed, `device` brings the renderer up to date with it, both ours; `blender` is Blender's own
evaluation, and `lists` is Blender's own enumeration of what it reports as changed (and, if objects
may have come or gone, animated ones among them, of what is shown), without anything done about it.
Prints one JSON row an edit and scene; `growth` is (sync + device - lists) against that of the scene
of 1,000 objects.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np

from fyn.addon.sync.scene_sync import SceneSync
from fyn.engine_core.render.device import Device
from fyn.engine_core.render.view import View
from fyn.engine_core.render.world_renderer import WorldRenderer

SIZES = (10, 1_000, 10_000)
USERS_OF_A_MESH = 10
GRID = 708  # 2 * 708 * 708 = 1,002,528 triangles
REPEATS = 7
GROWTH_BOUND = 1.5

Edit = Callable[[int], None]


@dataclass
class Costs:
    """CPU milliseconds of one edit, by who spends them."""

    sync: float = 0.0
    device: float = 0.0
    lists: float = 0.0
    blender: float = 0.0

    @property
    def own(self) -> float:
        """What is left once Blender has said what it has to say."""
        return max(self.sync - self.lists, 0.0) + self.device


@dataclass
class Follower:
    """A sync and a renderer kept in step with the open scene, and what that costs."""

    renderer: WorldRenderer
    sync: SceneSync = field(default_factory=SceneSync)
    now: Costs = field(default_factory=Costs)

    def start(self) -> None:
        """Read the whole scene and draw it once, so that everything is on the device."""
        self.renderer.apply(self.sync.full(bpy.context.evaluated_depsgraph_get()))
        self.renderer.render(View(np.identity(4), np.identity(4), 0.1, 100.0, True, (16, 16)))
        bpy.app.handlers.depsgraph_update_post.append(self.on_update)
        bpy.app.handlers.frame_change_post.append(self.on_update)

    def stop(self) -> None:
        """Follow no more."""
        bpy.app.handlers.depsgraph_update_post.remove(self.on_update)
        bpy.app.handlers.frame_change_post.remove(self.on_update)

    def on_update(self, _scene: Any, depsgraph: Any) -> None:
        """Follow one update of the depsgraph."""
        begun = time.thread_time()
        listed = [
            (one.id, one.is_updated_geometry, one.is_updated_transform, one.is_updated_shading)
            for one in depsgraph.updates
        ]
        structural = (bpy.types.Scene, bpy.types.Collection, bpy.types.Action)
        if any(isinstance(one[0], structural) for one in listed):
            _shown = [instance.object for instance in depsgraph.object_instances]
        ready = time.thread_time()
        delta = self.sync.update(depsgraph)
        assert isinstance(self.sync.warnings, list)
        synced = time.thread_time()
        self.renderer.apply(delta)
        self.renderer._catch_up()
        done = time.thread_time()
        self.now.lists += (ready - begun) * 1e3
        self.now.sync += (synced - ready) * 1e3
        self.now.device += (done - synced) * 1e3

    def measure(self, edit: Edit, count: int) -> Costs:
        """Return the median costs of `edit`, made once before and then `count` times."""
        found = []
        for number in range(count + 1):
            self.now = Costs()
            begun = time.thread_time()
            edit(number)
            bpy.context.view_layer.update()
            spent = (time.thread_time() - begun) * 1e3
            self.now.blender = spent - self.now.lists - self.now.sync - self.now.device
            found.append(self.now)
        names = ("sync", "device", "lists", "blender")
        return Costs(**{n: statistics.median(getattr(c, n) for c in found[1:]) for n in names})


def scene_of(objects: int) -> None:
    """Make the scene: small objects, their meshes, materials and pictures, and the giant."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.preferences.edit.use_global_undo = True
    collection = bpy.context.scene.collection
    meshes = []
    for number in range(max(1, objects // USERS_OF_A_MESH)):
        mesh = bpy.data.meshes.new(f"small {number}")
        mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
        mesh.uv_layers.new(name="map")
        mesh.materials.append(painted(f"paint {number}", number))
        meshes.append(mesh)
    for number in range(objects - 1):
        small = bpy.data.objects.new(f"object {number}", meshes[number % len(meshes)])
        small.location = (number % 100, number // 100, 0)
        collection.objects.link(small)
    giant = bpy.data.objects.new("giant", grid_mesh())
    collection.objects.link(giant)
    mover = bpy.data.objects["object 1"]
    for frame in (1, 1000):
        mover.location.z = frame
        mover.keyframe_insert("location", frame=frame)
    bpy.context.view_layer.update()


def painted(name: str, number: int) -> bpy.types.Material:
    """A material with a picture of its own in every tenth."""
    material = bpy.data.materials.new(name)
    if material.node_tree is None:
        material.use_nodes = True
    if number % 10 == 0:
        tree = material.node_tree
        node = tree.nodes.new("ShaderNodeTexImage")
        node.image = bpy.data.images.new(name, 16, 16)
        tree.links.new(node.outputs["Color"], tree.nodes["Principled BSDF"].inputs["Base Color"])
    return material


def grid_mesh() -> bpy.types.Mesh:
    """A smooth grid of a million triangles with a UV map."""
    import bmesh

    data, mesh = bmesh.new(), bpy.data.meshes.new("giant")
    bmesh.ops.create_grid(data, x_segments=GRID, y_segments=GRID, size=50, calc_uvs=False)
    data.to_mesh(mesh)
    data.free()
    mesh.uv_layers.new(name="map")
    mesh.shade_smooth()
    mesh.materials.append(bpy.data.materials.new("giant"))
    return mesh


def edits() -> Iterator[tuple[str, Edit, int]]:
    """Yield (name, edit, how often); every edit is one that a person makes."""
    objects, materials, layer = bpy.data.objects, bpy.data.materials, bpy.context.view_layer

    def move(number: int) -> None:
        objects["object 2"].location.z = number + 1.0

    def vertex(number: int) -> None:
        mesh = bpy.data.meshes["giant"]
        mesh.vertices[GRID].co.z = number + 1.0
        mesh.update()

    def color(number: int) -> None:
        socket = materials["giant"].node_tree.nodes["Principled BSDF"].inputs["Base Color"]
        socket.default_value = (number / 10, 0.5, 0.5, 1)

    pictures = [bpy.data.images.new(f"other {n}", 16, 16) for n in range(2)]

    def picture(number: int) -> None:
        materials["paint 0"].node_tree.nodes[-1].image = pictures[number % 2]

    def modifier(number: int) -> None:
        objects["object 3"].modifiers.new(f"m{number}", "EDGE_SPLIT")

    def select(number: int) -> None:
        objects["object 4"].select_set(number % 2 == 0, view_layer=layer)

    def hide(number: int) -> None:
        objects["object 5"].hide_set(number % 2 == 0, view_layer=layer)

    def exclude(number: int) -> None:
        objects["object 6"].hide_viewport = number % 2 == 0

    def frame(number: int) -> None:
        bpy.context.scene.frame_set(10 * number + 5)

    yield from (
        ("move an object", move, REPEATS),
        ("edit a vertex of 1 M triangles", vertex, 5),
        ("drag a colour", color, REPEATS),
        ("swap an image", picture, REPEATS),
        ("add a modifier", modifier, 5),
        ("select an object", select, REPEATS),
        ("hide an object", hide, REPEATS),
        ("disable an object", exclude, 5),
        ("change the frame", frame, REPEATS),
    )
    bpy.ops.ed.undo_push(message="begin")
    for number in range(5):
        bpy.data.objects["object 2"].location.x = number + 0.5
        bpy.context.view_layer.update()
        bpy.ops.ed.undo_push(message="move")
    yield "undo a move", lambda _number: bpy.ops.ed.undo(), 3
    yield "redo a move", lambda _number: bpy.ops.ed.redo(), 2


def measured(objects: int, device: Device) -> dict[str, Costs]:
    """Return the costs of every edit in a scene of `objects`."""
    scene_of(objects)
    renderer = WorldRenderer(device)
    follower = Follower(renderer)
    follower.start()
    try:
        return {name: follower.measure(edit, count) for name, edit, count in edits()}
    finally:
        follower.stop()
        renderer.release()


def main() -> None:
    """Measure and print the rows."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="objects a scene")
    options = parser.parse_args()
    with Device.create() as device:
        tables = {size: measured(size, device) for size in options.sizes}
    base = tables.get(1_000)
    for name in next(iter(tables.values())):
        for size, table in tables.items():
            costs = table[name]
            row: dict[str, Any] = {"name": name, "objects": size, "unit": "ms"}
            row |= {n: round(getattr(costs, n), 3) for n in ("sync", "device", "lists", "blender")}
            if base is not None and size > 1_000:
                growth = costs.own / max(base[name].own, 1e-9)
                row |= {"growth": round(growth, 2), "ok": growth <= GROWTH_BOUND}
            print(json.dumps(row))


if __name__ == "__main__":
    main()
