"""Compares two pictures by three measures: mean difference, share of pixels off, similarity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..engine_core.errors import FynError
from .ssim import interior, similarity_map
from .tolerance import Measures, Tolerance

MINIMUM_COUNTED = 0.1
"""A comparison that leaves out more than nine tenths of the picture as edges proves nothing."""


class ComparisonError(FynError):
    """Two pictures that cannot be compared at all."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two pictures, what was measured between them, and why they differ (if they do)."""

    actual: np.ndarray
    """(H, W, C) float32, 0..1, not multiplied by alpha; C is 3 when both pictures are opaque."""
    expected: np.ndarray
    """The same for the expected picture."""
    difference: np.ndarray
    """(H, W) float32: largest difference of any channel, in steps of 1/255."""
    counted: np.ndarray
    """(H, W) bool: pixels that the measures look at."""
    measures: Measures
    tolerance: Tolerance
    reasons: tuple[str, ...]
    """One clause for every limit that is exceeded; empty when the pictures agree."""

    @property
    def passed(self) -> bool:
        """Whether every measure keeps its limit."""
        return not self.reasons


def compare_images(
    actual: np.ndarray, expected: np.ndarray, tolerance: Tolerance | None = None
) -> Comparison:
    """Compare two pictures of the same size.

    Both are (H, W, 3 | 4), either uint8 (255 is white) or float (1 is white, display-encoded, not
    multiplied by alpha; values outside 0..1 are clipped as a display clips them). A picture without
    alpha counts as opaque. Colour counts as far as alpha lets it show. A value of `actual` that
    is not finite counts as far from the expected one as can be.

    Raises ComparisonError when the shapes differ, hold no pixel, or are not pictures, and when
    `expected` holds values that are not finite.
    """
    tolerance = tolerance or Tolerance()
    straight_a, straight_b = _straight_pair(actual, expected)
    a, b = _as_seen(straight_a), _as_seen(straight_b)
    per_channel = np.abs(a - b) * np.float32(255.0)
    difference = per_channel.max(axis=2)
    counted = ~_near_edges(b, tolerance)
    measures = _measured(a, b, per_channel, difference, counted, tolerance)
    return Comparison(
        actual=straight_a,
        expected=straight_b,
        difference=difference,
        counted=counted,
        measures=measures,
        tolerance=tolerance,
        reasons=tuple(_exceeded(measures, tolerance)),
    )


def _straight_pair(actual: np.ndarray, expected: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both as floats in 0..1: (H, W, 3), or (H, W, 4) if any pixel of either is not opaque."""
    _check_is_picture("the actual picture", actual)
    _check_is_picture("the expected picture", expected)
    if actual.shape[:2] != expected.shape[:2]:
        raise ComparisonError(
            f"the pictures differ in size: actual {_size(actual)}, expected {_size(expected)}"
        )
    b = _unit_floats(expected)
    if not np.isfinite(b).all():
        raise ComparisonError("the expected picture holds values that are not finite (NaN or Inf)")
    a = _unit_floats(actual)
    a, b = _with_alpha(a), _with_alpha(b)
    a = np.where(np.isfinite(a), a, np.where(b < 0.5, np.float32(1.0), np.float32(0.0)))
    a, b = np.clip(a, 0.0, 1.0), np.clip(b, 0.0, 1.0)
    if (a[:, :, 3] == 1.0).all() and (b[:, :, 3] == 1.0).all():
        return a[:, :, :3], b[:, :, :3]
    return a, b


def _as_seen(picture: np.ndarray) -> np.ndarray:
    """Colours multiplied by alpha, so that a colour counts as far as it shows."""
    if picture.shape[2] == 3:
        return picture
    return np.concatenate([picture[:, :, :3] * picture[:, :, 3:], picture[:, :, 3:]], axis=2)


def _check_is_picture(name: str, picture: np.ndarray) -> None:
    if picture.ndim != 3 or picture.shape[2] not in (3, 4):
        raise ComparisonError(
            f"{name} has shape {picture.shape}, but must be (H, W, 3) or (H, W, 4)"
        )
    if 0 in picture.shape:
        raise ComparisonError(f"{name} holds no pixel: it is {_size(picture)}")
    if picture.dtype != np.uint8 and not np.issubdtype(picture.dtype, np.floating):
        raise ComparisonError(f"{name} holds {picture.dtype}, but must hold uint8 or floats")


def _size(picture: np.ndarray) -> str:
    return f"{picture.shape[1]}x{picture.shape[0]}"


def _unit_floats(picture: np.ndarray) -> np.ndarray:
    if picture.dtype == np.uint8:
        return picture.astype(np.float32) / np.float32(255.0)
    return picture.astype(np.float32)


def _with_alpha(picture: np.ndarray) -> np.ndarray:
    if picture.shape[2] == 4:
        return picture
    opaque = np.ones((*picture.shape[:2], 1), np.float32)
    return np.concatenate([picture, opaque], axis=2)


def _near_edges(expected: np.ndarray, tolerance: Tolerance) -> np.ndarray:
    """(H, W) bool: pixels within `edge_width` of an edge.

    Edges are looked for in the expected picture alone, so that a broken actual picture, full of
    noise, cannot excuse itself.
    """
    height, width = expected.shape[:2]
    near = np.zeros((height, width), bool)
    if tolerance.edge_width == 0:
        return near
    limit = tolerance.edge_contrast / 255.0
    across = np.abs(np.diff(expected, axis=1)).max(axis=2) > limit
    down = np.abs(np.diff(expected, axis=0)).max(axis=2) > limit
    near[:, :-1] |= across
    near[:, 1:] |= across
    near[:-1] |= down
    near[1:] |= down
    # An edge's own two pixels are the first step of the width; the rest is grown ring by ring.
    for _ in range(tolerance.edge_width - 1):
        near = _grown(near)
    return near


def _grown(mask: np.ndarray) -> np.ndarray:
    """The mask and every pixel that touches it, corners included."""
    padded = np.pad(mask, 1)
    wide = padded[:, :-2] | padded[:, 1:-1] | padded[:, 2:]
    return wide[:-2] | wide[1:-1] | wide[2:]


def _measured(
    a: np.ndarray,
    b: np.ndarray,
    per_channel: np.ndarray,
    difference: np.ndarray,
    counted: np.ndarray,
    tolerance: Tolerance,
) -> Measures:
    if not counted.any():
        return Measures(mean=0.0, share=0.0, ssim=1.0, worst=0.0, counted=0.0)
    # float32 rounding must not push a difference of exactly `pixel` steps over the limit
    off = difference[counted] > tolerance.pixel + 1e-3
    return Measures(
        mean=float(per_channel[counted].mean(dtype=np.float64)),
        share=float(off.mean()),
        ssim=_mean_similarity(a, b, counted),
        worst=float(difference[counted].max()),
        counted=float(counted.mean()),
    )


def _mean_similarity(a: np.ndarray, b: np.ndarray, counted: np.ndarray) -> float:
    if np.array_equal(a, b):
        return 1.0
    rows, columns = interior(*a.shape[:2])
    inner = counted[rows, columns]
    # The windows of counted pixels reach into those left out, which must not count there either.
    similar = similarity_map(np.where(counted[:, :, None], a, b), b)
    if not inner.any():
        return float(similar[counted].mean())
    return float(similar[rows, columns][inner].mean())


def _exceeded(measures: Measures, tolerance: Tolerance) -> list[str]:
    if measures.counted < MINIMUM_COUNTED:
        return [
            f"only {measures.counted:.1%} of the picture lies outside edges, too little to judge by"
        ]
    reasons = []
    if measures.mean > tolerance.mean:
        reasons.append(f"mean difference {measures.mean:.3f}/255 (limit {tolerance.mean:g}/255)")
    if measures.share > tolerance.share:
        reasons.append(
            f"{measures.share:.3%} of pixels off by more than {tolerance.pixel:g}/255"
            f" (limit {tolerance.share:.3%})"
        )
    if measures.ssim < tolerance.ssim:
        reasons.append(
            f"structural similarity {measures.ssim:.4f} (at least {tolerance.ssim:g} is asked)"
        )
    if measures.worst > tolerance.worst + 1e-3:
        reasons.append(
            f"worst pixel off by {measures.worst:.1f}/255 (limit {tolerance.worst:g}/255)"
        )
    return reasons
