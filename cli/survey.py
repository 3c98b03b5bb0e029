"""Takes one .blend through all of Fyn and says what became of it: drawn, exported, drawn again."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from ..compare.comparison import Comparison, compare_images
from ..compare.report import (
    ReportEntry,
    ReportRow,
    comparison_pictures,
    comparison_rows,
    file_stem,
)
from ..compare.tolerance import Tolerance
from ..engine_core.errors import UsageError
from ..engine_core.render.framing import FRAMING_CAMERA, FRAMING_SUN, framing
from ..engine_core.world.world import World, WorldDelta
from .native_output import native_stdout_diverted

TOLERANCE = Tolerance(mean=0.5, pixel=2.0, share=0.0, worst=2.0, ssim=0.99, edge_width=2)
"""How far the exported level's picture may lie from the .blend's own."""


_MADE = {FRAMING_CAMERA: "a camera", FRAMING_SUN: "a sun"}


@dataclass(frozen=True)
class SurveyItem:
    """One .blend, where its level goes, and how large a picture to make."""

    scene: Path
    level_folder: Path
    size: tuple[int, int]


@dataclass(frozen=True, eq=False)
class SurveyRow:
    """What became of one scene. Counts are of the synced world; sizes are bytes."""

    objects: dict[str, int]
    """Blender objects of the scene by type."""
    entities: int
    meshes: int
    triangles: int
    approximated: tuple[str, ...]
    left_out: tuple[str, ...]
    export_warnings: tuple[str, ...]
    level_size: int
    seconds: dict[str, float]
    """sync, export and both drawings."""
    added: tuple[str, ...]
    """What was made so that the picture shows something: "a camera", "a sun"."""
    comparison: Comparison | None
    """Of the level's picture (actual) with the .blend's (expected); None: nothing to draw."""


def survey(item: SurveyItem) -> dict[str, SurveyRow]:
    """Sync, draw, export, read back and draw again every scene of a .blend; rows by scene name.

    Raises FynError if one of these cannot be.
    """
    from ..addon.headless import open_blend, scene_names

    with native_stdout_diverted():
        open_blend(item.scene)
    return {name: _survey_scene(name, item) for name in scene_names()}


def _survey_scene(name: str, item: SurveyItem) -> SurveyRow:
    from ..addon.headless import read_scene
    from ..engine_core.world.level_file import read_level
    from ..exporters.level import export_level

    clock = _Clock()
    with native_stdout_diverted():
        loaded = read_scene(scene=name)
    clock.lap("sync")
    added = _what_is_missing(loaded.world, item.size)
    loaded.world.apply(added or WorldDelta())
    report = export_level(loaded.world, item.level_folder, name=file_stem(name))
    clock.lap("export")
    comparison = None
    if added is not None:
        draw = partial(_draw, size=item.size, time_of_scene=loaded.time)
        expected = draw(loaded.world)
        clock.lap("draw")
        comparison = compare_images(draw(read_level(report.level)), expected, TOLERANCE)
        clock.lap("draw level")
    warnings = loaded.warnings
    return SurveyRow(
        objects=loaded.objects,
        entities=len(loaded.world.entities),
        meshes=len(loaded.world.meshes),
        triangles=_drawn_triangles(loaded.world),
        approximated=tuple(str(warning) for warning in warnings if not warning.left_out),
        left_out=tuple(str(warning) for warning in warnings if warning.left_out),
        export_warnings=report.warnings,
        level_size=report.total_size,
        seconds=clock.laps,
        added=tuple(_MADE[key] for key in added.entities) if added else (),
        comparison=comparison,
    )


def survey_entry(name: str, row: SurveyRow) -> ReportEntry:
    """The section that shows one scene in the report."""
    rows = [
        ReportRow("objects in the scene", _counts(row.objects)),
        ReportRow("entities, meshes, triangles drawn",
                  f"{row.entities:,}, {row.meshes:,}, {row.triangles:,}"),
        ReportRow("level on disk", f"{row.level_size / 1e6:.2f} MB"),
        ReportRow("seconds", ", ".join(f"{k} {v:.2f}" for k, v in row.seconds.items())),
        ReportRow("approximated / left out", f"{len(row.approximated)} / {len(row.left_out)}"),
    ]  # fmt: skip
    if row.added:
        rows.append(ReportRow("added, so that something is seen", " and ".join(row.added)))
    notes = (
        *(f"left out: {warning}" for warning in row.left_out),
        *(f"approximated: {warning}" for warning in row.approximated),
        *(f"export: {warning}" for warning in row.export_warnings),
    )
    if row.comparison is None:
        return ReportEntry(
            name=name, status="shown", message="nothing to draw", rows=tuple(rows), notes=notes
        )
    return ReportEntry(
        name=name,
        status="passed" if row.comparison.passed else "failed",
        message="; ".join(row.comparison.reasons),
        pictures=comparison_pictures(row.comparison, "exported level", "Blender file"),
        rows=(*rows, *comparison_rows(row.comparison)),
        notes=notes,
    )


def _what_is_missing(world: World, size: tuple[int, int]) -> WorldDelta | None:
    """What to add so that a picture shows something; None if nothing is drawn at all.

    A sun if nothing shines, and a camera if there is none or the active one sees nothing.
    """
    try:
        added = framing(world, size[0] / size[1])
    except UsageError:
        return None
    if not world.active_camera or not _sees_something(world, size):
        return added
    entities = {key: added.entities[key] for key in added.entities if key == FRAMING_SUN}
    return WorldDelta(entities=entities)


def _sees_something(world: World, size: tuple[int, int]) -> bool:
    from ..engine_core.render.world_renderer import render_world

    depth = render_world(world, None, size, outputs=("frame_depth",)).outputs["frame_depth"]
    return bool(np.isfinite(depth).any())


def _draw(world: World, size: tuple[int, int], time_of_scene: float) -> np.ndarray:
    """The picture of a world, (H, W, 4) uint8, as its own settings ask."""
    from ..engine_core.render.world_renderer import render_world

    settings = replace(world.render, transparent=False)
    frame = render_world(world, None, size, time=time_of_scene, settings=settings)
    return frame.outputs["frame_color"]


def _drawn_triangles(world: World) -> int:
    drawn = (entity.mesh.mesh for entity in world.entities.values() if entity.mesh is not None)
    return sum(world.meshes[key].triangle_count for key in drawn if key in world.meshes)


def _counts(objects: dict[str, int]) -> str:
    return ", ".join(f"{count} {kind.lower()}" for kind, count in objects.items()) or "none"


class _Clock:
    """Seconds between laps, by name."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._begin = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name], self._begin = now - self._begin, now
