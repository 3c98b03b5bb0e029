"""JSON Schema of the `.fyn` format, generated from the component classes."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from .level_document import LevelDocument

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def level_schema() -> dict[str, Any]:
    """Return the JSON Schema of a level document of the current version.

    It says what single values may be; ids, references, parents and paths are beyond a schema and
    are checked by `level_check.document_problems` only. Units stand under "x-unit".
    """
    return {
        "$schema": DIALECT,
        "title": "Fyn level (.fyn)",
        **msgspec.json.schema(LevelDocument),
    }


def schema_text() -> str:
    """Return the schema as the text of a file."""
    return json.dumps(level_schema(), indent=2, ensure_ascii=False) + "\n"
