"""What is listed of a scene: the newest warnings of its sync, and one about its colors."""

from __future__ import annotations

from typing import Any

from .colors import view_transform_changes
from .sync.causes import Cause
from .sync.scene_causes import SceneCause
from .sync.warnings import SyncWarning, warn_about
from .warning_store import newest

_last: list[Any] = [None, (), {}]
"""What the last answer was made of, the answer, and its warnings by key: lists are drawn often."""


def warnings_of(scene: Any) -> tuple[SyncWarning, ...]:
    """Return the warnings about an original scene, sorted by cause and name.

    It is the same object as long as nothing has changed.
    """
    return _answer(scene)[1]


def find(scene: Any, key: str) -> SyncWarning | None:
    """Return the warning about a scene that has a key (see `SyncWarning.key`)."""
    return _answer(scene)[2].get(key)


def _answer(scene: Any) -> list[Any]:
    known, changes = newest(scene.session_uid) or (), view_transform_changes(scene)
    last = _last[0]
    made_of = (scene.session_uid, scene.name_full, known, changes)
    if last is None or last[2] is not known or last != made_of:
        found = list(known)
        if changes:
            found.append(warn_about(scene, SceneCause.SCENE_COLORS, changes=changes))
        found.sort(key=lambda one: (title_of(one), one))
        _last[:] = [made_of, tuple(found), {one.key: one for one in found}]
    return _last


def cause_of(warning: SyncWarning) -> Cause | None:
    """Return the cause of a warning, None if it has none that is known."""
    return Cause.named(warning.cause)


def title_of(warning: SyncWarning) -> str:
    """Return what heads the warning's lines in a list."""
    cause = cause_of(warning)
    return "Other" if cause is None else cause.words.title


def with_frame(of_scene: tuple[str, ...], of_frame: tuple[str, ...]) -> tuple[str, ...]:
    """Return what the sync and the renderer warn of, without pictures that both of them miss.

    The renderer names each picture that it draws pink, because a level read from a file has had
    no sync; the sync has said so already, and why.
    """
    named = {_picture(text) for text in of_scene}
    return (
        *of_scene,
        *(text for text in of_frame if not _picture(text) or _picture(text) not in named),
    )


def _picture(text: str) -> str:
    """Return the name of the picture that a warning begins with, "" if it begins otherwise."""
    if text[:7].lower() != "image '":
        return ""
    return text[7:].partition("'")[0].partition("/")[0]
