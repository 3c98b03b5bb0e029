"""`fyn test DIR`: draws a folder of render tests and holds them against their expected pictures."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import argument_types
from .blender_host import inside_blender_program
from .terminal import Terminal

if TYPE_CHECKING:
    from ..compare.render_test import FoundTest
    from ..compare.render_test_run import Drawn, Outcome

DEFAULT_REPORT = Path("fyn-report")
DEFAULT_TIMEOUT = 600.0


def add_parser(subparsers: Any) -> None:
    """Add `fyn test` to the command line."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "test",
        help="draw a folder of render tests and compare with the expected pictures",
        description="Each NAME.toml below DIR says what to draw, NAME.png beside it is expected."
        " Writes an HTML report and a JUnit XML. Exit code 1 when a test fails.",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="folder of tests, or one .toml")
    parser.add_argument(
        "--update", action="store_true", help="keep what is drawn as the expected pictures"
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="PATTERN",
        help="run tests whose name matches, like 'lights/*'; may be given several times",
    )
    parser.add_argument(
        "--report",
        type=Path,
        default=DEFAULT_REPORT,
        metavar="DIR",
        help=f"where the HTML report goes (default: {DEFAULT_REPORT})",
    )
    parser.add_argument(
        "--junit", type=Path, metavar="FILE", help="where the JUnit XML goes (default: report DIR)"
    )
    parser.add_argument(
        "-j",
        "--jobs",
        type=argument_types.jobs,
        metavar="N",
        help="tests drawn at the same time, each in a process of its own (default: half the CPUs)",
    )
    parser.add_argument(
        "--timeout",
        type=argument_types.seconds,
        default=DEFAULT_TIMEOUT,
        metavar="SECONDS",
        help=f"stop a test that takes longer (default: {DEFAULT_TIMEOUT:g})",
    )
    parser.add_argument("--blender", metavar="PROGRAM", help="the Blender that opens .blend files")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the tests, write the reports; 0 when all pass, else 1."""
    from ..compare.render_test import find_tests
    from ..compare.render_test_run import run_render_tests

    terminal = Terminal.of(args)
    tests = find_tests(args.folder, args.only)
    with terminal.progress(f"render tests of {args.folder}") as show:
        outcomes = run_render_tests(
            tests,
            partial(draw_test, blender=args.blender),
            processes=_processes(args.jobs),
            timeout=args.timeout,
            update=args.update,
            on_done=lambda done: show(done, len(tests), ""),
        )
    page, junit = _write_reports(args, outcomes)
    for outcome in outcomes:
        message = f": {outcome.message}" if outcome.message else ""
        terminal.say(f"{outcome.status:8} {outcome.found.name}{message}")
    bad = sum(not outcome.is_good for outcome in outcomes)
    terminal.say(f"{len(outcomes) - bad} of {len(outcomes)} passed")
    terminal.say(f"report: {page}\njunit: {junit}")
    terminal.finish(
        {
            "ok": bad == 0,
            "tests": [_as_json(outcome) for outcome in outcomes],
            "report": str(page),
            "junit": str(junit),
        }
    )
    return 1 if bad else 0


def draw_test(found: FoundTest, blender: str | None) -> Drawn:
    """Draw what a test asks for; this runs in a worker process."""
    from .render_request import RenderRequest, draw

    test = found.test
    request = RenderRequest(
        scene=found.scene,
        size=test.size,
        scene_name=test.scene_name,
        camera=test.camera,
        whole=test.whole,
        frame=test.frame,
        time=test.time,
        pipeline=test.pipeline,
        samples=test.samples,
    )
    return draw(request, blender)


def _processes(jobs: int | None) -> int:
    """Worker processes; none inside Blender, whose Python cannot be started again as Blender."""
    if inside_blender_program():
        return 0
    return jobs or max(1, (os.cpu_count() or 2) // 2)


def _write_reports(args: argparse.Namespace, outcomes: Sequence[Outcome]) -> tuple[Path, Path]:
    from ..compare.junit import write_junit
    from ..compare.render_test_run import case_result, report_entry
    from ..compare.report import write_report

    devices = sorted({outcome.drawn.device for outcome in outcomes if outcome.drawn})
    folder = args.folder.resolve().name
    page = write_report(
        args.report,
        f"Render tests of {folder}",
        [report_entry(outcome) for outcome in outcomes],
        facts=[("folder", str(args.folder)), *(("driver", device) for device in devices)],
    )
    junit = args.junit or args.report / "junit.xml"
    write_junit(junit, f"fyn {folder}", [case_result(outcome) for outcome in outcomes])
    return page, junit


def _as_json(outcome: Outcome) -> dict[str, Any]:
    comparison = outcome.comparison
    return {
        "name": outcome.found.name,
        "status": outcome.status,
        "message": outcome.message,
        "measures": asdict(comparison.measures) if comparison else None,
        "seconds": round(outcome.seconds, 3),
        "warnings": list(outcome.drawn.warnings) if outcome.drawn else [],
    }
