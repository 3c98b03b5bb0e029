"""Finds the shared libraries that OpenGL and Blender's module need and the system lacks."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from pathlib import Path

# Library: (Debian and Ubuntu package, Fedora package).
PACKAGES = {
    "libEGL.so.1": ("libegl1", "libglvnd-egl"),
    "libGL.so.1": ("libgl1", "libglvnd-glx"),
    "libGLX.so.0": ("libgl1", "libglvnd-glx"),
    "libX11.so.6": ("libx11-6", "libX11"),
    "libXext.so.6": ("libxext6", "libXext"),
    "libXi.so.6": ("libxi6", "libXi"),
    "libXrender.so.1": ("libxrender1", "libXrender"),
    "libXfixes.so.3": ("libxfixes3", "libXfixes"),
    "libXxf86vm.so.1": ("libxxf86vm1", "libXxf86vm"),
    "libSM.so.6": ("libsm6", "libSM"),
    "libICE.so.6": ("libice6", "libICE"),
    "libxkbcommon.so.0": ("libxkbcommon0", "libxkbcommon"),
    "libgomp.so.1": ("libgomp1", "libgomp"),
}
DRIVER = ("libgl1-mesa-dri", "mesa-dri-drivers")
ALWAYS = ("libEGL.so.1", "libGL.so.1")

CONTEXT = (
    "import moderngl, sys\n"
    "options = {'backend': 'egl'} if sys.platform.startswith('linux') else {}\n"
    "context = moderngl.create_context(standalone=True, require=410, **options)\n"
    "print(context.info['GL_RENDERER'])\n"
)


def complaint(python: Path) -> str | None:
    """One line that says what is missing and how to install it, or None when GL and bpy can run.

    `python` is the interpreter of a prepared environment (see environment.py).
    """
    missing = missing_libraries(python) if sys.platform.startswith("linux") else []
    if missing:
        names = ", ".join(missing)
        return f"The system lacks {names}: {install_command(missing)}"
    run = subprocess.run([str(python), "-c", CONTEXT], check=False, capture_output=True)
    if run.returncode == 0:
        return None
    reason = (run.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"])[-1]
    if not sys.platform.startswith("linux"):
        return f"No OpenGL 4.1 context could be made ({reason}): update the graphics driver."
    return f"No OpenGL driver works ({reason}): {_command([DRIVER])}"


def missing_libraries(python: Path) -> list[str]:
    """Names of the shared libraries that cannot be found, sorted, each once."""
    missing = {name for name in ALWAYS if not _loads(name)}
    ldd = shutil.which("ldd")
    for module in python.parent.parent.glob("lib/python3*/site-packages/bpy/__init__.so"):
        if ldd is None:
            break
        run = subprocess.run([ldd, str(module)], check=False, stdout=subprocess.PIPE)
        listing = run.stdout.decode()
        lines = [line.split() for line in listing.splitlines() if "not found" in line]
        missing |= {words[0] for words in lines if words}
    return sorted(missing)


def _loads(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def install_command(missing: list[str]) -> str:
    """The command that installs the packages of these libraries on this system."""
    unknown = [name for name in missing if name not in PACKAGES]
    known = sorted({PACKAGES[name] for name in missing if name in PACKAGES})
    if not known:
        return "install the packages that bring {}.".format(", ".join(unknown))
    rest = " (and what brings {})".format(", ".join(unknown)) if unknown else ""
    return _command(known) + rest


def _command(packages: list[tuple[str, str]]) -> str:
    if shutil.which("dnf"):
        return "dnf install " + " ".join(fedora for _, fedora in packages)
    return "apt-get install " + " ".join(debian for debian, _ in packages)
