"""Tags: words by which scripts find entities."""

from __future__ import annotations

from typing import Annotated, ClassVar

from ..fields import field_meta
from .base import Component


class Tags(Component, frozen=True):
    """Words that mark an entity, such as "enemy" or "opens_at_night"; scripts find it by them."""

    key: ClassVar[str] = "tags"
    label: ClassVar[str] = "Tags"
    icon: ClassVar[str] = "BOOKMARKS"
    addable: ClassVar[bool] = True

    tags: Annotated[tuple[str, ...], field_meta("Tags", "One word each; order means nothing")] = ()
