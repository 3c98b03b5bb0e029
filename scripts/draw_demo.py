"""Renders scenes in Blender, exports them, renders the exports without Blender, writes a report.

`scripts/demo` prepares the environment and runs this in it. Every step is a call of the command
`fyn`, as a user would type it; the commands are printed.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from fyn.compare.comparison import Comparison, compare_images
from fyn.compare.pictures import read_picture
from fyn.compare.report import ReportEntry, comparison_entry, write_report
from fyn.compare.tolerance import Tolerance

ROOT = Path(__file__).resolve().parent.parent
STARTER = ROOT / "examples" / "starter" / "starter.blend"
STARTER_CAMERAS = ("Court", "Overview", "Exhibits")

# Real scenes that were not made for Fyn, by their path in the shared folder.
REAL_SCENES = (
    "armory_examples/light_area/light_area.blend",
    "armory_examples/instancing/instancing.blend",
    "khronos_gltf_io/scenes/01_principled_material.blend",
)

# The two renders are the same picture: half a step on average, two steps anywhere but on an edge.
SAME = Tolerance(mean=0.5, pixel=2.0, share=0.0, ssim=0.0, worst=2.0, edge_width=2)


class StepError(Exception):
    """A call of `fyn` that did not end well; the text is what it printed last."""


@dataclass(frozen=True)
class View:
    """One picture to draw twice."""

    scene: Path
    name: str
    camera: str | None
    size: str


def fyn(*arguments: str) -> dict:
    """Run the command `fyn` and return its JSON result. Raises StepError."""
    print("$ fyn " + " ".join(_shown(argument) for argument in arguments), flush=True)
    command = [sys.executable, "-c", "import sys; from fyn.cli.main import main; sys.exit(main())"]
    run = subprocess.run(
        [*command, *arguments, "--json"], capture_output=True, text=True, check=False
    )
    try:
        result = json.loads(run.stdout)
    except ValueError:
        lines = (run.stderr + run.stdout).strip().splitlines()[-6:]
        raise StepError("\n".join(lines) or f"exit status {run.returncode}") from None
    if run.returncode != 0:
        raise StepError(result.get("error", {}).get("text", f"exit status {run.returncode}"))
    return result


def _shown(argument: str) -> str:
    path = Path(argument)
    if path.is_absolute() and path.is_relative_to(ROOT):
        argument = str(path.relative_to(ROOT))
    return f'"{argument}"' if " " in argument else argument


def views_of(scenes: list[Path], size: str) -> list[View]:
    """What is drawn: three cameras of the starter level, the active camera of every other scene."""
    views = []
    for scene in scenes:
        if scene == STARTER:
            views += [View(scene, f"starter: {name}", name, size) for name in STARTER_CAMERAS]
        else:
            views.append(View(scene, scene.stem, None, size))
    return views


def shared_scenes() -> list[Path]:
    """Real scenes of the shared folder beside the repository; none where it is absent."""
    data = Path(os.environ.get("FYN_TEST_DATA") or ROOT.parent / "shared" / "data").resolve()
    return [data / name for name in REAL_SCENES if (data / name).is_file()]


def export(scene: Path, folder: Path, blender: list[str]) -> dict:
    """What `fyn export` says of the level, with whether it has a camera to look through."""
    result = fyn("export", str(scene), "-o", str(folder), *blender)
    document = json.loads(Path(result["level"]).read_text("utf-8"))
    return {**result, "has_camera": bool(document.get("active_camera"))}


def draw(view: View, level: dict, out: Path, blender: list[str]) -> ReportEntry:
    """Draw one view both ways and compare the pictures. Raises StepError."""
    begun = time.monotonic()
    look = ["--camera", view.camera] if view.camera else []
    if not look and not level["has_camera"]:
        look = ["--whole"]
    name = "".join(letter if letter.isalnum() else "-" for letter in view.name.lower())
    first, second = out / f"{name}.blender.png", out / f"{name}.exported.png"
    options = ["--size", view.size, *look]
    drawn = fyn("render", str(view.scene), "-o", str(first), *options, *blender)
    again = fyn("render", level["level"], "-o", str(second), *options)
    comparison = compare_images(read_picture(second), read_picture(first), SAME)
    warnings = [*level["warnings"], *drawn["warnings"], *again["warnings"]]
    print(f"  {_verdict(comparison)}; {len(set(warnings))} warnings", flush=True)
    return comparison_entry(
        view.name,
        comparison,
        title=view.scene.name,
        actual="exported, drawn without Blender",
        expected="drawn in Blender",
        notes=list(dict.fromkeys(warnings)),
        seconds=time.monotonic() - begun,
    )


def draw_all(views: list[View], out: Path, blender: list[str]) -> list[ReportEntry]:
    """An entry a view; a step that fails makes a broken entry and the next view is drawn."""
    levels: dict[Path, dict] = {}
    entries = []
    for view in views:
        try:
            if view.scene not in levels:
                # Two folders may hold scenes of one name: the number keeps their levels apart.
                folder = out / "levels" / f"{len(levels) + 1}-{view.scene.stem}"
                levels[view.scene] = export(view.scene, folder, blender)
            entries.append(draw(view, levels[view.scene], out, blender))
        except StepError as failure:
            print(failure, flush=True)
            entries.append(ReportEntry(view.name, "broken", view.scene.name, str(failure)))
    return entries


def _verdict(comparison: Comparison) -> str:
    word = "the same picture" if comparison.passed else "NOT the same picture"
    return f"{word}: mean difference {comparison.measures.mean:.3f} of 255"


def found_blender(wanted: str | None) -> list[str]:
    """Options for `fyn` that make it use a Blender program; none for the bpy module."""
    if wanted is None and importlib.util.find_spec("bpy") is not None:
        return []
    program = wanted or os.environ.get("BLENDER") or shutil.which("blender")
    if not program:
        sys.exit(
            "No Blender: this Python has no bpy module (it exists for Python 3.11 and 3.13), and "
            "there is no blender on PATH or in $BLENDER."
        )
    return ["--blender", program]


def main() -> int:
    """0 when every view is the same picture both ways, 1 when one is not, 2 on misuse."""
    parser = argparse.ArgumentParser(prog="scripts/demo", description=__doc__.split("\n")[0])
    parser.add_argument("scenes", nargs="*", type=Path, metavar="FILE.blend", help="draw these too")
    parser.add_argument("--size", default="1280x720", metavar="WxH")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "out", metavar="DIR")
    parser.add_argument(
        "--blender",
        nargs="?",
        const="",
        metavar="PROGRAM",
        help="use this Blender, or the one in $BLENDER or on PATH, instead of the bpy module",
    )
    options = parser.parse_args()
    blender = found_blender(options.blender)
    scenes = [STARTER, *shared_scenes(), *(scene.resolve() for scene in options.scenes)]
    out = options.output.resolve()
    out.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    entries = draw_all(views_of(scenes, options.size), out, blender)
    driver = fyn("info")
    page = write_report(
        out,
        "Fyn: drawn in Blender, and from the exported level without it",
        entries,
        introduction="Left: the exported level, drawn without Blender. Beside it: the same view of "
        "the .blend, drawn in Blender. The last picture is their difference.",
        facts=[(key, str(value)) for key, value in driver.items() if isinstance(value, str)],
    )
    print(f"\ndrawn in {time.monotonic() - begun:.0f} s; levels and pictures: {out}")
    print(f"open {page}")
    return 0 if all(entry.status == "passed" for entry in entries) else 1


if __name__ == "__main__":
    sys.exit(main())
