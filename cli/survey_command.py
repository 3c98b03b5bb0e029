"""`fyn survey`: takes every .blend of a folder through Fyn and reports what became of each."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..engine_core.errors import UsageError
from . import argument_types
from .blender_host import needs_blender_program, rerun_inside_blender
from .terminal import Terminal

if TYPE_CHECKING:
    from ..compare.report import ReportEntry
    from ..compare.worker import Done
    from .survey import SurveyRow

DEFAULT_OUTPUT = Path("fyn-survey")
DEFAULT_SIZE = (480, 270)
DEFAULT_TIMEOUT = 900.0


def add_parser(subparsers: Any) -> None:
    """Add `fyn survey` to the command line."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "survey",
        help="draw and export every .blend of a folder, and report what differs",
        description="Draws each .blend, exports it, draws the exported level and compares the two."
        " The report says what was approximated or left out, and why.",
    )
    parser.add_argument("inputs", type=Path, nargs="+", metavar="DIR|FILE.blend")
    parser.add_argument("-o", "--output", type=Path, default=DEFAULT_OUTPUT, metavar="DIR")
    parser.add_argument("--size", type=argument_types.size, default=DEFAULT_SIZE, metavar="WxH")
    parser.add_argument("-j", "--jobs", type=argument_types.jobs, default=1, metavar="N")
    parser.add_argument(
        "--timeout", type=argument_types.seconds, default=DEFAULT_TIMEOUT, metavar="SECONDS"
    )
    parser.add_argument("--blender", metavar="PROGRAM", help="the Blender that opens .blend files")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Survey all files and write the report; 1 if one fails or its level looks different."""
    from .blender_host import inside_blender_program

    if needs_blender_program(args.blender):
        return rerun_inside_blender(args.blender, args.argv, args.debug)
    from ..compare.report import write_report
    from ..compare.worker import do_all
    from .survey import SurveyItem, survey

    terminal = Terminal.of(args)
    scenes = _scenes(args.inputs)
    items = [
        SurveyItem(path, args.output / "levels" / name, args.size) for name, path in scenes.items()
    ]
    with terminal.progress("surveying") as show:
        done = do_all(
            items,
            survey,
            processes=0 if inside_blender_program() else args.jobs,
            timeout=args.timeout,
            on_done=lambda count: show(count, len(items), ""),
        )
    entries = [
        entry for name, one in zip(scenes, done, strict=True) for entry in _entries(name, one)
    ]
    page = write_report(args.output, "What Fyn makes of these scenes", entries)
    for entry in entries:
        message = f": {entry.message}" if entry.message else ""
        terminal.say(f"{entry.status:8} {entry.name}{message}")
    bad = sum(entry.status in ("failed", "broken") for entry in entries)
    terminal.say(f"{len(entries) - bad} of {len(entries)} drawn alike from file and level")
    terminal.say(f"report: {page}")
    terminal.finish(
        {
            "ok": bad == 0,
            "scenes": [
                {
                    "name": entry.name,
                    "status": entry.status,
                    "message": entry.message,
                    "rows": [asdict(row) for row in entry.rows],
                    "notes": list(entry.notes),
                }
                for entry in entries
            ],
            "report": str(page),
        }
    )
    return 1 if bad else 0


def _entries(name: str, done: Done[dict[str, SurveyRow]]) -> list[ReportEntry]:
    """One section a scene; the scene is named where a file has several."""
    from ..compare.report import ReportEntry
    from .survey import survey_entry

    if done.value is None:
        return [ReportEntry(name=name, status="broken", message=done.error)]
    several = len(done.value) > 1
    return [
        survey_entry(f"{name}: {scene}" if several else name, row)
        for scene, row in done.value.items()
    ]


def _scenes(inputs: list[Path]) -> dict[str, Path]:
    """Every .blend named or below a folder named, by the name it has in the report."""
    found: dict[str, Path] = {}
    for given in inputs:
        if given.is_dir():
            paths = sorted(given.rglob("*.blend"))
            found |= {path.relative_to(given).with_suffix("").as_posix(): path for path in paths}
        elif given.is_file():
            found[given.stem] = given
        else:
            raise UsageError(f"there is no file or folder '{given}'")
    if not found:
        raise UsageError(f"there is no .blend in {', '.join(str(path) for path in inputs)}")
    return found
