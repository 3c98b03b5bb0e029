"""Types of command-line arguments; argparse turns their errors into a sentence and exit code 2."""

from __future__ import annotations

import argparse
import math
import re
from pathlib import Path

LARGEST_SIDE = 16384
"""Pixels: the largest texture side that desktop drivers agree on."""


def size(text: str) -> tuple[int, int]:
    """WIDTHxHEIGHT in pixels, each 1..16384."""
    match = re.fullmatch(r"([0-9]{1,9})[x×X]([0-9]{1,9})", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"'{text}' is no size; write WIDTHxHEIGHT, like 1280x720")
    width, height = int(match[1]), int(match[2])
    if not (1 <= width <= LARGEST_SIDE and 1 <= height <= LARGEST_SIDE):
        raise argparse.ArgumentTypeError(f"{text}: each side must be 1..{LARGEST_SIDE} pixels")
    return width, height


def frame_range(text: str) -> range:
    """A..B, both included."""
    match = re.fullmatch(r"(-?[0-9]{1,7})\.\.(-?[0-9]{1,7})", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"'{text}' is no range of frames; write A..B, like 1..24")
    first, last = int(match[1]), int(match[2])
    if last < first:
        raise argparse.ArgumentTypeError(f"'{text}' ends before it begins")
    return range(first, last + 1)


def seconds(text: str) -> float:
    """A finite number of seconds."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"'{text}' is no number of seconds")
    return value


def jobs(text: str) -> int:
    """A number of processes, 1..256."""
    if not re.fullmatch(r"[0-9]{1,3}", text) or not 1 <= int(text) <= 256:
        raise argparse.ArgumentTypeError(f"'{text}' is no number of processes (1..256)")
    return int(text)


def png_path(text: str) -> Path:
    """A path that ends in .png."""
    path = Path(text)
    if path.suffix.lower() != ".png" or path.name.lower() == ".png":
        raise argparse.ArgumentTypeError(f"'{text}' must be a file name that ends in .png")
    return path
