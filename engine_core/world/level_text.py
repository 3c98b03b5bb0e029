"""The text of a `.fyn` file: JSON laid out for people and version control, read with limits."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from ..assets.json_depth import nesting_depth
from ..errors import LevelError

MAX_LEVEL_BYTES = 64 << 20
"""Bytes of a level file; about 200,000 entities."""
MAX_NESTING = 32
"""Levels of brackets; a level made by Fyn has six."""

# Non-ASCII letters stay readable; NaN, which JSON has no word for, is refused.
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def format_document(document: dict[str, Any]) -> bytes:
    """Return `document` as UTF-8 JSON: a key a line, a list of plain values on one line.

    Keys keep their order and floats their shortest form that reads back as the same float, so that
    equal documents give equal bytes. Raises ValueError for NaN, infinity and lone surrogates.
    """
    return (_layout(document, "") + "\n").encode("utf-8")


def parse_document(data: bytes) -> Any:
    """Return the content of a `.fyn` file as dicts, lists, text, numbers and None.

    Raises LevelError naming line and column if it is no JSON, not UTF-8, nested deeper than
    MAX_NESTING, larger than MAX_LEVEL_BYTES, or holds a number that no float can.
    """
    if len(data) > MAX_LEVEL_BYTES:
        raise LevelError(
            f"the file has {len(data)} bytes; at most {MAX_LEVEL_BYTES} are read. Split the level."
        )
    data = data.removeprefix(b"\xef\xbb\xbf")  # Windows editors put it in front of UTF-8
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise LevelError(
            f"{_place(data, error.start)}: not UTF-8 text; save the file as UTF-8."
        ) from error
    depth = nesting_depth(data)
    if depth > MAX_NESTING:
        raise LevelError(f"brackets are nested {depth} deep; at most {MAX_NESTING} are read.")
    try:
        return msgspec.json.decode(data)
    # A number of thousands of digits is a ValueError of int().
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise LevelError(_explain(data, error)) from error


def _layout(value: Any, indent: str) -> str:
    inner = indent + "  "
    if isinstance(value, dict) and value:
        rows = [f"{inner}{_encode(key)}: {_layout(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(rows) + f"\n{indent}}}"
    if isinstance(value, list) and value and isinstance(value[0], dict | list):
        rows = [inner + _layout(item, inner) for item in value]
        return "[\n" + ",\n".join(rows) + f"\n{indent}]"
    return _encode(value)


def _explain(data: bytes, error: Exception) -> str:
    """Put line and column in front of what msgspec says, instead of its byte offset."""
    words = str(error)
    offset = re.search(r" \(byte (\d+)\)", words)
    if offset is None:
        return f"not valid JSON ({words})."
    reason = words.replace(offset.group(0), "").replace("JSON is malformed: ", "")
    return f"{_place(data, int(offset.group(1)))}: not valid JSON ({reason})."


def _place(data: bytes, offset: int) -> str:
    before = data[:offset]
    line = before.count(b"\n") + 1
    column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
    return f"line {line}, column {column}"
