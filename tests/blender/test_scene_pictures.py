"""Every scene of the shared data looks as it did when a person looked at it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import bpy
import pytest

from fyn.compare.render_test import find_tests
from fyn.compare.render_test_table import scenes_markdown

ROOT = Path(__file__).parents[2]
SCENES = ROOT / "tests" / "scenes"


@pytest.mark.one_blender
@pytest.mark.skipif(not bpy.app.module, reason="drawn by the bpy wheels, in processes of its own")
def test_the_shared_scenes_look_as_they_did(shared_data, tmp_path):
    """`fyn test tests/scenes --update` writes them anew; look at them before that is committed."""
    report = Path(os.environ.get("FYN_REPORTS") or tmp_path) / "scenes"
    command = [sys.executable, "-m", "fyn.cli.main", "test", str(SCENES), "--report", str(report)]
    done = subprocess.run(
        [*command, "--jobs", "2", "--quiet"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stdout}{done.stderr}\nsee {report / 'index.html'}"


def test_every_expected_picture_belongs_to_a_test():
    tests = find_tests(SCENES)
    pictures = set(SCENES.rglob("*.png"))
    assert pictures == {found.expected for found in tests}


def test_the_page_of_scenes_is_up_to_date():
    """Run scripts/generate_docs.py when this fails."""
    page = (ROOT / "docs" / "scenes.md").read_text("utf-8")
    assert page == scenes_markdown(find_tests(SCENES))
