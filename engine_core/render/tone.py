"""Tone maps and the sRGB curve in NumPy: the twin of `shaders/common/color.glsl`.

The constants are read from the shaders, so that both always have the same.
"""

from __future__ import annotations

import numpy as np

from .shader_constants import shader_constants

_TONE = shader_constants("common/tone_constants.glsl")
_STEEPEST = 1e4
"""ACES and Hable are flat past this; the shaders clamp there because the squares overflow."""


def tone_map(light: np.ndarray, kind: str) -> np.ndarray:
    """Bring linear `light` >= 0 of any shape to 0..1 by the tone map `kind` (TONE_MAPS)."""
    return _CURVES[kind](np.asarray(light, np.float64))


def srgb_encode(linear: np.ndarray) -> np.ndarray:
    """Return linear 0..1 as encoded 0..1 (IEC 61966-2-1)."""
    x = np.clip(linear, 0, 1)
    return np.where(x <= 0.0031308, x * 12.92, 1.055 * np.maximum(x, 1e-9) ** (1 / 2.4) - 0.055)


def srgb_decode(encoded: np.ndarray) -> np.ndarray:
    """Return encoded 0..1 as linear 0..1; undoes `srgb_encode`."""
    x = np.clip(encoded, 0, 1)
    return np.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4)


def _fyn(x: np.ndarray) -> np.ndarray:
    """Identity below the shoulder, then an exponential run into 1 with the same slope."""
    start = _TONE["FYN_SHOULDER"]
    room = 1 - start
    return np.where(x < start, x, 1 - room * np.exp(-np.maximum(x - start, 0) / room))


def _aces(x: np.ndarray) -> np.ndarray:
    """Narkowicz 2015."""
    a, b, c, d, e = (_TONE[f"ACES_{name}"] for name in "ABCDE")
    x = np.minimum(x, _STEEPEST)
    return np.clip((x * (a * x + b)) / (x * (c * x + d) + e), 0, 1)


def _hable(x: np.ndarray) -> np.ndarray:
    """Hable 2010."""
    a, b, c, d, e, f = (_TONE[f"HABLE_{name}"] for name in "ABCDEF")

    def curve(x: np.ndarray) -> np.ndarray:
        return (x * (a * x + c * b) + d * e) / (x * (a * x + b) + d * f) - e / f

    x = np.minimum(x, _STEEPEST)
    return np.clip(curve(_TONE["HABLE_EXPOSURE"] * x) / curve(_TONE["HABLE_WHITE"]), 0, 1)


def _reinhard(x: np.ndarray) -> np.ndarray:
    """Reinhard et al. 2002, equation 3."""
    return x / (1 + x)


def _linear(x: np.ndarray) -> np.ndarray:
    return np.clip(x, 0, 1)


_CURVES = {
    "fyn": _fyn,
    "aces": _aces,
    "hable": _hable,
    "reinhard": _reinhard,
    "linear": _linear,
}
