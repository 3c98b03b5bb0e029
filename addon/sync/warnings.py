"""SyncWarning: one thing that the engine cannot show as Blender does, in words for the artist."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

WarningKind = Literal[
    "object", "mesh", "material", "image", "light", "camera", "world", "scene", "library"
]


@dataclass(frozen=True, order=True)
class SyncWarning:
    """What was approximated or left out.

    `kind` and `name` say which datablock; `node` names the shader node when there is one; `what`
    is a sentence about what differs; `advice` says what the artist can do; `left_out` is true if
    something is not shown at all (false: shown approximately).
    """

    kind: WarningKind
    name: str
    what: str
    advice: str = ""
    node: str = ""
    left_out: bool = False

    def __str__(self) -> str:
        """Return the whole warning on one line."""
        where = f"{self.kind} '{self.name}'" + (f", node '{self.node}'" if self.node else "")
        return f"{where}: {self.what}" + (f" {self.advice}" if self.advice else "")
