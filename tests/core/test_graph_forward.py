"""The forward pipeline: what it draws for which settings and outputs; no GPU."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fyn.engine_core.errors import PipelineError
from fyn.engine_core.render.graph.compiler import FrameGraph
from fyn.engine_core.render.graph.device_limits import DeviceLimits
from fyn.engine_core.render.graph.formats import FORMATS
from fyn.engine_core.render.graph.plan import Plan, plan_from_json, plan_to_json

FORWARD = FrameGraph.load("forward")
OUTPUTS = ("frame_color", "frame_linear", "frame_depth", "frame_normal")


def names(plan: Plan) -> list[str]:
    return [step.name for step in plan.steps]


def test_the_picture_alone_needs_neither_normals_nor_the_passes_of_other_outputs():
    plan = FORWARD.compile({}, (1280, 720), ["frame_color"])
    assert names(plan) == [
        "shadow[0]", "shadow[1]", "shadow[2]", "opaque", "sky", "alpha", "resolve_color",
        "bloom_bright", "bloom_down_1", "bloom_down_2", "bloom_down_3", "bloom_down_4",
        "bloom_up_3", "bloom_up_2", "bloom_up_1", "bloom_up_0", "composite",
    ]  # fmt: skip
    opaque = plan.steps[3]
    assert [color.version for color in opaque.colors] == ["scene_color"]
    assert (opaque.samples, opaque.width, opaque.height) == (4, 1280, 720)
    assert plan.textures[plan.outputs["frame_color"]].format == "rgba8"


def test_every_output_has_the_format_that_its_readers_count_on():
    plan = FORWARD.compile({}, (320, 200), OUTPUTS)
    formats = {name: plan.textures[index].format for name, index in plan.outputs.items()}
    assert formats == {
        "frame_color": "rgba8",
        "frame_depth": "r32f",
        "frame_linear": "rgba16f",
        "frame_normal": "rgba16f",
    }
    for index in plan.outputs.values():
        texture = plan.textures[index]
        assert (texture.width, texture.height, texture.samples) == (320, 200, 1)


def test_one_sample_needs_no_resolve_and_reads_the_scene_itself():
    plan = FORWARD.compile({"samples": 1, "bloom": False}, (64, 64), OUTPUTS)
    assert not [step for step in plan.steps if step.kind == "resolve"]
    composite = next(step for step in plan.steps if step.name == "composite")
    read = {binding.sampler: binding.version for binding in composite.reads}
    assert sorted(read.values()) == ["black", "scene_color.alpha"]


def test_without_shadows_the_scene_reads_a_map_in_which_everything_is_lit():
    plan = FORWARD.compile({"shadows": False}, (64, 64), ["frame_color"])
    assert names(plan)[0] == "opaque"
    binding = next(r for r in plan.steps[0].reads if r.sampler == "shadow_map")
    texture = plan.textures[binding.texture]
    assert binding.compare
    assert (texture.kind, texture.layers, texture.initial[0]) == ("builtin", 1, 1.0)


def test_bloom_has_five_levels_each_half_the_one_before():
    plan = FORWARD.compile({}, (1280, 720), ["frame_color"])
    sizes = [(t.width, t.height) for t in plan.textures if t.name.startswith("bloom")]
    assert sizes == [(640, 360), (320, 180), (160, 90), (80, 45), (40, 22)]


def test_a_frame_of_one_pixel_still_compiles():
    plan = FORWARD.compile({}, (1, 1), OUTPUTS)
    assert all(texture.width >= 1 and texture.height >= 1 for texture in plan.textures)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_each_cascade_is_drawn_into_its_own_layer(count: int):
    chosen = {"cascade_count": count, "shadow_resolution": 1024}
    plan = FORWARD.compile(chosen, (64, 64), ["frame_color"])
    shadows = [step for step in plan.steps if step.queue == "shadow"]
    assert [step.depth.layer for step in shadows if step.depth] == list(range(count))
    assert [step.index for step in shadows] == list(range(count))
    assert plan.textures[0].layers == count
    assert plan.textures[0].bytes == 1024 * 1024 * 4 * count


def test_a_device_without_float_targets_draws_in_eight_bits_without_bloom_and_says_so():
    eight_bit = {name: 4 for name, format_ in FORMATS.items() if format_.kind != "float"}
    plan = FORWARD.compile(
        {}, (64, 64), ["frame_color"], DeviceLimits(eight_bit, max_size=4096, max_layers=256)
    )
    assert {t.format for t in plan.textures if t.kind == "owned"} <= eight_bit.keys()
    assert plan.fallback.startswith("8-bit without multisampling")
    assert not [step for step in plan.steps if step.name.startswith("bloom")]


def test_a_device_with_single_sample_float_targets_keeps_float():
    most = {name: 1 if format_.kind == "float" else 4 for name, format_ in FORMATS.items()}
    limits = DeviceLimits(most, max_size=4096, max_layers=256)
    plan = FORWARD.compile({}, (64, 64), ["frame_color"], limits)
    assert plan.fallback.startswith("float without multisampling")
    assert {t.samples for t in plan.textures} == {1}
    assert plan.settings["color_format"] == "rgba16f"


settings_of_forward = st.fixed_dictionaries(
    {},
    optional={
        "samples": st.sampled_from([1, 2, 4, 8]),
        "color_format": st.sampled_from(["rgba16f", "rgba8"]),
        "shadows": st.booleans(),
        "cascade_count": st.integers(1, 4),
        "shadow_resolution": st.sampled_from([16, 1024, 2048, 4096]),
        "bloom": st.booleans(),
    },
)
sizes = st.tuples(st.integers(1, 5000), st.integers(1, 5000))
requests = st.lists(st.sampled_from(OUTPUTS), min_size=1, unique=True)


@given(settings_of_forward, sizes, requests)
@settings(max_examples=150, deadline=None)
def test_every_choice_of_settings_size_and_outputs_gives_a_plan_that_survives_json(
    chosen: dict[str, bool | int | str], size: tuple[int, int], outputs: list[str]
):
    plan = FORWARD.compile(chosen, size, outputs)
    text = plan_to_json(plan)
    assert plan_from_json(text) == plan
    assert plan_to_json(plan_from_json(text)) == text
    assert set(plan.outputs) == set(outputs)
    assert plan.bytes == sum(texture.bytes for texture in plan.textures)


def test_a_plan_of_another_version_and_what_is_no_plan_are_refused():
    text = plan_to_json(FORWARD.compile({}, (8, 8)))
    document = msgspec.json.decode(text)
    document["version"] = 99
    with pytest.raises(PipelineError, match="version 99, this Fyn reads version 1"):
        plan_from_json(msgspec.json.encode(document))
    document["version"] = "1"
    with pytest.raises(PipelineError, match=r"not a frame plan: .*at `\$.version`"):
        plan_from_json(msgspec.json.encode(document))
    for broken in (b"", b"[]", text[:-1], b"\xff\xfe"):
        with pytest.raises(PipelineError, match="this is not a frame plan"):
            plan_from_json(broken)
