"""Writes results as JUnit XML, the form that CI systems read test results in.

The subset that Jenkins (xUnit plugin's schema), GitLab and GitHub's reporters agree on: one
`testsuite` with counts and times, `testcase`s with `failure` or `error`, and output as text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

from ..engine_core.atomic_files import write_atomically


@dataclass(frozen=True)
class CaseResult:
    """One test as CI sees it. failure: it ran and the result is wrong; error: it could not run."""

    name: str
    seconds: float
    outcome: Literal["passed", "failure", "error"]
    message: str = ""
    output: str = ""


def write_junit(path: Path, suite: str, cases: Sequence[CaseResult]) -> None:
    """Write the results of one suite; the file is replaced whole. Raises OSError."""
    write_atomically(path, junit_xml(suite, cases))


def junit_xml(suite: str, cases: Sequence[CaseResult]) -> bytes:
    """The results of one suite as a UTF-8 XML document."""
    counts = {
        "tests": str(len(cases)),
        "failures": str(sum(case.outcome == "failure" for case in cases)),
        "errors": str(sum(case.outcome == "error" for case in cases)),
        "time": f"{sum(case.seconds for case in cases):.3f}",
    }
    root = ElementTree.Element("testsuites", counts)
    element = ElementTree.SubElement(
        root, "testsuite", {"name": _xml_text(suite), **counts, "skipped": "0"}
    )
    for case in cases:
        _add_case(element, suite, case)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def _add_case(parent: ElementTree.Element, suite: str, case: CaseResult) -> None:
    element = ElementTree.SubElement(
        parent,
        "testcase",
        {
            "name": _xml_text(case.name),
            "classname": _xml_text(suite),
            "time": f"{case.seconds:.3f}",
        },
    )
    if case.outcome != "passed":
        message = _xml_text(case.message)
        details = {"message": message, "type": case.outcome}
        ElementTree.SubElement(element, case.outcome, details).text = message
    if case.output:
        ElementTree.SubElement(element, "system-out").text = _xml_text(case.output)


def _xml_text(text: str) -> str:
    """Text without the characters that XML 1.0 cannot hold at all, not even escaped."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
