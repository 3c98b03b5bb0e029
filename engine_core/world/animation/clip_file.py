"""Clips as files: a header in JSON that says what moves, then the keys as bare float32.

Layout, little-endian: 8 bytes `MAGIC`, uint32 bytes of the header, the header (UTF-8, padded by
spaces to a multiple of 4), then for each channel its times and its values, row by row. A web page
can view the keys in place. Reading trusts nothing: neither counts, order, ranges nor paths.
"""

from __future__ import annotations

import struct
from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta, Struct

from ...assets.json_depth import nesting_depth
from ...assets.mesh import is_finite
from ...errors import LevelError
from .clip import Channel, Clip, Interpolation, TargetKind
from .paths import MATRIX, animatable

MAGIC = b"FYNCLIP1"
MAX_HEADER_BYTES = 16 << 20
MAX_SECONDS = 1e6
_UNIT_TOLERANCE = 1e-3

_Count = Annotated[int, Meta(ge=1, le=0x7FFFFFFF)]


class _ChannelHeader(Struct, forbid_unknown_fields=True):
    kind: TargetKind
    target: str
    path: str
    interpolation: Interpolation
    keys: _Count
    width: Annotated[int, Meta(ge=1, le=0xFFFF)]


class _Header(Struct, forbid_unknown_fields=True):
    duration: Annotated[float, Meta(ge=0.0, le=MAX_SECONDS)]
    channels: list[_ChannelHeader]


def encode_clip(clip: Clip) -> bytes:
    """Return the file of a clip; equal clips give equal bytes. Name and entity stand elsewhere."""
    header = _Header(
        duration=float(clip.duration),
        channels=[
            _ChannelHeader(c.kind, c.target, c.path, c.interpolation, *c.values.shape)
            for c in clip.channels
        ],
    )
    text = msgspec.json.encode(header)
    text += b" " * (-len(text) % 4)
    arrays = [array for c in clip.channels for array in (c.times, c.values)]
    data = [np.ascontiguousarray(array, "<f4").tobytes() for array in arrays]
    return b"".join([MAGIC, struct.pack("<I", len(text)), text, *data])


def decode_clip(data: bytes, name: str, entity: str) -> Clip:
    """Return the clip of a file. Raises LevelError, which begins with the place in the file."""
    header, start = _header(data)
    numbers = sum(c.keys * (c.width + 1) for c in header.channels)
    if len(data) - start != 4 * numbers:
        raise LevelError(
            f"its header promises {4 * numbers} bytes of keys, the file has {len(data) - start}."
        )
    channels = []
    seen: set[tuple[str, str, str]] = set()
    for index, told in enumerate(header.channels):
        where = f"channels[{index}]"
        times = np.frombuffer(data, "<f4", told.keys, start)
        start += times.nbytes
        values = np.frombuffer(data, "<f4", told.keys * told.width, start).reshape(told.keys, -1)
        start += values.nbytes
        if (key := (told.kind, told.target, told.path)) in seen:
            raise LevelError(f"{where}: '{told.target}' {told.path} has a channel already.")
        seen.add(key)
        _check(where, told, times, values, header.duration)
        channels.append(
            Channel(told.kind, told.target, told.path, told.interpolation, times, values)
        )
    return Clip(name, entity, header.duration, tuple(channels))


def _header(data: bytes) -> tuple[_Header, int]:
    if len(data) < 12 or data[:8] != MAGIC:
        raise LevelError(f"no clip (its first bytes are not {MAGIC.decode()}).")
    (length,) = struct.unpack_from("<I", data, 8)
    if length > min(len(data) - 12, MAX_HEADER_BYTES) or length % 4:
        raise LevelError(f"its header of {length} bytes does not fit.")
    text = data[12 : 12 + length]
    if nesting_depth(text) > 8:
        raise LevelError("its header nests brackets too deep.")
    try:
        return msgspec.json.decode(text, type=_Header), 12 + length
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise LevelError(f"its header: {error}.") from error


def _check(
    where: str, told: _ChannelHeader, times: np.ndarray, values: np.ndarray, duration: float
) -> None:
    field = animatable(told.kind, told.path)
    if field is None:
        raise LevelError(f"{where}.path: '{told.path[:60]}' is nothing that a clip can change.")
    if field.width not in (0, told.width):
        raise LevelError(f"{where}.width: {told.width} numbers; {told.path} has {field.width}.")
    if field.is_flag and told.interpolation != "step":
        raise LevelError(f"{where}.interpolation: {told.path} is on or off; it takes steps only.")
    if not (is_finite(times) and is_finite(values)):
        raise LevelError(f"{where}: holds something that is no finite number.")
    if times[0] < 0 or (np.diff(times) <= 0).any() or times[-1] > np.float32(duration):
        raise LevelError(f"{where}: its times do not ascend from 0 to the clip's duration.")
    if field.ge is not None and float(values.min()) < np.float32(field.ge):
        raise LevelError(f"{where}: a value is below {field.ge}.")
    if field.le is not None and float(values.max()) > np.float32(field.le):
        raise LevelError(f"{where}: a value is above {field.le}.")
    if field.is_rotation:
        lengths = np.linalg.norm(values.astype(np.float64), axis=1)
        if (np.abs(lengths - 1.0) > _UNIT_TOLERANCE).any():
            raise LevelError(f"{where}: a rotation is no unit quaternion.")
    is_matrix = told.kind == "entity" and told.path == MATRIX
    if is_matrix and np.abs(values[:, 12:] - (0, 0, 0, 1)).max() > 1e-6:
        raise LevelError(f"{where}: the last row of a matrix has to be 0 0 0 1.")
