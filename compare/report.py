"""Writes an HTML report: pictures side by side, a table of measures, passed or failed.

The page needs nothing but itself and the PNGs in the folder `pictures` beside it: it can be
opened from a disk, an artifact store or a web server. Every name in it is escaped.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Literal
from urllib.parse import quote

import numpy as np

from ..engine_core.atomic_files import write_atomically
from .comparison import Comparison
from .difference import SCALE_STOPS, difference_picture, difference_scale
from .pictures import write_png
from .report_page import SCRIPT, STYLE

Status = Literal["passed", "failed", "broken", "updated", "shown"]
"""failed: the pictures differ; broken: there is no picture; shown: nothing was to be judged."""

STATUS_WORDS: dict[Status, str] = {
    "passed": "passed",
    "failed": "differs",
    "broken": "broken",
    "updated": "updated",
    "shown": "shown",
}


@dataclass(frozen=True, eq=False)
class ReportPicture:
    """One picture of a report entry; `pixels` are (H, W, 3 | 4) uint8, or floats in 0..1."""

    label: str
    pixels: np.ndarray
    scale: float | None = None
    """For a difference picture: the difference in 1/255 at the bright end of its scale."""


@dataclass(frozen=True)
class ReportRow:
    """One line of a table: a measure, its limit and whether it is kept (None: no limit)."""

    measure: str
    value: str
    limit: str = ""
    kept: bool | None = None


@dataclass(frozen=True, eq=False)
class ReportEntry:
    """One section of a report: a test, a comparison or a scene."""

    name: str
    status: Status
    title: str = ""
    message: str = ""
    pictures: tuple[ReportPicture, ...] = ()
    rows: tuple[ReportRow, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float | None = None


def comparison_pictures(
    comparison: Comparison, actual: str = "actual", expected: str = "expected"
) -> tuple[ReportPicture, ...]:
    """The actual, the expected and the difference picture of a comparison, under these labels."""
    return (
        ReportPicture(actual, comparison.actual),
        ReportPicture(expected, comparison.expected),
        ReportPicture(
            "difference", difference_picture(comparison), scale=difference_scale(comparison)
        ),
    )


def comparison_rows(comparison: Comparison) -> tuple[ReportRow, ...]:
    """The measures of a comparison beside their limits."""
    measures, limits = comparison.measures, comparison.tolerance
    rows = [
        ReportRow(
            "mean difference",
            f"{measures.mean:.3f} / 255",
            f"at most {limits.mean:g}",
            measures.mean <= limits.mean,
        ),
        ReportRow(
            f"pixels off by more than {limits.pixel:g} / 255",
            _percent(measures.share),
            f"at most {_percent(limits.share)}",
            measures.share <= limits.share,
        ),
        ReportRow(
            "structural similarity",
            f"{measures.ssim:.4f}",
            f"at least {limits.ssim:g}",
            measures.ssim >= limits.ssim,
        ),
    ]
    bounded = limits.worst < 255
    rows.append(
        ReportRow(
            "worst pixel",
            f"{measures.worst:.1f} / 255",
            f"at most {limits.worst:g}" if bounded else "",
            measures.worst <= limits.worst + 1e-3 if bounded else None,
        )
    )
    if limits.edge_width:
        rows.append(ReportRow("pixels counted (outside edges)", _percent(measures.counted)))
    return tuple(rows)


def comparison_entry(
    name: str,
    comparison: Comparison,
    *,
    title: str = "",
    actual: str = "actual",
    expected: str = "expected",
    notes: Sequence[str] = (),
    seconds: float | None = None,
) -> ReportEntry:
    """A section that shows a comparison whole: pictures, measures and why it failed, if it did."""
    return ReportEntry(
        name=name,
        status="passed" if comparison.passed else "failed",
        title=title,
        message="; ".join(comparison.reasons),
        pictures=comparison_pictures(comparison, actual, expected),
        rows=comparison_rows(comparison),
        notes=tuple(notes),
        seconds=seconds,
    )


def write_report(
    folder: Path,
    title: str,
    entries: Sequence[ReportEntry],
    *,
    introduction: str = "",
    facts: Sequence[tuple[str, str]] = (),
) -> Path:
    """Write `index.html` and its pictures into `folder` (made if missing); returns the page's path.

    `facts` are shown at the foot: driver, versions, date, command. Entries that failed come first,
    otherwise the given order stays. Raises OSError when the folder cannot be written.
    """
    ordered = sorted(entries, key=lambda entry: entry.status not in ("failed", "broken"))
    sections = [_section(folder, entry) for entry in ordered]
    page = _PAGE.format(
        title=escape(title),
        style=STYLE,
        script=SCRIPT,
        introduction=f"<p class=introduction>{escape(introduction)}</p>" if introduction else "",
        summary=_summary(entries),
        contents=_contents(ordered),
        sections="\n".join(sections),
        facts=_facts(facts),
    )
    path = folder / "index.html"
    write_atomically(path, page.encode("utf-8", "backslashreplace"))
    return path


def file_stem(name: str) -> str:
    """A name as a file name that every system takes; names that differ stay different."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "_", name).strip("._")[:80]
    if plain and plain == name:
        return plain
    digest = hashlib.sha256(name.encode("utf-8", "backslashreplace")).hexdigest()[:8]
    return f"{plain}-{digest}" if plain else digest


def _section(folder: Path, entry: ReportEntry) -> str:
    figures = "".join(_figure(folder, entry, picture) for picture in entry.pictures)
    flip = ""
    if len(entry.pictures) >= 2:
        flip = "<button type=button class=flip hidden>flip the first two</button>"
    seconds = "" if entry.seconds is None else f"<span class=seconds>{entry.seconds:.2f} s</span>"
    return _SECTION.format(
        anchor=file_stem(entry.name),
        status=entry.status,
        word=STATUS_WORDS[entry.status],
        name=escape(entry.name),
        seconds=seconds,
        title=f"<p class=title>{escape(entry.title)}</p>" if entry.title else "",
        message=f"<p class=message>{escape(entry.message)}</p>" if entry.message else "",
        figures=f"<div class=pictures>{figures}</div>{flip}" if figures else "",
        table=_table(entry.rows),
        notes=_notes(entry.notes),
    )


def _figure(folder: Path, entry: ReportEntry, picture: ReportPicture) -> str:
    """Write the picture and give the figure that shows it."""
    file_name = f"{file_stem(entry.name)}.{file_stem(picture.label)}.png"
    write_png(folder / "pictures" / file_name, picture.pixels)
    height, width = picture.pixels.shape[:2]
    link = f"pictures/{quote(file_name)}"
    return _FIGURE.format(
        link=escape(link),
        width=width,
        height=height,
        small=" class=small" if max(width, height) <= 256 else "",
        alternative=escape(f"{entry.name}: {picture.label}"),
        label=escape(picture.label),
        size=f"{width}×{height}",
        scale="" if picture.scale is None else _scale(picture.scale),
    )


def _scale(bright_end: float) -> str:
    """The legend of a difference picture."""
    stops = ", ".join(f"rgb{colour} {position:.0%}" for position, colour in SCALE_STOPS)
    return (
        f"<div class=scale><span>0</span>"
        f'<i style="background: linear-gradient(to right, {stops})"></i>'
        f"<span>{bright_end:g} / 255{'' if bright_end == 255 else ' or more'}</span></div>"
    )


def _table(rows: Iterable[ReportRow]) -> str:
    lines = []
    for row in rows:
        mark = {None: "", True: "✓", False: "✗"}[row.kept]
        kind = ' class="exceeded"' if row.kept is False else ""
        lines.append(
            f"<tr{kind}><th scope=row>{escape(row.measure)}</th><td>{escape(row.value)}</td>"
            f"<td>{escape(row.limit)}</td><td>{mark}</td></tr>"
        )
    return f"<div class=wide><table>{''.join(lines)}</table></div>" if lines else ""


def _percent(share: float) -> str:
    return f"{share * 100:.3g} %"


def _notes(notes: Sequence[str]) -> str:
    items = "".join(f"<li>{escape(note)}</li>" for note in notes)
    return f"<ul class=notes>{items}</ul>" if items else ""


def _summary(entries: Sequence[ReportEntry]) -> str:
    parts = []
    for status, word in STATUS_WORDS.items():
        count = sum(entry.status == status for entry in entries)
        if count and status != "shown":
            parts.append(f'<span class="badge {status}">{count} {word}</span>')
    return f"<p class=summary>{' '.join(parts)}</p>" if parts else ""


def _contents(entries: Sequence[ReportEntry]) -> str:
    if len(entries) < 2:
        return ""
    links = "".join(
        f'<li><a class="{entry.status}" href="#{file_stem(entry.name)}">'
        f"{escape(entry.name)}</a></li>"
        for entry in entries
    )
    return f"<nav><ul>{links}</ul></nav>"


def _facts(facts: Sequence[tuple[str, str]]) -> str:
    lines = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts)
    return f"<footer><dl>{lines}</dl></footer>" if lines else ""


_PAGE = """<!doctype html>
<html lang=en>
<head>
<meta charset=utf-8>
<meta name=viewport content="width=device-width, initial-scale=1">
<meta name=color-scheme content="light dark">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<header><h1>{title}</h1>{introduction}{summary}</header>
{contents}
<main>
{sections}
</main>
{facts}
<script>{script}</script>
</body>
</html>
"""

_SECTION = """<section id="{anchor}" class="{status}">
<h2><span class="badge {status}">{word}</span> {name} {seconds}</h2>
{title}{message}{figures}{table}{notes}
</section>"""

_FIGURE = (
    '<figure><a href="{link}"><img src="{link}" width={width} height={height}{small}'
    ' loading=lazy alt="{alternative}"></a>'
    "<figcaption><b>{label}</b> <span>{size}</span></figcaption>{scale}</figure>"
)
