"""What a command shows: results on stdout (text or JSON), progress and warnings on stderr."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

Progress = Callable[[int, int, str], None]


@dataclass
class Terminal:
    """The output of one run of a command."""

    as_json: bool
    quiet: bool
    warnings: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, args: argparse.Namespace) -> Terminal:
        """The terminal that the command line asks for."""
        return cls(as_json=args.json, quiet=args.quiet)

    def say(self, text: str) -> None:
        """Print a line of the result for people."""
        if not self.as_json:
            print(printable(text))

    def warn(self, text: str) -> None:
        """Show a warning and keep it for the JSON result; the same words are shown once."""
        if text in self.warnings:
            return
        self.warnings.append(text)
        if not self.quiet:
            print(f"warning: {printable(text)}", file=sys.stderr)

    def finish(self, result: dict[str, Any]) -> None:
        """Print the result for machines."""
        if self.as_json:
            print_json({**result, "warnings": self.warnings})

    @contextmanager
    def progress(self, what: str) -> Iterator[Progress]:
        """Show a bar while something long goes on; call what it yields with each step.

        Its arguments are steps done, steps in all, and what comes next ("" for nothing to say).
        """
        if self.quiet or self.as_json:
            yield lambda done, total, doing: None
            return
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import BarColumn, MofNCompleteColumn, TimeElapsedColumn
        from rich.progress import Progress as Bars
        from rich.progress import TextColumn as Text

        console = Console(stderr=True)
        with Bars(
            Text("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,  # a log would get an empty line
        ) as bars:
            task = bars.add_task(escape(what), total=None)

            def show(done: int, total: int, doing: str) -> None:
                description = f"{what}: {doing}" if doing else what
                bars.update(task, completed=done, total=total, description=escape(description))

            yield show


def printable(text: str) -> str:
    """Text whose control characters are spelled out: a name in a file must not steer a terminal."""
    return _CONTROL.sub(lambda match: repr(match[0])[1:-1], text)


def print_json(data: dict[str, Any]) -> None:
    """Print an object as JSON; plain ASCII, so that every console and pipe carries it."""
    print(json.dumps(data, indent=2, allow_nan=False, default=str))


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
