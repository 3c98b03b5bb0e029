"""`fyn export`: writes a .blend as a level folder that needs no Blender."""

from __future__ import annotations

import argparse
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..engine_core.errors import UsageError
from .blender_host import needs_blender_program, rerun_inside_blender
from .native_output import native_stdout_diverted
from .terminal import Terminal


def add_parser(subparsers: Any) -> None:
    """Add `fyn export` to the command line."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "export",
        help="write a .blend as a level",
        description="Write the .blend's active scene as level.fyn with its meshes and textures.",
    )
    parser.add_argument("scene", type=Path, metavar="INPUT.blend")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR")
    parser.add_argument("--scene", metavar="NAME", dest="scene_name", help="scene of the .blend")
    parser.add_argument("--frame", type=int, metavar="N", help="default: the frame it was saved on")
    parser.add_argument(
        "--bake", action="store_true", help="bake the materials that cannot be shown otherwise"
    )
    parser.add_argument(
        "--bake-size",
        type=int,
        choices=(64, 128, 256, 512, 1024, 2048, 4096, 8192),
        metavar="N",
        help="pixels a side of baked pictures; default: each material's own, 1024 at first",
    )
    parser.add_argument("--blender", metavar="PROGRAM", help="the Blender that opens .blend files")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the level; 0 when it is whole on the disk."""
    from .render_request import is_blend

    if not is_blend(args.scene):
        raise UsageError(f"'{args.scene}' is a level already; export takes a .blend")
    if needs_blender_program(args.blender):
        return rerun_inside_blender(args.blender, args.argv, args.debug)
    return export(args)


def export(args: argparse.Namespace) -> int:
    """Open the .blend in this process and write its level."""
    from ..exporters.level import export_level

    terminal = Terminal.of(args)
    begin = time.perf_counter()
    with native_stdout_diverted():
        from ..addon.headless import open_blend, read_scene

        open_blend(args.scene)
        baked = _bake(args, terminal) if args.bake else {}
    with terminal.progress(f"sampling {args.scene.name}") as show, native_stdout_diverted():
        scene = read_scene(scene=args.scene_name, frame=args.frame, animated=True, progress=show)
    with terminal.progress(f"exporting {args.scene.name}") as show:
        report = export_level(scene.world, args.output, progress=show)
    for warning in (*scene.warnings, *report.warnings):
        terminal.warn(str(warning))
    seconds = time.perf_counter() - begin
    new = sum(file.is_new for file in report.files)
    terminal.say(
        f"{report.level}  {len(report.files)} files ({new} new), {report.total_size / 1e6:.1f} MB,"
        f"  {len(terminal.warnings)} warnings, {seconds:.2f} s"
    )
    terminal.finish(
        {
            "ok": True,
            "level": str(report.level),
            "files": [asdict(file) for file in report.files],
            "removed": list(report.removed),
            "seconds": round(seconds, 3),
            **baked,
        }
    )
    return 0


def _bake(args: argparse.Namespace, terminal: Terminal) -> dict[str, Any]:
    """Bake what needs it, in memory only; returns the names of what was baked."""
    from ..addon.headless import find_scene
    from ..addon.operators.bake_headless import bake_scene_materials

    with terminal.progress("baking materials") as show:
        report = bake_scene_materials(
            find_scene(args.scene_name, args.frame), side=args.bake_size, progress=show
        )
    for name, reason in report.refused.items():
        terminal.warn(f"material '{name}' was not baked: {reason}")
    for name in report.baked:
        terminal.say(f"baked material '{name}'")
    return {"baked": list(report.baked)}
