"""The page docs/warnings.md, made from the causes."""

from __future__ import annotations

import re

from .animation.animation_causes import AnimationCause
from .causes import Cause
from .material_causes import MaterialCause
from .repairs import REPAIRS
from .scene_causes import SceneCause

_BEGINNING = """# Warnings

Written by `scripts/generate_docs.py` from `addon/sync/scene_causes.py`,
`addon/sync/material_causes.py` and `addon/sync/animation/animation_causes.py`.

What Fyn cannot show as Blender does is never left out in silence. Each render, export, check and
Rendered view says what it approximated or left out, once for each cause: a mesh that four thousand
instances show is one line.

The panel **Fyn Warnings** lists the newest warnings of the scene: in the Render properties, and in
the side bar of 3D views (N) in the tab *Fyn*. The button with the arrows reads the scene as the
viewport shows it. Lines stand under the title of their cause, which closes and opens; the triangle
below the list opens a search in everything the warnings say. Beside a line are

- **Select**: selects the object and makes it active (for what is only in an instanced collection,
  the instance), a material's slot and node as well; turns open shader and image editors and the
  Properties editor to it;
- a repair, where an honest one exists. It changes what you would change yourself, and can be
  undone. Linked data is not touched: the message names the file to repair it in. With the title
  chosen, all of one cause are repaired at once.

In the tables, words in *italics* stand for names and numbers.
"""

_PARTS = (
    ("Objects, meshes, light, pictures", SceneCause),
    ("Materials and nodes", MaterialCause),
    ("Deformation and animation in exported levels", AnimationCause),
)


def warnings_markdown() -> str:
    """Return the page with every cause, its sentences and its repair."""
    parts = [_BEGINNING]
    for title, causes in _PARTS:
        parts.append(f"\n## {title}\n\n| title | what it says | what to do | button | name |")
        parts.append("\n| --- | --- | --- | --- | --- |\n")
        parts += [_row(cause) for cause in sorted(causes, key=lambda one: one.words.title)]
    parts.append("\n## Repairs\n\n| button | what it does |\n| --- | --- |\n")
    parts += [f"| {repair.label} | {repair.tooltip} |\n" for repair in REPAIRS.values()]
    return "".join(parts)


def _row(cause: Cause) -> str:
    words = cause.words
    what = _readable(words.what)
    if words.left_out and not re.search("left out|not drawn", what):
        what += " It is left out."
    button = REPAIRS[words.fix].label if words.fix else "-"
    advice = _readable(words.advice) or "-"
    return f"| {words.title} | {what} | {advice} | {button} | `{cause.name}` |\n"


def _readable(template: str) -> str:
    """Return a template with its fields in italics."""
    return re.sub(r"\{(\w+)[^}]*\}", r"*\1*", template).replace("|", "\\|")
