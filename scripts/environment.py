"""Makes the virtual environment that the scripts run in, and checks what the system must bring.

Only the standard library is used, and only syntax of Python 3.8, so that a machine with too old a
Python is told so in a sentence. An environment lies in `.venv-<version>` and is made once: a stamp
inside it holds a hash of what was asked for, and changed dependencies make it install again.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STAMP = "fyn-installed"
MINIMUM = (3, 11)

# Blender's module `bpy` is built for one Python a release: 4.5 and 5.0 for 3.11, later for 3.13.
BLENDER_PYTHONS = ("3.11", "3.13")


class SetupError(Exception):
    """Something that the machine lacks; the text is one line for the person at the screen."""


def say(text: str) -> None:
    """Print one line of progress at once, in order with the output of child processes."""
    print(text, flush=True)


def version_of(python: str) -> str | None:
    """`3.11` for an interpreter that starts, None for one that does not (a broken shim)."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        run = subprocess.run(
            [python, "-c", code],
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=60,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return run.stdout.decode().strip() if run.returncode == 0 else None


def _candidates(version: str) -> list[str]:
    """Where a Python of that version may be: on PATH, or kept by pyenv outside of PATH."""
    found = [shutil.which("python" + version), shutil.which("python3"), shutil.which("python")]
    if "{}.{}".format(*sys.version_info[:2]) == version:
        found.insert(0, sys.executable)
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    if pyenv.is_dir():
        found += [str(home / "bin" / "python") for home in sorted(pyenv.glob(version + ".*"))]
    return [candidate for candidate in found if candidate]


def find_python(version: str) -> str | None:
    """A working Python interpreter of the version (such as `3.13`), or None."""
    for candidate in _candidates(version):
        if version_of(candidate) == version:
            return candidate
    return None


def choose_python() -> tuple[str, str]:
    """(interpreter, version) to work with: one that Blender's module exists for, if there is any.

    Raises SetupError where there is no Python 3.11 or newer.
    """
    own = "{}.{}".format(*sys.version_info[:2])
    order = [own, *BLENDER_PYTHONS] if own in BLENDER_PYTHONS else [*BLENDER_PYTHONS]
    for version in order:
        python = find_python(version)
        if python:
            return python, version
    if sys.version_info[:2] >= MINIMUM:
        return sys.executable, own
    raise SetupError(f"Python {own} is too old: install Python 3.11 or 3.13.")


def environment_python(version: str) -> Path:
    """Where the interpreter of the environment for this version lies (it may not exist yet)."""
    inside = "Scripts/python.exe" if os.name == "nt" else "bin/python"
    return ROOT / (".venv-" + version) / inside


def prepare(version: str | None = None, extras: str = "dev") -> Path:
    """Make or reuse the environment, and return its interpreter.

    `version` is such as `3.13`; None chooses. `extras` are those of pyproject.toml, with `blender`
    added where Blender's module exists for the version. Raises SetupError.
    """
    if version is None:
        python, version = choose_python()
    else:
        python = find_python(version) or ""
        if not python:
            raise SetupError(f"Python {version} is not on this machine: install python{version}.")
    if version in BLENDER_PYTHONS:
        extras += ",blender"
    target = environment_python(version)
    stamp = target.parent.parent / STAMP
    wanted = _fingerprint(extras)
    if target.exists() and stamp.is_file() and stamp.read_text() == wanted:
        return target
    folder = target.parent.parent.name
    say(f"Making {folder} with {python} (once; several hundred megabytes) ...")
    if version_of(str(target)) != version:
        _make(python, version, target)
    _install(target, extras)
    stamp.write_text(wanted)
    return target


def _fingerprint(extras: str) -> str:
    """What an environment was made from; another value means that it must be installed anew."""
    settings = (ROOT / "pyproject.toml").read_text("utf-8")
    # From `[project]` up to the first tool: a changed lint rule installs nothing.
    project = settings[settings.index("[project]") : settings.index("[tool.")]
    return hashlib.sha256("\0".join([project, extras, str(ROOT)]).encode()).hexdigest()


def _make(python: str, version: str, target: Path) -> None:
    run = subprocess.run(
        [python, "-m", "venv", "--clear", str(target.parent.parent)],
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    if run.returncode != 0 or not target.exists():
        raise SetupError(
            f"Python's venv module does not work: apt-get install python{version}-venv "
            "(or: dnf install python3)."
        )


def _install(python: Path, extras: str) -> None:
    command = [str(python), "-m", "pip", "install", "--disable-pip-version-check"]
    command += ["--progress-bar", "off", "-e", f"{ROOT}[{extras}]"]
    shown = ("Collecting", "Downloading", "Installing", "Successfully", "ERROR", "error:")
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True
    )
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line)
        if line.strip().startswith(shown):
            say("  " + line.strip()[:110])
    if process.wait() != 0:
        sys.stderr.write("".join(lines[-15:]))
        raise SetupError("Installing Fyn's packages failed: pip's last lines stand above.")


def install_gltf_validator() -> None:
    """Put Khronos' glTF validator under .cache/node where npm is there; tests skip without it."""
    npm = shutil.which("npm")
    target = ROOT / ".cache" / "node"
    if npm is None or (target / "node_modules" / "gltf-validator").is_dir():
        return
    say("Installing Khronos' glTF validator under .cache/node ...")
    target.mkdir(parents=True, exist_ok=True)
    options = ["--silent", "--no-audit", "--no-fund", "--no-save", "--prefix", str(target)]
    if subprocess.call([npm, "install", *options, "gltf-validator@2.0.0-dev.3.10"]) != 0:
        say("  npm could not install it: the tests that need it are skipped")
