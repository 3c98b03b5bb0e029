"""Every shader variant through Khronos' compiler in both dialects, and through the driver."""

from __future__ import annotations

import itertools
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from fyn.engine_core.errors import ShaderError
from fyn.engine_core.render.graph.compiler import FrameGraph
from fyn.engine_core.render.interface import (
    FRAME_DEFINES,
    FULLSCREEN_DEFINES,
    MATERIAL_DEFINES,
)
from fyn.engine_core.render.programs import ProgramCache
from fyn.engine_core.render.shader_source import ShaderSources

SHADOW_VARIANTS = (
    (),
    ("IS_CUTOUT",),
    ("HAS_BASE_COLOR_MAP", "IS_CUTOUT"),
    ("HAS_BASE_COLOR_MAP", "HAS_VERTEX_COLOR", "IS_CUTOUT"),
)


def material_variants() -> list[tuple[str, ...]]:
    """Each macro alone, each pair, all that can come together; most of them in several frames."""
    alpha = {"IS_CUTOUT", "IS_BLENDED"}
    singles = [(), *((name,) for name in MATERIAL_DEFINES)]
    pairs = [p for p in itertools.combinations(MATERIAL_DEFINES, 2) if set(p) != alpha]
    most = [tuple(n for n in MATERIAL_DEFINES if n != left_out) for left_out in sorted(alpha)]
    materials = [*singles, *pairs, *most]
    frames = [
        (),
        FRAME_DEFINES,
        *(tuple(f for f in FRAME_DEFINES if f != n) for n in FRAME_DEFINES),
    ]
    crossed = [(*material, *frame) for material in (*singles, *most) for frame in frames]
    return sorted({*materials, *crossed})


def variants() -> list[tuple[str, dict[str, int | float]]]:
    """(shader, macros) of everything that the pipelines can draw with."""
    graph = FrameGraph.load("forward")
    found: dict[str, tuple[str, dict]] = {}
    for samples, bloom in itertools.product((1, 4), (True, False)):
        plan = graph.compile({"samples": samples, "bloom": bloom}, (64, 64))
        for step in plan.steps:
            if step.kind == "draw":
                extra = SHADOW_VARIANTS if step.queue == "shadow" else material_variants()
            elif step.kind == "fullscreen":
                extra = [(), *((name,) for name in FULLSCREEN_DEFINES)]
            else:
                continue
            for macros in extra:
                defines = {**step.defines, **dict.fromkeys(macros, 1)}
                found[f"{step.shader} {sorted(defines.items())}"] = (step.shader, defines)
    return list(found.values())


def test_every_shader_of_the_folder_is_drawn_by_some_pass():
    drawn = {shader for shader, _ in variants()}
    assert drawn == set(ShaderSources().names())


@pytest.mark.parametrize("dialect", ["core", "es"])
def test_every_variant_compiles_with_the_reference_compiler(dialect, tmp_path):
    validator = shutil.which("glslangValidator")
    if validator is None:
        pytest.skip("no glslangValidator: install glslang-tools")
    sources = ShaderSources()
    files = {}
    for number, (shader, defines) in enumerate(variants()):
        for stage in ("vert", "frag"):
            assembled = sources.assemble(shader, stage, defines, dialect)
            path = tmp_path / f"{number}.{stage}"
            path.write_text(assembled.text, "utf-8")
            files[path] = (f"{shader}.{stage} {defines}", assembled)

    def problem_with(*paths) -> str:
        done = subprocess.run(
            [validator, *map(str, paths)], capture_output=True, text=True, check=False
        )
        if done.returncode == 0:
            return ""
        if len(paths) > 1:  # the log of many does not say which
            return "\n".join(filter(None, map(problem_with, paths)))
        label, assembled = files[paths[0]]
        return f"{label}:\n{assembled.explain(done.stdout)}"

    paths = list(files)
    chunks = [paths[start : start + 40] for start in range(0, len(paths), 40)]
    with ThreadPoolExecutor(2) as pool:
        problems = [text for text in pool.map(lambda chunk: problem_with(*chunk), chunks) if text]
    assert not problems, "\n".join(problems[:5])
    assert len(files) > 100


def test_every_variant_compiles_on_this_driver(device):
    cache = ProgramCache(device, ShaderSources())
    try:
        for shader, defines in variants():
            cache.get(shader, defines)
    finally:
        cache.release()


def test_a_shader_that_does_not_compile_names_file_and_line_as_written(device, tmp_path):
    (tmp_path / "paint").mkdir()
    (tmp_path / "paint" / "fullscreen.vert").write_text(
        "void main() {\n    gl_Position = vec4(0.0);\n}\n", "utf-8"
    )
    (tmp_path / "paint" / "broken.glsl").write_text("// fine\nfloat f() { return x; }\n", "utf-8")
    (tmp_path / "paint" / "paint.frag").write_text(
        '#include "paint/broken.glsl"\nout vec4 c;\nvoid main() { c = vec4(f()); }\n', "utf-8"
    )
    cache = ProgramCache(device, ShaderSources(tmp_path))
    programs = device.live_objects_by_kind.get("program", 0)
    with pytest.raises(ShaderError, match=r"shaders/paint/broken\.glsl:2: .*x"):
        cache.get("paint", {"QUALITY": 2})
    (tmp_path / "paint" / "paint.frag").write_text(
        "out vec4 c;\nin vec4 place;\nvoid main() { c = place; }\n", "utf-8"
    )
    (tmp_path / "paint" / "fullscreen.vert").write_text(
        "out vec3 place;\nvoid main() { gl_Position = vec4(0.0); place = vec3(1.0); }\n", "utf-8"
    )
    with pytest.raises(ShaderError, match="paint QUALITY=3"):
        cache.get("paint", {"QUALITY": 3})
    assert device.live_objects_by_kind.get("program", 0) == programs
