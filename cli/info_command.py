"""`fyn info`: driver, formats, limits and versions, as one pastes them into a bug report."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from ..engine_core.errors import FynError
from .blender_host import has_bpy
from .terminal import Terminal

PACKAGES = ("numpy", "moderngl", "PyGLM", "pygltflib", "msgspec", "lupa", "Pillow", "rich", "bpy")
_VERSION_TIMEOUT = 30.0


def add_parser(subparsers: Any) -> None:
    """Add `fyn info` to the command line."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "info",
        help="driver, formats, limits and versions",
        description="What one pastes into a bug report. Works without a graphics driver, and"
        " then says why there is none.",
    )
    parser.add_argument("--blender", metavar="PROGRAM", help="the Blender to ask for its version")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print what is known; always 0, since a missing driver is an answer here."""
    terminal = Terminal.of(args)
    facts = {
        "fyn": fyn_version(),
        "python": f"{platform.python_version()} ({sys.executable})",
        "system": platform.platform(),
        "packages": {name: _package_version(name) for name in PACKAGES},
        "blender": blender_facts(args.blender),
        "graphics": graphics_facts(),
    }
    for line in _lines(facts):
        terminal.say(line)
    terminal.finish({"ok": True, **facts})
    return 0


def fyn_version() -> str:
    """Version of the installed package, or of the folder it runs from."""
    try:
        return importlib.metadata.version("fyn")
    except importlib.metadata.PackageNotFoundError:  # run from a checkout or inside Blender
        import tomllib

        manifest = Path(__file__).parent.parent / "blender_manifest.toml"
        if not manifest.is_file():
            return "unknown"
        return str(tomllib.loads(manifest.read_text(encoding="utf-8")).get("version", "unknown"))


def graphics_facts() -> dict[str, Any]:
    """The driver's name, limits and formats; or `error`, which says why there is no GL."""
    try:
        from ..engine_core.render.device import Device

        with Device.create() as device:
            info = device.info
    except (FynError, ImportError) as error:
        return {"error": str(error)}
    return {
        "renderer": info.renderer,
        "vendor": info.vendor,
        "version": info.version,
        "limits": {
            "texture side": info.max_texture_size,
            "array layers": info.max_array_layers,
            "samples": info.max_samples,
            "anisotropy": info.max_anisotropy,
            "uniform block bytes": info.max_uniform_block_bytes,
            "uniform offset alignment": info.uniform_offset_alignment,
        },
        "samples by target format": info.target_formats,
    }


def blender_facts(asked: str | None) -> dict[str, Any]:
    """Where .blend files would be opened: the bpy wheel, and a Blender program if one is found."""
    facts: dict[str, Any] = {"bpy here": has_bpy()}
    named = asked or os.environ.get("BLENDER") or "blender"
    program = shutil.which(named)
    facts["program"] = program
    if program is not None:
        facts["version"] = _blender_version(program)
    elif named != "blender":
        facts["error"] = f"'{named}' is no program that can be run"
    return facts


def _blender_version(program: str) -> str:
    try:
        done = subprocess.run(
            [program, "--version"],
            capture_output=True,
            timeout=_VERSION_TIMEOUT,
            check=False,
            encoding="utf-8",
            errors="replace",
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"unknown ({error})"
    lines = [line for line in done.stdout.splitlines() if line.startswith("Blender ")]
    return lines[0] if lines else f"unknown (exit code {done.returncode})"


def _package_version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _lines(facts: dict[str, Any], indent: str = "") -> list[str]:
    """The facts as indented lines."""
    lines = []
    for name, value in facts.items():
        if isinstance(value, dict):
            lines += [f"{indent}{name}:", *_lines(value, indent + "  ")]
        else:
            words = {None: "not found", True: "yes", False: "no"}
            known = value is None or isinstance(value, bool)
            lines.append(f"{indent}{name}: {words[value] if known else value}")
    return lines
