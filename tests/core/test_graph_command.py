"""`fyn graph`: lists, draws or writes the plan of a pipeline; no GPU."""

from __future__ import annotations

import argparse
import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from fyn.cli import graph_command
from fyn.engine_core.errors import PipelineError, UsageError
from fyn.engine_core.render.graph.compiler import FrameGraph
from fyn.engine_core.render.graph.plan import plan_from_json


def fyn_graph(*argv: str | Path, as_json: bool = False) -> int:
    parser = argparse.ArgumentParser()
    graph_command.add_parser(parser.add_subparsers())
    args = parser.parse_args(["graph", *map(str, argv)])
    args.json, args.quiet = as_json, False
    return args.run(args)


def test_without_a_file_the_steps_are_listed(capsys: pytest.CaptureFixture[str]):
    assert fyn_graph("forward", "--outputs", "frame_color", "--size", "640x360") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["1", "shadow[0]", "draw", "2048x2048", "-", "->", "shadow_map"]
    assert any(line.split()[1:4] == ["opaque", "draw", "640x360x4"] for line in lines)
    assert any("linear_depth" in line and "nothing reads it" in line for line in lines)
    assert lines[-1].endswith("MB without sharing")


@pytest.mark.parametrize("suffix", ["svg", "dot", "json"])
def test_a_file_is_written_of_the_kind_that_its_name_says(
    suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "made" / f"g.{suffix}"
    chosen = {"bloom": False, "samples": 1, "color_format": "rgba8"}
    sets = ["--set=bloom=false", "--set=samples=1", "--set=color_format=rgba8"]
    assert fyn_graph("forward", "-o", path, *sets) == 0
    assert f"written: {path}" in capsys.readouterr().out
    text = path.read_text(encoding="utf-8")
    if suffix == "svg":
        assert ET.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"
    elif suffix == "dot":
        assert text.startswith("digraph plan {") and text.endswith("}\n")
    else:
        assert plan_from_json(text) == FrameGraph.load("forward").compile(chosen, (1280, 720))


def test_the_result_for_machines_holds_steps_memory_and_what_was_dropped(
    capsys: pytest.CaptureFixture[str],
):
    assert fyn_graph("forward", "--set", "shadows=false", as_json=True) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["steps"][0] == "opaque"
    assert result["dropped"] == {"shadow": "disabled as shadows is false"}
    assert result["settings"]["shadows"] is False
    assert 0 < result["bytes"] <= result["bytes_without_aliasing"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["forwrd"], 'no pipeline "forwrd": give one of forward'),
        (["forward", "-o", "g.png"], "'g.png' must end in .svg, .dot, .json"),
        (["forward", "--outputs", "frame"], "forward.toml has no output 'frame'; it has"),
        (["forward", "--set", "bloom"], "'bloom' is no setting; write NAME=VALUE"),
        (["forward", "--set", "blom=true"], "forward.toml has no setting 'blom'; it has bloom"),
        (["forward", "--set", "bloom=1"], "setting 'bloom' must be true or false, not '1'"),
        (["forward", "--set", "samples=x"], "setting 'samples' must be a whole number, not 'x'"),
        (["forward", "--set", "samples=3"], "setting 'samples' must be one of 1, 2, 4, 8, not 3"),
        (["forward", "--set", "color_format=r8"], """one of "rgba16f", "rgba8", not 'r8'"""),
    ],
)  # fmt: skip
def test_what_does_not_exist_is_a_usage_error_that_says_what_does(
    arguments: list[str], message: str
):
    with pytest.raises(UsageError) as error:
        fyn_graph(*arguments)
    assert message in str(error.value)


def test_a_pipeline_file_with_a_mistake_is_an_error_and_the_last_drawing_stays(tmp_path: Path):
    drawing, pipeline = tmp_path / "g.svg", tmp_path / "mine.toml"
    pipeline.write_text('[pipeline]\nname = "mine"\nversion = 1\n[targets]\npasses = []\n')
    drawing.write_text("before")
    with pytest.raises(PipelineError, match=r"mine\.toml"):
        fyn_graph(pipeline, "-o", drawing)
    assert drawing.read_text() == "before"
