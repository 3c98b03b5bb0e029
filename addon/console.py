"""What Fyn has to say on Blender's console."""

from __future__ import annotations

import logging
import sys
from typing import Any


class ConsoleHandler(logging.StreamHandler):
    """Writes to what is stderr at the time of writing: hosts replace it."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)
        self.setFormatter(logging.Formatter("Fyn %(levelname)s: %(message)s"))

    @property
    def stream(self) -> Any:
        """The present stderr."""
        return sys.stderr


_handler: logging.Handler | None = None


def register() -> None:
    """Write the log of Fyn to stderr, each line with who speaks."""
    global _handler
    _handler = ConsoleHandler()
    logger = logging.getLogger("fyn")
    logger.addHandler(_handler)
    logger.propagate = False


def unregister() -> None:
    """Be silent again."""
    global _handler
    logger = logging.getLogger("fyn")
    if _handler is not None:
        logger.removeHandler(_handler)
    logger.propagate = True
    logger.setLevel(logging.NOTSET)
    _handler = None
