"""The zips of scripts/build_extension: what they hold, judged by Blender's own extension tool."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import bpy
import pytest

ROOT = Path(__file__).resolve().parents[2]
LOCK = tomllib.loads((ROOT / "scripts" / "extension_wheels.toml").read_text("utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PLATFORMS = ("linux-x64", "windows-x64", "macos-arm64", "macos-x64")
TOOL = Path(bpy.utils.system_resource("SCRIPTS"), "addons_core/bl_pkg/cli/blender_ext.py")

BROUGHT_BY_BLENDER = {"numpy", "requests", "zstandard", "certifi", "urllib3", "idna", "cattrs"}


@pytest.fixture(scope="module")
def blender_tool():
    """Blender's module that builds, validates and installs extensions."""
    spec = importlib.util.spec_from_file_location("blender_ext_tool", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look themselves up there
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def _build(folder: Path, *options: str) -> Path:
    command = [sys.executable, str(ROOT / "scripts/build_extension"), "-o", str(folder), *options]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if "pip failed" in run.stdout and "onnect" in run.stdout:
        pytest.skip(f"the wheels cannot be downloaded: {run.stdout[-300:]}")
    assert run.returncode == 0, run.stdout + run.stderr
    [made] = folder.glob("*.zip")
    return made


@pytest.fixture(scope="module")
def linux_zip(tmp_path_factory) -> Path:
    return _build(tmp_path_factory.mktemp("dist"), "linux-x64")


def _distribution(wheel: str) -> str:
    return re.sub(r"[-_.]+", "-", wheel.split("-")[0]).lower()


def _versions(wheels: dict[str, str]) -> dict[str, str]:
    return {_distribution(wheel): wheel.split("-")[1] for wheel in wheels}


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("python", ["3.11", "3.13"])
def test_every_run_time_dependency_is_pinned_unless_blender_brings_it(platform, python):
    asked = {re.split(r"[<>=!~;\[ ]", line)[0] for line in PROJECT["project"]["dependencies"]}
    needed = {_distribution(name) for name in asked} - BROUGHT_BY_BLENDER
    pinned = set(_versions(LOCK[platform][python]))
    assert needed <= pinned
    assert not pinned & BROUGHT_BY_BLENDER


@pytest.mark.parametrize("platform", PLATFORMS)
def test_both_pythons_of_a_platform_carry_the_same_versions(platform):
    """Blender installs the newest wheel of a name whatever Python it is for."""
    assert _versions(LOCK[platform]["3.11"]) == _versions(LOCK[platform]["3.13"])


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("python", ["3.11", "3.13"])
def test_blender_takes_every_pinned_wheel_for_its_platform_and_python(
    blender_tool, platform, python
):
    wanted = tuple(int(part) for part in python.split("."))
    for wheel in LOCK[platform][python]:
        fits = blender_tool.blender_platform_compatible_with_wheel_platform_from_filepath
        assert fits(platform, wheel), wheel
        versions = blender_tool.python_versions_from_wheel(wheel)
        assert versions & {wanted, wanted[:1]}, wheel


def test_blenders_own_check_accepts_the_zip(linux_zip):
    run = subprocess.run(
        [sys.executable, str(TOOL), "validate", str(linux_zip)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr


def test_the_zip_carries_the_pinned_wheels_and_names_them(linux_zip):
    with zipfile.ZipFile(linux_zip) as archive:
        manifest = tomllib.loads(archive.read("blender_manifest.toml").decode())
        inside = {name for name in archive.namelist() if name.startswith("wheels/")}
    pinned = {
        f"wheels/{wheel}" for python in ("3.11", "3.13") for wheel in LOCK["linux-x64"][python]
    }
    assert inside == pinned
    assert {wheel.removeprefix("./") for wheel in manifest["wheels"]} == pinned
    assert manifest["platforms"] == ["linux-x64"]


def test_two_builds_are_the_same_bytes(linux_zip, tmp_path):
    assert _build(tmp_path, "linux-x64").read_bytes() == linux_zip.read_bytes()


def test_blender_builds_the_same_files_from_the_working_copy(linux_zip, tmp_path):
    """paths_exclude_pattern of the manifest and the packages of pyproject.toml agree."""
    git = shutil.which("git")
    listing = git and subprocess.run(
        [git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if not listing or listing.returncode != 0:
        pytest.skip("not a git working copy: which files belong to it is unknown")
    copy = tmp_path / "copy"
    for name in filter(None, listing.stdout.split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, copy / name)
    command = [sys.executable, str(TOOL), "build", "--source-dir", str(copy)]
    subprocess.run([*command, "--output-filepath", str(tmp_path / "own.zip")], check=True)
    with zipfile.ZipFile(tmp_path / "own.zip") as archive:
        theirs = set(archive.namelist())
    with zipfile.ZipFile(linux_zip) as archive:
        ours = {name for name in archive.namelist() if not name.startswith("wheels/")}
    assert ours == theirs


def test_an_unknown_platform_is_refused_by_name(tmp_path):
    run = subprocess.run(
        [sys.executable, str(ROOT / "scripts/build_extension"), "amiga", "-o", str(tmp_path)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 2
    assert "amiga" in run.stderr
    assert "linux-x64" in run.stderr
