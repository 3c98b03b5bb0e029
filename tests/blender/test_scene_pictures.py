"""Every scene of the shared data looks as it did when a person looked at it."""

from __future__ import annotations

import os
from pathlib import Path

from fyn.cli.main import main
from fyn.compare.render_test import find_tests
from fyn.compare.render_test_table import scenes_markdown

ROOT = Path(__file__).parents[2]
SCENES = ROOT / "tests" / "scenes"


def test_the_shared_scenes_look_as_they_did(shared_data, tmp_path):
    """`fyn test tests/scenes --update` writes them anew; look at them before that is committed."""
    report = Path(os.environ.get("FYN_REPORTS") or tmp_path) / "scenes"
    assert main(["test", str(SCENES), "--report", str(report), "--jobs", "2", "--quiet"]) == 0, (
        f"see {report / 'index.html'}"
    )


def test_every_expected_picture_belongs_to_a_test():
    tests = find_tests(SCENES)
    pictures = set(SCENES.rglob("*.png"))
    assert pictures == {found.expected for found in tests}


def test_the_page_of_scenes_is_up_to_date():
    """Run scripts/generate_docs.py when this fails."""
    page = (ROOT / "docs" / "scenes.md").read_text("utf-8")
    assert page == scenes_markdown(find_tests(SCENES))
