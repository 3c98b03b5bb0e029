"""`fyn render`: draws a .blend or an exported level to PNG files."""

from __future__ import annotations

import argparse
import re
import time
from pathlib import Path
from typing import Any

from ..engine_core.errors import UsageError
from . import argument_types
from .blender_host import needs_blender_program, rerun_inside_blender
from .terminal import Terminal


def add_parser(subparsers: Any) -> None:
    """Add `fyn render` to the command line."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "render",
        help="draw a .blend or a .fyn level to PNG",
        description="Draw a scene. A .fyn level is drawn without Blender.",
    )
    parser.add_argument("scene", type=Path, metavar="INPUT", help=".blend file or level.fyn")
    parser.add_argument(
        "-o",
        "--output",
        type=argument_types.png_path,
        required=True,
        metavar="OUT.png",
        help="with --frames, # signs stand for the frame's digits, like walk_####.png",
    )
    parser.add_argument(
        "--size",
        type=argument_types.size,
        metavar="WxH",
        help="pixels (default: the scene's own)",
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--frame", type=int, metavar="N", help="frame of the .blend")
    which.add_argument(
        "--frames", type=argument_types.frame_range, metavar="A..B", help="frames A to B"
    )
    parser.add_argument("--scene", metavar="NAME", dest="scene_name", help="scene of the .blend")
    parser.add_argument("--camera", metavar="NAME", help="default: the scene's active camera")
    parser.add_argument(
        "--whole",
        action="store_true",
        help="look at the whole scene through a camera made for it (and a sun if nothing shines)",
    )
    parser.add_argument(
        "--time",
        type=argument_types.seconds,
        metavar="SECONDS",
        help="what animated shaders see (default: from the frame; 0 for levels)",
    )
    parser.add_argument("--pipeline", metavar="NAME", help="default: the scene's own")
    parser.add_argument(
        "--samples", type=int, choices=(1, 2, 4, 8), help="multisamples (default: the scene's own)"
    )
    parser.add_argument("--blender", metavar="PROGRAM", help="the Blender that opens .blend files")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Draw and write the picture or pictures; 0 when all are written."""
    from .render_request import RenderRequest, draw_frames, is_blend

    if is_blend(args.scene) and needs_blender_program(args.blender):
        return rerun_inside_blender(args.blender, args.argv, args.debug)
    from ..compare.pictures import write_png

    terminal = Terminal.of(args)
    request = RenderRequest(
        scene=args.scene,
        size=args.size,
        scene_name=args.scene_name,
        camera=args.camera,
        whole=args.whole,
        frame=args.frame,
        time=args.time,
        pipeline=args.pipeline,
        samples=args.samples,
    )
    if args.whole and args.camera is not None:
        raise UsageError("--whole and --camera exclude each other: one camera looks")
    if args.frames is not None and args.time is not None:
        raise UsageError("--frames and --time exclude each other: each frame has its own time")
    written = []
    total = len(args.frames or [0])
    with terminal.progress(f"drawing {args.scene.name}") as show:
        begin = time.perf_counter()
        for frame, drawn in draw_frames(request, args.frames):
            path = frame_path(args.output, frame or 0) if args.frames else args.output
            write_png(path, drawn.pixels)
            for warning in drawn.warnings:
                terminal.warn(warning)
            height, width = drawn.pixels.shape[:2]
            seconds = time.perf_counter() - begin
            terminal.say(f"{path}  {width}x{height}  {seconds:.2f} s")
            written.append(
                {"file": str(path), "frame": frame, "size": [width, height], "seconds": seconds}
            )
            device = drawn.device
            begin = time.perf_counter()
            show(len(written), total, "")
    terminal.finish({"ok": True, "pictures": written, "device": device})
    return 0


def frame_path(output: Path, frame: int) -> Path:
    """The file of one frame: # signs become its digits; without any, _0001 is put at the end."""
    name = output.stem
    if "#" not in name:
        name += "_####"
    digits = re.sub(r"#+", lambda match: f"{frame:0{len(match[0])}d}", name)
    return output.with_name(digits + output.suffix)
