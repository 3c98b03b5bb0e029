"""A component as text, so that it can be carried through the system's clipboard between files."""

from __future__ import annotations

import json
from typing import Any

from ...engine_core.errors import UsageError
from ...engine_core.world.component_changes import update_components
from ...engine_core.world.components import ALL_TYPES, Component
from ...engine_core.world.level_document import VERSION
from .writing import values_of

FORMAT = "fyn-component"
MAX_TEXT = 1 << 20
"""Characters; a component has a few hundred."""


def to_text(datablock: Any, kind: type[Component]) -> str:
    """Return what people set of a component on a datablock as JSON."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "component": kind.key,
        "values": values_of(datablock, kind),
    }
    return json.dumps(content, indent=2, ensure_ascii=False)


def from_text(text: str) -> tuple[type[Component], dict[str, Any]]:
    """Return the component class and values that `to_text` wrote, of this version or an older one.

    Values are not checked. Raises UsageError with what to do if it is no such text.
    """
    try:
        content = json.loads(text) if len(text) <= MAX_TEXT else None
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise UsageError("The clipboard holds no component of Fyn; copy one first.")
    kind = ALL_TYPES.get(str(content.get("component")))
    values, version = content.get("values"), content.get("version")
    if kind is None or not isinstance(values, dict) or type(version) is not int or version < 1:
        raise UsageError("The clipboard holds a component that this Fyn does not know; update Fyn.")
    if version > VERSION:
        raise UsageError("The clipboard holds a component of a newer Fyn; update this one.")
    update_components({kind.key: values}, version, VERSION)
    return kind, values
