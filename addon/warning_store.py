"""The newest warnings of each scene, whoever synced it: a viewport, a render, an export, a check.

Any thread may keep warnings; readers get whole tuples.
"""

from __future__ import annotations

from .sync.warnings import SyncWarning

_newest: dict[int, tuple[SyncWarning, ...]] = {}
"""By session uid of the scene."""


def keep(scene: int, warnings: tuple[SyncWarning, ...]) -> None:
    """Replace what is known of a scene (its session uid); nothing is new if all is the same."""
    if _newest.get(scene) != warnings:
        _newest[scene] = warnings


def newest(scene: int) -> tuple[SyncWarning, ...] | None:
    """Return the warnings of the last sync of a scene; None if there was none yet."""
    return _newest.get(scene)


def discard(scene: int, warning: SyncWarning) -> None:
    """Forget a warning whose cause was repaired; the next sync says whether it really was."""
    known = _newest.get(scene)
    if known is not None:
        _newest[scene] = tuple(one for one in known if one != warning)


def forget_all() -> None:
    """Forget everything: another file was opened."""
    _newest.clear()
