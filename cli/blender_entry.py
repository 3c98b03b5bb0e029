"""Given to `blender -b --python`: runs `fyn` inside Blender with the arguments after `--`.

Blender runs this file as a script, so it first makes the package `fyn` importable from the folder
that the file lies in, whatever that folder is called.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any

PACKAGE_FOLDER = Path(__file__).resolve().parent.parent
NEEDED = ("numpy", "msgspec", "moderngl", "glm", "pygltflib", "PIL", "rich")
"""Modules that the commands import; by the names of INSTALL_NAMES they are installed."""
INSTALL_NAMES = {"glm": "PyGLM", "PIL": "Pillow"}


def run(argv: list[str]) -> int:
    """Run `fyn ARGV` in this Blender; its stdout goes to the file that the host named, if any."""
    path = os.environ.get("FYN_HOST_STDOUT")
    with contextlib.ExitStack() as stack:
        if path:
            stdout = stack.enter_context(Path(path).open("w", encoding="utf-8", newline=""))
            stack.enter_context(contextlib.redirect_stdout(stdout))
        problem = _make_importable()
        if problem:
            print(f"fyn: {problem}", file=sys.stderr)
            if "--json" in argv:
                print(json.dumps({"ok": False, "error": {"kind": "UsageError", "text": problem}}))
            return 2
        return importlib.import_module("fyn.cli.main").main(argv)


def _make_importable() -> str:
    """Make `fyn` and what it needs importable; returns what is missing, in words."""
    _append_package_folders()
    if "fyn" not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            "fyn",
            PACKAGE_FOLDER / "__init__.py",
            submodule_search_locations=[str(PACKAGE_FOLDER)],
        )
        if spec is None or spec.loader is None:
            return f"{PACKAGE_FOLDER} does not hold the package fyn"
        module = importlib.util.module_from_spec(spec)
        sys.modules["fyn"] = module
        spec.loader.exec_module(module)
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if not missing:
        return ""
    packages = " ".join(INSTALL_NAMES.get(name, name) for name in missing)
    return (
        f"{_blender_name()} lacks the Python packages {', '.join(packages.split())}; install the"
        f' Fyn extension in it, or run: "{sys.executable}" -m pip install {packages}'
    )


def _append_package_folders() -> None:
    """Add the wheels of installed extensions, and the caller's packages if Python is the same.

    They go to the end of the path: what Blender brings along comes first.
    """
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    local = Path(_bpy().utils.user_resource("EXTENSIONS"), ".local")
    folders = [
        str(path) for path in local.glob("lib/python*/site-packages") if version in str(path)
    ]
    folders += [str(path) for path in local.glob("Lib/site-packages")]  # Windows
    lent = json.loads(os.environ.get("FYN_HOST_SITE", "{}"))
    if lent.get("python") == version:
        folders += lent["folders"]
    sys.path += [folder for folder in folders if folder not in sys.path]


def _blender_name() -> str:
    app = _bpy().app
    return f"Blender {app.version_string} ({app.binary_path})"


def _bpy() -> Any:
    """Blender's module; it is always loaded where this script runs."""
    return sys.modules["bpy"]


if __name__ == "__main__":
    sys.exit(run(sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else []))
