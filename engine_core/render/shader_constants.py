"""Numbers that GLSL and Python share: Python reads them where GLSL has them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numpy as np

SHADER_FOLDER = Path(__file__).resolve().parents[2] / "shaders"
_CONSTANT = re.compile(
    r"^const\s+(?P<type>float|vec[234])\s+(?P<name>\w+)(?:\[\d+\])?\s*=\s*(?P<value>[^;]*);",
    re.MULTILINE,
)
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+\.\d*(?:[eE][-+]?\d+)?")


@cache
def shader_constants(file: str) -> dict[str, np.ndarray]:
    """Return the constants of a `*_constants.glsl`, a path relative to the shader folder.

    A float is (), a vecN is (N,), an array of K vecN is (K, N) float64. Their values must be
    written out as plain numbers with a decimal point.
    """
    text = re.sub(r"//[^\n]*", "", (SHADER_FOLDER / file).read_text("utf-8"))
    constants = {}
    for found in _CONSTANT.finditer(text):
        values = np.array([float(number) for number in _NUMBER.findall(found["value"])])
        width = 1 if found["type"] == "float" else int(found["type"][3])
        array = values.reshape(-1, width)
        constants[found["name"]] = array.squeeze() if len(array) == 1 else array
    return constants
