"""Files that appear whole or not at all: written under a temporary name, then renamed."""

from __future__ import annotations

import uuid
from pathlib import Path

TEMPORARY_SUFFIX = ".fyn-tmp"


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that a reader (or a crash) sees the old content or the new, nothing between.

    Folders on the way are made. Raises OSError when the place cannot be written; `path` is as
    before then.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{uuid.uuid4().hex}{TEMPORARY_SUFFIX}")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def is_temporary(path: Path) -> bool:
    """Tell whether `path` is what a killed `write_atomically` left behind."""
    return path.name.startswith(".") and path.name.endswith(TEMPORARY_SUFFIX)
