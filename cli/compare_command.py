"""`fyn compare A.png B.png`: three measures between two pictures, and a report that shows them."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .terminal import Terminal

LIMITS = (
    ("mean", float, "largest mean difference, in steps of 1/255"),
    ("pixel", float, "a pixel is off beyond this difference, in steps of 1/255"),
    ("share", float, "largest share of pixels that may be off, 0..1"),
    ("ssim", float, "smallest structural similarity, 1 is identical"),
    ("worst", float, "largest difference of any pixel, in steps of 1/255"),
    ("edge-width", int, "do not count pixels this close to an edge of the expected picture"),
    ("edge-contrast", float, "what counts as an edge, in steps of 1/255"),
)
"""Options that become fields of `Tolerance`: name, type, help."""


def add_parser(subparsers: Any) -> None:
    """Add `fyn compare` to the command line."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "compare",
        help="compare two pictures by three measures",
        description="Compare two pictures of the same size. Exit code 1 when a limit is exceeded.",
    )
    parser.add_argument("actual", type=Path, metavar="ACTUAL.png")
    parser.add_argument("expected", type=Path, metavar="EXPECTED.png")
    parser.add_argument(
        "--report", type=Path, metavar="DIR", help="write an HTML report with the pictures"
    )
    group = parser.add_argument_group("limits")
    for name, kind, text in LIMITS:
        group.add_argument(f"--{name}", type=kind, help=text, metavar="N")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Compare, print the measures; 0 when all limits are kept, else 1."""
    from ..compare.comparison import compare_images
    from ..compare.pictures import read_picture
    from ..compare.report import comparison_entry, write_report
    from ..compare.tolerance import Tolerance

    terminal = Terminal.of(args)
    names = [name.replace("-", "_") for name, _, _ in LIMITS]
    given = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
    tolerance = Tolerance(**given)
    comparison = compare_images(read_picture(args.actual), read_picture(args.expected), tolerance)
    page = None
    if args.report is not None:
        entry = comparison_entry(f"{args.actual.name} and {args.expected.name}", comparison)
        facts = [("actual", str(args.actual)), ("expected", str(args.expected))]
        page = write_report(args.report, "Comparison of two pictures", [entry], facts=facts)
    measures = comparison.measures
    terminal.say(
        f"{'same' if comparison.passed else 'different'}: mean {measures.mean:.3f}/255,"
        f" {measures.share:.3%} of pixels off by more than {tolerance.pixel:g}/255,"
        f" similarity {measures.ssim:.4f}, worst {measures.worst:.1f}/255"
    )
    for reason in comparison.reasons:
        terminal.say(f"  {reason}")
    if page is not None:
        terminal.say(f"report: {page}")
    terminal.finish(
        {
            "ok": comparison.passed,
            "measures": asdict(measures),
            "tolerance": {name: getattr(tolerance, name) for name in names},
            "reasons": list(comparison.reasons),
            "report": None if page is None else str(page),
        }
    )
    return 0 if comparison.passed else 1
