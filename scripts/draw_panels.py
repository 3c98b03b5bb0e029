"""Takes the pictures of Blender's panels for the documentation: needs a Blender with a window.

    python scripts/draw_panels.py [BLENDER]

BLENDER is a program whose Python has the packages of the extension (default: $BLENDER, else the
tool that the window tests use). Pictures come out as docs/images/*.png.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
TOOL = ROOT.parent / "shared" / "tools" / "real-blender"
COLOURS = 128
"""Of a picture's palette: panels have few, and a file takes a third of the space."""
MARGIN = 8
"""Pixels left below the last thing of a panel."""


def main() -> int:
    """Play panel_pictures.py and cut out what it names."""
    named = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("BLENDER")
    blender = Path(named) if named else TOOL
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        extensions = folder / "home" / "extensions" / "user_default"
        extensions.mkdir(parents=True)
        (extensions / "fyn").symlink_to(ROOT, target_is_directory=True)
        found = play(blender, folder)
        if "done" not in found:
            print(found.get("error", "Blender left nothing"), file=sys.stderr)
            return 1
        for name, box in found["boxes"].items():
            with Image.open(folder / f"{name}.png") as picture:
                save(without_empty_end(picture.convert("RGB").crop(box)), name)
    return 0


def play(blender: Path, folder: Path) -> dict:
    """Return what the script found; its screenshots are in `folder`."""
    environment = os.environ | {
        "BLENDER_USER_RESOURCES": str(folder / "home"),
        "REAL_BLENDER_BACKEND": "vulkan",
        "FYN_STAGE_FOLDER": str(folder),
        "FYN_STAGE_BLEND": "",
    }
    command = [str(blender), *(["--gui"] if blender.name == TOOL.name else [])]
    command += ["--factory-startup", "--gpu-backend", "vulkan"]
    command += ["--window-geometry", "0", "0", "1280", "800"]
    command += ["--python", str(ROOT / "scripts" / "panel_pictures.py")]
    subprocess.run(command, env=environment, check=False, timeout=300)
    findings = folder / "findings.json"
    return json.loads(findings.read_text("utf-8")) if findings.exists() else {}


def without_empty_end(picture: Image.Image) -> Image.Image:
    """Return the picture without rows at its end that are of one colour."""
    pixels = np.asarray(picture).astype(int)
    varies = np.flatnonzero(np.ptp(pixels[:, :-12], axis=1).max(axis=1) > 8)
    end = int(varies[-1]) + MARGIN if len(varies) else picture.height
    return picture.crop((0, 0, picture.width, min(end, picture.height)))


def save(picture: Image.Image, name: str) -> None:
    """Write docs/images/NAME.png with a palette."""
    path = IMAGES / f"{name}.png"
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(path, "PNG", optimize=True)
    print(f"{path.name}: {picture.width} x {picture.height}, {path.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    sys.exit(main())
