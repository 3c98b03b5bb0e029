"""Sampled values to as few keys as an error bound allows.

Keys are chosen by Ramer, Douglas and Peucker's method (1972) on the graph of the value: the sample
that a span of two keys misses most becomes a key, until no sample is missed by more than the
tolerance. The bound therefore holds at every sample, and is proved by a test.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .clip import Channel, TargetKind
from .interpolation import angles_between, blend
from .paths import Animatable, animatable

TRANSLATION_TOLERANCE = 1e-4
"""Metres, of the entity's own transform; less where it moves less, see `MOTION_FRACTION`."""
ROTATION_TOLERANCE = 1e-4
"""Radians."""
VALUE_TOLERANCE = 1e-4
"""Of every other value, relative to the largest that its channel has (at least 1e-6)."""
MOTION_FRACTION = 1e-3
"""No value is missed by more than this part of the way that it goes, so that small things (a
watch modelled in metres) keep their motion."""


@dataclass(frozen=True)
class Track:
    """A field sampled at times (S,) float64 seconds; values (S, W)."""

    kind: TargetKind
    target: str
    path: str
    times: np.ndarray
    values: np.ndarray


def reduced(track: Track, rest: np.ndarray | None) -> Channel | None:
    """Return the channel of a track, None if it never leaves `rest` (W,), what the level says."""
    field = animatable(track.kind, track.path)
    assert field is not None, track.path
    values = track.values.astype(np.float32)
    if field.is_rotation:
        values = _without_flips(values)
    limit = tolerance_of(track.path, field, values)
    if rest is not None and rest.shape == values.shape[1:]:
        still = np.broadcast_to(rest, values.shape)
        if _errors(still, values, field).max(initial=0.0) <= limit:
            return None
    if field.is_flag:
        kept = np.flatnonzero(np.r_[True, (values[1:] != values[:-1]).any(axis=1)])
    else:
        kept = _kept(track.times, values, field, limit)
    return Channel(
        kind=track.kind,
        target=track.target,
        path=track.path,
        interpolation="step" if field.is_flag else "linear",
        times=track.times[kept].astype(np.float32),
        values=np.ascontiguousarray(values[kept]),
    )


def tolerance_of(path: str, field: Animatable, values: np.ndarray) -> float:
    """Return by how much values (S, W) of a field may be missed, in the unit of `_errors`."""
    if field.is_flag:
        return 0.0
    if field.is_rotation:
        return ROTATION_TOLERANCE
    values = values.astype(np.float64)
    motion = float(np.linalg.norm(np.ptp(values, axis=0))) if len(values) else 0.0
    largest = float(np.abs(values).max(initial=0.0))
    limit = max(VALUE_TOLERANCE * largest, 1e-10)
    if path == "transform.translation":
        # Float32, in which the keys are stored, cannot tell places apart any finer.
        limit = max(TRANSLATION_TOLERANCE, 1e-6 * largest)
    return max(min(limit, MOTION_FRACTION * motion), 2e-7 * largest)


def _kept(times: np.ndarray, values: np.ndarray, field: Animatable, limit: float) -> np.ndarray:
    """Return the indices of the samples that become keys."""
    last = len(values) - 1
    first = np.zeros(1, np.int64)
    if last == 0 or _errors(np.broadcast_to(values[:1], values.shape), values, field).max() == 0.0:
        return first
    # Times as they will be stored, so that the bound holds for what is played.
    clock = times.astype(np.float32).astype(np.float64)
    keep = np.zeros(len(values), bool)
    keep[[0, last]] = True
    spans = [(0, last)]
    while spans:
        begin, end = spans.pop()
        if end - begin < 2:
            continue
        inner = np.arange(begin + 1, end)
        u = (clock[inner] - clock[begin]) / (clock[end] - clock[begin])
        a = np.broadcast_to(values[begin], (len(inner), values.shape[1]))
        b = np.broadcast_to(values[end], a.shape)
        guess = blend(a, b, u, is_rotation=field.is_rotation)
        errors = _errors(guess, values[inner], field)
        worst = int(errors.argmax())
        if errors[worst] > limit:
            middle = int(inner[worst])
            keep[middle] = True
            spans += [(begin, middle), (middle, end)]
    return np.flatnonzero(keep)


def _errors(guess: np.ndarray, values: np.ndarray, field: Animatable) -> np.ndarray:
    """Return (S,) how far each row of `guess` is from `values`: an angle, or a distance."""
    guess, values = guess.astype(np.float64), values.astype(np.float64)
    if field.is_rotation:
        return angles_between(guess, values)
    return np.linalg.norm(guess - values, axis=1)


def _without_flips(rotations: np.ndarray) -> np.ndarray:
    """Choose of each quaternion and its negative the one closer to the one before."""
    signs = np.sign(np.einsum("ij,ij->i", rotations[1:], rotations[:-1]))
    signs = np.cumprod(np.r_[1.0, np.where(signs < 0, -1.0, 1.0)])
    return (rotations * signs[:, None]).astype(np.float32)
