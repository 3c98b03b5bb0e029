"""How deep JSON text nests, found before a parser sees it: a bomb of brackets must not recurse."""

from __future__ import annotations

import numpy as np

_ALL_BUT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def nesting_depth(data: bytes) -> int:
    """Return how deep the brackets of JSON text nest; brackets inside strings do not count."""
    # Escapes first, pairs of backslashes before quotes, so that every quote left opens or closes.
    bare = data.replace(rb"\\", b"").replace(rb"\"", b"")
    outside = b"".join(bare.split(b'"')[::2])
    brackets = np.frombuffer(outside.translate(None, _ALL_BUT_BRACKETS), np.uint8)
    if not len(brackets):
        return 0
    opens = (brackets == ord("[")) | (brackets == ord("{"))
    return max(0, int(np.cumsum(np.where(opens, 1, -1)).max()))
