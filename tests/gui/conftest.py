"""Starts a real Blender with its window, the add-on installed as an extension, and a script."""

from __future__ import annotations

import json
import os
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).with_name("scripts")
REPOSITORY = Path(__file__).resolve().parents[2]
TIMEOUT_S = 240


@dataclass(frozen=True)
class Played:
    """What a script left behind: its findings, the folder of its pictures, what was printed."""

    findings: dict
    folder: Path
    output: str
    code: int


def is_launcher(command: list[str]) -> bool:
    """Tell the launcher (which makes a virtual screen) from a plain Blender."""
    return Path(command[0]).name == "real-blender"


def background(command: list[str], *arguments: str) -> list[str]:
    """Return the command line of a Blender without a window."""
    return [*command, "-b", *arguments]


def windowed(command: list[str], *arguments: str) -> list[str]:
    """Return the command line of a Blender with its window."""
    return [*command, *(["--gui"] if is_launcher(command) else []), *arguments]


@pytest.fixture(scope="session")
def packages(real_blender):
    """The Python packages that the extension brings as wheels are importable in that Blender."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    check = "import moderngl, msgspec, glm, pygltflib, lupa, PIL, rich"
    command = background(real_blender, "--factory-startup", "--python-exit-code", "3")
    command += ["--python-expr", check]
    if subprocess.run(command, capture_output=True, check=False).returncode == 0:
        return
    if not is_launcher(real_blender):
        pytest.skip(f"the Python of {real_blender[0]} lacks packages of pyproject.toml")
    subprocess.run([*real_blender, "--pip", "install", "-q", *project["dependencies"]], check=True)


@pytest.fixture(scope="session")
def blender_home(packages, tmp_path_factory):
    """A user folder of Blender in which this working copy is the extension `fyn`."""
    home = tmp_path_factory.mktemp("blender_home")
    extensions = home / "extensions" / "user_default"
    extensions.mkdir(parents=True)
    (extensions / "fyn").symlink_to(REPOSITORY, target_is_directory=True)
    return home


@pytest.fixture
def play(real_blender, blender_home, tmp_path):
    """Return a function that plays a script of tests/gui/scripts in Blender's window.

    It fails the test if the script raises, Blender crashes or takes longer than `timeout_s`.
    """
    if not is_launcher(real_blender) and not os.environ.get("DISPLAY"):
        pytest.skip("no display for Blender's window")

    def run(
        script, *arguments, backend="vulkan", timeout_s=TIMEOUT_S, blend=None, size=(1280, 800)
    ) -> Played:
        findings = tmp_path / "findings.json"
        environment = os.environ | {
            "BLENDER_USER_RESOURCES": str(blender_home),
            "REAL_BLENDER_BACKEND": backend,
            "FYN_STAGE_FOLDER": str(tmp_path),
            "FYN_STAGE_BLEND": str(blend or ""),
        }
        command = windowed(real_blender, "--factory-startup", "--gpu-backend", backend)
        command += ["--window-geometry", "0", "0", *map(str, size)]
        command += ["--python", str(SCRIPTS / f"{script}.py"), "--", *map(str, arguments)]
        process = subprocess.run(
            command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        found = json.loads(findings.read_text("utf-8")) if findings.exists() else {}
        if "error" in found or not findings.exists():
            pytest.fail(f"{found.get('error', 'no findings')}\n{process.stdout}", pytrace=False)
        return Played(found, tmp_path, process.stdout, process.returncode)

    return run
