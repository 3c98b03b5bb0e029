"""`fyn graph PIPELINE`: compiles a pipeline and draws what a frame of it does."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..engine_core.errors import UsageError
from . import argument_types
from .terminal import Terminal

if TYPE_CHECKING:
    from ..engine_core.render.graph.compiler import FrameGraph
    from ..engine_core.render.graph.pipeline import Pipeline
    from ..engine_core.render.graph.plan import Plan, SettingValue

DEFAULT_SIZE = (1280, 720)
SUFFIXES = (".svg", ".dot", ".json")


def add_parser(subparsers: Any) -> None:
    """Add `fyn graph` to the command line."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "graph",
        help="draw a render pipeline as a graph",
        description="Compile a pipeline and draw its passes, targets and memory. Needs neither a"
        " graphics driver nor Graphviz. Without -o the steps are listed.",
    )
    parser.add_argument("pipeline", metavar="PIPELINE", help="name of one of Fyn's, or a .toml")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="g.svg (picture), g.dot (Graphviz) or g.json (the plan itself)",
    )
    parser.add_argument(
        "--size",
        type=argument_types.size,
        default=DEFAULT_SIZE,
        metavar="WxH",
        help="pixels of the frame (default: 1280x720)",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting of the pipeline, like bloom=false; may be given several times",
    )
    parser.add_argument(
        "--outputs", metavar="A,B", help="what will be read of the frame (default: everything)"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Compile the pipeline and write or list the graph; 0 when that is done."""
    from ..engine_core.render.graph.compiler import FrameGraph

    if args.output is not None and args.output.suffix.lower() not in SUFFIXES:
        raise UsageError(f"'{args.output}' must end in {', '.join(SUFFIXES)}")
    terminal = Terminal.of(args)
    graph = FrameGraph.load(args.pipeline)
    outputs = _output_names(graph, args.outputs)
    plan = graph.compile(_settings(graph, args.set), args.size, outputs)
    if args.output is None:
        for line in _step_lines(plan):
            terminal.say(line)
    else:
        from ..engine_core.atomic_files import write_atomically

        write_atomically(args.output, _file_contents(args.output, plan, graph.pipeline))
        terminal.say(f"written: {args.output}")
    terminal.finish(
        {
            "ok": True,
            "pipeline": plan.pipeline,
            "size": [plan.width, plan.height],
            "settings": plan.settings,
            "steps": [step.name for step in plan.steps],
            "dropped": {item.name: item.reason for item in plan.dropped},
            "bytes": plan.bytes,
            "bytes_without_aliasing": plan.bytes_without_aliasing,
            "written": None if args.output is None else str(args.output),
        }
    )
    return 0


def _output_names(graph: FrameGraph, text: str | None) -> list[str] | None:
    if text is None:
        return None
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in graph.pipeline.outputs:
            known = ", ".join(sorted(graph.pipeline.outputs))
            raise UsageError(f"{graph.source} has no output '{name}'; it has {known}")
    return names


def _settings(graph: FrameGraph, pairs: list[str]) -> dict[str, SettingValue]:
    """Read NAME=VALUE, each value as its setting is declared."""
    from ..engine_core.render.graph.settings import setting_problem

    settings: dict[str, SettingValue] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        setting = graph.pipeline.settings.get(name)
        if not equals:
            raise UsageError(f"'{pair}' is no setting; write NAME=VALUE, like bloom=false")
        if setting is None:
            known = ", ".join(sorted(graph.pipeline.settings)) or "none"
            raise UsageError(f"{graph.source} has no setting '{name}'; it has {known}")
        settings[name] = _setting_value(name, setting.type, value)
        if problem := setting_problem(setting, settings[name]):
            raise UsageError(f"setting '{name}' {problem}")
    return settings


def _setting_value(name: str, kind: str, text: str) -> SettingValue:
    try:
        match kind:
            case "bool":
                return {"true": True, "false": False}[text.lower()]
            case "int":
                return int(text)
            case "float":
                return float(text)
    except (KeyError, ValueError):
        kinds = {"bool": "true or false", "int": "a whole number", "float": "a number"}
        raise UsageError(f"setting '{name}' must be {kinds[kind]}, not '{text}'") from None
    return text


def _file_contents(path: Path, plan: Plan, pipeline: Pipeline) -> bytes:
    from ..engine_core.render.graph.drawing import draw_plan, to_dot
    from ..engine_core.render.graph.drawing_svg import to_svg
    from ..engine_core.render.graph.plan import plan_to_json

    if path.suffix.lower() == ".json":
        return plan_to_json(plan)
    drawing = draw_plan(plan, pipeline)
    text = to_svg(drawing) if path.suffix.lower() == ".svg" else to_dot(drawing)
    return text.encode("utf-8")


def _step_lines(plan: Plan) -> list[str]:
    """Return a line for each step, dropped pass and output, and one for the memory."""
    lines = []
    for number, step in enumerate(plan.steps, 1):
        reads = ", ".join(read.version for read in step.reads)
        images = [*step.colors, *([step.depth] if step.depth_write and step.depth else [])]
        writes = ", ".join(image.version for image in images)
        size = f"{step.width}x{step.height}" + (f"x{step.samples}" if step.samples > 1 else "")
        lines.append(
            f"{number:3} {step.name:16} {step.kind:10} {size:12} {reads or '-'} -> {writes or '-'}"
        )
    lines += [f"  - {item.name:16} {item.reason}" for item in plan.dropped]
    lines.append(
        f"{plan.bytes / 1e6:.1f} MB in {len(plan.textures)} textures,"
        f" {plan.bytes_without_aliasing / 1e6:.1f} MB without sharing"
    )
    return lines
