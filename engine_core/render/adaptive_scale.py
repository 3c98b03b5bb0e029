"""AdaptiveScale: how finely to draw a picture that keeps changing, so that it keeps up.

Levels halve the number of pixels each; 0 is full resolution. While changes follow one another a
level is chosen from what frames have taken; once there is no more change, 0 it is again. There are
few levels, so that targets are not made anew all the time.
"""

from __future__ import annotations

LEVELS = 5
"""The coarsest level draws a sixteenth of the pixels."""
STILL_S = 0.2
"""For how long nothing must have changed before the picture is sharpened."""
TOO_SLOW = 1.25
"""Frames that take so much longer than they should make the picture coarser."""
FAST_ENOUGH = 0.8
"""A finer level must be expected to take so much less than it may: levels must not alternate."""
WORTH_IT = 1.4
"""How much slower than the fastest level a finer one may be where none is fast enough."""

OTHER_SCENE = 2.0
"""A time so many times longer or shorter than before says that those of other levels are old."""


def scale_of(level: int) -> float:
    """Return by how much width and height are multiplied."""
    return 2.0 ** (-level / 2)


class AdaptiveScale:
    """Chooses levels for one view; time is handed in, in seconds on any clock."""

    def __init__(self) -> None:
        self._level = 0
        self._changed_at: float | None = None
        self._seconds: dict[int, float] = {}

    def level(self, now: float, target_s: float | None, *, changed: bool) -> int:
        """Return the level to draw at; `target_s` is what a frame may take, None: any time.

        `changed`: something else is to be seen than at the last call.
        """
        if changed:
            self._changed_at = now
        if target_s is None or not self.is_moving(now):
            return 0
        self._level = self._chosen(target_s)
        return self._level

    def is_moving(self, now: float) -> bool:
        """Tell whether the last change is so recent that another one is to be expected."""
        return self._changed_at is not None and now - self._changed_at < STILL_S

    def measured(self, level: int, seconds: float) -> None:
        """Note what a frame of `level` has taken."""
        before = self._seconds.get(level, seconds)
        if not before / OTHER_SCENE <= seconds <= before * OTHER_SCENE:
            self._seconds.clear()
            before = seconds
        self._seconds[level] = (before + seconds) / 2

    def _chosen(self, target_s: float) -> int:
        if not self._seconds:
            return 0
        current = self._expected(self._level)
        finer = self._level - 1
        if current <= target_s * TOO_SLOW:
            may_be_finer = finer >= 0 and self._expected(finer) <= target_s * FAST_ENOUGH
            return finer if may_be_finer else self._level
        for level in range(self._level + 1, LEVELS):
            if self._expected(level) <= target_s:
                return level
        # None is fast enough: what does not depend on the number of pixels takes too long.
        fastest = min(self._expected(level) for level in range(LEVELS))
        return next(n for n in range(LEVELS) if self._expected(n) <= fastest * WORTH_IT)

    def _expected(self, level: int) -> float:
        """Return what a frame of `level` takes: as measured, or a fixed part and one by pixels."""
        if level in self._seconds:
            return self._seconds[level]
        finest, coarsest = min(self._seconds), max(self._seconds)
        slow, fast = self._seconds[finest], self._seconds[coarsest]
        pixels, fewest = 2.0**-finest, 2.0**-coarsest
        if finest == coarsest:
            return slow * 2.0 ** (finest - level)
        slope = max(slow - fast, 0.0) / (pixels - fewest)
        return max(fast + slope * (2.0**-level - fewest), 0.0)
