"""docs/pipelines.md says what the code does: its example compiles, its tables are complete."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from fyn.engine_core.render.graph.compiler import FrameGraph
from fyn.engine_core.render.graph.formats import BUILTIN_TEXTURES, FORMATS
from fyn.engine_core.render.graph.pipeline import (
    DRAW_QUEUES,
    Pass,
    PipelineHeader,
    Setting,
    Target,
)
from fyn.engine_core.render.graph.pipeline_file import parse_pipeline
from fyn.engine_core.render.graph.plan import (
    BlendMode,
    CullMode,
    DepthFunction,
    PassState,
    StepKind,
)

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "pipelines.md").read_text("utf-8")


def section(heading: str) -> str:
    """Return the text below a heading, to the next of the same kind."""
    start = PAGE.index(f"\n## {heading}") + 1
    end = PAGE.find("\n## ", start)
    return PAGE[start : end if end > 0 else len(PAGE)]


def test_the_example_of_the_page_compiles_to_the_passes_it_shows():
    (example,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    graph = FrameGraph(parse_pipeline(example, "pipelines.md"), "pipelines.md")
    shown = re.findall(r'\[\[passes\]\]\nname = "(\w+)"', example)
    assert [step.name for step in graph.compile({}, (64, 64)).steps] == shown
    without = graph.compile({"soften": False}, (64, 64))
    assert [step.name for step in without.steps] == ["opaque", "sky", "show"]


@pytest.mark.parametrize(
    ("heading", "struct"),
    [
        ("`[pipeline]`", PipelineHeader),
        ("`[settings.NAME]`", Setting),
        ("`[targets.NAME]`", Target),
        ("`[[passes]]`", Pass),
        ("`[[passes]]`", PassState),
    ],
)
def test_every_key_of_the_format_is_in_the_table_of_its_section(heading: str, struct: type):
    rows = [line.split("|")[1] for line in section(heading).splitlines() if line.startswith("|")]
    listed = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert {field.name for field in msgspec.structs.fields(struct)} <= listed


def test_every_format_is_listed_with_its_size():
    cells = re.findall(r"\| `(\w+)` \| (\d+) ", section("`[targets.NAME]`"))
    assert {name: int(count) for name, count in cells} == {
        name: format_.bytes_per_texel for name, format_ in FORMATS.items()
    }


def test_every_queue_kind_state_and_built_in_texture_is_named():
    passes = section("`[[passes]]`")
    words = set(re.findall(r"\w+", passes))
    for values in (DRAW_QUEUES, *map(get_args, (StepKind, BlendMode, CullMode, DepthFunction))):
        assert set(values) <= words
    table = re.findall(r"^\| `(\w+)` \| 1x1", section("Handles"), re.MULTILINE)
    assert table == list(BUILTIN_TEXTURES)
