"""The frame graph compiler: order, culling, versions, errors; no GPU."""

from __future__ import annotations

import pytest

from fyn.engine_core.errors import PipelineError
from fyn.engine_core.render.graph.compiler import FrameGraph
from fyn.engine_core.render.graph.pipeline_file import parse_pipeline
from fyn.engine_core.render.graph.plan import Plan

HEAD = """
[pipeline]
name = "test"
version = 1
[settings.glow]
type = "bool"
default = true
[settings.samples]
type = "int"
default = 1
choices = [1, 2, 4, 8]
[settings.count]
type = "int"
default = 2
[settings.strength]
type = "float"
default = 0.5
maximum = 4
[settings.look]
type = "choice"
default = "soft"
choices = ["hard", "soft"]
"""
TARGETS = """
[targets.a]
format = "rgba16f"
[targets.b]
format = "rgba16f"
[targets.c]
format = "rgba16f"
[targets.half]
format = "rgba16f"
scale = 0.5
[targets.depth]
format = "depth32f"
[targets.many]
format = "rgba16f"
samples = "samples"
[targets.many_depth]
format = "depth32f"
samples = "samples"
"""


def full(name: str, extra: str = "", *, kind: str = "fullscreen") -> str:
    shader = f'shader = "{name}"\n' if kind in ("fullscreen", "draw") else ""
    return f'[[passes]]\nname = "{name}"\nkind = "{kind}"\n{shader}{extra}\n'


def graph(*passes: str, outputs: str = 'picture = "a"', more: str = "") -> FrameGraph:
    text = "\n".join((HEAD, TARGETS, more, *passes, "[outputs]", outputs))
    return FrameGraph(parse_pipeline(text, "test.toml"), "test.toml")


def plan(*passes: str, outputs: str = 'picture = "a"', more: str = "", **settings) -> Plan:
    return graph(*passes, outputs=outputs, more=more).compile(settings, (64, 32))


def names(compiled: Plan) -> list[str]:
    return [step.name for step in compiled.steps]


# ---- Order and culling -----------------------------------------------------------------------


def test_a_pass_runs_after_the_pass_whose_output_it_reads_whatever_the_order_of_the_file():
    compiled = plan(
        full("last", 'reads = { x = "b" }\nwrites = { color0 = "a" }'),
        full("middle", 'reads = { x = "c" }\nwrites = { color0 = "b" }'),
        full("first", 'writes = { color0 = "c" }'),
    )
    assert names(compiled) == ["first", "middle", "last"]


def test_passes_that_are_free_of_each_other_keep_the_order_of_the_file():
    compiled = plan(
        full("z", 'writes = { color0 = "b" }'),
        full("m", 'writes = { color0 = "c" }'),
        full("e", 'writes = { color0 = "half" }'),
        full("a", 'reads = { x = "half", y = "c", z = "b" }\nwrites = { color0 = "a" }'),
    )
    assert names(compiled) == ["z", "m", "e", "a"]


def test_a_reader_of_an_old_version_runs_before_the_pass_that_writes_over_it():
    compiled = plan(
        full("make", 'writes = { color0 = "a" }'),
        full("late_reader", 'reads = { x = "a", y = "c" }\nwrites = { color0 = "b" }'),
        full("change", 'modifies = { color0 = "a -> a.changed" }'),
        full("maker_of_c", 'writes = { color0 = "c" }'),
        full("join", 'reads = { x = "a.changed", y = "b" }\nwrites = { color0 = "half" }'),
        outputs='picture = "half"',
    )
    assert names(compiled) == ["make", "maker_of_c", "late_reader", "change", "join"]


def test_a_pass_whose_output_nobody_reads_is_dropped_with_everything_only_it_needed():
    compiled = plan(
        full("wanted", 'writes = { color0 = "a" }'),
        full("only_for_unwanted", 'writes = { color0 = "b" }'),
        full("unwanted", 'reads = { x = "b" }\nwrites = { color0 = "c" }'),
    )
    assert names(compiled) == ["wanted"]
    assert [texture.name for texture in compiled.textures] == ["a"]
    assert [(d.name, d.reason) for d in compiled.dropped] == [
        ("only_for_unwanted", "nothing reads it"),
        ("unwanted", "nothing reads it"),
    ]


def test_only_the_requested_outputs_keep_their_passes():
    made = graph(
        full("one", 'writes = { color0 = "a" }'),
        full("two", 'writes = { color0 = "b" }'),
        outputs='first = "a"\nsecond = "b"',
    )
    assert names(made.compile({}, (8, 8))) == ["one", "two"]
    assert names(made.compile({}, (8, 8), ["second"])) == ["two"]


def test_an_unread_colour_attachment_at_the_end_is_left_out_and_one_before_a_read_one_stays():
    passes = (
        full(
            "make",
            'writes = { color0 = "a", color1 = "b", color2 = "c", depth = "depth" }\n'
            'queue = "opaque"\nstate = { depth_test = "less" }\n'
            "clear = { color0 = [0,0,0,0], color1 = [0,0,0,0], color2 = [0,0,0,0], depth = 1 }",
            kind="draw",
        ),
    )
    step = plan(*passes, outputs='picture = "b"').steps[0]
    assert [a.version for a in step.colors] == ["a", "b"]
    assert step.depth is not None and step.depth.version == "depth"
    step = plan(*passes, outputs='picture = "depth"').steps[0]
    assert step.colors == ()


def test_a_present_pass_is_a_reason_to_draw_without_any_output():
    compiled = plan(
        full("make", 'writes = { color0 = "a" }'),
        full("show", 'reads = { source = "a" }', kind="present"),
        outputs="",
    )
    assert names(compiled) == ["make", "show"]
    assert (compiled.steps[1].width, compiled.steps[1].height) == (64, 32)


# ---- Disabled passes -------------------------------------------------------------------------


def test_a_reader_of_a_disabled_pass_takes_its_alternative():
    passes = (
        full("glow", 'enabled = "glow"\nwrites = { color0 = "b" }'),
        full("show", 'reads = { glow = "b | black" }\nwrites = { color0 = "a" }'),
    )
    on, off = plan(*passes), plan(*passes, glow=False)
    assert [r.version for r in on.steps[1].reads] == ["b"]
    assert names(off) == ["show"]
    binding = off.steps[0].reads[0]
    texture = off.textures[binding.texture]
    assert (binding.version, texture.kind, texture.initial) == ("black", "builtin", (0, 0, 0, 1))


def test_a_reader_of_a_disabled_pass_without_alternative_is_told_which_pass_and_why():
    with pytest.raises(PipelineError) as error:
        plan(
            full("shine", 'enabled = "glow and count > 1"\nwrites = { color0 = "b" }'),
            full("show", 'reads = { glow = "b" }\nwrites = { color0 = "a" }'),
            glow=False,
        )
    assert str(error.value).startswith('test.toml: passes[1].reads.glow (pass "show"): ')
    assert '"b" (pass "shine": disabled as glow and count > 1 is false)' in str(error.value)
    assert '"b | black"' in str(error.value)


def test_a_disabled_pass_that_modifies_hands_the_old_version_through():
    compiled = plan(
        full("make", 'writes = { color0 = "a" }'),
        full("one", 'enabled = false\nmodifies = { color0 = "a -> a.one" }'),
        full("two", 'enabled = "glow"\nmodifies = { color0 = "a.one -> a.two" }'),
        full("show", 'reads = { x = "a.two" }\nwrites = { color0 = "b" }'),
        outputs='picture = "b"',
        glow=False,
    )
    assert names(compiled) == ["make", "show"]
    assert compiled.steps[1].reads[0].version == "a"


def test_two_writers_of_one_target_are_allowed_while_only_one_is_enabled():
    passes = (
        full("fast", 'enabled = "not glow"\nwrites = { color0 = "a" }'),
        full("fine", 'enabled = "glow"\nwrites = { color0 = "a" }'),
    )
    assert names(plan(*passes, glow=True)) == ["fine"]
    assert names(plan(*passes, glow=False)) == ["fast"]


# ---- Errors ----------------------------------------------------------------------------------


def error_of(*passes: str, outputs: str = 'picture = "a"', more: str = "", **settings) -> str:
    with pytest.raises(PipelineError) as error:
        plan(*passes, outputs=outputs, more=more, **settings)
    message = str(error.value)
    assert message.startswith("test.toml: ")
    return message.removeprefix("test.toml: ")


def test_a_cycle_is_an_error_that_names_every_pass_in_it():
    message = error_of(
        full("free", 'writes = { color0 = "half" }'),
        full("one", 'reads = { x = "c" }\nwrites = { color0 = "a" }'),
        full("two", 'reads = { x = "a" }\nwrites = { color0 = "b" }'),
        full("three", 'reads = { x = "b" }\nwrites = { color0 = "c" }'),
    )
    assert message == (
        'cycle of passes: "one" waits for "three" (because of "c"), which waits for "two"'
        ' (because of "b"), which waits for "one" (because of "a")'
    )


def test_a_cycle_is_found_in_passes_that_nobody_reads_too():
    message = error_of(
        full("fine", 'writes = { color0 = "a" }'),
        full("one", 'reads = { x = "c" }\nwrites = { color0 = "b" }'),
        full("two", 'reads = { x = "b" }\nwrites = { color0 = "c" }'),
    )
    assert message.startswith('cycle of passes: "one" waits for "two"')


def test_a_read_of_what_nothing_makes_is_an_error():
    message = error_of(full("show", 'reads = { x = "b" }\nwrites = { color0 = "a" }'))
    assert message.startswith('passes[0].reads.x: nothing makes "b"; versions of it: none')


def test_two_writers_of_the_same_version_are_an_error_that_names_both():
    message = error_of(
        full("one", 'writes = { color0 = "a" }'), full("two", 'writes = { color0 = "a" }')
    )
    assert message.startswith('passes[1].writes.color0 (pass "two"): "a" has two writers')
    assert '"one"' in message


def test_two_passes_that_write_one_target_afresh_under_two_names_are_an_error():
    message = error_of(
        full("one", 'writes = { color0 = "a" }'), full("two", 'writes = { color0 = "a.x" }')
    )
    assert '"a" has two writers; pass "one" writes it afresh already' in message


def test_a_handle_used_after_it_was_written_anew_is_an_error_that_names_the_new_one():
    message = error_of(
        full("make", 'writes = { color0 = "a" }'),
        full("change", 'modifies = { color0 = "a -> a.lit" }'),
        full("again", 'modifies = { color0 = "a.lit -> a.final" }'),
        full("show", 'reads = { x = "a" }\nwrites = { color0 = "b" }'),
        outputs='picture = "b"',
    )
    assert message == (
        'passes[3].reads.x (pass "show"): "a" is out of date: pass "change" wrote over it;'
        ' use "a.final"'
    )


def test_two_passes_that_modify_the_same_version_are_an_error():
    message = error_of(
        full("make", 'writes = { color0 = "a" }'),
        full("one", 'modifies = { color0 = "a -> a.one" }'),
        full("two", 'modifies = { color0 = "a -> a.two" }'),
        outputs='picture = "a.two"',
    )
    assert message.startswith('passes[2].modifies.color0 (pass "two"): "a" is out of date')


def test_an_output_that_was_written_over_is_an_error():
    message = error_of(
        full("make", 'writes = { color0 = "a" }'),
        full("change", 'modifies = { color0 = "a -> a.lit" }'),
    )
    assert message.startswith('outputs: "a" is out of date')
    assert 'give out "a.lit"' in message


def test_an_early_reader_that_depends_on_the_later_change_is_a_cycle():
    message = error_of(
        full("make", 'writes = { color0 = "a" }'),
        full("reader", 'reads = { x = "a", y = "b" }\nwrites = { color0 = "c" }'),
        full("change", 'modifies = { color0 = "a -> a.lit" }'),
        full("later", 'reads = { x = "a.lit" }\nwrites = { color0 = "b" }'),
        outputs='picture = "c"',
    )
    assert message.startswith("cycle of passes: ")
    assert {'"reader"', '"change"', '"later"'} <= set(message.split(" "))


@pytest.mark.parametrize("attach", ["modifies", "tests"])
def test_a_pass_that_reads_what_it_draws_into_is_a_feedback_loop(attach: str):
    make = full(
        "make",
        'writes = { color0 = "a", depth = "depth" }\nqueue = "opaque"\n'
        'clear = { color0 = [0,0,0,0], depth = 1 }\nstate = { depth_test = "less" }',
        kind="draw",
    )
    loop = {
        "modifies": 'reads = { x = "a" }\nmodifies = { color0 = "a -> a.lit" }',
        "tests": 'reads = { x = "depth" }\nmodifies = { color0 = "a -> a.lit" }\n'
        'tests = { depth = "depth" }\nstate = { depth_test = "less" }',
    }[attach]
    message = error_of(make, full("loop", loop), outputs='picture = "a.lit"')
    assert message.startswith('passes[1].reads.x (pass "loop"): feedback loop: ')


def test_attachments_of_different_size_are_an_error_that_names_both():
    message = error_of(full("make", 'writes = { color0 = "a", color1 = "half" }'))
    assert message == (
        'passes[0].writes (pass "make"): attachments differ: color0 "a" is 64x32,'
        ' color1 "half" is 32x16'
    )


def test_attachments_of_different_samples_are_an_error():
    make = full(
        "make",
        'writes = { color0 = "many", depth = "depth" }\nqueue = "opaque"\n'
        'clear = { color0 = [0,0,0,0], depth = 1 }\nstate = { depth_test = "less" }',
        kind="draw",
    )
    assert names(plan(make, outputs='picture = "many"', samples=1)) == ["make"]
    message = error_of(make, outputs='picture = "many"', samples=4)
    assert 'color0 "many" is 64x32 with 4 samples, depth "depth" is 64x32' in message


def test_sampling_a_multisampled_target_without_a_resolve_is_an_error():
    passes = (
        full("make", 'writes = { color0 = "many" }'),
        full("show", 'reads = { x = "many" }\nwrites = { color0 = "a" }'),
    )
    assert error_of(*passes, samples=4).endswith('"many" has 4 samples; resolve it first')
    assert names(plan(*passes, samples=1)) == ["make", "show"]


@pytest.mark.parametrize(
    ("source", "into", "says"),
    [("a", "half", "equal formats and sizes"), ("depth", "many_depth", "not a copy")],
)
def test_the_two_sides_of_a_copy_must_match(source: str, into: str, says: str):
    slot = "depth" if "depth" in source else "color0"
    state = 'state = { depth_test = "always" }' if slot == "depth" else ""
    message = error_of(
        full("make", f'writes = {{ {slot} = "{source}" }}\n{state}'),
        full("copy", f'reads = {{source = "{source}"}}\nwrites = {{{slot}="{into}"}}', kind="copy"),
        outputs=f'picture = "{into}"',
        samples=4,
    )
    assert says in message


def test_unknown_settings_and_outputs_and_bad_values_are_errors_with_a_suggestion():
    made = graph(full("make", 'writes = { color0 = "a" }'))
    cases = [
        ({"smaples": 2}, None, 'unknown setting "smaples"; did you mean "samples"?'),
        ({"samples": 3}, None, 'setting "samples" must be one of 1, 2, 4, 8, not 3'),
        ({"samples": True}, None, 'setting "samples" must be a whole number, not True'),
        ({"glow": 1}, None, 'setting "glow" must be true or false, not 1'),
        ({"strength": 9}, None, 'setting "strength" must be at most 4, not 9'),
        ({"strength": float("nan")}, None, 'setting "strength" must be a finite number, not nan'),
        ({"look": "odd"}, None, """setting "look" must be one of "hard", "soft", not 'odd'"""),
        ({}, ["pictrue"], 'unknown output "pictrue"; did you mean "picture"?'),
    ]
    for settings, outputs, message in cases:
        with pytest.raises(PipelineError) as error:
            made.compile(settings, (64, 32), outputs)
        assert str(error.value) == f"test.toml: {message}"


@pytest.mark.parametrize("size", [(0, 8), (8, -1), (100_000, 8)])
def test_a_frame_size_that_cannot_be_drawn_is_an_error(size: tuple[int, int]):
    with pytest.raises(PipelineError, match="cannot be drawn: 1 to 16384 on each side"):
        graph(full("make", 'writes = { color0 = "a" }')).compile({}, size)
