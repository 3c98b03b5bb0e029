"""Baking without operators and windows, for `fyn export --bake` and scripts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .bake import scene_materials_that_gain
from .bake_channels import CannotBake
from .bake_job import bake_steps


@dataclass(frozen=True)
class BakeReport:
    """Names of the materials that were baked, and why others were not, by name."""

    baked: tuple[str, ...]
    refused: dict[str, str]


def bake_scene_materials(
    scene: Any,
    *,
    side: int | None = None,
    progress: Callable[[int, int, str], None] | None = None,
) -> BakeReport:
    """Bake every material of a scene that needs it, in memory; `side`: pixels, None: as chosen.

    `progress` is told how many materials are done, how many there are, and what comes next.
    """
    materials = scene_materials_that_gain(scene)
    baked: list[str] = []
    refused: dict[str, str] = {}
    for index, material in enumerate(materials):
        try:
            for step in bake_steps(material, scene, side):
                if progress is not None:
                    progress(index, len(materials), f"{material.name}: {step.what}")
            baked.append(material.name_full)
        except CannotBake as reason:
            refused[material.name_full] = str(reason)
    return BakeReport(tuple(baked), refused)
