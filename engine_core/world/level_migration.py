"""Older versions of the `.fyn` format: the steps that bring a document up to date."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import LevelError
from .component_changes import CHANGES, Change, update_components
from .components import ALL_TYPES
from .level_document import FORMAT, VERSION

Step = Callable[[dict[str, Any]], dict[str, Any]]


def component_step(version: int, changes: Mapping[int, tuple[Change, ...]] = CHANGES) -> Step:
    """Return the step that carries out what `component_changes` says of `version`."""

    def step(document: dict[str, Any]) -> dict[str, Any]:
        if not changes[version]:
            return document
        document = copy.deepcopy(document)
        entities = document.get("entities")
        for holder in [document, *(entities if isinstance(entities, list) else [])]:
            if isinstance(holder, dict):
                components = {key: holder[key] for key in ALL_TYPES if key in holder}
                update_components(components, version, version + 1, changes=changes)
        return document

    return step


STEPS: dict[int, Step] = {version: component_step(version) for version in range(1, VERSION)}
"""Step that turns a document of version n into one of version n + 1, by n.

What changes in components is said in `component_changes.py`; a change of anything else is a
function here. A step is needed whenever old files would be read differently: a renamed or removed
field, another unit, and also a changed default, because defaults are left out of files (the step
writes the old default into the records that lack the field). Steps see what was read, unchecked.
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
