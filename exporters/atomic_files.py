"""Files that appear whole or not at all: written under a temporary name, then renamed."""

from __future__ import annotations

from pathlib import Path

from ..engine_core.errors import LevelError

TEMPORARY_SUFFIX = ".fyn-tmp"


def replace_file(path: Path, data: bytes) -> None:
    """Give `path` the content `data` in one step; its folder is made if need be.

    Raises LevelError, naming the file, if that is not possible; `path` is as before then.
    """
    temporary = path.with_name(f".{path.name}{TEMPORARY_SUFFIX}")
    try:
        path.parent.mkdir(exist_ok=True)
        try:
            temporary.write_bytes(data)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise LevelError(f"'{path}' cannot be written ({error.strerror}).") from error


def is_temporary(path: Path) -> bool:
    """Tell whether `path` is what a killed `replace_file` left behind."""
    return path.name.startswith(".") and path.name.endswith(TEMPORARY_SUFFIX)


def holds(path: Path, data: bytes) -> bool:
    """Tell whether `path` is a file with exactly this content."""
    try:
        return path.stat().st_size == len(data) and path.read_bytes() == data
    except OSError:
        return False
