"""Chooses, pins, downloads and checks the wheels that the extension carries for each platform."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from environment import ROOT, SetupError, say

LOCK = ROOT / "scripts" / "extension_wheels.toml"
CACHE = ROOT / "build" / "wheels"

# What pip calls the oldest system that Blender 4.5 runs on, for each of Blender's platforms.
PLATFORM_TAGS = {
    "linux-x64": ("manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64"),
    "windows-x64": ("win_amd64",),
    "macos-arm64": ("macosx_11_0_arm64",),
    "macos-x64": ("macosx_11_0_x86_64",),
}
# 3.14 is for Linux distributions, which build Blender against their own Python.
LOCKED_PYTHONS = dict.fromkeys(PLATFORM_TAGS, ("3.11", "3.13")) | {
    "linux-x64": ("3.11", "3.13", "3.14")
}
# Blender brings these itself; a second copy could replace the one its own add-ons were tested with.
BROUGHT_BY_BLENDER = {"numpy"}

Lock = dict[str, dict[str, dict[str, str]]]
"""Platform, Python version, wheel file name: sha256."""


def read_lock() -> Lock:
    """The pinned wheels."""
    return tomllib.loads(LOCK.read_text("utf-8"))


def wheels_of(lock: Lock, platform: str, pythons: list[str]) -> dict[str, str]:
    """File name: sha256 of all wheels for the Pythons, sorted. Raises SetupError if not pinned."""
    wheels: dict[str, str] = {}
    for python in pythons:
        pinned = lock.get(platform, {}).get(python)
        if pinned is None:
            raise SetupError(
                f"No wheels are pinned for {platform}, Python {python}: add it to LOCKED_PYTHONS "
                "(scripts/extension_wheels.py) and run scripts/build_extension --lock."
            )
        wheels |= pinned
    return dict(sorted(wheels.items()))


def write_lock() -> None:
    """Choose wheels anew for every platform and Python, and write them to the lock file."""
    lines = [
        "# The wheels that the extension carries, with their sha256.",
        "# Written by scripts/build_extension --lock; do not edit.",
    ]
    for platform in PLATFORM_TAGS:
        versions: dict[str, str] = {}
        for python in LOCKED_PYTHONS[platform]:
            say(f"choosing wheels for {platform}, Python {python}")
            chosen = _resolve(platform, python, versions)
            versions |= {name: version for name, version, _, _ in chosen}
            lines += ["", f'[{platform}."{python}"]']
            lines += [f'"{file}" = "{digest}"' for _, _, file, digest in chosen]
    partial = LOCK.with_suffix(".partial")
    partial.write_text("\n".join(lines) + "\n", "utf-8")
    partial.replace(LOCK)


def _requirements() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return [
        requirement
        for requirement in project["dependencies"]
        if re.split(r"[<>=!~;\[ ]", requirement)[0].lower() not in BROUGHT_BY_BLENDER
    ]


def _target_options(platform: str, python: str) -> list[str]:
    options = ["--only-binary=:all:", "--implementation=cp", f"--python-version={python}"]
    return options + [f"--platform={tag}" for tag in PLATFORM_TAGS[platform]]


def _resolve(
    platform: str, python: str, versions: dict[str, str]
) -> list[tuple[str, str, str, str]]:
    """(name, version, file, sha256) of every wheel, sorted by file.

    `versions` were chosen for an older Python of the same platform: they are kept, because Blender
    would install the newer of two versions of a pure wheel whatever Python that one is meant for.
    """
    with tempfile.TemporaryDirectory() as folder:
        constraints = Path(folder, "constraints.txt")
        constraints.write_text("".join(f"{name}=={it}\n" for name, it in versions.items()))
        report = Path(folder, "report.json")
        _pip(
            ["install", "--dry-run", "--ignore-installed", "--target", folder],
            ["--constraint", str(constraints), "--report", str(report)],
            _target_options(platform, python),
            _requirements(),
        )
        installs = json.loads(report.read_text("utf-8"))["install"]
    chosen = []
    for install in installs:
        metadata, download = install["metadata"], install["download_info"]
        file = download["url"].rsplit("/", 1)[-1]
        digest = download["archive_info"]["hashes"]["sha256"]
        if metadata["name"].lower() in BROUGHT_BY_BLENDER:
            raise SetupError(f"A dependency asks for {metadata['name']}, which Blender brings.")
        chosen.append((metadata["name"], metadata["version"], file, digest))
    return sorted(chosen, key=lambda item: item[2].lower())


def fetch(lock: Lock, platform: str, pythons: list[str]) -> list[Path]:
    """The wheels on disk, downloaded once, each checked against its hash. Raises SetupError."""
    CACHE.mkdir(parents=True, exist_ok=True)
    for python in pythons:
        missing = {
            file: digest
            for file, digest in wheels_of(lock, platform, [python]).items()
            if _digest(CACHE / file) != digest
        }
        if missing:
            say(f"downloading {len(missing)} wheels for {platform}, Python {python}")
            _download(platform, python, missing)
    return [CACHE / file for file in wheels_of(lock, platform, pythons)]


def _download(platform: str, python: str, files: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder, "requirements.txt")
        lines = []
        for file, digest in files.items():
            name, version = file.split("-")[:2]
            lines.append(f"{name}=={version} --hash=sha256:{digest}\n")
        wanted.write_text("".join(lines))
        _pip(
            ["download", "--no-deps", "--require-hashes", "-r", str(wanted), "-d", folder],
            _target_options(platform, python),
        )
        for file, digest in files.items():
            if _digest(Path(folder, file)) != digest:
                raise SetupError(f"pip did not bring {file}: run scripts/build_extension --lock")
            Path(folder, file).rename(CACHE / file)


def _pip(*arguments: list[str]) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    for part in arguments:
        command += part
    run = subprocess.run(
        command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if run.returncode != 0:
        raise SetupError(f"pip failed: {run.stdout.strip()[-800:]}")


def _digest(file: Path) -> str | None:
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else None
