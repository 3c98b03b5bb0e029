"""`fyn check`: lists every problem of a level file at once, each with its path in the document."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..engine_core.errors import UsageError
from .terminal import Terminal


def add_parser(subparsers: Any) -> None:
    """Add `fyn check` to the command line."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "check",
        help="list every problem of a level",
        description="Read a level and its files and list every problem, each with its path in the"
        " document. Exit code 1 when there is one. Needs neither Blender nor a graphics driver.",
    )
    parser.add_argument("level", type=Path, metavar="LEVEL.fyn")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Check the level; 0 when nothing is wrong with it, else 1."""
    from ..engine_core.world.level_file import check_level

    if not args.level.is_file():
        raise UsageError(f"there is no file '{args.level}'")
    terminal = Terminal.of(args)
    problems = check_level(args.level)
    for problem in problems:
        terminal.say(str(problem))
    count = len(problems)
    terminal.say(f"{args.level}: {count or 'no'} {'problem' if count == 1 else 'problems'}")
    terminal.finish(
        {
            "ok": not problems,
            "problems": [{"path": item.path, "message": item.message} for item in problems],
        }
    )
    return 1 if problems else 0
