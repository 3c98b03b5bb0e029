"""A page that lists a folder of render tests: what each guards, and what is known to differ."""

from __future__ import annotations

from collections.abc import Sequence

from .render_test import FoundTest

_HEAD = """# The shared scenes

What is drawn of the scenes that others made (they lie beside the project and are not part of it),
held against a picture of each that was looked at: `fyn test tests/scenes`. This page is made from
the notes in `tests/scenes/*/*.toml` by `scripts/generate_docs.py`.

Blender's side is Cycles with full light, 64 samples, under the Standard view transform, through the
same camera: `python scripts/compare_with_blender.py tests/scenes -o out/compare` draws both sides
again and shows them beside each other. What holds for all of them: Fyn has no bounced light, and
its tone map keeps what Standard clips.

| scene | what it shows | where Fyn differs from Cycles, and why |
| --- | --- | --- |
"""


def scenes_markdown(tests: Sequence[FoundTest]) -> str:
    """Return the page of `tests`, in their order."""
    rows = [
        f"| `{found.name}` | {_cell(found.test.title)} | {_cell(found.test.notes or 'alike')} |"
        for found in tests
    ]
    return _HEAD + "\n".join(rows) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
