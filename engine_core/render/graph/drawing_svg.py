"""The graph of a plan as an SVG picture, with a layout of our own: no Graphviz needed."""

from __future__ import annotations

from html import escape
from itertools import pairwise
from typing import Final

from .drawing import GREY, Drawing, Edge, Node
from .layered_layout import Layout, layered_layout

FONT: Final = "'DejaVu Sans', Verdana, sans-serif"
TITLE_SIZE: Final = 12.0
DETAIL_SIZE: Final = 9.5
LINE: Final = 1.3
"""Height of a line in font sizes."""
GLYPH: Final = 0.62
"""Mean width of a glyph in font sizes; on the wide side, so that text fits in any font."""
MARGIN: Final = 24.0
ARROW: Final = 5.0
INK: Final = "#222222"

_EDGE_STYLES: Final = {
    "reads": f'stroke="{INK}" stroke-width="1"',
    "writes": f'stroke="{INK}" stroke-width="1"',
    "modifies": f'stroke="{INK}" stroke-width="2.2"',
    "tests": f'stroke="{INK}" stroke-width="1.2" stroke-dasharray="1.5 3"',
    "dropped": f'stroke="{GREY}" stroke-width="1" stroke-dasharray="5 3"',
    "history": f'stroke="{INK}" stroke-width="1" stroke-dasharray="7 3"',
}
_LEGEND: Final = (
    "box: pass, with the number of its step",
    "ellipse: version of a target; one colour (and #number) is one texture",
    "thick line: drawn on top    dotted: depth test only    double outline: output",
    "grey, dashed: dropped, with the reason",
)


def to_svg(drawing: Drawing) -> str:
    """Return the graph as the text of an SVG file."""
    index = {node.id: number for number, node in enumerate(drawing.nodes)}
    pairs = [(index[edge.source], index[edge.target]) for edge in drawing.edges]
    layout = layered_layout([_size(node) for node in drawing.nodes], pairs)
    head = [drawing.title, drawing.subtitle, *_LEGEND]
    head_height = 30 + LINE * DETAIL_SIZE * 1.15 * (len(head) - 1) + MARGIN
    text_width = max(len(line) for line in head) * DETAIL_SIZE * GLYPH
    width = max(layout.width, text_width) + 2 * MARGIN
    height = layout.height + head_height + 2 * MARGIN
    left = (width - layout.width) / 2
    body = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}"'
        f' viewBox="0 0 {width:.0f} {height:.0f}" font-family="{FONT}" fill="{INK}">',
        f"<title>{escape(drawing.title)}</title>",
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>',
        *_head_lines(head),
        f'<g transform="translate({left:.1f} {MARGIN + head_height:.1f})">',
    ]
    for edge, (source, target), bends in zip(drawing.edges, pairs, layout.bends, strict=True):
        body += _edge(edge, drawing.nodes, layout, source, target, bends)
    for node, centre in zip(drawing.nodes, layout.centres, strict=True):
        body += _node(node, centre)
    return "\n".join([*body, "</g>", "</svg>"]) + "\n"


def _head_lines(lines: list[str]) -> list[str]:
    result = [
        f'<text x="{MARGIN}" y="{MARGIN + 12}" font-size="17" font-weight="bold">'
        f"{escape(lines[0])}</text>"
    ]
    y = MARGIN + 30
    for line in lines[1:]:
        spaced = escape(line)
        result.append(
            f'<text x="{MARGIN}" y="{y:.1f}" font-size="{DETAIL_SIZE}" xml:space="preserve">'
            f"{spaced}</text>"
        )
        y += LINE * DETAIL_SIZE * 1.15
    return result


def _size(node: Node) -> tuple[float, float]:
    widths = [len(node.title) * TITLE_SIZE, *(len(line) * DETAIL_SIZE for line in node.details)]
    text_height = LINE * (TITLE_SIZE + DETAIL_SIZE * len(node.details))
    if node.shape == "pass":
        return max(widths) * GLYPH + 18, text_height + 8
    # The text's corners reach into the narrow ends of an ellipse, least so on the middle line.
    outline = 8 if node.output else 0
    return max(widths) * GLYPH * 1.22 + 16 + outline, text_height * 1.3 + 8 + outline


def _node(node: Node, centre: tuple[float, float]) -> list[str]:
    (x, y), (width, height) = centre, _size(node)
    ink = GREY if node.dropped else INK
    dash = ' stroke-dasharray="5 3"' if node.dropped else ""
    style = f'fill="{node.fill}" stroke="{ink}"{dash}'
    if node.shape == "pass":
        lines = [
            f'<rect x="{x - width / 2:.1f}" y="{y - height / 2:.1f}" width="{width:.1f}"'
            f' height="{height:.1f}" {style}/>'
        ]
    else:
        lines = [_ellipse(x, y, width / 2, height / 2, style)]
        if node.output:
            lines.append(
                _ellipse(x, y, width / 2 - 3.5, height / 2 - 3.5, f'fill="none" stroke="{ink}"')
            )
    total = LINE * (TITLE_SIZE + DETAIL_SIZE * len(node.details))
    baseline = y - total / 2 + TITLE_SIZE
    lines.append(_text(x, baseline, TITLE_SIZE, node.title, ink, bold=True))
    for detail in node.details:
        baseline += LINE * DETAIL_SIZE + 1
        lines.append(_text(x, baseline, DETAIL_SIZE, detail, ink, bold=False))
    return lines


def _ellipse(x: float, y: float, radius_x: float, radius_y: float, style: str) -> str:
    return f'<ellipse cx="{x:.1f}" cy="{y:.1f}" rx="{radius_x:.1f}" ry="{radius_y:.1f}" {style}/>'


def _text(x: float, y: float, size: float, text: str, ink: str, *, bold: bool) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="middle" fill="{ink}"'
        f"{weight}>{escape(text)}</text>"
    )


def _edge(
    edge: Edge,
    nodes: tuple[Node, ...],
    layout: Layout,
    source: int,
    target: int,
    bends: tuple[tuple[float, float], ...],
) -> list[str]:
    """Return a curve through the bends, vertical in each layer, with an arrow head at its end."""
    (x0, y0), (x1, y1) = layout.centres[source], layout.centres[target]
    way = 1.0 if y1 >= y0 else -1.0
    start = (x0, y0 + way * _size(nodes[source])[1] / 2)
    end = (x1, y1 - way * (_size(nodes[target])[1] / 2 + ARROW))
    points = [start, *bends, end]
    path = f"M{start[0]:.1f} {start[1]:.1f}"
    for (xa, ya), (xb, yb) in pairwise(points):
        middle = (ya + yb) / 2
        path += f" C{xa:.1f} {middle:.1f} {xb:.1f} {middle:.1f} {xb:.1f} {yb:.1f}"
    tip = y1 - way * _size(nodes[target])[1] / 2
    ink = GREY if edge.style == "dropped" else INK
    return [
        f'<path d="{path}" fill="none" {_EDGE_STYLES[edge.style]}>'
        f"<title>{escape(edge.label)}</title></path>",
        f'<path d="M{x1 - 3.5:.1f} {end[1]:.1f} L{x1 + 3.5:.1f} {end[1]:.1f} L{x1:.1f} {tip:.1f} Z"'
        f' fill="{ink}"/>',
    ]
