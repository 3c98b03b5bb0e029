"""What came from a level and has not been changed since: the sync hands it on as it came.

A level says things that Blender stores in another form (a normal in 16 bits, an angle as a lens, a
sky as nodes). An import therefore leaves with each datablock the level's own words, and a digest of
what the sync reads of the datablock right after the import. While it still reads the same, nobody
has changed it, and it stands for those words; the first change makes them void.
"""

from __future__ import annotations

import hashlib
from typing import Any, TypeVar

import msgspec

from ...engine_core.assets.glb import encode_glb
from ...engine_core.assets.glb_reading import decode_glb
from ...engine_core.assets.mesh import MeshData
from ...engine_core.errors import LevelError
from ...engine_core.world.components.morph import Morph
from ...engine_core.world.components.skin import Skin
from ...engine_core.world.entity import Entity

T = TypeVar("T")

DIGEST = "fyn_level_digest"
WORDS = "fyn_level_words"
"""Custom properties of a datablock: the digest of the reading, and the level's own words."""
NAME = "fyn_level_name"
"""Custom property of an object: JSON of its name in Blender and of its entity's, which may be
another, since entities share names and objects cannot."""


def keep(datablock: Any, reading: msgspec.Struct | MeshData, original: Any) -> None:
    """Remember that `datablock`, which reads as `reading`, stands for `original`."""
    datablock[DIGEST] = _digest(reading)
    datablock[WORDS] = _encoded(original)


def unchanged(datablock: Any | None, reading: T) -> T:
    """Return what `datablock` came from while it still reads as then, else `reading`.

    `datablock` may also be what `kept_words` gave of one.
    """
    if datablock is None or DIGEST not in datablock:
        return reading
    if datablock[DIGEST] != _digest(reading):
        return reading
    words = datablock[WORDS]
    try:
        if isinstance(reading, MeshData):
            return decode_glb(bytes(words))  # type: ignore[return-value]
        return msgspec.json.decode(words, type=type(reading))
    except (msgspec.MsgspecError, LevelError, TypeError, ValueError):
        return reading  # somebody wrote into the property, or it is of another version


def unchanged_entity(kept: Any | None, reading: Entity) -> Entity:
    """Return what `unchanged` does; an entity that was changed keeps its skin and its morph.

    No property of Blender says those, so a changed place says nothing about them.
    """
    found = unchanged(kept, reading)
    if kept is None or found is not reading or reading.mesh is None:
        return found
    words = kept.get(WORDS)
    if not isinstance(words, bytes) or not (b'"skin"' in words or b'"morph"' in words):
        return found
    try:
        known = msgspec.json.decode(words, type=Entity)
    except msgspec.MsgspecError:
        return found
    return msgspec.structs.replace(
        reading,
        skin=reading.get(Skin) or known.get(Skin),
        morph=reading.get(Morph) or known.get(Morph),
    )  # type: ignore[call-arg]


def keep_name(obj: Any, entity_name: str) -> None:
    """Remember what the entity of an imported object is called."""
    if obj.name != entity_name:
        obj[NAME] = msgspec.json.encode([obj.name, entity_name]).decode()


def entity_name(obj: Any) -> str:
    """Return what the entity of `obj` is called: what its level said, until it is renamed."""
    if NAME not in obj:
        return obj.name
    try:
        known, name = msgspec.json.decode(obj[NAME], type=tuple[str, str])
    except (msgspec.MsgspecError, TypeError, ValueError):
        return obj.name
    return name if known == obj.name else obj.name


def kept_words(datablock: Any) -> dict[str, Any] | None:
    """Return what an import left with a datablock, for `unchanged`; None without an import."""
    if DIGEST not in datablock:
        return None
    return {DIGEST: datablock[DIGEST], WORDS: datablock.get(WORDS)}


def _encoded(value: Any) -> bytes:
    return encode_glb(value) if isinstance(value, MeshData) else msgspec.json.encode(value)


def _digest(value: Any) -> str:
    return hashlib.sha256(_encoded(value)).hexdigest()
