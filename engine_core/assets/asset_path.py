"""Paths inside a level: relative, with forward slashes, and never out of the level's folder."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import LevelError

MAX_FILE_BYTES = 2 << 30
"""Bytes of one asset file."""

RESERVED_NAMES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$"]
    + [f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789¹²³"]
)
"""Names that mean a device on Windows, whatever extension follows."""


def read_asset(folder: Path, relative: str) -> bytes:
    """Return the bytes of the file `relative` in `folder`.

    Raises LevelError if the path is not safe, leads outside, or is no readable plain file of at
    most MAX_FILE_BYTES.
    """
    path = resolve_asset(folder, relative)
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > MAX_FILE_BYTES:
                raise LevelError(f"'{relative}' has {size} bytes; {MAX_FILE_BYTES} are read.")
            return file.read()
    except (OSError, MemoryError) as error:
        raise LevelError(f"'{relative}' cannot be read ({_words(error)}).") from error


def resolve_asset(folder: Path, relative: str) -> Path:
    """Return the real path of the file `relative` in `folder`.

    Raises LevelError if the path is not safe, leads outside through a link, or is no plain file.
    """
    if reason := unsafe_because(relative):
        raise LevelError(f"'{_clipped(relative)}' {reason}.")
    try:
        root = folder.resolve()
        path = (root / relative).resolve()
        is_inside, is_file, exists = path.is_relative_to(root), path.is_file(), path.exists()
    except (OSError, RuntimeError, ValueError) as error:  # link loops, names too long
        raise LevelError(f"'{_clipped(relative)}' cannot be read ({_words(error)}).") from error
    if not is_inside:
        raise LevelError(f"'{relative}' is a link that leads out of the level's folder.")
    if not exists:
        raise LevelError(f"'{relative}' does not exist beside the level.")
    if not is_file:
        raise LevelError(f"'{relative}' is no plain file.")
    return path


def unsafe_because(relative: str) -> str:
    """Say why a path may not stand in a level, "" if it may.

    The rules are those of all systems at once, so that a level is valid everywhere or nowhere.
    """
    if not relative:
        return "is empty; it has to name a file"
    if "\\" in relative:
        return "has a backslash; write forward slashes"
    if relative.startswith("/"):
        return "is absolute; it has to be relative to the level"
    if ":" in relative:
        return "has a colon (a drive letter?); it has to be relative to the level"
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in relative):
        return "has control characters"
    for part in relative.split("/"):
        if part == "..":
            return "leads out of the level's folder"
        if part in ("", "."):
            return "has an empty or '.' part"
        if part != part.rstrip(". ") or part.split(".")[0].rstrip(" ").lower() in RESERVED_NAMES:
            return "has a part that Windows cannot open"
    return ""


def _words(error: BaseException) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _clipped(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."
