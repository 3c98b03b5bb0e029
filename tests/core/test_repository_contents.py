"""Holds the tracked files to what may be in a public repository, and the pages to the facts."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BYTES_AT_MOST = 1_500_000

# Written in pieces, so that this file does not find itself.
MACHINE_PATHS = re.compile(r"(?<![\w.~$}])/(?:" + "|".join(["wo" + "rk", "ro" + "ot"]) + r")(?=/)")
SESSION_WORDS = re.compile(
    r"\b(?:py" + r"pi\.org|files\.python" + r"hosted|registry\.npm" + r"js)\b"
)
OPEN_ENDS = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")


def _tracked() -> list[Path]:
    git = shutil.which("git")
    listing = git and subprocess.run(
        [git, "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False, text=True
    )
    if not listing or listing.returncode != 0:
        pytest.skip("not a git working copy: which files are tracked is unknown")
    files = [ROOT / name for name in listing.stdout.split("\0") if name]
    return [file for file in files if file.is_file()]


def _tracked_text() -> list[tuple[str, str]]:
    texts = []
    for file in _tracked():
        data = file.read_bytes()
        if b"\0" not in data:
            texts.append((file.relative_to(ROOT).as_posix(), data.decode("utf-8")))
    return texts


@pytest.mark.parametrize(
    ("pattern", "what"),
    [
        (MACHINE_PATHS, "a path of one machine"),
        (SESSION_WORDS, "the host of a package registry"),
        (OPEN_ENDS, "an open end"),
    ],
)
def test_no_tracked_file_names(pattern, what):
    wrong = [
        f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match.group()}"
        for name, text in _tracked_text()
        for match in pattern.finditer(text)
    ]
    assert not wrong, f"{what} in:\n" + "\n".join(wrong)


def test_no_tracked_file_is_large():
    wrong = {
        file.name: file.stat().st_size for file in _tracked() if file.stat().st_size > BYTES_AT_MOST
    }
    assert not wrong


def test_nothing_that_a_build_makes_is_tracked():
    made = {"out", "build", "dist", ".cache", "node_modules", "__pycache__"}
    wrong = [str(file) for file in _tracked() if made & set(file.relative_to(ROOT).parts)]
    assert not wrong


def test_links_between_pages_lead_to_files():
    wrong = []
    for name, text in _tracked_text():
        if not name.endswith(".md"):
            continue
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
            if "://" not in target and not (ROOT / name).parent.joinpath(target).exists():
                wrong.append(f"{name}: {target}")
    assert not wrong, "\n".join(wrong)


def _requirement_names(requirements: list[str]) -> set[str]:
    return {re.split(r"[<>=!~;\[ ]", requirement)[0].lower() for requirement in requirements}


def test_every_dependency_stands_in_the_page_of_dependencies():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    names = _requirement_names(project["dependencies"])
    for extra in project["optional-dependencies"].values():
        names |= _requirement_names(extra)
    page = (ROOT / "docs" / "dependencies.md").read_text("utf-8").lower()
    missing = sorted(name for name in names if f"| {name} |" not in page)
    assert not missing, f"not in docs/dependencies.md: {missing}"


def test_the_manifest_and_the_package_agree_on_name_version_and_licence():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text("utf-8"))
    assert manifest["id"] == project["name"]
    assert manifest["version"] == project["version"]
    assert manifest["license"] == [f"SPDX:{project['license']}"]
