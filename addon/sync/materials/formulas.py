"""What Blender's Math and Mix nodes compute, on NumPy arrays. Knows no bpy.

Formulas follow Blender's shader sources (node_math.h, node_mix_rgb): divisions by zero give 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = Any
"""A number or an array of numbers; the formulas broadcast."""
EPSILON = 1e-30


def _divide(a: Array, b: Array) -> Array:
    b = np.asarray(b, np.float64)
    return np.where(b == 0, 0.0, a / np.where(b == 0, 1.0, b))


def _power(a: Array, b: Array) -> Array:
    return np.nan_to_num(np.power(np.asarray(a, np.float64), b), nan=0.0)


def _logarithm(a: Array, base: Array) -> Array:
    usable = (np.asarray(a) > 0) & (np.asarray(base) > 0)
    numerator = np.log(np.where(usable, a, 1.0))
    return np.where(usable, _divide(numerator, np.log(np.where(usable, base, 2.0))), 0.0)


def _wrap(a: Array, high: Array, low: Array) -> Array:
    span = np.asarray(high, np.float64) - low
    return np.where(span == 0, low, a - span * np.floor(_divide(a - low, span)))


def _pingpong(a: Array, scale: Array) -> Array:
    scale = np.asarray(scale, np.float64)
    wide = np.where(scale == 0, 1.0, scale)
    folded = np.abs((a - wide) / (wide * 2) - np.floor((a - wide) / (wide * 2)) - 0.5)
    return np.where(scale == 0, 0.0, np.abs(folded * wide * 2))


def _snap(a: Array, step: Array) -> Array:
    return np.floor(_divide(a, step)) * step


def _smooth_min(a: Array, b: Array, distance: Array) -> Array:
    distance = np.asarray(distance, np.float64)
    h = np.maximum(distance - np.abs(np.asarray(a) - b), 0.0) / np.where(distance == 0, 1, distance)
    return np.minimum(a, b) - np.where(distance == 0, 0.0, h * h * h * distance / 6)


def _compare(a: Array, b: Array, epsilon: Array) -> Array:
    return np.where(np.abs(np.asarray(a) - b) <= np.maximum(epsilon, 1e-5), 1.0, 0.0)


def _floored_modulo(a: Array, b: Array) -> Array:
    b = np.asarray(b, np.float64)
    return np.where(b == 0, 0.0, a - np.floor(_divide(a, b)) * b)


def _truncated_modulo(a: Array, b: Array) -> Array:
    b = np.asarray(b, np.float64)
    return np.where(b == 0, 0.0, np.fmod(a, np.where(b == 0, 1.0, b)))


MATH: dict[str, Callable[..., Array]] = {
    "ADD": lambda a, b: a + b,
    "SUBTRACT": lambda a, b: a - b,
    "MULTIPLY": lambda a, b: a * b,
    "DIVIDE": _divide,
    "MULTIPLY_ADD": lambda a, b, c: a * b + c,
    "POWER": _power,
    "LOGARITHM": _logarithm,
    "SQRT": lambda a: np.sqrt(np.maximum(a, 0.0)),
    "INVERSE_SQRT": lambda a: _divide(np.float64(1), np.sqrt(np.maximum(a, 0.0))),
    "ABSOLUTE": np.abs,
    "EXPONENT": np.exp,
    "MINIMUM": np.minimum,
    "MAXIMUM": np.maximum,
    "LESS_THAN": lambda a, b: np.where(np.asarray(a) < b, 1.0, 0.0),
    "GREATER_THAN": lambda a, b: np.where(np.asarray(a) > b, 1.0, 0.0),
    "SIGN": np.sign,
    "COMPARE": _compare,
    "SMOOTH_MIN": _smooth_min,
    "SMOOTH_MAX": lambda a, b, c: -_smooth_min(-np.asarray(a), -np.asarray(b), c),
    "ROUND": lambda a: np.floor(np.asarray(a) + 0.5),
    "FLOOR": np.floor,
    "CEIL": np.ceil,
    "TRUNC": np.trunc,
    "FRACT": lambda a: np.asarray(a) - np.floor(a),
    "MODULO": _truncated_modulo,
    "FLOORED_MODULO": _floored_modulo,
    "WRAP": _wrap,
    "SNAP": _snap,
    "PINGPONG": _pingpong,
    "SINE": np.sin,
    "COSINE": np.cos,
    "TANGENT": np.tan,
    "ARCSINE": lambda a: np.arcsin(np.clip(a, -1, 1)),
    "ARCCOSINE": lambda a: np.arccos(np.clip(a, -1, 1)),
    "ARCTANGENT": np.arctan,
    "ARCTAN2": np.arctan2,
    "SINH": np.sinh,
    "COSH": np.cosh,
    "TANH": np.tanh,
    "RADIANS": np.radians,
    "DEGREES": np.degrees,
}
"""Operations of the Math node by name; the number of arguments is that of the function."""

MATH_ARITY = {
    **dict.fromkeys(MATH, 2),
    **dict.fromkeys(
        (
            "SQRT", "INVERSE_SQRT", "ABSOLUTE", "EXPONENT", "SIGN", "ROUND", "FLOOR", "CEIL",
            "TRUNC", "FRACT", "SINE", "COSINE", "TANGENT", "ARCSINE", "ARCCOSINE", "ARCTANGENT",
            "SINH", "COSH", "TANH", "RADIANS", "DEGREES",
        ),
        1,
    ),
    **dict.fromkeys(("MULTIPLY_ADD", "COMPARE", "SMOOTH_MIN", "SMOOTH_MAX", "WRAP"), 3),
}  # fmt: skip
"""How many inputs an operation of the Math node takes."""


def _overlay(a: Array, b: Array, f: Array) -> Array:
    dark = a * (1 - f + 2 * f * b)
    light = 1 - (1 - f + 2 * f * (1 - b)) * (1 - a)
    return np.where(np.asarray(a) < 0.5, dark, light)


def _soft_light(a: Array, b: Array, f: Array) -> Array:
    screen = 1 - (1 - b) * (1 - a)
    return (1 - f) * a + f * ((1 - a) * b * a + a * screen)


def _dodge(a: Array, b: Array, f: Array) -> Array:
    left = 1 - f * b
    quotient = np.where(left <= 0, 1.0, np.minimum(_divide(a, np.maximum(left, EPSILON)), 1.0))
    return np.where(np.asarray(a) == 0, 0.0, quotient)


def _burn(a: Array, b: Array, f: Array) -> Array:
    left = 1 - f + f * b
    return np.where(left <= 0, 0.0, np.clip(1 - _divide(1 - a, np.maximum(left, EPSILON)), 0, 1))


BLEND: dict[str, Callable[[Array, Array, Array], Array]] = {
    "MIX": lambda a, b, f: a * (1 - f) + b * f,
    "DARKEN": lambda a, b, f: np.minimum(a, b) * f + a * (1 - f),
    "LIGHTEN": lambda a, b, f: np.maximum(a, b) * f + a * (1 - f),
    "MULTIPLY": lambda a, b, f: a * (1 - f + f * b),
    "ADD": lambda a, b, f: a + f * b,
    "SUBTRACT": lambda a, b, f: a - f * b,
    "DIVIDE": lambda a, b, f: np.where(np.asarray(b) == 0, a, (1 - f) * a + f * _divide(a, b)),
    "SCREEN": lambda a, b, f: 1 - (1 - f + f * (1 - b)) * (1 - a),
    "DIFFERENCE": lambda a, b, f: (1 - f) * a + f * np.abs(np.asarray(a) - b),
    "EXCLUSION": lambda a, b, f: np.maximum((1 - f) * a + f * (a + b - 2 * a * b), 0),
    "OVERLAY": _overlay,
    "SOFT_LIGHT": _soft_light,
    "LINEAR_LIGHT": lambda a, b, f: a + f * (2 * b - 1),
    "DODGE": _dodge,
    "BURN": _burn,
}
"""Blend modes of the Mix node that treat each channel by itself: (A, B, factor)."""


def rgb_to_hsv(rgb: tuple[float, float, float]) -> tuple[float, float, float]:
    """Return hue, saturation, value of an unbounded linear colour, as Blender's shaders do."""
    high, low = max(rgb), min(rgb)
    delta = high - low
    saturation = delta / high if high != 0 else 0.0
    if saturation == 0 or delta == 0:
        return (0.0, saturation, high)
    r, g, b = ((high - x) / delta for x in rgb)
    if rgb[0] == high:
        hue = b - g
    elif rgb[1] == high:
        hue = 2 + r - b
    else:
        hue = 4 + g - r
    return ((hue / 6) % 1.0, saturation, high)


def hsv_to_rgb(hsv: tuple[float, float, float]) -> tuple[float, float, float]:
    """Undo `rgb_to_hsv`."""
    hue, saturation, value = hsv
    h = (hue % 1.0) * 6
    sector, f = int(h), h - int(h)
    p = value * (1 - saturation)
    q = value * (1 - saturation * f)
    t = value * (1 - saturation * (1 - f))
    return (
        (value, t, p),
        (q, value, p),
        (p, value, t),
        (p, q, value),
        (t, p, value),
        (value, p, q),
    )[sector % 6]


def blackbody_rgb(kelvin: float) -> tuple[float, float, float]:
    """Return the linear Rec.709 colour of a black body, normalised to luminance 1.

    Planck's law integrated with the CIE 1931 observer in the analytic fit of Wyman, Sloan and
    Shirley ("Simple Analytic Approximations to the CIE XYZ Color Matching Functions", 2013).
    """
    kelvin = min(max(kelvin, 800.0), 12000.0)
    nm = np.arange(380.0, 781.0, 5.0)
    metres = nm * 1e-9
    radiance = metres**-5 / np.expm1(0.0143877736 / (metres * kelvin))

    def lobe(height: float, centre: float, below: float, above_: float) -> Array:
        width = np.where(nm < centre, below, above_)
        return height * np.exp(-0.5 * ((nm - centre) * width) ** 2)

    x = (
        lobe(1.056, 599.8, 0.0264, 0.0323)
        + lobe(0.362, 442.0, 0.0624, 0.0374)
        + lobe(-0.065, 501.1, 0.0490, 0.0382)
    )
    y = lobe(0.821, 568.8, 0.0213, 0.0247) + lobe(0.286, 530.9, 0.0613, 0.0322)
    z = lobe(1.217, 437.0, 0.0845, 0.0278) + lobe(0.681, 459.0, 0.0385, 0.0725)
    xyz = np.array([(radiance * curve).sum() for curve in (x, y, z)])
    xyz /= xyz[1]
    rec709_from_xyz = np.array(
        [
            [3.2404542, -1.5371385, -0.4985314],
            [-0.9692660, 1.8760108, 0.0415560],
            [0.0556434, -0.2040259, 1.0572252],
        ]
    )
    r, g, b = np.maximum(rec709_from_xyz @ xyz, 0.0).tolist()
    return (r, g, b)
