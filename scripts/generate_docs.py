"""Writes the pages of docs/ that come from code and notes; run it after a change."""

from __future__ import annotations

from pathlib import Path

from pieces_page import pieces_markdown

from fyn.addon.sync.warning_docs import warnings_markdown
from fyn.compare.render_test import find_tests
from fyn.compare.render_test_table import scenes_markdown
from fyn.engine_core.world.component_docs import components_markdown
from fyn.engine_core.world.schema import schema_text

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"


def main() -> None:
    """Write components.md, level.schema.json, warnings.md, scenes.md and pieces.md."""
    for name, text in (
        ("components.md", components_markdown()),
        ("level.schema.json", schema_text()),
        ("warnings.md", warnings_markdown()),
        ("pieces.md", pieces_markdown()),
        ("scenes.md", scenes_markdown(find_tests(ROOT / "tests" / "scenes"))),
    ):
        (DOCS / name).write_text(text, encoding="utf-8", newline="\n")
        print(f"docs/{name}")


if __name__ == "__main__":
    main()
