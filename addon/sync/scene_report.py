"""What became of a Blender scene: how many objects, what is approximated, what is left out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...engine_core.world.world import World
from .warnings import SyncWarning


@dataclass(frozen=True)
class SceneReport:
    """Numbers of one scene, and its warnings parted by whether something is missing altogether."""

    name: str
    entities: int
    drawn: int
    triangles: int
    lights: int
    materials: int
    images: int
    approximated: tuple[str, ...]
    left_out: tuple[str, ...]


def report_scene(name: str, world: World, warnings: Iterable[SyncWarning]) -> SceneReport:
    """Count what is in `world` and sort `warnings`."""
    found = sorted(warnings)
    drawn = [entity.mesh for entity in world.entities.values() if entity.mesh is not None]
    return SceneReport(
        name=name,
        entities=len(world.entities),
        drawn=len(drawn),
        triangles=sum(world.meshes[mesh.mesh].triangle_count for mesh in drawn),
        lights=sum(entity.light is not None for entity in world.entities.values()),
        materials=len(world.materials),
        images=len(world.images),
        approximated=tuple(str(warning) for warning in found if not warning.left_out),
        left_out=tuple(str(warning) for warning in found if warning.left_out),
    )


def markdown_table(reports: Iterable[SceneReport]) -> str:
    """Return the reports as a Markdown table, a row a scene, with what differs spelled out."""
    lines = [
        "| scene | entities | drawn | triangles | lights | materials | images | approximated"
        " | left out |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |",
    ]
    for report in reports:
        numbers = (
            report.entities, report.drawn, report.triangles, report.lights, report.materials,
            report.images,
        )  # fmt: skip
        cells = [report.name, *map(str, numbers), _cell(report.approximated)]
        lines.append("| " + " | ".join([*cells, _cell(report.left_out)]) + " |")
    return "\n".join(lines) + "\n"


def _cell(sentences: tuple[str, ...]) -> str:
    return "<br>".join(sentence.replace("|", "\\|") for sentence in sentences) or "-"
