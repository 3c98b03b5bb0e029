"""Words in a viewport that has no picture to show: what is going on, or what went wrong."""

from __future__ import annotations

from typing import Any

import blf
import gpu
from gpu_extras.batch import batch_for_shader
from mathutils import Matrix

FONT = 0
TEXT_COLOR = (0.85, 0.85, 0.85, 1.0)
BACKGROUND_COLOR = (0.02, 0.02, 0.022, 1.0)
"""Both linear: Blender encodes the viewport afterwards."""
FONT_POINTS = 13
MARGIN_POINTS = 24


def draw_message(text: str, size: tuple[int, int], ui_scale: float) -> None:
    """Fill the bound framebuffer of `size` pixels with a dark ground and `text`, wrapped."""
    line_height = FONT_POINTS * ui_scale * 1.5
    margin = MARGIN_POINTS * ui_scale
    blf.size(FONT, FONT_POINTS * ui_scale)
    lines = wrapped(text, size[0] - 2 * margin)
    pushed: Any = gpu.matrix
    with pushed.push_pop(), pushed.push_pop_projection():
        gpu.matrix.load_matrix(Matrix.Identity(4))
        gpu.matrix.load_projection_matrix(_pixel_space(size))
        gpu.state.depth_test_set("NONE")
        gpu.state.blend_set("NONE")
        _fill(size)
        gpu.state.blend_set("ALPHA")
        blf.color(FONT, *TEXT_COLOR)
        top = (size[1] + line_height * len(lines)) / 2 - line_height * 0.75
        for number, line in enumerate(lines):
            blf.position(FONT, margin, top - number * line_height, 0)
            blf.draw(FONT, line)
        gpu.state.blend_set("NONE")


def wrapped(text: str, width: float) -> list[str]:
    """Break `text` into lines of at most `width` pixels of the current font where words allow."""
    lines: list[str] = []
    for paragraph in text.splitlines():
        line = ""
        for word in paragraph.split(" "):
            longer = f"{line} {word}" if line else word
            if line and blf.dimensions(FONT, longer)[0] > width:
                lines.append(line)
                line = word
            else:
                line = longer
        lines.append(line)
    return lines


def _pixel_space(size: tuple[int, int]) -> Any:
    return Matrix(((2 / size[0], 0, 0, -1), (0, 2 / size[1], 0, -1), (0, 0, -1, 0), (0, 0, 0, 1)))


def _fill(size: tuple[int, int]) -> None:
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    corners = ((0, 0), (size[0], 0), (0, size[1]), size)
    batch = batch_for_shader(shader, "TRI_STRIP", {"pos": corners})
    shader.bind()
    shader.uniform_float("color", BACKGROUND_COLOR)
    batch.draw(shader)
