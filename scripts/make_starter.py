"""Makes examples/starter/starter.blend, the level that scripts/demo shows: needs the bpy module."""

from __future__ import annotations

import argparse
from pathlib import Path

import bpy
from starter import scene

DEFAULT = Path(__file__).resolve().parent.parent / "examples" / "starter" / "starter.blend"


def main() -> None:
    """Build the level in an empty file and save it, packed and compressed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=DEFAULT, help="default: %(default)s")
    output = parser.parse_args().output.resolve()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene.build()
    output.parent.mkdir(parents=True, exist_ok=True)
    partial = output.with_suffix(".partial.blend")
    bpy.ops.wm.save_as_mainfile(filepath=str(partial), compress=True, copy=True)
    partial.replace(output)
    print(f"{output}: {output.stat().st_size / 1e6:.2f} MB, {len(bpy.data.objects)} objects")


if __name__ == "__main__":
    main()
