"""What a plan's steps mean, on small pipelines of fullscreen passes."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from fyn.engine_core.errors import PipelineError
from fyn.engine_core.render.executor import Executor, SceneInputs
from fyn.engine_core.render.gpu_objects import SamplerCache
from fyn.engine_core.render.graph.compiler import FrameGraph
from fyn.engine_core.render.programs import ProgramCache
from fyn.engine_core.render.shader_source import ShaderSources
from fyn.engine_core.render.targets import SlotTargets

SHADERS = {
    "fullscreen.vert": """
void main() {
    vec2 uv = vec2(gl_VertexID == 1 ? 2.0 : 0.0, gl_VertexID == 2 ? 2.0 : 0.0);
    gl_Position = vec4(uv * 2.0 - 1.0, 0.5, 1.0);
}""",
    "paint.frag": """
uniform vec4 ink;
layout(location = 0) out vec4 color;
void main() { color = ink; }""",
    "gradient.frag": """
layout(location = 0) out vec4 color;
void main() { color = vec4(gl_FragCoord.xy, 0.0, 1.0); }""",
    "add_one.frag": """
uniform sampler2D before;
layout(location = 0) out vec4 color;
void main() { color = texelFetch(before, ivec2(gl_FragCoord.xy), 0) + 1.0; }""",
    "two.frag": """
uniform sampler2D first;
uniform sampler2D second;
layout(location = 0) out vec4 color;
void main() {
    color = vec4(texelFetch(first, ivec2(0), 0).r, texelFetch(second, ivec2(0), 0).r, LEVEL, 1.0);
}""",
    "scalar.frag": """
uniform float level;
layout(location = 0) out vec4 color;
void main() { color = vec4(level); }""",
    "shadow_test.frag": """
uniform highp sampler2DArrayShadow map;
layout(location = 0) out vec4 color;
void main() {
    color = vec4(texture(map, vec4(0.5, 0.5, 0.0, 0.25)), texture(map, vec4(0.5, 0.5, 1.0, 0.25)),
        0.0, 1.0);
}""",
}
HEAD = '[pipeline]\nname = "small"\nversion = 1\n[targets.out]\nformat = "rgba32f"\n'
TAIL = '[outputs]\nout = "out"\n'


@pytest.fixture
def run(device, tmp_path: Path):
    """Return a function that compiles a pipeline and draws some frames: `run(text, frames)`."""
    (tmp_path / "all").mkdir()
    for name, text in SHADERS.items():
        (tmp_path / "all" / name).write_text(text, "utf-8")
    device.activate()
    before = device.live_objects
    samplers = SamplerCache(device)
    programs = ProgramCache(device, ShaderSources(tmp_path))
    executor = Executor(device, programs, samplers)
    targets = SlotTargets(device)
    scene = SceneInputs({}, {}, {}, SimpleNamespace())

    def draw(text: str, frames: int = 1, size=(8, 4), output="out", numbers=None) -> np.ndarray:
        path = tmp_path / "small.toml"
        path.write_text(text, "utf-8")
        plan = FrameGraph.load(path).compile({}, size)
        for _ in range(frames):
            executor.run(plan, targets, scene, numbers or {})
        device.check("testing")
        return targets.read(plan.outputs[output])

    yield draw
    for thing in (targets, executor, programs, samplers):
        thing.release()
    assert device.live_objects == before


def paint(name: str, ink: str, more: str) -> str:
    return (
        f'[[passes]]\nname = "{name}"\nkind = "fullscreen"\nshader = "paint"\n'
        f"constants = {{ ink = {ink} }}\n{more}\n"
    )


def test_pixels_come_top_row_first(run):
    text = HEAD + (
        '[[passes]]\nname = "g"\nkind = "fullscreen"\nshader = "gradient"\n'
        'writes = { color0 = "out" }\n'
    )
    pixels = run(text + TAIL)
    np.testing.assert_array_equal(pixels[0, :, 1], 3.5)
    np.testing.assert_array_equal(pixels[:, 2, 0], 2.5)
    assert pixels.shape == (4, 8, 4)


BLENDS = {
    "none": (0.5, 0.25, 0.0, 0.5),
    "alpha": (0.5 * 0.5 + 0.4, 0.25 * 0.5 + 0.2, 0.1, 0.5 + 0.5 * 0.5),
    "premultiplied": (0.5 + 0.4, 0.25 + 0.2, 0.1, 0.5 + 0.5 * 0.5),
    "add": (1.3, 0.65, 0.2, 1.0),
    "multiply": (0.4, 0.1, 0.0, 0.25),
}


@pytest.mark.parametrize("mode", BLENDS)
def test_blending_follows_its_formula(run, mode):
    text = HEAD + paint("under", "[0.8, 0.4, 0.2, 0.5]", 'writes = { color0 = "out" }')
    text += paint(
        "over", "[0.5, 0.25, 0.0, 0.5]",
        f'modifies = {{ color0 = "out -> out.over" }}\nstate = {{ blend = "{mode}" }}',
    )  # fmt: skip
    pixels = run(text + '[outputs]\nout = "out.over"\n')
    np.testing.assert_allclose(pixels[1, 1], BLENDS[mode], atol=1e-6)


def test_only_the_channels_of_the_mask_are_written(run):
    text = HEAD + paint("under", "[0.1, 0.2, 0.3, 0.4]", 'writes = { color0 = "out" }')
    text += paint(
        "over", "[1.0, 1.0, 1.0, 1.0]",
        'modifies = { color0 = "out -> out.over" }\nstate = { color_mask = "ga" }',
    )  # fmt: skip
    pixels = run(text + '[outputs]\nout = "out.over"\n')
    np.testing.assert_allclose(pixels[0, 0], [0.1, 1.0, 0.3, 1.0], atol=1e-6)


def test_a_mask_does_not_hold_back_the_next_clear(run):
    text = HEAD + (
        '[[passes]]\nname = "over"\nkind = "fullscreen"\nshader = "paint"\n'
        "constants = { ink = [1.0, 1.0, 1.0, 1.0] }\n"
        'writes = { color0 = "out" }\nclear = { color0 = [0.0, 0.5, 0.0, 0.0] }\n'
        'state = { color_mask = "r" }\n'
    )
    np.testing.assert_array_equal(run(text + TAIL, frames=2)[0, 0], [1.0, 0.5, 0.0, 0.0])


@pytest.mark.parametrize(("depth", "passes"), [(0.5, False), (0.9, True)])
def test_depth_is_compared_and_kept_by_a_pass_that_only_tests(run, depth, passes):
    # The triangle of the test lies at window depth 0.75.
    text = HEAD + '[targets.depth]\nformat = "depth32f"\n'
    text += paint(
        "both", "[0.1, 0.1, 0.1, 1.0]",
        'writes = { color0 = "out", depth = "depth" }\n'
        f"clear = {{ color0 = [0.0, 0.0, 0.0, 0.0], depth = {depth} }}\n"
        'state = { depth_test = "less" }',
    )  # fmt: skip
    np.testing.assert_allclose(run(text + TAIL)[0, 0, 0], 0.1 if passes else 0.0, atol=1e-6)
    text += paint(
        "again", "[0.7, 0.7, 0.7, 1.0]",
        'modifies = { color0 = "out -> out.again" }\ntests = { depth = "depth" }\n'
        'state = { depth_test = "equal" }',
    )  # fmt: skip
    pixels = run(text + '[outputs]\nout = "out.again"\n')
    np.testing.assert_allclose(pixels[0, 0, 0], 0.7 if passes else 0.0, atol=1e-6)


def test_history_holds_what_the_frame_before_wrote(run):
    text = HEAD.replace('format = "rgba32f"\n', 'format = "rgba32f"\nhistory = true\n')
    text = text.replace("history = true\n", "history = true\ninitial = [10.0, 20.0, 0.0, 0.0]\n")
    text += (
        '[[passes]]\nname = "count"\nkind = "fullscreen"\nshader = "add_one"\n'
        'reads = { before = "out@previous" }\nwrites = { color0 = "out" }\n'
    )
    text += '[targets.shown]\nformat = "rgba32f"\n'
    text += (
        '[[passes]]\nname = "show"\nkind = "copy"\nreads = { source = "out" }\n'
        'writes = { color0 = "shown" }\n[outputs]\nout = "shown"\n'
    )
    np.testing.assert_array_equal(run(text, frames=1)[0, 0, :2], [11.0, 21.0])
    np.testing.assert_array_equal(run(text, frames=5)[0, 0, :2], [15.0, 25.0])


def test_a_history_target_can_be_handed_out_itself(run):
    text = HEAD.replace('format = "rgba32f"\n', 'format = "rgba32f"\nhistory = true\n')
    text += (
        '[[passes]]\nname = "count"\nkind = "fullscreen"\nshader = "add_one"\n'
        'reads = { before = "out@previous" }\nwrites = { color0 = "out" }\n'
    )
    np.testing.assert_array_equal(run(text + TAIL, frames=3)[0, 0], 3.0)


def test_resolving_averages_the_samples(run):
    text = HEAD + '[targets.many]\nformat = "rgba16f"\nsamples = 4\n'
    text += paint("p", "[0.25, 0.5, 2.0, 1.0]", 'writes = { color0 = "many" }')
    text = text.replace('format = "rgba32f"', 'format = "rgba16f"')
    text += (
        '[[passes]]\nname = "r"\nkind = "resolve"\nreads = { source = "many" }\n'
        'writes = { color0 = "out" }\n'
    )
    np.testing.assert_allclose(run(text + TAIL)[2, 3], [0.25, 0.5, 2.0, 1.0], rtol=1e-3)


def test_builtin_textures_macros_and_samplers_by_name_reach_the_shader(run):
    text = HEAD + (
        '[[passes]]\nname = "t"\nkind = "fullscreen"\nshader = "two"\n'
        'reads = { second = "white", first = "black" }\nwrites = { color0 = "out" }\n'
        "defines = { LEVEL = 0.125 }\n"
    )
    np.testing.assert_array_equal(run(text + TAIL)[0, 0], [0.0, 1.0, 0.125, 1.0])


def test_each_layer_of_an_array_is_drawn_and_compared_on_its_own(run):
    text = HEAD + '[targets.map]\nformat = "depth32f"\nsize = 4\nlayers = 2\ncompare = true\n'
    text += (
        '[[passes]]\nname = "m"\nkind = "draw"\nqueue = "shadow"\nshader = "paint"\nrepeat = 2\n'
        'layer = "index"\nwrites = { depth = "map" }\nclear = { depth = 0.2 }\n'
        'state = { depth_test = "less" }\n'
        '[[passes]]\nname = "t"\nkind = "fullscreen"\nshader = "shadow_test"\n'
        'reads = { map = "map" }\nwrites = { color0 = "out" }\n'
    )
    np.testing.assert_array_equal(run(text + TAIL)[0, 0, :2], [0.0, 0.0])
    lit = text.replace("clear = { depth = 0.2 }", "clear = { depth = 1.0 }")
    np.testing.assert_array_equal(run(lit + TAIL)[0, 0, :2], [1.0, 1.0])
    unshadowed = text.replace('reads = { map = "map" }', 'reads = { map = "unshadowed" }')
    assert run(unshadowed + TAIL)[0, 0, 0] == 1.0


def test_a_constant_follows_its_setting_without_a_new_plan(run):
    text = HEAD + '[settings.level]\ntype = "float"\ndefault = 0.5\n'
    text += (
        '[[passes]]\nname = "one"\nkind = "fullscreen"\nshader = "scalar"\n'
        'constants = { level = "level" }\nwrites = { color0 = "out" }\n'
    )
    assert run(text + TAIL)[0, 0, 0] == 0.5
    assert run(text + TAIL, numbers={"level": 0.75})[0, 0, 0] == 0.75


def test_a_sampler_that_its_pass_does_not_read_is_an_error_in_words(run):
    text = HEAD + (
        '[[passes]]\nname = "lost"\nkind = "fullscreen"\nshader = "two"\n'
        'reads = { first = "black" }\nwrites = { color0 = "out" }\ndefines = { LEVEL = 0.5 }\n'
    )
    with pytest.raises(PipelineError, match="'two' samples 'second', which pass 'lost' does not"):
        run(text + TAIL)


def test_an_image_that_nothing_hands_in_is_an_error_in_words(run):
    text = HEAD + '[targets.photo]\nformat = "rgba8"\nimported = true\n'
    text += (
        '[[passes]]\nname = "t"\nkind = "fullscreen"\nshader = "add_one"\n'
        'reads = { before = "photo" }\nwrites = { color0 = "out" }\n'
    )
    with pytest.raises(PipelineError, match="nothing hands in the image 'photo'"):
        run(text + TAIL)
