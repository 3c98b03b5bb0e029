"""Reading a `.fyn` level and its assets into a World, and checking one for every problem at once.

Nothing outside the level's folder is opened, whatever the file says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from ..assets.asset_path import unsafe_because
from ..assets.image_io import decode, missing_image
from ..errors import LevelError
from .components import WORLD_COMPONENT_TYPES, Component
from .deform_check import deform_problems
from .level_assets import load_clip, load_image, load_mesh
from .level_check import Problem, document_problems
from .level_document import (
    ClipRecord,
    ImageRecord,
    LevelDocument,
    MeshRecord,
    make_document,
)
from .level_migration import migrate
from .level_text import MAX_LEVEL_BYTES, format_document, parse_document
from .world import World

__all__ = ["Problem", "check_level", "level_bytes", "read_level"]


def read_level(path: Path | str) -> World:
    """Return the world of a level file, its tables in the order of their ids.

    An image whose file is missing or no picture becomes a pink stand-in with `missing` set, because
    a level with a hole in its textures is still worth seeing. Everything else that is wrong raises
    LevelError, which names the file and the path in the document.
    """
    path = Path(path)
    document = _read_document(path)
    if problems := document_problems(document):
        raise _level_error(path, problems)
    level = msgspec.convert(document, LevelDocument)
    folder = path.resolve().parent
    world = World(
        entities={entity.id: entity for entity in level.entities},
        materials={record.id: record.material() for record in level.materials},
        environment=level.environment,
        render=level.render,
        components=_further_components(level),
        active_camera=level.active_camera,
    )
    for index, record in enumerate(level.meshes):
        try:
            world.meshes[record.id] = load_mesh(folder, record)
        except LevelError as error:
            raise _level_error(path, [Problem(f"meshes[{index}].file", str(error))]) from error
    for index, record in enumerate(level.clips):
        try:
            world.clips[record.id] = load_clip(folder, record)
        except LevelError as error:
            raise _level_error(path, [Problem(f"clips[{index}].file", str(error))]) from error
    if problems := deform_problems(world, [entity.id for entity in level.entities]):
        raise _level_error(path, problems)
    for record in level.images:
        try:
            world.images[record.id] = load_image(folder, record)
        except LevelError:
            world.images[record.id] = missing_image(record.name or record.id)
    return world


def _further_components(level: LevelDocument) -> dict[str, Component]:
    """Return the components of the level that World has no attribute for and that say anything."""
    found = {
        key: getattr(level, key)
        for key in WORLD_COMPONENT_TYPES
        if key not in World.__dataclass_fields__
    }
    return {key: value for key, value in found.items() if value != type(value)()}


def check_level(path: Path | str) -> list[Problem]:
    """Return every problem of a level file and of the assets it names; [] if there is none.

    Meshes are read and pictures decoded to the last pixel. What cannot be read at all (no file, no
    JSON, an unknown version) is one problem with an empty path.
    """
    path = Path(path)
    try:
        document = _read_document(path)
    except LevelError as error:
        return [Problem("", str(error).removeprefix(f"{path}: "))]
    problems = [*document_problems(document), *_asset_problems(document, path.resolve().parent)]
    if not problems:
        try:
            read_level(path)  # what fits only together: skins, morphs and clips with their targets
        except LevelError as error:
            return [Problem("", str(error).removeprefix(f"{path}: "))]
    return problems


def level_bytes(
    world: World,
    mesh_files: Mapping[str, str],
    images: Mapping[str, ImageRecord],
    clip_files: Mapping[str, str] = MappingProxyType({}),
) -> bytes:
    """Return `world` as the content of a `.fyn` file; equal worlds give equal bytes.

    `mesh_files` and `clip_files` give each mesh and clip id its path in the level's folder,
    `images` each image id its record. Raises LevelError, with the path in the document, for what
    no reader would accept.
    """
    document = make_document(world, mesh_files, images, clip_files)
    problems = document_problems(document)
    if problems:
        raise LevelError(_listed([_named(document, problem) for problem in problems]))
    try:
        return format_document(document)
    except UnicodeEncodeError as error:
        raise LevelError(f"{error.object[:60]!r} is no valid text; rename it.") from error


def _read_document(path: Path) -> dict[str, Any]:
    """Return the document, of the current version; raises LevelError naming the file."""
    try:
        if not path.exists():
            raise LevelError("the file does not exist.")
        if not path.is_file():
            raise LevelError("it is no plain file.")
        if (size := path.stat().st_size) > MAX_LEVEL_BYTES:
            raise LevelError(f"the file has {size} bytes; at most {MAX_LEVEL_BYTES} are read.")
        return migrate(parse_document(path.read_bytes()))
    except OSError as error:
        raise LevelError(f"{path}: cannot be read ({error.strerror}).") from error
    except LevelError as error:
        raise LevelError(f"{path}: {error}") from error


def _asset_problems(document: dict[str, Any], folder: Path) -> Iterator[Problem]:
    for index, record in _sound_records(document, "meshes", MeshRecord):
        try:
            load_mesh(folder, record)
        except LevelError as error:
            yield Problem(f"meshes[{index}].file", str(error))
    for index, record in _sound_records(document, "clips", ClipRecord):
        try:
            load_clip(folder, record)
        except LevelError as error:
            yield Problem(f"clips[{index}].file", str(error))
    for index, record in _sound_records(document, "images", ImageRecord):
        try:
            decode(load_image(folder, record))
        except LevelError as error:
            yield Problem(f"images[{index}].file", str(error))


def _sound_records(document: dict[str, Any], table: str, owner: type) -> Iterator[tuple[int, Any]]:
    """Yield (index, record) of those whose fields are fine; the others have been told already."""
    records = document.get(table)
    for index, record in enumerate(records if isinstance(records, list) else []):
        try:
            sound = msgspec.convert(record, owner)
        except msgspec.ValidationError:
            continue
        if not unsafe_because(sound.file):
            yield index, sound


def _named(document: dict[str, Any], problem: Problem) -> Problem:
    """Add the id of the record: nobody can count the entities of a file not yet written."""
    table, _, rest = problem.path.partition("[")
    index = rest.partition("]")[0]
    if not index.isdigit():
        return problem
    identity = document[table][int(index)].get("id")
    return Problem(problem.path, f"{problem.message[:-1]} (in '{identity}').")


def _level_error(path: Path, problems: list[Problem]) -> LevelError:
    return LevelError(f"{path}: {_listed(problems)}")


def _listed(problems: list[Problem]) -> str:
    more = f" ({len(problems) - 1} more problems)" if len(problems) > 1 else ""
    return f"{problems[0]}{more}"
