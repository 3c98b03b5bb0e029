"""Steps of a plan: repeats, layers, constants, history, imports, device fallbacks; no GPU."""

from __future__ import annotations

import pytest

from fyn.engine_core.errors import DeviceError, PipelineError
from fyn.engine_core.render.graph.compiler import FrameGraph
from fyn.engine_core.render.graph.device_limits import DeviceLimits
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
[settings.color_format]
type = "choice"
default = "rgba16f"
choices = ["rgba16f", "rgba8"]
"""
TARGETS = """
[targets.a]
format = "rgba16f"
[targets.b]
format = "rgba16f"
[targets.depth]
format = "depth32f"
[targets.many]
format = "color_format"
samples = "samples"
[targets.cascades]
format = "depth32f"
size = 64
layers = "count"
compare = true
[targets.old]
format = "rgba16f"
history = true
initial = [0.5, 0.5, 0.5, 1]
[targets.window]
format = "rgba8"
imported = true
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


def error_of(*passes: str, outputs: str = 'picture = "a"', more: str = "", **settings) -> str:
    with pytest.raises(PipelineError) as error:
        plan(*passes, outputs=outputs, more=more, **settings)
    message = str(error.value)
    assert message.startswith("test.toml: ")
    return message.removeprefix("test.toml: ")


# ---- Repeats and layers ----------------------------------------------------------------------

SHADOW = """queue = "shadow"
repeat = "count"
layer = "index"
writes = { depth = "cascades" }
clear = { depth = 1 }
constants = { cascade = "index", share = "1 / count" }
state = { depth_test = "less" }
"""


def test_a_repeated_pass_becomes_one_step_for_each_layer():
    compiled = plan(full("shadow", SHADOW, kind="draw"), outputs='map = "cascades"', count=3)
    assert names(compiled) == ["shadow[0]", "shadow[1]", "shadow[2]"]
    depths = [step.depth for step in compiled.steps]
    assert [d.layer for d in depths if d] == [0, 1, 2]
    assert [d.load for d in depths if d] == ["clear"] * 3
    assert [step.constants[0].value for step in compiled.steps] == [0, 1, 2]
    assert compiled.textures[0].layers == 3
    assert (compiled.steps[0].width, compiled.steps[0].height) == (64, 64)


def test_a_pass_repeated_zero_times_is_disabled():
    compiled = plan(
        full("extra", 'repeat = "count - 2"\nmodifies = { color0 = "a -> a.more" }'),
        full("make", 'writes = { color0 = "a" }'),
        outputs='picture = "a.more"',
    )
    assert names(compiled) == ["make"]
    assert compiled.dropped[0].reason == "repeated 0 times, as count - 2 is 0"


def test_a_repeated_pass_that_modifies_adds_up_on_one_target():
    compiled = plan(
        full("make", 'writes = { color0 = "a" }'),
        full("add", 'repeat = 3\nmodifies = { color0 = "a -> a.sum" }\nstate = {blend = "add"}'),
        outputs='picture = "a.sum"',
    )
    assert [step.colors[0].load for step in compiled.steps] == ["discard"] + ["keep"] * 3


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('layer = "index"\n', "", 'layer (pass "shadow"): missing'),
        ('layer = "index"', 'layer = "index + 1"', "there is no layer 2 of 2"),
        ('layer = "index"', "layer = 0", "has 2 layers and the pass writes 0, 0"),
        ('repeat = "count"', "repeat = 1", "has 2 layers and the pass writes 0; each"),
        ('repeat = "count"', 'repeat = "count * 100"', "200 is not within 0..64"),
        ('repeat = "count"', 'repeat = "count / 4"', "comes to 0.5, not to a whole number"),
    ],
)
def test_layers_that_do_not_fill_an_array_are_errors(old: str, new: str, says: str):
    assert old in SHADOW
    message = error_of(
        full("shadow", SHADOW.replace(old, new), kind="draw"), outputs='map = "cascades"'
    )
    assert says in message


def test_repeating_a_pass_that_writes_a_plain_target_afresh_is_an_error():
    message = error_of(full("make", 'repeat = 2\nwrites = { color0 = "a" }'))
    assert "each of the 2 repetitions would write it afresh" in message


# ---- Constants, defines, state ---------------------------------------------------------------


def test_constants_hold_values_and_name_the_setting_that_may_change_later():
    made = graph(
        full(
            "make",
            'writes = { color0 = "a" }\n'
            'constants = { k = "strength", look = "look", twice = "strength * 2", v = [1, 2] }\n'
            'defines = { LOOK = "look", GLOW = "glow", N = "count" }',
        )
    )
    step = made.compile({"strength": 2}, (4, 4)).steps[0]
    assert [(c.name, c.value, c.setting) for c in step.constants] == [
        ("k", 2.0, "strength"),
        ("look", 1, "look"),
        ("twice", 4.0, ""),
        ("v", (1.0, 2.0), ""),
    ]
    assert step.defines == {"GLOW": 1, "LOOK": 1, "N": 2}
    assert made.structural_settings == {
        "samples", "color_format", "count", "look", "glow", "strength",
    }  # fmt: skip


def test_a_setting_used_only_as_a_whole_constant_does_not_shape_the_plan():
    made = graph(full("make", 'writes = { color0 = "a" }\nconstants = { k = "strength" }'))
    assert "strength" not in made.structural_settings
    one, two = (made.compile({"strength": value}, (4, 4)) for value in (0.25, 0.75))
    assert one.textures == two.textures
    assert one.steps[0].constants[0].value == 0.25 and two.steps[0].constants[0].value == 0.75


def test_depth_is_written_by_passes_that_make_it_and_not_by_those_that_test_it():
    compiled = plan(
        full(
            "make",
            'writes = { color0 = "a", depth = "depth" }\nqueue = "opaque"\n'
            'clear = { color0 = [0,0,0,1], depth = 1 }\nstate = { depth_test = "less" }',
            kind="draw",
        ),
        full(
            "sky",
            'modifies = { color0 = "a -> a.sky" }\ntests = { depth = "depth" }\n'
            'state = { depth_test = "lequal" }',
        ),
        outputs='picture = "a.sky"',
    )
    make, sky = compiled.steps
    assert (make.depth_write, sky.depth_write) == (True, False)
    assert make.colors[0].clear == (0, 0, 0, 1) and make.depth and make.depth.clear == (1,)
    assert make.depth.store and sky.depth and not sky.depth.store
    assert sky.depth.load == "keep" and sky.depth.texture == make.depth.texture


# ---- History and imported targets ------------------------------------------------------------

TEMPORAL = (
    full("make", 'writes = { color0 = "a" }'),
    full("blend", 'reads = { now = "a", before = "old@previous" }\nwrites = { color0 = "old" }'),
    full("show", 'reads = { x = "old" }\nwrites = { color0 = "b" }'),
)


def test_a_history_target_has_two_textures_one_read_and_one_written():
    compiled = plan(*TEMPORAL, outputs='picture = "b"')
    assert names(compiled) == ["make", "blend", "show"]
    (pair,) = compiled.history
    blend = compiled.steps[1]
    before = next(r for r in blend.reads if r.sampler == "before")
    assert (before.texture, blend.colors[0].texture) == (pair.previous, pair.current)
    assert compiled.steps[2].reads[0].texture == pair.current
    for index in (pair.current, pair.previous):
        texture = compiled.textures[index]
        assert (texture.kind, texture.targets) == ("history", ("old",)) or index == pair.previous
        assert texture.initial == (0.5, 0.5, 0.5, 1.0)
    assert blend.colors[0].store


def test_reading_the_previous_frame_keeps_the_pass_that_writes_it_for_the_next():
    compiled = plan(
        full("show", 'reads = { before = "old@previous" }\nwrites = { color0 = "a" }'),
        full("remember", 'reads = { x = "a" }\nwrites = { color0 = "old" }'),
    )
    assert names(compiled) == ["show", "remember"]


def test_a_history_that_is_not_written_in_this_frame_cannot_be_read():
    passes = (
        full("keep", 'enabled = "glow"\nwrites = { color0 = "old" }'),
        full("show", 'reads = { before = "old@previous" }\nwrites = { color0 = "a" }'),
    )
    assert 'nothing makes "old@previous"' in error_of(*passes, glow=False)


def test_an_imported_target_is_read_without_a_writer_and_costs_no_memory():
    compiled = plan(full("show", 'reads = { x = "window" }\nwrites = { color0 = "a" }'))
    texture = compiled.textures[compiled.steps[0].reads[0].texture]
    assert (texture.kind, texture.name, texture.bytes) == ("imported", "window", 0)
    assert compiled.bytes == 64 * 32 * 8


def test_an_imported_target_can_be_drawn_into_and_its_old_contents_are_then_out_of_date():
    draw = full("draw", 'writes = { color0 = "window.drawn" }')
    early = full("early", 'reads = { x = "window" }\nwrites = { color0 = "a" }')
    compiled = plan(early, draw, outputs='picture = "a"\nshown = "window.drawn"')
    assert names(compiled) == ["early", "draw"]
    message = error_of(draw, early, outputs='picture = "a"\nshown = "window.drawn"')
    assert '"window" is out of date' in message


# ---- Devices ---------------------------------------------------------------------------------

FALLBACKS = """
[[fallbacks]]
description = "fewer samples"
settings = { samples = 2 }
[[fallbacks]]
description = "one sample"
settings = { samples = 1 }
[[fallbacks]]
description = "8-bit"
settings = { samples = 1, color_format = "rgba8" }
"""
HDR = (full("make", 'writes = { color0 = "many" }'),)


@pytest.mark.parametrize(
    ("float_samples", "chosen", "samples", "format_", "fallback"),
    [
        (8, 4, 4, "rgba16f", ""),
        (2, 4, 2, "rgba16f", 'fewer samples ("many": rgba16f has at most 2 samples)'),
        (1, 4, 1, "rgba16f", 'one sample ("many": rgba16f has at most 2 samples)'),
        (0, 4, 1, "rgba8", '8-bit ("many": format rgba16f cannot be drawn into)'),
        (0, 1, 1, "rgba8", '8-bit ("many": format rgba16f cannot be drawn into)'),
    ],
)
def test_a_device_without_a_format_gets_the_first_fallback_that_it_can_make(
    float_samples: int, chosen: int, samples: int, format_: str, fallback: str
):
    made = graph(*HDR, outputs='picture = "many"', more=FALLBACKS)
    most = {"rgba8": 8} | ({"rgba16f": float_samples} if float_samples else {})
    compiled = made.compile(
        {"samples": chosen}, (64, 32), device=DeviceLimits(most, max_size=4096, max_layers=64)
    )
    texture = compiled.textures[0]
    assert (texture.samples, texture.format) == (samples, format_)
    assert compiled.fallback.split(" (")[0] == fallback.split(" (")[0]
    assert compiled.settings["samples"] == samples


def test_a_device_that_no_fallback_suits_is_an_error_that_names_what_is_missing():
    made = graph(*HDR, outputs='picture = "many"', more=FALLBACKS)
    with pytest.raises(DeviceError, match=r'"many": format rgba8 cannot be drawn into'):
        made.compile({}, (64, 32), device=DeviceLimits({}, max_size=4096, max_layers=64))
    with pytest.raises(DeviceError, match=r'"many": at most 32 pixels on a side'):
        made.compile({}, (64, 32), device=DeviceLimits({"rgba8": 1}, max_size=32, max_layers=64))
