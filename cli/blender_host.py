"""Finds a Blender and runs a `fyn` command inside it, where its bpy can open .blend files.

There are three ways to bpy: this process already runs inside Blender, the wheel `bpy` is installed
beside Fyn, or a Blender program is there. In the last case the very same command line runs again
inside that Blender (`blender_entry.py` is the script it is given), so that no command is written
twice.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from ..engine_core.errors import FynError, UsageError

ENTRY = Path(__file__).with_name("blender_entry.py")
STDOUT_VARIABLE = "FYN_HOST_STDOUT"
"""Names the file that takes fyn's stdout inside Blender, apart from what Blender itself prints."""
SITE_VARIABLE = "FYN_HOST_SITE"
"""JSON: Python version and package folders of the calling process, lent if the versions agree."""


def inside_blender_program() -> bool:
    """Whether this process is Blender itself (and not a Python with the bpy wheel)."""
    bpy = sys.modules.get("bpy")
    return bpy is not None and not bpy.app.module


def has_bpy() -> bool:
    """Whether `import bpy` works in this process; it is not imported to find out."""
    return "bpy" in sys.modules or find_spec("bpy") is not None


def needs_blender_program(blender: str | None) -> bool:
    """Whether a .blend has to be opened by another program: asked for, or no bpy here."""
    if inside_blender_program():
        return False
    return blender is not None or not has_bpy()


def find_blender(blender: str | None) -> str:
    """Path of the Blender to run: the one asked for, $BLENDER, or `blender` on PATH.

    Raises UsageError with what to install when there is none.
    """
    for name, source in ((blender, "--blender"), (os.environ.get("BLENDER"), "$BLENDER")):
        if name:
            found = shutil.which(name)
            if found is None:
                raise UsageError(f"{source} names '{name}', which is no program that can be run")
            return found
    found = shutil.which("blender")
    if found is None:
        raise UsageError(
            "opening a .blend takes Blender, and there is none: install the wheel"
            " (`pip install bpy`, on the Python version it is made for), or install Blender and"
            " name it by --blender or $BLENDER"
        )
    return found


def run_inside_blender(
    blender: str, argv: Sequence[str], *, timeout: float | None = None, show_log: bool = False
) -> tuple[int, str]:
    """Run `fyn ARGV` inside the Blender program; returns its exit code and what it printed.

    Its stderr (progress, warnings, errors) goes where ours goes. Raises FynError when Blender
    cannot be started, crashes or takes longer than `timeout` seconds.
    """
    with tempfile.TemporaryDirectory(prefix="fyn-host-") as folder:
        stdout, log = Path(folder, "stdout.txt"), Path(folder, "blender.log")
        command = [blender, "-b", "--factory-startup", "--python-exit-code", "70"]
        command += ["--python", str(ENTRY), "--", *argv]
        environment = {**os.environ, STDOUT_VARIABLE: str(stdout), SITE_VARIABLE: _own_site()}
        try:
            with log.open("wb") as log_file:
                code = subprocess.run(
                    command, stdout=log_file, env=environment, timeout=timeout, check=False
                ).returncode
        except OSError as error:
            raise FynError(f"{blender} could not be started: {error}") from None
        except subprocess.TimeoutExpired:
            raise FynError(f"{blender} was stopped: it took more than {timeout:g} s") from None
        chatter = log.read_text(encoding="utf-8", errors="replace")
        if show_log:
            sys.stderr.write(chatter)
        if not stdout.exists() or code not in (0, 1, 2):
            last = "\n".join(chatter.strip().splitlines()[-12:])
            raise FynError(f"{blender} ended with code {code} before the command was done:\n{last}")
        return code, stdout.read_text(encoding="utf-8")


def rerun_inside_blender(blender: str | None, argv: Sequence[str], debug: bool) -> int:
    """Run the whole command line again inside Blender, as if it had run here."""
    code, printed = run_inside_blender(find_blender(blender), argv, show_log=debug)
    sys.stdout.write(printed)
    return code


def _own_site() -> str:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    folders = sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
    return json.dumps({"python": version, "folders": folders})
