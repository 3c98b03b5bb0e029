"""Shows what Blender draws beside what Fyn draws, for every render test of a folder.

    python scripts/compare_with_blender.py tests/scenes -o out/compare [--engine CYCLES|EEVEE]

Each .blend is drawn by Blender's own engine through the same camera (and with the same added sun,
where the test asks for one), under the Standard view transform, and by Fyn. `index.html` in the
output folder shows both, with the test's notes on why they differ. Nothing is judged here: a person
looks at it before an expected picture is kept.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from fyn.cli.native_output import native_stdout_diverted
from fyn.cli.render_request import RenderRequest, draw
from fyn.compare.comparison import compare_images
from fyn.compare.pictures import as_bytes, read_picture
from fyn.compare.render_test import FoundTest, find_tests
from fyn.compare.report import (
    ReportEntry,
    comparison_pictures,
    comparison_rows,
    write_report,
)
from fyn.compare.tolerance import Tolerance
from fyn.compare.worker import do_all
from fyn.engine_core.render.framing import FRAMING_CAMERA, FRAMING_SUN, framing
from fyn.engine_core.world.entity import Entity

ENGINES = {"CYCLES": ("CYCLES",), "EEVEE": ("BLENDER_EEVEE", "BLENDER_EEVEE_NEXT")}
"""Blender's names of its engines; EEVEE was renamed twice."""


@dataclass(frozen=True, eq=False)
class Pair:
    """The same view drawn twice: (H, W, 4) uint8 each."""

    blender: np.ndarray
    fyn: np.ndarray
    warnings: tuple[str, ...]


def draw_pair(found: FoundTest, engine: str, samples: int) -> Pair:
    """Draw one test by Blender and by Fyn. Raises FynError for what cannot be drawn."""
    test = found.test
    request = RenderRequest(
        scene=found.scene,
        size=test.size,
        frame=test.frame,
        camera=test.camera,
        scene_name=test.scene_name,
        time=test.time,
        samples=test.samples,
        pipeline=test.pipeline,
        whole=test.whole,
    )
    ours = draw(request)
    with native_stdout_diverted():
        theirs = _drawn_by_blender(found, engine, samples)
    return Pair(blender=theirs, fyn=as_bytes(ours.pixels), warnings=ours.warnings)


def _drawn_by_blender(found: FoundTest, engine: str, samples: int) -> np.ndarray:
    import bpy

    from fyn.addon.headless import read_scene

    test = found.test
    loaded = read_scene(scene=test.scene_name, frame=test.frame)  # the file is open already
    scene: Any = bpy.data.scenes[test.scene_name] if test.scene_name else bpy.context.scene
    if test.camera:
        scene.camera = bpy.data.objects[test.camera]
    if test.whole:
        added = framing(loaded.world, test.size[0] / test.size[1]).entities
        scene.camera = _add_camera(scene, added[FRAMING_CAMERA])
        if FRAMING_SUN in added:
            _add_sun(scene, added[FRAMING_SUN])
    _set_engine(scene, engine, samples)
    render = scene.render
    render.resolution_x, render.resolution_y = test.size
    render.resolution_percentage = 100
    render.use_border = render.use_compositing = render.use_sequencer = False
    render.film_transparent = loaded.world.render.transparent
    scene.view_settings.view_transform, scene.view_settings.look = "Standard", "None"
    scene.view_settings.exposure, scene.view_settings.gamma = 0.0, 1.0
    render.image_settings.file_format = "PNG"
    render.image_settings.color_mode = "RGBA"
    with tempfile.TemporaryDirectory(prefix="fyn-compare-") as folder:
        render.filepath = str(Path(folder, "picture.png"))
        bpy.ops.render.render(write_still=True, scene=scene.name)
        return as_bytes(read_picture(Path(folder, "picture.png")))


def _set_engine(scene: Any, engine: str, samples: int) -> None:
    known = scene.render.bl_rna.properties["engine"].enum_items.keys()
    for name in ENGINES[engine]:
        if name in known or name == "CYCLES":
            scene.render.engine = name
            break
    if engine == "CYCLES":
        scene.cycles.device = "CPU"
        scene.cycles.samples = samples
        scene.cycles.use_denoising = False
    else:
        scene.eevee.taa_render_samples = samples


def _add_camera(scene: Any, made: Entity) -> Any:
    import bpy

    assert made.camera is not None
    data = bpy.data.cameras.new(made.name)
    data.sensor_fit, data.angle = "AUTO", made.camera.fov
    data.clip_start, data.clip_end = made.camera.near, made.camera.far
    return _add(scene, made, data)


def _add_sun(scene: Any, made: Entity) -> None:
    import bpy

    assert made.light is not None
    data: Any = bpy.data.lights.new(made.name, "SUN")
    data.energy, data.angle = made.light.strength * math.pi, 0.0
    _add(scene, made, data)


def _add(scene: Any, made: Entity, data: Any) -> Any:
    import bpy
    from mathutils import Matrix

    from fyn.addon.sync.axes import ENGINE_FROM_BLENDER

    obj = bpy.data.objects.new(made.name, data)
    obj.matrix_world = Matrix((ENGINE_FROM_BLENDER.T @ made.transform.to_matrix()).tolist())
    scene.collection.objects.link(obj)
    return obj


def _entry(found: FoundTest, done: Any, engine: str) -> ReportEntry:
    notes = (found.test.notes,) if found.test.notes else ()
    if done.value is None:
        return ReportEntry(
            name=found.name, status="broken", title=found.test.title, message=done.error
        )
    pair: Pair = done.value
    comparison = compare_images(pair.fyn, pair.blender, Tolerance())
    return ReportEntry(
        name=found.name,
        status="shown",
        title=found.test.title,
        pictures=comparison_pictures(comparison, "Fyn", engine.capitalize()),
        rows=comparison_rows(comparison),
        notes=(*notes, *pair.warnings),
        seconds=done.seconds,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw all pairs and write the page; 1 if one could not be drawn."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("folder", type=Path, help="folder of render tests")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--engine", choices=sorted(ENGINES), default="CYCLES")
    parser.add_argument("--samples", type=int, default=64)
    parser.add_argument("--only", action="append", default=[], metavar="PATTERN")
    parser.add_argument("-j", "--jobs", type=int, default=1)
    args = parser.parse_args(arguments)
    tests = find_tests(args.folder, args.only)
    work = partial(draw_pair, engine=args.engine, samples=args.samples)
    done = do_all(
        tests,
        work,
        processes=args.jobs,
        timeout=600,
        on_done=lambda count: print(f"{count} of {len(tests)} drawn", file=sys.stderr),
    )
    entries = [_entry(f, d, args.engine) for f, d in zip(tests, done, strict=True)]
    page = write_report(args.output, f"Fyn beside {args.engine.capitalize()}", entries)
    print(page)
    return 1 if any(entry.status == "broken" for entry in entries) else 0


if __name__ == "__main__":
    sys.exit(main())
