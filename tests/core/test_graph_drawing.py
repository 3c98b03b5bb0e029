"""Drawings of plans: the graph, its DOT text, its SVG, and the layered layout below them."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fyn.engine_core.render.graph.compiler import FrameGraph
from fyn.engine_core.render.graph.drawing import Drawing, draw_plan, texture_color, to_dot
from fyn.engine_core.render.graph.drawing_svg import to_svg
from fyn.engine_core.render.graph.layered_layout import (
    NODE_GAP,
    layered_layout,
    nondecreasing_fit,
)
from fyn.engine_core.render.graph.pipeline_file import parse_pipeline

PIPELINE = """
[pipeline]
name = "four"
version = 1
[settings.extra]
type = "bool"
default = true
[targets.a]
format = "rgba8"
[targets.b]
format = "rgba8"
[targets.c]
format = "rgba8"
[targets.old]
format = "rgba8"
history = true
[[passes]]
name = "one"
kind = "fullscreen"
shader = "s"
writes = { color0 = "a" }
[[passes]]
name = "two"
kind = "fullscreen"
shader = "s"
reads = { x = "a", y = "white", z = "old@previous" }
writes = { color0 = "b" }
[[passes]]
name = "three"
kind = "fullscreen"
shader = "s"
enabled = "extra"
modifies = { color0 = "b -> b.lit" }
[[passes]]
name = "unread"
kind = "fullscreen"
shader = "s"
reads = { x = "a" }
writes = { color0 = "c" }
[[passes]]
name = "keep"
kind = "copy"
reads = { source = "b.lit" }
writes = { color0 = "old" }
[[passes]]
name = "last"
kind = "fullscreen"
shader = "s"
repeat = 2
reads = { x = "old" }
modifies = { color0 = "b.lit -> b.end" }
state = { blend = "add" }
[outputs]
"quoted" = "b.end"
"""


def drawing(**chosen: bool) -> Drawing:
    pipeline = parse_pipeline(PIPELINE, "four.toml")
    return draw_plan(FrameGraph(pipeline, "four.toml").compile(chosen, (64, 64)), pipeline)


def arrows(made: Drawing) -> set[tuple[str, str, str]]:
    return {(edge.source, edge.target, edge.style) for edge in made.edges}


def test_every_use_of_a_version_is_an_arrow_of_its_own_kind():
    assert arrows(drawing()) == {
        ("pass one", "version a", "writes"),
        ("version a", "pass two", "reads"),
        ("version white", "pass two", "reads"),
        ("version old@previous", "pass two", "history"),
        ("pass two", "version b", "writes"),
        ("version b", "pass three", "modifies"),
        ("pass three", "version b.lit", "writes"),
        ("version b.lit", "pass keep", "reads"),
        ("pass keep", "version old", "writes"),
        ("version old", "pass last", "reads"),
        ("version b.lit", "pass last", "modifies"),
        ("pass last", "version b.end", "writes"),
        ("version a", "pass unread", "dropped"),
        ("pass unread", "version c", "dropped"),
    }


def test_a_dropped_pass_is_grey_and_says_why_and_a_disabled_one_hands_its_target_through():
    made = drawing(extra=False)
    nodes = {node.id: node for node in made.nodes}
    assert nodes["pass three"].dropped
    assert nodes["pass three"].details == ("disabled as extra is false",)
    assert nodes["pass unread"].details == ("nothing reads it",)
    assert ("version b", "pass keep", "reads") in arrows(made)
    assert ("pass three", "version b.lit", "dropped") in arrows(made)


def test_versions_in_one_texture_have_one_colour_and_outputs_are_marked():
    nodes = {node.id: node for node in drawing().nodes}
    same = {nodes[f"version {name}"].fill for name in ("b", "b.lit", "b.end")}
    assert len(same) == 1
    assert nodes["version a"].fill not in same
    assert nodes["version old"].fill != nodes["version old@previous"].fill
    assert [node.title for node in nodes.values() if node.output] == ["b.end"]
    assert nodes["pass last"].title == "5-6  last x2"


def test_neighbouring_texture_colours_are_pale_and_tell_apart():
    colors = [texture_color(index) for index in range(24)]
    channels = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in colors])
    assert channels.mean(axis=1).min() > 170
    for one, other in itertools.pairwise(channels.tolist()):
        assert np.abs(np.subtract(one, other)).max() > 60


def test_dot_names_every_node_and_edge_once_and_quotes_them():
    made = drawing()
    text = to_dot(made)
    assert len(re.findall(r"^  \"[^\"]*\" \[label", text, re.MULTILINE)) == len(made.nodes)
    assert len(re.findall(r" -> ", text)) == len(made.edges)
    assert text.count('"') % 2 == 0
    assert '"pass two" [label="2  two\\nfullscreen s", shape=box' in text
    assert "peripheries=2" in text and 'style="filled,dashed"' in text


def test_svg_is_xml_with_all_texts_inside_its_frame():
    root = ET.fromstring(to_svg(drawing()))
    space = "{http://www.w3.org/2000/svg}"
    texts = {element.text for element in root.iter(f"{space}text")}
    assert {node.title for node in drawing().nodes} <= texts
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    group = root.find(f"{space}g")
    assert group is not None
    shift = [float(part) for part in re.findall(r"[\d.]+", group.get("transform", ""))]
    for box in group.iter(f"{space}rect"):
        x, y, w, h = (float(box.get(key, 0)) for key in ("x", "y", "width", "height"))
        assert x + shift[0] >= 0 and x + w + shift[0] <= width
        assert y + shift[1] >= 0 and y + h + shift[1] <= height


def test_names_that_are_markup_do_not_break_the_svg():
    made = drawing()
    node = type(made.nodes[0])("n", "pass", '<b>&"', ("]]>",), "#ffffff")
    text = to_svg(Drawing("<&>", "<&>", (node,), ()))
    assert '<b>&"' in {element.text for element in ET.fromstring(text).iter()}


# ---- Layout ----------------------------------------------------------------------------------

graphs = st.integers(1, 14).flatmap(
    lambda count: st.tuples(
        st.lists(st.tuples(st.floats(5, 90), st.floats(5, 40)), min_size=count, max_size=count),
        st.lists(
            st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), max_size=2 * count
        ),
    )
)


@given(graphs)
@settings(max_examples=150, deadline=None)
def test_no_two_nodes_overlap_and_everything_is_within_the_frame(graph):
    sizes, edges = graph
    layout = layered_layout(sizes, edges)
    boxes = [
        (x - w / 2, y - h / 2, x + w / 2, y + h / 2)
        for (x, y), (w, h) in zip(layout.centres, sizes, strict=True)
    ]
    for left, top, right, bottom in boxes:
        assert left >= -1e-6 and top >= -1e-6
        assert right <= layout.width + 1e-6 and bottom <= layout.height + 1e-6
    for (l0, t0, r0, b0), (l1, t1, r1, b1) in itertools.combinations(boxes, 2):
        apart = max(l1 - r0, l0 - r1)
        assert apart >= NODE_GAP - 1e-6 or b0 <= t1 or b1 <= t0


@given(graphs)
@settings(max_examples=100, deadline=None)
def test_edges_of_an_acyclic_graph_lead_downwards(graph):
    sizes, pairs = graph
    edges = [(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]]
    layout = layered_layout(sizes, edges)
    for (source, target), bends in zip(edges, layout.bends, strict=True):
        heights = [layout.centres[source][1], *(y for _, y in bends), layout.centres[target][1]]
        assert heights == sorted(heights)
        assert heights[0] < heights[-1]


def test_the_bends_of_a_long_edge_pass_beside_the_nodes_between():
    sizes = [(40.0, 20.0)] * 4
    layout = layered_layout(sizes, [(0, 1), (1, 2), (2, 3), (0, 3)])
    assert len(layout.bends[3]) == 4
    for x, _ in layout.bends[3]:
        assert all(abs(x - layout.centres[node][0]) >= 20 for node in (1, 2))


@given(st.lists(st.tuples(st.floats(-100, 100), st.floats(0.1, 10)), min_size=1, max_size=12))
def test_the_nondecreasing_fit_is_nondecreasing_and_no_small_change_is_closer(pairs):
    values, weights = (np.array(column) for column in zip(*pairs, strict=True))
    fit = np.array(nondecreasing_fit(values.tolist(), weights.tolist()))
    assert (np.diff(fit) >= -1e-9).all()
    cost = (weights * (fit - values) ** 2).sum()
    for first in range(len(fit)):
        for last in range(first + 1, len(fit) + 1):
            for step in (-0.01, 0.01):
                moved = fit.copy()
                moved[first:last] += step
                if (np.diff(moved) >= 0).all():
                    assert (weights * (moved - values) ** 2).sum() >= cost - 1e-7


def test_the_nondecreasing_fit_pools_what_falls_as_in_the_worked_example():
    assert nondecreasing_fit([1, 3, 2, 4, 3.5, 5], [1] * 6) == pytest.approx(
        [1, 2.5, 2.5, 3.75, 3.75, 5]
    )
