"""Older versions of the `.fyn` format: the steps that bring a document up to date."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..errors import LevelError
from .level_document import FORMAT, VERSION

Step = Callable[[dict[str, Any]], dict[str, Any]]


def _as_it_is(document: dict[str, Any]) -> dict[str, Any]:
    """Only fields and components were added, whose defaults change nothing."""
    return document


STEPS: dict[int, Step] = {
    1: _as_it_is,  # colliders, behaviours, tags; glow, sides, importance, exposure, ambient
}
"""Step that turns a document of version n into one of version n + 1, by n.

A step is needed whenever old files would be read differently: a renamed or removed field, another
unit, and also a changed default, because defaults are left out of files (the step writes the old
default into the records that lack the field). Steps see what was read, unchecked.
"""


def migrate(document: Any, steps: Mapping[int, Step] = STEPS, newest: int = VERSION) -> Any:
    """Return `document` as one of version `newest`; it is not changed in place.

    Raises LevelError, whose text begins with the path in the document, if it is no level or its
    version is unknown.
    """
    if not isinstance(document, dict):
        raise LevelError("a level is one object in braces.")
    if document.get("format") != FORMAT:
        raise LevelError(f'format: expected "{FORMAT}"; this is no level of Fyn.')
    version = document.get("version")
    if type(version) is not int or version < 1:
        raise LevelError("version: expected a whole number from 1 on.")
    if version > newest:
        raise LevelError(
            f"version: this level is of version {version}, and this Fyn reads up to {newest}; "
            "update Fyn or export the level again."
        )
    for step in range(version, newest):
        document = steps[step](dict(document)) | {"version": step + 1}
    return document
