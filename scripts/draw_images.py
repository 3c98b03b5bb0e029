"""Draws the pictures of the documentation anew: run it in an environment made by scripts/demo."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
STARTER = ROOT / "examples" / "starter" / "starter.blend"
IMAGES = {"starter-court.jpg": "Court", "starter-overview.jpg": "Overview"}
"""File under docs/images: the starter level's camera that it is seen through."""
SIZE = "1920x1080"
SHOWN = (960, 540)
"""Drawn at twice the size that is shown: JPEG keeps more of a picture without hard steps."""


def main() -> None:
    """Write docs/images."""
    folder = ROOT / "docs" / "images"
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-c", "import sys; from fyn.cli.main import main; sys.exit(main())"]
    with tempfile.TemporaryDirectory() as scratch:
        for name, camera in IMAGES.items():
            drawn = Path(scratch, f"{camera}.png")
            options = ["-o", str(drawn), "--size", SIZE, "--camera", camera]
            subprocess.run([*command, "render", str(STARTER), *options], check=True)
            with Image.open(drawn) as picture:
                small = picture.convert("RGB").resize(SHOWN, Image.Resampling.LANCZOS)
            small.save(folder / name, "JPEG", quality=88, optimize=True)
            print(f"{folder / name}: {(folder / name).stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
