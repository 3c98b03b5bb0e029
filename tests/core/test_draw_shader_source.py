"""Shader sources: includes, macros, prologues, and messages in the author's own lines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fyn.engine_core.errors import ShaderError
from fyn.engine_core.render.interface import ATTRIBUTES, BLOCKS, MATERIAL_DEFINES
from fyn.engine_core.render.shader_source import ShaderSources


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "common/fullscreen.vert": "void main() { gl_Position = vec4(0.0); }\n",
        "common/a.glsl": "float a() { return 1.0; }\n",
        "paint/b.glsl": '#include "common/a.glsl"\nfloat b() { return a(); }\n',
        "paint/paint.frag": (
            '#include "common/a.glsl"\n'
            '#include "b.glsl" // beside this file\n'
            "out vec4 color;\n"
            "void main() { color = vec4(a() + b()); }\n"
        ),
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path


def test_includes_are_found_from_the_folder_or_beside_the_file_and_come_once(folder):
    shader = ShaderSources(folder).assemble("paint", "frag")
    assert shader.text.count("float a()") == 1
    assert shader.text.count("float b()") == 1
    assert shader.text.index("float a()") < shader.text.index("float b()")
    assert shader.files == ("paint/paint.frag", "common/a.glsl", "paint/b.glsl")


def test_a_pass_without_a_vertex_stage_uses_the_fullscreen_one(folder):
    sources = ShaderSources(folder)
    assert sources.file_of("paint", "vert") == "common/fullscreen.vert"
    with pytest.raises(ShaderError, match=r"no shader 'dance\.frag'"):
        sources.assemble("dance", "frag")


def test_only_the_prologue_differs_between_dialects(folder):
    sources = ShaderSources(folder)
    core = sources.assemble("paint", "frag", {"N": 3}, "core").text
    es = sources.assemble("paint", "frag", {"N": 3}, "es").text
    assert core.startswith("#version 410 core\n")
    assert es.startswith("#version 300 es\n")
    body = "#define N 3\n"
    assert core[core.index(body) :] == es[es.index(body) :]


def test_macros_come_sorted_and_as_glsl_writes_numbers(folder):
    text = ShaderSources(folder).assemble("paint", "frag", {"B": True, "A": 0.5, "C": -2}).text
    assert "#define A 0.5\n#define B 1\n#define C -2\n" in text


@pytest.mark.parametrize(
    "message",
    ["0:{line}(12): error: `x' undeclared", "ERROR: 0:{line}: 'x' : undeclared",
     "0({line}) : error C1503: undefined variable x"],
)  # fmt: skip
def test_messages_of_any_driver_name_file_and_line_as_written(folder, message):
    shader = ShaderSources(folder).assemble("paint", "frag")
    for text, place in (
        ("color = vec4", "shaders/paint/paint.frag:4: "),
        ("return a();", "shaders/paint/b.glsl:2: "),
        ("float a()", "shaders/common/a.glsl:1: "),
    ):
        line = line_as_compilers_count(shader.text, text)
        assert shader.explain(message.format(line=line)).startswith(place)


def line_as_compilers_count(source: str, text: str) -> int:
    """The number that a compiler gives the first line which holds `text`, minding #line."""
    number = 0
    for line in source.splitlines():
        number += 1
        if text in line:
            return number
        if found := re.match(r"#line (\d+)", line):
            number = int(found[1]) - 1
    raise AssertionError(text)


def test_a_message_about_the_prologue_is_left_as_it_is(folder):
    shader = ShaderSources(folder).assemble("paint", "frag", {"N": 1})
    assert shader.explain("0:2(1): error: odd macro") == "0:2(1): error: odd macro"


def test_a_missing_include_names_the_line_that_asks_for_it(folder):
    (folder / "paint" / "paint.frag").write_text('\n#include "nowhere.glsl"\n', "utf-8")
    with pytest.raises(ShaderError, match=r"shaders/paint/paint\.frag:2: .*nowhere\.glsl"):
        ShaderSources(folder).assemble("paint", "frag")


def test_includes_stay_inside_the_folder(folder):
    (folder.parent / "secret.glsl").write_text("float secret;\n", "utf-8")
    (folder / "paint" / "paint.frag").write_text('#include "../../secret.glsl"\n', "utf-8")
    with pytest.raises(ShaderError, match="outside the shader folder"):
        ShaderSources(folder).assemble("paint", "frag")


def test_two_files_of_one_name_are_refused(folder):
    (folder / "common" / "paint.frag").write_text("void main() {}\n", "utf-8")
    with pytest.raises(ShaderError, match=r"Two shaders are called 'paint\.frag'"):
        ShaderSources(folder)


def test_interface_names_do_not_clash_with_variant_macros(folder):
    (folder / "paint" / "paint.frag").write_text(
        '#include "common/interface.glsl"\n#include "common/attributes.glsl"\n', "utf-8"
    )
    text = ShaderSources(folder).assemble("paint", "frag").text
    words = set(re.findall(r"\w+", text))
    assert words.isdisjoint(MATERIAL_DEFINES)
    assert set(BLOCKS) | set(ATTRIBUTES) <= words
