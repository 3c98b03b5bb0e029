"""Cause: a reason for which the engine shows something unlike Blender, and its sentences."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True)
class Sentences:
    """How a cause is put into words.

    `title` heads its lines in the panel; `what` and `advice` are `str.format` templates; `left_out`
    is true if something is not shown at all; `fix` names the repair that the panel offers
    (see `addon/operators/warning_fixes.py`), "" where only the artist can decide.
    """

    title: str
    what: str
    advice: str = ""
    left_out: bool = False
    fix: str = ""


class Cause(Enum):
    """One member a cause; its name is what programs know it by.

    The members are in `SceneCause` (scene_causes.py), `MaterialCause` (material_causes.py) and
    `AnimationCause` (animation/animation_causes.py), and nowhere else: the panel's list and
    docs/warnings.md are made from them.
    """

    @property
    def words(self) -> Sentences:
        """Its sentences."""
        return self.value

    @classmethod
    def all(cls) -> dict[str, Cause]:
        """Return every cause by its name."""
        return {cause.name: cause for part in cls.__subclasses__() for cause in part}

    @classmethod
    def named(cls, name: str) -> Cause | None:
        """Return the cause of a name, None if there is none."""
        parts = (part.__members__.get(name) for part in cls.__subclasses__())
        return next(filter(None, parts), None)
