"""Writing the files of a level: each whole or not at all, and only where it changes."""

from __future__ import annotations

from pathlib import Path

from ..engine_core.atomic_files import write_atomically
from ..engine_core.errors import LevelError


def replace_file(path: Path, data: bytes) -> None:
    """Give `path` the content `data` in one step; its folder is made if need be.

    Raises LevelError, naming the file, if that is not possible; `path` is as before then.
    """
    try:
        path.parent.mkdir(exist_ok=True)
        write_atomically(path, data)
    except OSError as error:
        raise LevelError(f"'{path}' cannot be written ({error.strerror}).") from error


def holds(path: Path, data: bytes) -> bool:
    """Tell whether `path` is a file with exactly this content."""
    try:
        return path.stat().st_size == len(data) and path.read_bytes() == data
    except OSError:
        return False
