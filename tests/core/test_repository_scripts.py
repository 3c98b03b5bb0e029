"""The scripts that make environments: what they say when a machine lacks something."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def scripts(monkeypatch):
    """(environment, system_libraries) as the scripts import them."""
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    import environment
    import system_libraries

    return environment, system_libraries


def test_missing_libraries_are_named_with_the_command_that_installs_them(scripts, monkeypatch):
    _, libraries = scripts
    monkeypatch.setattr(libraries.sys, "platform", "linux")
    monkeypatch.setattr(
        libraries, "missing_libraries", lambda python: ["libEGL.so.1", "libXi.so.6"]
    )
    monkeypatch.setattr(libraries.shutil, "which", lambda name: None)
    assert libraries.complaint(Path(sys.executable)) == (
        "The system lacks libEGL.so.1, libXi.so.6: apt-get install libegl1 libxi6"
    )


def test_fedora_is_told_its_own_names(scripts, monkeypatch):
    _, libraries = scripts
    monkeypatch.setattr(libraries.shutil, "which", lambda name: "/usr/bin/dnf")
    assert libraries.install_command(["libGL.so.1"]) == "dnf install libglvnd-glx"


def test_an_unknown_library_is_named_and_not_lost(scripts, monkeypatch):
    _, libraries = scripts
    monkeypatch.setattr(libraries.shutil, "which", lambda name: None)
    command = libraries.install_command(["libGL.so.1", "libodd.so.3"])
    assert "libgl1" in command
    assert "libodd.so.3" in command


def test_a_driver_that_gives_no_context_is_one_line_with_the_package(scripts, monkeypatch):
    _, libraries = scripts
    monkeypatch.setattr(libraries.sys, "platform", "linux")
    monkeypatch.setattr(libraries, "missing_libraries", lambda python: [])
    monkeypatch.setattr(libraries, "CONTEXT", "raise RuntimeError('no EGL device')")
    line = libraries.complaint(Path(sys.executable))
    assert "no EGL device" in line
    assert "mesa" in line
    assert "\n" not in line


def test_a_python_that_does_not_start_is_no_python(scripts, tmp_path):
    environment, _ = scripts
    shim = tmp_path / "python3.13"
    shim.write_text("#!/bin/sh\nexit 127\n")
    shim.chmod(0o755)
    assert environment.version_of(str(shim)) is None
    assert environment.version_of(str(tmp_path / "absent")) is None
    assert environment.version_of(sys.executable) == "{}.{}".format(*sys.version_info[:2])


def test_a_python_that_is_not_there_is_one_sentence_and_exit_code_2():
    run = subprocess.run(
        [sys.executable, str(ROOT / "scripts/test"), "core", "--python", "3.99"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 2
    assert run.stdout.strip() == "Python 3.99 is not on this machine: install python3.99."


def test_only_changed_dependencies_make_an_environment_stale(scripts, monkeypatch, tmp_path):
    environment, _ = scripts
    settings = (ROOT / "pyproject.toml").read_text("utf-8")
    monkeypatch.setattr(environment, "ROOT", tmp_path)

    def fingerprint(text: str) -> str:
        (tmp_path / "pyproject.toml").write_text(text, "utf-8")
        return environment._fingerprint("dev")

    before = fingerprint(settings)
    assert fingerprint(settings.replace("line-length = 100", "line-length = 99")) == before
    assert fingerprint(settings.replace('"rich>=', '"rich>=1')) != before
