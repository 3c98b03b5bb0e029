"""The pages for people: each can be found from the README, and shows its pictures."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md"))]
IMAGE_LIMIT = 256_000
"""Bytes of a picture: pages open at once, clones stay small."""


def links(page: Path) -> list[str]:
    """Return the targets of a page's links and pictures, those into the web left out."""
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    found = re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text))
    return [target for target in found if "://" not in target]


def anchors(page: Path) -> set[str]:
    """Return what the headings of a page are called in links, as GitHub names them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_to_headings_lead_to_one(page):
    for target in links(page):
        path, _, anchor = target.partition("#")
        if anchor:
            there = (page.parent / path).resolve() if path else page
            assert anchor in anchors(there), f"{page.name} links to {target}"


def test_every_page_can_be_reached_from_the_readme():
    reached, waiting = set(), [README]
    while waiting:
        page = waiting.pop()
        reached.add(page)
        targets = [(page.parent / link.partition("#")[0]).resolve() for link in links(page)]
        waiting += [t for t in targets if t.suffix == ".md" and t.is_file() and t not in reached]
    assert {page.name for page in PAGES} == {page.name for page in reached}


def test_the_page_of_pieces_is_up_to_date():
    """Run scripts/generate_docs.py when this fails."""
    page = runpy.run_path(str(ROOT / "scripts" / "pieces_page.py"))
    assert (ROOT / "docs" / "pieces.md").read_text("utf-8") == page["pieces_markdown"]()


def test_every_picture_is_shown_somewhere_and_small():
    shown = {(page.parent / link).resolve() for page in PAGES for link in links(page)}
    for picture in (ROOT / "docs" / "images").iterdir():
        assert picture in shown, picture.name
        assert picture.stat().st_size < IMAGE_LIMIT, picture.name
