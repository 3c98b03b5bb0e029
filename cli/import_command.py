"""`fyn import`: writes a level as a .blend."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from ..engine_core.errors import FynError, UsageError
from .blender_host import needs_blender_program, rerun_inside_blender
from .native_output import native_stdout_diverted
from .terminal import Terminal


def add_parser(subparsers: Any) -> None:
    """Add `fyn import` to the command line."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "import",
        help="write a level as a .blend",
        description="Make a .blend of a level: objects, materials, pictures and components. What"
        " nobody changes in it is exported to the same bytes again.",
    )
    parser.add_argument("level", type=Path, metavar="LEVEL.fyn")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.blend")
    parser.add_argument("--blender", metavar="PROGRAM", help="the Blender that writes the .blend")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the .blend; 0 when it is on the disk."""
    if args.output.suffix.lower() != ".blend":
        raise UsageError(f"'{args.output}' is no .blend file; give the output that ending")
    if not args.output.parent.is_dir():
        raise UsageError(f"there is no folder '{args.output.parent}'")
    if needs_blender_program(args.blender):
        return rerun_inside_blender(args.blender, args.argv, args.debug)
    from ..engine_core.world.level_file import read_level

    terminal = Terminal.of(args)
    begin = time.perf_counter()
    world = read_level(args.level)
    with native_stdout_diverted():
        from ..addon.headless import new_file, save_blend
        from ..addon.level_import.importer import import_world

        new_file()
        report = import_world(world, args.level.stem)
        try:
            save_blend(args.output, report.scene)
        except RuntimeError as error:
            raise FynError(f"'{args.output}' cannot be written: {error}") from error
    for warning in report.warnings:
        terminal.warn(warning)
    seconds = time.perf_counter() - begin
    terminal.say(f"{args.output}  {len(report.objects)} objects, {seconds:.2f} s")
    terminal.finish(
        {
            "ok": True,
            "blend": str(args.output),
            "objects": len(report.objects),
            "seconds": round(seconds, 3),
        }
    )
    return 0
