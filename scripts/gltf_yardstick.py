"""Measures Fyn's meshes against those that Blender's own glTF exporter writes of the same scene.

    python scripts/gltf_yardstick.py FOLDER_OF_BLENDS [-o docs/gltf_yardstick.md]

Both sides read the same scene as the viewport shows it, with all modifiers applied: Fyn through
its sync, the exporter into a GLB that is parsed here (an import into Blender would only add its own
rounding and renaming). Everything is measured in world space and weighted by area, so that it does
not depend on how corners were merged to vertices.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import itertools
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import bpy
import numpy as np
import pygltflib
from gltf_measures import Measure, document_measures, measure, part_in_world

from fyn.addon.headless import open_blend
from fyn.addon.sync.extra_uvs import CHECKER, GENERATED
from fyn.addon.sync.scene_sync import SceneSync
from fyn.engine_core.world.world import World

EXPORT = {
    "export_format": "GLB",
    "use_visible": True,
    "use_active_scene": True,
    "export_current_frame": True,
    "export_apply": True,
    "export_gn_mesh": True,
    "export_skins": False,
    "export_rest_position_armature": False,
    "export_morph": True,
    "export_try_sparse_sk": False,
    "export_animations": False,
    "export_materials": "PLACEHOLDER",
    "export_image_format": "NONE",
}
"""All geometry of one moment, posed, without pictures; shape keys as targets with weights."""

TOLERANCE = 2e-3
"""Largest difference of a normal's or UV's mean; the exporter rounds normals to 4 digits."""
REASONS = (
    (
        "logic_pong",
        "'GN Instance'",
        "only in the GLB",
        "It is the mesh of a text, which the exporter writes twice.",
    ),
    (
        "32_custom_uvmap_attribute",
        "'Cube",
        "UV maps",
        "The last is an attribute that its material uses as UV map.",
    ),
    (
        "38_pointcloud_GN",
        "'Cube'",
        "only in Fyn",
        "It is a point cloud, drawn as small spheres; the exporter writes points.",
    ),
    (
        "game_bowling, Game",
        "'PinPhys'",
        "only in the GLB",
        "It is disabled in viewports and renders; the exporter writes what a collection instance "
        "holds all the same, Blender draws nothing.",
    ),
)
"""(scene, thing, difference, why it is right): differences that are meant."""

BOUNDS_TOLERANCE = 1e-4
"""Largest difference of a box, relative to the largest of its coordinates."""


@dataclass
class SceneResult:
    """The comparison of one scene; `differences` are sentences, empty if everything agrees."""

    scene: str
    things: int = 0
    triangles: int = 0
    worst_box: float = 0.0
    worst_normal: float = 0.0
    worst_uv: float = 0.0
    differences: list[str] = field(default_factory=list)

    def unexplained(self) -> list[str]:
        """Return the differences for which `REASONS` gives no reason."""
        return [what for what in self.differences if not self.reason(what)]

    def reason(self, difference: str) -> str:
        """Return why a difference is meant, "" if nobody knows."""
        for scene, thing, what, why in REASONS:
            if scene == self.scene and difference.startswith(thing) and what in difference:
                return why
        return ""


# Ours ---------------------------------------------------------------------------------------------


def fyn_measures() -> list[Measure]:
    """Return what the sync shows of the open file's viewport."""
    world = World()
    world.apply(SceneSync().full(bpy.context.evaluated_depsgraph_get()))
    out = []
    for entity in world.entities.values():
        if entity.mesh is None:
            continue
        mesh = world.meshes[entity.mesh.mesh]
        matrix = world.world_from_local(entity.id)
        # Sets that Fyn makes of generated coordinates are no UV maps of the mesh.
        named = zip(mesh.uv_names, mesh.uv_sets, strict=True)
        uvs = [uv for name, uv in named if not name.startswith((GENERATED, CHECKER))]
        part = part_in_world(entity.name, matrix, mesh.indices, mesh.positions, mesh.normals, uvs)
        out.append(measure(part))
    return out


# The exporter's -----------------------------------------------------------------------------------


def exporter_measures() -> list[Measure]:
    """Return what Blender's glTF exporter writes of the open file's viewport."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scene.glb"
        with contextlib.redirect_stdout(io.StringIO()):
            bpy.ops.export_scene.gltf(filepath=str(path), **EXPORT)
        document = pygltflib.GLTF2.load(str(path))
    return document_measures(document) if document is not None else []


# Comparing ----------------------------------------------------------------------------------------


def compare(scene: str, mine: list[Measure], theirs: list[Measure]) -> SceneResult:
    """Pair what stands nearest to each other, first of one name, and say what differs."""
    result = SceneResult(scene, len(mine), sum(one.triangles for one in mine))
    pairs, only_mine, only_theirs = _paired(mine, theirs)
    for mine_one, their_one in pairs:
        _compare_pair(result, mine_one, their_one)
    for one in only_mine:
        result.differences.append(f"'{one.name}' ({one.triangles} triangles) is only in Fyn.")
    for one in only_theirs:
        result.differences.append(f"'{one.name}' ({one.triangles} triangles) is only in the GLB.")
    return result


def _paired(
    mine: list[Measure], theirs: list[Measure]
) -> tuple[list[tuple[Measure, Measure]], list[Measure], list[Measure]]:
    pairs: list[tuple[Measure, Measure]] = []
    left = list(mine)
    free = np.ones(len(theirs), bool)
    boxes = np.array([one.box.ravel() for one in theirs]).reshape(-1, 6)
    for of_one_name in (True, False):
        unpaired = []
        for one in left:
            able = free & _names_equal(one, theirs) if of_one_name else free
            candidates = np.flatnonzero(able)
            if len(candidates) == 0:
                unpaired.append(one)
                continue
            apart = np.abs(boxes[candidates] - one.box.ravel()).max(axis=1)
            nearest = int(candidates[apart.argmin()])
            if not of_one_name and apart.min() > _size(one) * BOUNDS_TOLERANCE:
                unpaired.append(one)
                continue
            free[nearest] = False
            pairs.append((one, theirs[nearest]))
        left = unpaired
    return pairs, left, [theirs[index] for index in np.flatnonzero(free)]


def _names_equal(one: Measure, theirs: list[Measure]) -> np.ndarray:
    return np.fromiter((other.name == one.name for other in theirs), bool, len(theirs))


def _size(one: Measure) -> float:
    return max(1.0, float(np.abs(one.box).max()))


def _compare_pair(result: SceneResult, mine: Measure, theirs: Measure) -> None:
    def differs(what: str) -> None:
        result.differences.append(f"'{mine.name}': {what}")

    if mine.triangles != theirs.triangles:
        differs(f"{mine.triangles} triangles, {theirs.triangles} in the GLB.")
    box = float(np.abs(mine.box - theirs.box).max()) / _size(mine)
    normal = max(float(np.abs(mine.normal - theirs.normal).max()), abs(mine.facing - theirs.facing))
    result.worst_box = max(result.worst_box, box)
    result.worst_normal = max(result.worst_normal, normal)
    if box > BOUNDS_TOLERANCE:
        differs(f"the box is off by {box:.1e} of its size.")
    if normal > TOLERANCE:
        differs(f"the mean normal is off by {normal:.1e}.")
    if len(mine.uvs) != len(theirs.uvs):
        differs(f"{len(mine.uvs)} UV maps, {len(theirs.uvs)} in the GLB.")
    elif mine.uvs:
        uv = _uvs_apart(mine, theirs)
        result.worst_uv = max(result.worst_uv, uv)
        if uv > TOLERANCE:
            differs(f"its UV maps are off by {uv:.1e}.")


def _uvs_apart(mine: Measure, theirs: Measure) -> float:
    """Return the largest difference of the UV maps in the order in which they agree best.

    Fyn puts the map that renders first, the exporter keeps the mesh's order.
    """
    ours, exported = np.array(mine.uvs), np.array(theirs.uvs)
    size = max(1.0, float(np.abs(ours).max()))
    orders = itertools.islice(itertools.permutations(range(len(ours))), 40320)
    return min(float(np.abs(ours[list(order)] - exported).max()) for order in orders) / size


def compare_blend(path: Path) -> list[SceneResult]:
    """Open a .blend and compare each of its scenes that draws anything."""
    open_blend(path)
    results = []
    for scene in bpy.data.scenes:
        bpy.context.window.scene = scene
        name = path.stem if len(bpy.data.scenes) == 1 else f"{path.stem}, {scene.name}"
        results.append(compare(name, fyn_measures(), exporter_measures()))
    return results


def markdown(results: list[SceneResult]) -> str:
    """Return the page docs/gltf_yardstick.md."""
    lines = [
        "# Fyn's meshes beside Blender's glTF exporter",
        "",
        "Made by `scripts/gltf_yardstick.py`; `tests/blender/test_gltf_yardstick.py` holds to it.",
        "Same scene, same frame, viewport visibility, modifiers applied. The exporter's GLB is",
        "parsed, not imported again. Boxes are compared relative to their largest coordinate,",
        "normals and UVs by their means over the area, in world space.",
        "",
        "| scene | drawn | triangles | box off | normal off | UV off | what differs |",
        "| --- | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    for one in results:
        counted = Counter(f"{what} {one.reason(what)}".strip() for what in one.differences)
        told = "<br>".join(f"{count} x {what}" for what, count in counted.items()) or "-"
        lines.append(
            f"| {one.scene} | {one.things} | {one.triangles} | {one.worst_box:.0e} "
            f"| {one.worst_normal:.0e} | {one.worst_uv:.0e} | {told} |"
        )
    return "\n".join(lines) + "\n"


def main() -> int:
    """Compare all scenes under a folder and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    paths = sorted(options.folder.rglob("*.blend"))
    results = [result for path in paths for result in compare_blend(path)]
    text = markdown(results)
    if options.output is None:
        print(text)
    else:
        options.output.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
