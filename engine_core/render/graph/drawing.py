"""A plan as a graph that can be looked at: what is drawn, and its text in the DOT language.

Passes are boxes, versions of targets ellipses. Ellipses of one colour share a texture. Passes that
have no step are grey and dashed. `drawing_svg.py` makes a picture of the same graph.
"""

from __future__ import annotations

import colorsys
import re
from typing import Final, Literal

import msgspec

from .formats import BUILTIN_TEXTURES
from .handles import parse_change, parse_choice, parse_handle
from .pipeline import Pass, Pipeline
from .plan import Attachment, Plan, PlanTexture, SettingValue, Step

GREY: Final = "#9a9a9a"
_GOLDEN_ANGLE: Final = 0.381966
"""Of a full turn; successive hues stay far apart however many there are."""


class Node(msgspec.Struct, frozen=True):
    """A box or an ellipse."""

    id: str
    shape: Literal["pass", "version"]
    title: str
    details: tuple[str, ...]
    fill: str
    """Colour as #rrggbb."""
    dropped: bool = False
    output: bool = False


class Edge(msgspec.Struct, frozen=True):
    """An arrow; `label` tells the sampler or attachment."""

    source: str
    target: str
    label: str
    style: Literal["reads", "writes", "modifies", "tests", "dropped", "history"]


class Drawing(msgspec.Struct, frozen=True):
    """A graph with a title; node ids are unique and edges lead from used to user."""

    title: str
    subtitle: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


def texture_color(index: int) -> str:
    """Return the pastel that stands for texture `index` of a plan, as #rrggbb."""
    hue = (index * _GOLDEN_ANGLE + 0.55) % 1.0
    red, green, blue = colorsys.hls_to_rgb(hue, 0.82 - 0.06 * (index % 2), 0.72)
    return f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}"


def draw_plan(plan: Plan, pipeline: Pipeline) -> Drawing:
    """Return the graph of `plan`, with the passes of its pipeline that were dropped."""
    builder = _Builder(plan)
    for number, step in enumerate(plan.steps):
        builder.add_step(number, step)
    builder.mark_outputs()
    items = {item.name: item for item in pipeline.passes}
    for dropped in plan.dropped:
        builder.add_dropped(items[dropped.name], dropped.reason)
    changed = ", ".join(f"{name} = {_toml(value)}" for name, value in plan.settings.items())
    return Drawing(
        title=f"{plan.pipeline}, {plan.width}x{plan.height}",
        subtitle=f"{_plural(len(plan.steps), 'step')}, {megabytes(plan.bytes)} of textures"
        f" ({megabytes(plan.bytes_without_aliasing)} without sharing); {changed}",
        nodes=tuple(builder.nodes.values()),
        edges=tuple(dict.fromkeys(builder.edges)),
    )


class _Builder:
    """Collects nodes and edges, step by step, as the contents of textures change."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.nodes: dict[str, Node] = {}
        self.edges: list[Edge] = []
        self.holds: dict[int, str] = {}
        self.counts: dict[str, int] = {}
        for step in plan.steps:
            name = pass_name(step)
            self.counts[name] = self.counts.get(name, 0) + 1

    def add_step(self, number: int, step: Step) -> None:
        name = pass_name(step)
        box = f"pass {name}"
        if box not in self.nodes:
            what = " ".join(word for word in (step.kind, step.queue or step.shader) if word)
            title = f"{number + 1}  {name}"
            if self.counts[name] > 1:
                title = f"{number + 1}-{number + self.counts[name]}  {name} x{self.counts[name]}"
            self.nodes[box] = Node(box, "pass", title, (what,), "#ffffff")
        for read in step.reads:
            version = self.version(read.texture, read.version)
            style = "history" if read.version.endswith("@previous") else "reads"
            self.edges.append(Edge(version, box, read.sampler, style))
        slots = [(f"color{slot}", color) for slot, color in enumerate(step.colors)]
        if step.depth is not None:
            slots.append(("depth", step.depth))
        for slot, attachment in slots:
            self.attach(box, slot, attachment, slot == "depth" and not step.depth_write)

    def attach(self, box: str, slot: str, attachment: Attachment, only_tested: bool) -> None:
        before = self.holds.get(attachment.texture, "")
        version = self.version(attachment.texture, attachment.version)
        if only_tested:
            self.edges.append(Edge(version, box, slot, "tests"))
            return
        if attachment.load == "keep" and before not in ("", version):
            self.edges.append(Edge(before, box, slot, "modifies"))
        self.edges.append(Edge(box, version, slot, "writes"))
        self.holds[attachment.texture] = version

    def version(self, index: int, handle: str) -> str:
        """Return the id of the ellipse of a version, which is added when it is new."""
        identity = f"version {handle}"
        if identity not in self.nodes:
            texture = self.plan.textures[index]
            fill = texture_color(index) if texture.kind in ("owned", "history") else "#ffffff"
            self.nodes[identity] = Node(
                identity, "version", handle, _texture_lines(index, texture), fill
            )
        return identity

    def mark_outputs(self) -> None:
        for name, index in self.plan.outputs.items():
            identity = self.holds.get(index) or self.version(index, self.plan.textures[index].name)
            node = self.nodes[identity]
            details = (*node.details, f"output {name}")
            self.nodes[identity] = msgspec.structs.replace(node, details=details, output=True)

    def add_dropped(self, item: Pass, reason: str) -> None:
        box = f"pass {item.name}"
        self.nodes[box] = Node(box, "pass", item.name, (reason,), "#ffffff", dropped=True)
        for sampler, text in item.reads.items():
            handles = [str(handle) for handle in parse_choice(text)]
            known = [handle for handle in handles if f"version {handle}" in self.nodes]
            self._dropped_edge((known or handles)[0], box, sampler, to_pass=True)
        for slot, text in item.tests.items():
            self._dropped_edge(str(parse_handle(text)), box, slot, to_pass=True)
        for slot, text in item.modifies.items():
            old, new = parse_change(text)
            self._dropped_edge(str(old), box, slot, to_pass=True)
            self._dropped_edge(str(new), box, slot, to_pass=False)
        for slot, text in item.writes.items():
            self._dropped_edge(str(parse_handle(text)), box, slot, to_pass=False)

    def _dropped_edge(self, handle: str, box: str, label: str, *, to_pass: bool) -> None:
        identity = f"version {handle}"
        if identity not in self.nodes:
            details = ("built in",) if handle in BUILTIN_TEXTURES else ()
            self.nodes[identity] = Node(
                identity, "version", handle, details, "#ffffff", dropped=True
            )
        source, target = (identity, box) if to_pass else (box, identity)
        self.edges.append(Edge(source, target, label, "dropped"))


def pass_name(step: Step) -> str:
    """Return the name of the pass that a step belongs to."""
    return re.sub(r"\[\d+\]$", "", step.name)


def megabytes(count: int) -> str:
    """Return a number of bytes for people."""
    return f"{count / 1e6:.1f} MB"


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _toml(value: SettingValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _texture_lines(index: int, texture: PlanTexture) -> tuple[str, ...]:
    if texture.kind == "builtin":
        return ("built in",)
    size = f"{texture.width}x{texture.height}"
    if texture.layers:
        size += f" [{texture.layers}]"
    if texture.samples > 1:
        size += f", {texture.samples} samples"
    place = f"#{index} " if texture.kind != "imported" else "imported "
    return (f"{place}{texture.format}", size)


_DOT_EDGES: Final = {
    "reads": "",
    "writes": "",
    "modifies": "penwidth=2",
    "tests": "style=dotted",
    "dropped": f'style=dashed, color="{GREY}", fontcolor="{GREY}"',
    "history": "style=dashed, constraint=false",
}


def to_dot(drawing: Drawing) -> str:
    """Return the graph in the DOT language of Graphviz."""
    lines = [
        "digraph plan {",
        f"  label={_quoted(drawing.title, drawing.subtitle)};",
        '  labelloc=t; fontname="sans-serif"; ranksep=0.3; nodesep=0.25;',
        '  node [fontname="sans-serif", fontsize=10, style=filled];',
        '  edge [fontname="sans-serif", fontsize=8, arrowsize=0.6];',
    ]
    for node in drawing.nodes:
        shape = "box" if node.shape == "pass" else "ellipse"
        attributes = [f"label={_quoted(node.title, *node.details)}", f"shape={shape}"]
        attributes.append(f'fillcolor="{node.fill}"')
        if node.dropped:
            attributes.append(f'style="filled,dashed", color="{GREY}", fontcolor="{GREY}"')
        if node.output:
            attributes.append("peripheries=2")
        lines.append(f"  {_quoted(node.id)} [{', '.join(attributes)}];")
    for edge in drawing.edges:
        attributes = [f"label={_quoted(edge.label)}"]
        if _DOT_EDGES[edge.style]:
            attributes.append(_DOT_EDGES[edge.style])
        lines.append(
            f"  {_quoted(edge.source)} -> {_quoted(edge.target)} [{', '.join(attributes)}];"
        )
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(*lines: str) -> str:
    escaped = [line.replace("\\", "\\\\").replace('"', '\\"') for line in lines]
    return '"' + "\\n".join(escaped) + '"'
