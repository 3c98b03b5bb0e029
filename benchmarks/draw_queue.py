"""CPU time of building a frame's draw queues for 10,000 entities with 100 meshes.

The floor is the least that any such queue costs: one NumPy argsort of as many depths. Prints one
JSON row for the camera's queues, one with three shadow cascades, one with the upload of the draw
list, and one for what a moved entity costs before the next frame, upload included.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import numpy as np

from fyn.engine_core.assets.mesh import MeshData, Primitive
from fyn.engine_core.render.cascades import fit_cascades
from fyn.engine_core.render.caster_planes import swept_boxes
from fyn.engine_core.render.device import Device
from fyn.engine_core.render.draw_items import DrawItems
from fyn.engine_core.render.draw_queue import camera_queues, shadow_queue
from fyn.engine_core.render.gpu_assets import GpuAssets
from fyn.engine_core.render.instance_textures import DrawListTexture, EntityTexture
from fyn.engine_core.render.scene_table import SceneTable
from fyn.engine_core.render.view import camera_view
from fyn.engine_core.world.components import CameraComponent, MeshComponent, RenderSettings
from fyn.engine_core.world.entity import Entity, Transform
from fyn.engine_core.world.world import World

ENTITIES = 10_000
MESHES = 100
MATERIALS = 20
BOUND_MS = 3.0
MOVED_BOUND_MS = 5.0
ROUNDS = 60


def field_of_boxes() -> World:
    """A square field of small meshes, seen whole."""
    rng = np.random.default_rng(0)
    world = World()
    corners = np.array([[-1, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
    normals = np.tile(np.array([0, 0, 1], np.float32), (3, 1))
    for number in range(MESHES):
        world.meshes[f"mesh{number}"] = MeshData(
            f"mesh{number}", corners, normals, np.arange(3, dtype=np.uint32), (Primitive(0, 3, 0),)
        )
    places = rng.uniform(-50, 50, (ENTITIES, 3)) * (1, 0.05, 1)
    for number, place in enumerate(places):
        mesh = MeshComponent(
            mesh=f"mesh{number % MESHES}", materials=(f"material{number % MATERIALS}",)
        )
        world.entities[f"e{number}"] = Entity(
            id=f"e{number}", mesh=mesh, transform=Transform(translation=tuple(place))
        )
    return world


def milliseconds(work: Callable[[], object]) -> float:
    """Median CPU time of `work` on this thread: other work on the machine does not count."""
    times = []
    for _ in range(ROUNDS):
        start = time.thread_time()
        work()
        times.append(time.thread_time() - start)
    return float(np.median(times)) * 1000


def report(name: str, value: float, floor: float, bound: float) -> None:
    row = {
        "name": name,
        "value": round(value, 3),
        "unit": "ms",
        "floor": round(floor, 3),
        "ratio": round(value / floor, 2),
        "bound": bound,
        "ok": value <= bound,
    }
    print(json.dumps(row), flush=True)


def main() -> None:
    world = field_of_boxes()
    place = np.identity(4)
    place[:3, 3] = (0.0, 20.0, 120.0)
    view = camera_view(CameraComponent(fov=1.2, far=500.0), place, (1280, 720))
    sun = np.array([0.5, 0.8, 0.3]) / np.linalg.norm([0.5, 0.8, 0.3])
    depths = np.random.default_rng(0).random(ENTITIES).astype(np.float32)
    floor = milliseconds(lambda: np.argsort(depths))
    with Device.create() as device:
        table, items, assets = SceneTable(), DrawItems(), GpuAssets(device)
        entities, draw_list = EntityTexture(device), DrawListTexture(device)
        table.apply(world.entities, ())
        assets.apply(world.as_delta())
        moved = table.take_moved()
        items.refresh(table, assets, moved)
        entities.update(table, moved)
        bounds = items.scene_bounds(table)
        assert bounds is not None
        cascades = fit_cascades(view, sun, RenderSettings(), bounds)

        def camera() -> list[np.ndarray]:
            queues = camera_queues(table, items, view.clip_from_world, view.view_from_world)
            return [queue.instances for queue in queues]

        def everything() -> list[np.ndarray]:
            swept = swept_boxes(items.boxes, cascades.towards_sun, bounds)
            shadows = [
                shadow_queue(table, items, volume, swept).instances
                for volume in cascades.caster_planes
            ]
            return [*camera(), *shadows]

        def one_moved() -> None:
            entity = world.entities["e77"]
            where = Transform(translation=tuple(np.random.default_rng().uniform(-9, 9, 3)))
            table.apply({"e77": Entity(id="e77", mesh=entity.mesh, transform=where)}, ())
            rows = table.take_moved()
            items.refresh(table, assets, rows)
            entities.update(table, rows)
            device.context.finish()

        assert len(camera()[0]) > 0.9 * ENTITIES, "the whole field is seen"
        report("draw_queue.camera", milliseconds(camera), floor, BOUND_MS)
        report("draw_queue.camera_and_3_cascades", milliseconds(everything), floor, BOUND_MS)
        report(
            "draw_queue.with_upload",
            milliseconds(lambda: draw_list.update(everything())),
            floor,
            BOUND_MS,
        )
        report("scene_table.one_of_10000_moved", milliseconds(one_moved), floor, MOVED_BOUND_MS)
        for thing in (entities, draw_list, assets):
            thing.release()


if __name__ == "__main__":
    main()
