"""Keeps what Blender's own code prints out of a command's result on stdout."""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import sys
from collections.abc import Iterator

_STDOUT, _STDERR = 1, 2


@contextlib.contextmanager
def native_stdout_diverted() -> Iterator[None]:
    """While inside, what native code prints on stdout is dropped, or goes to stderr with --debug.

    The bpy wheel announces every file it reads there, past Python's `sys.stdout`; the reports of
    operators ("Saved copy as") go through `sys.stdout`. Python's own prints have no place inside.
    """
    sys.stdout.flush()
    _flush_native_buffers()
    debugging = logging.getLogger("fyn").isEnabledFor(logging.DEBUG)
    target = os.dup(_STDERR) if debugging else os.open(os.devnull, os.O_WRONLY)
    before = os.dup(_STDOUT)
    os.dup2(target, _STDOUT)
    try:
        with (
            open(target, "w", encoding="utf-8", errors="replace", closefd=False) as stream,
            contextlib.redirect_stdout(stream),
        ):
            yield
    finally:
        _flush_native_buffers()
        os.dup2(before, _STDOUT)
        os.close(before)
        os.close(target)


def _flush_native_buffers() -> None:
    """Write out what the C library still holds, or it would surface after the diversion ends."""
    with contextlib.suppress(OSError, AttributeError):
        library = ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)
        library.fflush(None)
