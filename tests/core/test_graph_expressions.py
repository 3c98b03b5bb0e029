"""Expressions of pipeline files: what they compute and what they refuse."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fyn.engine_core.errors import PipelineError
from fyn.engine_core.render.graph.expression import evaluate, names_in

NAMES = {"bloom": True, "samples": 4, "quality": "high", "width": 1280, "scale": 0.5}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("bloom and samples > 1", True),
        ("not bloom or samples == 1", False),
        ("1 < samples <= 4", True),
        ("quality == 'high'", True),
        ('quality != "low"', True),
        ("width // 3 % 5 - -2", 3),
        ("width * scale / 2", 320.0),
        ("512 if quality == 'low' else 2048", 2048),
        ("max(1, min(samples, 2)) + 1", 3),
        ("samples", 4),
        ("True", True),
    ],
)
def test_expressions_come_to_what_python_would_make_of_them(expression: str, value: object):
    assert evaluate(expression, NAMES) == value


@pytest.mark.parametrize(
    ("expression", "says"),
    [
        ("__import__('os').system('true')", "is not allowed"),
        ("bloom.__class__", "is not allowed"),
        ("(lambda: 1)()", "is not allowed"),
        ("[1, 2][0]", "is not allowed"),
        ("f'{bloom}'", "is not allowed"),
        ("samples ** samples", "is not allowed"),
        ("samples << 99", "is not allowed"),
        ("min(samples)", "is not allowed"),
        ("max(samples, key=bloom)", "is not allowed"),
        ("samples in (1, 2)", "is not allowed"),
        ("None", "is not allowed"),
        ("1j", "is not allowed"),
        ("bloom and", "is not an expression"),
        ("import os", "is not an expression"),
        ("", "is not an expression"),
        ("\0", "is not an expression"),
        ("(" * 150, "is not an expression"),
        ("1 +" * 99 + "1", "longer than 200 characters"),
        ("blom", '"blom" is no setting; known names: bloom, quality, samples, scale, width'),
        ("samples / 0", "division by zero"),
        ("samples % 0", "division by zero"),
        ("quality * 3", '"quality" is text where a number is needed'),
        ("'a' < 3", "compares text with a number"),
        ("1e9 * 1e9", "a number is outside"),
        ("9" * 150, "a number is outside"),
        ("1e999", "a number is outside"),
    ],
)
def test_what_is_no_expression_over_settings_is_refused_with_the_reason(expression: str, says: str):
    with pytest.raises(PipelineError) as error:
        evaluate(expression, NAMES)
    assert says in str(error.value)
    assert str(error.value).startswith(f'in the expression "{expression}": ')


@given(st.text(max_size=60) | st.text(alphabet="ab1+-*/%<>=!()[]'., andortifels", max_size=60))
def test_any_text_comes_to_a_value_or_to_a_pipeline_error(text: str):
    try:
        value = evaluate(text, {"a": 1, "b": 2.5})
    except PipelineError:
        return
    assert isinstance(value, bool | int | float | str)


def test_the_names_of_an_expression_are_its_settings_and_not_its_functions():
    assert names_in("max(a, b) if quality == 'c' else d") == {"a", "b", "quality", "d"}
