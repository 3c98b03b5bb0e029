"""Runs render tests: draws each, holds it against its expected picture, collects what happened."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..engine_core.errors import FynError
from .comparison import Comparison, compare_images
from .junit import CaseResult
from .pictures import as_bytes, read_picture, write_png
from .render_test import FoundTest
from .report import (
    ReportEntry,
    ReportPicture,
    Status,
    comparison_pictures,
    comparison_rows,
)
from .worker import Done, do_all


@dataclass(frozen=True, eq=False)
class Drawn:
    """What drawing a scene gave."""

    pixels: np.ndarray
    """(H, W, 3 | 4) uint8, or floats where 1 is white."""
    warnings: tuple[str, ...] = ()
    device: str = ""
    """The driver that drew it."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What became of one render test."""

    found: FoundTest
    status: Status
    message: str
    seconds: float
    output: str = ""
    drawn: Drawn | None = None
    comparison: Comparison | None = None

    @property
    def is_good(self) -> bool:
        """Whether CI may go on."""
        return self.status in ("passed", "updated")


def run_render_tests(
    tests: Sequence[FoundTest],
    draw: Callable[[FoundTest], Drawn],
    *,
    processes: int,
    timeout: float,
    update: bool = False,
    on_done: Callable[[int], None] = lambda done: None,
) -> list[Outcome]:
    """Draw and judge all tests, in their order; see `worker.do_all` for `processes` and `timeout`.

    With `update` the drawn pictures become the expected ones. A test that cannot be drawn or
    judged costs that test only.
    """
    done = do_all(tests, draw, processes=processes, timeout=timeout, on_done=on_done)
    return [_judged(found, one, update) for found, one in zip(tests, done, strict=True)]


def report_entry(outcome: Outcome) -> ReportEntry:
    """The section that shows a test in a report."""
    pictures: tuple[ReportPicture, ...] = ()
    rows = ()
    if outcome.comparison is not None:
        pictures = comparison_pictures(outcome.comparison)
        rows = comparison_rows(outcome.comparison)
    elif outcome.drawn is not None:
        pictures = (ReportPicture("actual", outcome.drawn.pixels),)
    return ReportEntry(
        name=outcome.found.name,
        status=outcome.status,
        title=outcome.found.test.title,
        message=outcome.message,
        pictures=pictures,
        rows=rows,
        notes=(*_own_notes(outcome.found), *(outcome.drawn.warnings if outcome.drawn else ())),
        seconds=outcome.seconds,
    )


def _own_notes(found: FoundTest) -> tuple[str, ...]:
    return (found.test.notes,) if found.test.notes else ()


def case_result(outcome: Outcome) -> CaseResult:
    """The test as CI sees it."""
    kind = "passed" if outcome.is_good else "failure" if outcome.status == "failed" else "error"
    warnings = outcome.drawn.warnings if outcome.drawn else ()
    lines = [f"warning: {warning}" for warning in warnings]
    return CaseResult(
        name=outcome.found.name,
        seconds=outcome.seconds,
        outcome=kind,
        message=outcome.message,
        output="\n".join([*lines, outcome.output.strip()]).strip(),
    )


def _judged(found: FoundTest, done: Done[Drawn], update: bool) -> Outcome:
    """The outcome of a drawn test."""
    drawn = done.value

    def outcome(status: Status, message: str, comparison: Comparison | None = None) -> Outcome:
        return Outcome(
            found=found,
            status=status,
            message=message,
            seconds=done.seconds,
            output=done.output,
            drawn=drawn,
            comparison=comparison,
        )

    if drawn is None:
        return outcome("broken", done.error)
    try:
        if update:
            return outcome(*_updated(found, drawn))
        if not found.expected.exists():
            return outcome(
                "failed",
                f"there is no expected picture {found.expected.name} yet; if the actual picture"
                " is right, keep it with `fyn test ... --update`",
            )
        comparison = compare_images(
            as_bytes(drawn.pixels), read_picture(found.expected), found.test.tolerance
        )
    except (FynError, OSError) as error:
        return outcome("failed", str(error))
    status = "passed" if comparison.passed else "failed"
    return outcome(status, "; ".join(comparison.reasons), comparison)


def _updated(found: FoundTest, drawn: Drawn) -> tuple[Status, str]:
    """Keep the drawn picture as the expected one; one that is the same already is left alone."""
    pixels = as_bytes(drawn.pixels)
    if found.expected.exists():
        with contextlib.suppress(FynError):  # one of another size, or unreadable, is replaced
            if compare_images(pixels, read_picture(found.expected)).measures.worst == 0:
                return "passed", "the expected picture was the same already"
    write_png(found.expected, pixels)
    return "updated", f"{found.expected.name} was written; look at it before it is committed"
