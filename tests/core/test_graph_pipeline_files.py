"""Reading pipeline files: every mistake is named with its file and key path."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fyn.engine_core.errors import PipelineError, UsageError
from fyn.engine_core.render.graph.compiler import FrameGraph
from fyn.engine_core.render.graph.pipeline_file import (
    find_pipeline,
    load_pipeline,
    parse_pipeline,
    pipeline_names,
)

GOOD = """[pipeline]
name = "small"
version = 1
[settings.glow]
type = "bool"
default = true
[settings.size]
type = "int"
default = 64
minimum = 1
[settings.depth_format]
type = "choice"
default = "depth24"
choices = ["depth24", "depth32f"]
[targets.scene]
format = "rgba16f"
[targets.depth]
format = "depth_format"
[targets.half]
format = "rgba16f"
scale = 0.5
[targets.map]
format = "depth32f"
size = "size"
[targets.frame]
format = "rgba8"
[[passes]]
name = "opaque"
kind = "draw"
queue = "opaque"
shader = "forward"
writes = { color0 = "scene", depth = "depth" }
clear = { color0 = [0, 0, 0, 0], depth = 1.0 }
constants = { k = 1 }
state = { depth_test = "less", cull = "material" }
[[passes]]
name = "glow"
kind = "fullscreen"
shader = "glow"
enabled = "glow"
reads = { source = "scene" }
writes = { color0 = "half" }
[[passes]]
name = "show"
kind = "fullscreen"
shader = "show"
reads = { scene = "scene", glow = "half | black" }
writes = { color0 = "frame" }
[[fallbacks]]
description = "smaller"
settings = { size = 16 }
[outputs]
picture = "frame"
"""


def error_of(text: str) -> str:
    with pytest.raises(PipelineError) as error:
        parse_pipeline(text, "small.toml")
    return str(error.value)


def test_the_small_pipeline_is_right():
    plan = FrameGraph(parse_pipeline(GOOD, "small.toml"), "small.toml").compile({}, (8, 8))
    assert [step.name for step in plan.steps] == ["opaque", "glow", "show"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        # What the structs refuse.
        ('scene = "scene"', "scene = 3", "passes[2].reads.scene: Expected `str`, got `int`"),
        ('format = "rgba8"', "format = 8", "targets.frame.format: Expected `str`, got `int`"),
        ('kind = "draw"', 'kind = "drew"', "passes[0].kind: Invalid enum value 'drew'"),
        ('cull = "material"', 'cul = "back"', "passes[0].state: Object contains unknown field"),
        ("size = 16", "size = [1]", "fallbacks[0].settings.size: Expected `bool"),
        ("[outputs]\npicture", "[nothing]\npicture", "Object contains unknown field `nothing`"),
        ("version = 1", "version = 7", "pipeline.version: this Fyn reads version 1, the file"),
        # Settings.
        ("[settings.glow]", "[settings.width]", "settings.width: this cannot be the name"),
        ("default = true", "default = 1", "settings.glow.default: must be true or false, not 1"),
        ("default = 64", "default = 0", "settings.size.default: must be at least 1, not 0"),
        ('choices = ["depth24", "depth32f"]', "", "settings.depth_format.choices: a choice needs"),
        ("{ size = 16 }", "{ siz = 16 }", 'fallbacks[0].settings.siz: unknown setting; did you'),
        ("{ size = 16 }", "{ size = 0 }", "fallbacks[0].settings.size: must be at least 1, not 0"),
        # Targets.
        ("[targets.frame]", "[targets.black]", "targets.black: this cannot be the name of a"),
        ('"rgba8"', '"rgba9"', 'targets.frame.format: unknown format "rgba9"; did you mean'),
        ('["depth24", "depth32f"]', '["depth24", "r8"]', "targets.depth.format: its choices mix"),
        ("scale = 0.5", "scale = 0", "targets.half.scale: must be above 0 and at most 16, not 0"),
        ("scale = 0.5", "scale = 0.5\nsize = 3", "targets.half.size: give either size or scale"),
        ('size = "size"', 'size = "syze"', 'targets.map.size: "syze" is no setting; did you mean'),
        ("scale = 0.5", "compare = true", "targets.half.compare: only depth formats are compared"),
        (
            "scale = 0.5",
            "history = true\nimported = true",
            "targets.half.history: an imported target belongs to the host",
        ),
        # Passes.
        ('name = "show"', 'name = "glow"', 'passes[2].name: another pass is called "glow"'),
        ('name = "show"', 'name = "Show me"', 'passes[2].name: "Show me" is no name'),
        ('queue = "opaque"', "", "passes[0].queue: a draw pass needs one of opaque, alpha,"),
        ('shader = "glow"', "", "passes[1].shader: a fullscreen pass needs the name of a shader"),
        ('enabled = "glow"', 'enabled = "glow("', "passes[1].enabled: in the expression"),
        ('enabled = "glow"', 'enabled = "gloom"', 'passes[1].enabled: "gloom" is no setting'),
        ('enabled = "glow"', "layer = 'index + n'", 'passes[1].layer: "n" is no setting'),
        ("{ k = 1 }", "{ k = inf }", "passes[0].constants.k: must be finite"),
        ("{ k = 1 }", "{ k = [1] }", "passes[0].constants.k: a list must have 2 to 4 numbers"),
        ("{ k = 1 }", '{ "k-1" = 1 }', "passes[0].constants.k-1: this cannot be a name"),
        ('color0 = "half"', 'color0 = "helf"', 'passes[1].writes.color0: unknown target "helf"'),
        ('color0 = "half"', 'color1 = "half"', "passes[1].writes: colour attachments must be"),
        ('color0 = "half"', 'color9 = "half"', "passes[1].writes.color9: no such attachment"),
        ('color0 = "half"', 'color0 = "map"', "passes[1].writes.color0: format \"depth32f\" of"),
        ('color0 = "half"', 'color0 = "half@previous"', "half@previous can only be read"),
        ('color0 = "half"', 'color0 = "half.1"', '"half.1" is no handle; write target'),
        ('source = "scene"', 'source = "scene.lit"', 'nothing makes "scene.lit"; versions of it'),
        ('source = "scene"', 'source = "scnee"', 'unknown target "scnee"; did you mean "scene"?'),
        ('source = "scene"', 'source = "half@previous"', '"half" keeps no history; set history'),
        ('"half | black"', '"black | half"', "black always exists: what follows it is never used"),
        ("depth = 1.0", "depth = [1, 1, 1, 1]", "passes[0].clear.depth: depth is cleared to one"),
        (", depth = 1.0", "", "passes[0].clear.depth: missing: the pass may leave pixels"),
        ("depth = 1.0", "depth = 1.0, color1 = [0,0,0,0]", "only what is written afresh can be"),
        ('depth_test = "less", ', "", "passes[0].state.depth_test: a pass with a depth attachment"),
        ('cull = "material"', 'color_mask = "bgr"', 'must be a part of "rgba" in that order'),
        # Outputs.
        ('picture = "frame"', "", "outputs: a pipeline needs at least one output"),
        ('picture = "frame"', 'picture = "fram"', 'outputs.picture: unknown target "fram"; did'),
    ],
)  # fmt: skip
def test_each_mistake_in_a_pipeline_is_named_with_file_and_key_path(
    old: str, new: str, message: str
):
    assert old in GOOD
    text = error_of(GOOD.replace(old, new))
    assert all(line.startswith("small.toml: ") for line in text.splitlines())
    assert message in text


def test_all_mistakes_are_listed_at_once():
    broken = GOOD.replace('"rgba8"', '"rgba9"').replace('"half | black"', '"half | blak"')
    assert error_of(broken).splitlines() == [
        'small.toml: targets.frame.format: unknown format "rgba9"; did you mean "rgba8"?',
        'small.toml: passes[2].reads.glow: unknown target "blak"; did you mean "black"?'
        ' (pass "show")',
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ('modifies = { color0 = "scene" }', '"scene" must name the old and the new version'),
        ('modifies = { color0 = "scene -> half" }', "names two targets"),
        ('modifies = { color0 = "scene -> scene" }', "the new version needs a name of its own"),
        ('modifies = { color0 = "scene@previous -> scene.x" }', "can be read but not modified"),
        ('modifies = { color0 = "scene.a -> scene.b" }', 'nothing makes "scene.a"'),
        ('modifies = { color0 = "scene -> scene.b" }\ntests = { color0 = "scene" }', "no such"),
    ],
)
def test_a_change_must_lead_from_one_version_of_a_target_to_another(change: str, message: str):
    extra = f'[[passes]]\nname = "extra"\nkind = "fullscreen"\nshader = "x"\n{change}\n'
    assert message in error_of(GOOD.replace("[[fallbacks]]", f"{extra}[[fallbacks]]"))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('kind = "resolve"\nwrites = { color0 = "half" }', 'reads exactly "source"'),
        ('kind = "copy"\nreads = { source = "scene" }', "a copy pass writes exactly one target"),
        (
            'kind = "present"\nreads = { source = "scene" }\nwrites = { color0 = "half" }',
            "a present pass writes nothing",
        ),
        ('kind = "present"\nreads = { source = "scene" }\nrepeat = 2', "neither repeats nor has"),
        ('kind = "present"\nreads = { source = "scene" }\nshader = "s"', "has no shader"),
        ('kind = "fullscreen"\nshader = "s"\nqueue = "alpha"', "a fullscreen pass draws no queue"),
        ('kind = "fullscreen"\nshader = "s"', "must write or modify something"),
    ],
)
def test_each_kind_of_pass_has_its_own_keys(body: str, message: str):
    extra = f'[[passes]]\nname = "extra"\n{body}\n'
    assert message in error_of(GOOD.replace("[[fallbacks]]", f"{extra}[[fallbacks]]"))


def test_a_file_that_is_no_toml_is_an_error_with_its_line():
    assert re.match(r"small.toml: is no TOML: .*line 1", error_of("[pipeline\n"))


def test_files_that_cannot_be_read_are_errors_that_name_the_file(tmp_path: Path):
    with pytest.raises(PipelineError, match=r"missing\.toml: cannot be read: No such file"):
        load_pipeline(tmp_path / "missing.toml")
    (tmp_path / "latin.toml").write_bytes(b'a = "\xe9"')
    with pytest.raises(PipelineError, match=r"latin.toml: is not UTF-8 text \(byte 5\)"):
        load_pipeline(tmp_path / "latin.toml")
    (tmp_path / "huge.toml").write_bytes(b"#" * 1_000_001)
    with pytest.raises(PipelineError, match=r"huge\.toml: larger than 1000000 bytes"):
        load_pipeline(tmp_path / "huge.toml")
    (tmp_path / "deep.toml").write_text("a = " + "[" * 100_000)
    with pytest.raises(PipelineError, match=r"deep\.toml: is nested too deeply"):
        load_pipeline(tmp_path / "deep.toml")


def test_pipelines_are_found_by_name_or_path_and_unknown_ones_list_the_known(tmp_path: Path):
    assert "forward" in pipeline_names()
    assert find_pipeline("forward").name == "forward.toml"
    path = tmp_path / "mine.toml"
    path.write_text(GOOD)
    assert find_pipeline(str(path)) == path
    for name in ("nothing", str(tmp_path / "no.toml"), "../pipelines/forward"):
        with pytest.raises(UsageError, match=r"no pipeline .*: give one of .*forward"):
            find_pipeline(name)


LINES = GOOD.splitlines()


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_a_pipeline_with_lines_lost_doubled_or_swapped_compiles_or_says_why(data: st.DataObject):
    lines = list(LINES)
    for _ in range(data.draw(st.integers(1, 3))):
        one, two = (data.draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        match data.draw(st.sampled_from(["lose", "double", "swap", "word"])):
            case "lose":
                del lines[one]
            case "double":
                lines.insert(two, lines[one])
            case "swap":
                lines[one], lines[two] = lines[two], lines[one]
            case "word":
                words = re.findall(r'"[^"]*"', "\n".join(LINES))
                lines[one] = re.sub(r'"[^"]*"', data.draw(st.sampled_from(words)), lines[one])
    try:
        pipeline = parse_pipeline("\n".join(lines), "small.toml")
        FrameGraph(pipeline, "small.toml").compile({}, (16, 16))
    except PipelineError as error:
        assert str(error).startswith("small.toml: ")
