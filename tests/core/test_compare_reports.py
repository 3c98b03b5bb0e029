"""HTML reports, golden pictures and JUnit XML, under names that attackers and artists pick."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import numpy as np
import pytest

from fyn.compare.comparison import compare_images
from fyn.compare.golden import assert_matches_golden
from fyn.compare.junit import CaseResult, junit_xml, write_junit
from fyn.compare.pictures import read_picture, write_png
from fyn.compare.report import (
    ReportEntry,
    ReportPicture,
    ReportRow,
    comparison_entry,
    file_stem,
    write_report,
)

HOSTILE = [
    '"><script>alert(1)</script>',
    "../../etc/passwd",
    "a'b\" onerror=x <img src=x> & {title} %s",
    "Küche [1] 🌲",
    "\udcff surrogate",
    "",
]
GREY = np.full((6, 8, 3), 90, np.uint8)


class Page(HTMLParser):
    """The tags, links and text of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_data(self, data: str) -> None:
        self.text += data


def hostile_entry(name: str) -> ReportEntry:
    return ReportEntry(
        name=name,
        status="failed",
        title=name,
        message=name,
        pictures=(ReportPicture(name, GREY), ReportPicture("plain", GREY)),
        rows=(ReportRow(name, name, name, False),),
        notes=(name,),
    )


def test_names_never_become_markup(tmp_path):
    entries = [hostile_entry(name) for name in HOSTILE]
    write_report(tmp_path, HOSTILE[0], entries, introduction=HOSTILE[0], facts=[(HOSTILE[0],) * 2])
    page = Page(tmp_path / "index.html")
    assert page.tags.count("script") == 1
    assert page.tags.count("img") == 2 * len(HOSTILE)
    assert "onerror" not in page.attributes
    assert HOSTILE[0] in page.text


def test_pictures_stay_inside_the_report_and_every_link_leads_to_a_file(tmp_path):
    folder = tmp_path / "report"
    write_report(folder, "t", [hostile_entry(name) for name in HOSTILE])
    links = [link for link in Page(folder / "index.html").links if not link.startswith("#")]
    files = {path for path in tmp_path.rglob("*") if path.is_file()}
    assert links
    for link in links:
        assert (folder / unquote(link)).resolve() in files
    assert all(folder in path.parents for path in files)


def test_contents_lead_to_sections(tmp_path):
    write_report(tmp_path, "t", [hostile_entry(name) for name in HOSTILE])
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    anchors = [link[1:] for link in Page(tmp_path / "index.html").links if link.startswith("#")]
    assert len(set(anchors)) == len(HOSTILE)
    for anchor in anchors:
        assert f'<section id="{anchor}"' in text


def test_names_that_differ_give_files_that_differ():
    names = [*HOSTILE, "a b", "a_b", "a/b", "A", "x" * 300, "x" * 301, ".", ".."]
    stems = [file_stem(name) for name in names]
    assert len(set(stems)) == len(names)
    assert all(stem and "/" not in stem and len(stem) < 100 for stem in stems)
    assert not any(stem.startswith(".") for stem in stems)


def test_failures_come_first_and_the_summary_counts(tmp_path):
    good = comparison_entry("good", compare_images(GREY, GREY))
    bad = comparison_entry("bad", compare_images(GREY + np.uint8(90), GREY))
    write_report(tmp_path, "t", [good, bad, good])
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert text.index('<section id="bad"') < text.index('<section id="good"')
    assert "2 passed" in text
    assert "1 differs" in text


def test_the_difference_picture_carries_its_scale(tmp_path):
    write_report(
        tmp_path, "t", [comparison_entry("bad", compare_images(GREY + np.uint8(90), GREY))]
    )
    assert "128 / 255 or more" in Page(tmp_path / "index.html").text


def test_the_page_loads_nothing_from_elsewhere(tmp_path):
    write_report(tmp_path, "t", [comparison_entry("a", compare_images(GREY, GREY))])
    links = Page(tmp_path / "index.html").links
    assert links
    assert all(link.startswith("pictures/") for link in links)


def test_a_golden_picture_that_matches_leaves_no_report(tmp_path):
    write_png(tmp_path / "golden.png", GREY)
    assert_matches_golden(GREY, tmp_path / "golden.png", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_golden_picture_that_differs_leaves_a_report_and_names_it(tmp_path):
    write_png(tmp_path / "golden.png", GREY)
    with pytest.raises(AssertionError, match="mean difference") as caught:
        assert_matches_golden(GREY + np.uint8(50), tmp_path / "golden.png", tmp_path / "out")
    page = tmp_path / "out" / "golden" / "index.html"
    assert str(page) in str(caught.value)
    assert len(list((page.parent / "pictures").iterdir())) == 3


def test_a_missing_golden_picture_fails_and_shows_what_was_drawn(tmp_path):
    with pytest.raises(AssertionError, match="FYN_UPDATE_GOLDEN"):
        assert_matches_golden(GREY, tmp_path / "golden.png", tmp_path / "out")
    assert (tmp_path / "out" / "golden" / "pictures" / "golden.png.actual.png").exists()


def test_golden_pictures_are_written_when_asked(tmp_path, monkeypatch):
    monkeypatch.setenv("FYN_UPDATE_GOLDEN", "1")
    assert_matches_golden(GREY, tmp_path / "golden.png", tmp_path / "out")
    assert np.array_equal(read_picture(tmp_path / "golden.png")[:, :, :3], GREY)


CASES = [
    CaseResult("lights/sun", 1.25, "passed"),
    CaseResult("lights/[spot] ü 🌲", 0.5, "failure", 'mean <2> & "more"', "see page"),
    CaseResult("bad \x00\x1b\udcff]]>", 0.0, "error", "line\nline \x07"),
]


def test_junit_is_read_by_junitparser_as_it_was_meant(tmp_path):
    junitparser = pytest.importorskip("junitparser", reason="junitparser is not installed")
    write_junit(tmp_path / "junit.xml", "tests [ü]", CASES)
    suites = list(junitparser.JUnitXml.fromfile(str(tmp_path / "junit.xml")))
    (suite,) = suites
    assert (suite.name, suite.tests, suite.failures, suite.errors) == ("tests [ü]", 3, 1, 1)
    assert suite.time == pytest.approx(1.75)
    passed, failure, error = suite
    assert passed.is_passed
    assert (failure.name, failure.result[0].message) == (CASES[1].name, CASES[1].message)
    assert type(failure.result[0]) is junitparser.Failure
    assert failure.system_out == "see page"
    assert type(error.result[0]) is junitparser.Error


def test_junit_holds_no_character_that_xml_forbids():
    data = junit_xml("s", CASES)
    names = [case.get("name") for case in ElementTree.fromstring(data).iter("testcase")]
    assert (
        names[2]
        == "bad \N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}]]>"
    )


# Attributes of Jenkins' schema (xUnit plugin, junit-10.xsd): it refuses a file with any other.
JENKINS = {
    "testsuites": {"name", "time", "tests", "failures", "errors"},
    "testsuite": {"name", "tests", "failures", "errors", "group", "time", "skipped", "timestamp"}
    | {"hostname", "id", "package", "file", "log", "url"},
    "testcase": {"name", "time", "classname", "group"},
    "failure": {"type", "message"},
    "error": {"type", "message"},
    "system-out": set(),
}


def test_junit_keeps_to_the_schema_of_jenkins():
    elements = list(ElementTree.fromstring(junit_xml("s", CASES)).iter())
    assert {element.tag for element in elements} == set(JENKINS)
    for element in elements:
        assert set(element.keys()) <= JENKINS[element.tag]
        assert re.fullmatch(r"([0-9]+\.[0-9]*)?", element.get("time", ""))


def test_junit_of_no_tests_is_valid():
    assert ElementTree.fromstring(junit_xml("s", [])).get("tests") == "0"
