"""What a command shows: results on stdout (text or JSON), progress and warnings on stderr."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


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
            print(text)

    def warn(self, text: str) -> None:
        """Show a warning and keep it for the JSON result; the same words are shown once."""
        if text in self.warnings:
            return
        self.warnings.append(text)
        if not self.quiet:
            print(f"warning: {text}", file=sys.stderr)

    def finish(self, result: dict[str, Any]) -> None:
        """Print the result for machines."""
        if self.as_json:
            print_json({**result, "warnings": self.warnings})

    @contextmanager
    def progress(self, what: str, total: int) -> Iterator[Callable[[], None]]:
        """Show a bar while something long goes on; call what it yields after each of `total`."""
        if self.quiet or self.as_json:
            yield lambda: None
            return
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn
        from rich.progress import TextColumn as Text

        with Progress(
            Text("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        ) as bars:
            task = bars.add_task(escape(what), total=total)
            yield lambda: bars.advance(task)


def print_json(data: dict[str, Any]) -> None:
    """Print an object as JSON; plain ASCII, so that every console and pipe carries it."""
    print(json.dumps(data, indent=2, allow_nan=False, default=str))
