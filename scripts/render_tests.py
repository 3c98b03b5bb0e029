"""Runs a folder of render tests inside a real Blender, with that Blender's Python.

    blender -b --python scripts/render_tests.py -- DIR [--update] [--report DIR] ...

The same as `fyn test DIR ...`. It needs the Python packages that Fyn is built on in that Blender:
the installed extension brings them along; what is missing is named, with the command to install it.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

ENTRY = Path(__file__).resolve().parent.parent / "cli" / "blender_entry.py"


def main() -> int:
    """Run `fyn test` with the arguments after `--`."""
    if "bpy" not in sys.modules:
        print(f"run this in Blender: blender -b --python {sys.argv[0]} -- DIR", file=sys.stderr)
        return 2
    spec = importlib.util.spec_from_file_location("fyn_blender_entry", ENTRY)
    if spec is None or spec.loader is None:
        print(f"{ENTRY} is missing: run this script from Fyn's own folder", file=sys.stderr)
        return 2
    entry = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(entry)
    arguments = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else []
    return entry.run(["test", *arguments])


if __name__ == "__main__":
    sys.exit(main())
