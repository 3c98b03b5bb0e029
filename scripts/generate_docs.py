"""Writes the pages of docs/ that come from components and causes; run it after changing one."""

from __future__ import annotations

from pathlib import Path

from fyn.addon.sync.warning_docs import warnings_markdown
from fyn.engine_core.world.component_docs import components_markdown
from fyn.engine_core.world.schema import schema_text

DOCS = Path(__file__).resolve().parent.parent / "docs"


def main() -> None:
    """Write components.md, level.schema.json and warnings.md."""
    for name, text in (
        ("components.md", components_markdown()),
        ("level.schema.json", schema_text()),
        ("warnings.md", warnings_markdown()),
    ):
        (DOCS / name).write_text(text, encoding="utf-8", newline="\n")
        print(f"docs/{name}")


if __name__ == "__main__":
    main()
