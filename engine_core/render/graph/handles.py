"""Handles: names of versions of a target, such as `scene_color` or `scene_color.sky`.

A target has a chain of versions. A pass that `writes` makes the first one; a pass that `modifies`
ends an old one and makes a new one. `NAME@previous` is what a history target held when the frame
before ended.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from ...errors import PipelineError

NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
_HANDLE: Final = re.compile(rf"({NAME.pattern})(?:\.({NAME.pattern})|@(previous))?")


class Handle(msgspec.Struct, frozen=True, order=True):
    """One version of one target; `label` is empty for a version with the target's own name."""

    target: str
    label: str = ""
    previous: bool = False
    """The final version of the frame before."""

    def __str__(self) -> str:
        """Return it as a pipeline file writes it."""
        if self.previous:
            return f"{self.target}@previous"
        return f"{self.target}.{self.label}" if self.label else self.target


def parse_handle(text: str) -> Handle:
    """Return the handle that `text` names.

    Raises:
        PipelineError: `text` is no handle.
    """
    match = _HANDLE.fullmatch(text.strip())
    if match is None:
        raise PipelineError(
            f'"{text}" is no handle; write target, target.version or target@previous'
            " in lower case letters, digits and _"
        )
    return Handle(match[1], match[2] or "", match[3] is not None)


def parse_choice(text: str) -> tuple[Handle, ...]:
    """Return the handles of "first | second | black", in order of preference."""
    return tuple(parse_handle(part) for part in text.split("|"))


def parse_change(text: str) -> tuple[Handle, Handle]:
    """Return (old, new) of "scene_color -> scene_color.sky".

    Raises:
        PipelineError: there is no arrow, or the two are not versions of one target.
    """
    old_text, arrow, new_text = text.partition("->")
    if not arrow:
        raise PipelineError(f'"{text}" must name the old and the new version: "a -> a.lit"')
    old, new = parse_handle(old_text), parse_handle(new_text)
    if old.previous or new.previous:
        raise PipelineError(f'"{text}": the frame before can be read but not modified')
    if old.target != new.target:
        raise PipelineError(f'"{text}" names two targets; both sides are versions of the same one')
    if old == new:
        raise PipelineError(f'"{text}": the new version needs a name of its own')
    return old, new
