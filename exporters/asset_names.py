"""File names of exported assets: readable, safe on every system, and different for other content.

The name ends in a hash of the content. A changed asset therefore gets a new file and never touches
the one that the previous level uses: that is what lets an export be swapped in by replacing one
file. It also keeps names stable (they depend on nothing but the asset) and lets a web page cache
them for ever.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from pathlib import Path

LONGEST_STEM = 48
HASH_LETTERS = 10

_MADE_HERE = re.compile(
    rf"[a-z0-9_.-]{{1,{LONGEST_STEM}}}-([0-9a-f]{{{HASH_LETTERS}}})\.(glb|png|jpg|webp|bin)"
)
_KNOWN_EXTENSION = re.compile(r"\.(glb|gltf|png|jpe?g|webp|bin|exr|hdr|tiff?|tga|bmp)$")


def asset_name(identity: str, extension: str, data: bytes) -> str:
    """Return a file name for the asset `identity`: "Wood.PNG", ".png" gives wood-3f2a91bc04.png.

    Only a-z, 0-9, "_", "." and "-" occur, all in lower case, so that no two names differ by case
    alone; accents are dropped and other letters become "_".
    """
    return f"{_stem(identity) or 'asset'}-{_hash(data)}{extension}"


def is_left_by_an_export(path: Path) -> bool:
    """Tell whether a file was written by an export and is still what was written."""
    match = _MADE_HERE.fullmatch(path.name)
    return match is not None and _hash(path.read_bytes()) == match[1]


def _stem(identity: str) -> str:
    plain = unicodedata.normalize("NFKD", identity)
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter)).lower()
    plain = _KNOWN_EXTENSION.sub("", plain)
    return re.sub(r"[^a-z0-9.-]+", "_", plain).strip("._-")[:LONGEST_STEM].rstrip("._-")


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:HASH_LETTERS]
