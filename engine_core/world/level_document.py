"""What a `.fyn` file holds: the records of its tables, and a World as such a document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, Literal, get_args, get_origin

from msgspec import Meta, Struct

from ..assets.material import Material
from .components import WORLD_COMPONENT_TYPES, LevelComponents
from .entity import Entity
from .fields import field_meta
from .struct_fields import struct_fields
from .world import World

FORMAT = "fyn-level"
VERSION = 2
"""Version of the files that are written; level_migration.py reads the older ones."""

AssetPath = Annotated[
    str, field_meta("File", "Path relative to the level's folder, with forward slashes")
]


class MeshRecord(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A mesh asset: a GLB file that holds one mesh."""

    id: Annotated[str, field_meta("Id", "Mesh components refer to it by this")]
    file: AssetPath


class ImageRecord(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An image asset: a PNG, JPEG or WebP file, or a `.bin` of bare floats.

    A `.bin` holds height x width x RGBA numbers, top row first, little-endian, linear, and nothing
    else; `encoding` and `size` say how to read it and are left out for the other files.
    """

    id: Annotated[str, field_meta("Id", "Texture slots refer to it by this")]
    file: AssetPath
    name: Annotated[str, field_meta("Name", "What people call it")] = ""
    color_space: Annotated[
        Literal["srgb", "linear"], field_meta("Color Space", "How its numbers are meant")
    ] = "srgb"
    encoding: Annotated[
        Literal["rgba16f", "rgba32f"] | None, field_meta("Encoding", "Of a .bin: half or single")
    ] = None
    size: Annotated[
        tuple[Annotated[int, Meta(ge=1)], Annotated[int, Meta(ge=1)]] | None,
        field_meta("Size", "Of a .bin: width and height", unit="px"),
    ] = None
    missing: Annotated[
        bool, field_meta("Missing", "The artist's file could not be read; this is the stand-in")
    ] = False


class ClipRecord(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An animation clip: a `.bin` whose header says what it moves; see docs/animation.md."""

    id: Annotated[str, field_meta("Id", "It is played by this; 'scene' is the whole scene's")]
    file: AssetPath
    name: Annotated[str, field_meta("Name", "What people call it; need not be unique")] = ""
    entity: Annotated[
        str, field_meta("Entity", "Whose clip it is; '' is the scene's", kind="entity")
    ] = ""


class MaterialRecord(Material, frozen=True):
    """A material and its id."""

    id: Annotated[str, field_meta("Id", "Mesh components refer to it by this")]

    def material(self) -> Material:
        """Return the material alone."""
        return Material(**{name: getattr(self, name) for name in Material.__struct_fields__})


class LevelDocument(LevelComponents, frozen=True):
    """A whole `.fyn` file. The tables are sorted by id."""

    format: Annotated[Literal["fyn-level"], field_meta("Format", "Marks the file as a level")]
    version: Annotated[
        int, field_meta("Version", "Of the format; files of older versions are read", ge=1)
    ]
    active_camera: Annotated[
        str, field_meta("Active Camera", "Entity that looks by default; '' is none", kind="entity")
    ] = ""
    entities: Annotated[
        tuple[Entity, ...], field_meta("Entities", "What the level is made of")
    ] = ()
    clips: Annotated[tuple[ClipRecord, ...], field_meta("Clips", "Animations")] = ()
    images: Annotated[tuple[ImageRecord, ...], field_meta("Images", "Image assets")] = ()
    materials: Annotated[tuple[MaterialRecord, ...], field_meta("Materials", "Surfaces")] = ()
    meshes: Annotated[tuple[MeshRecord, ...], field_meta("Meshes", "Mesh assets")] = ()


RECORD_TABLES: dict[str, type[Struct]] = {
    "entities": Entity,
    "clips": ClipRecord,
    "images": ImageRecord,
    "materials": MaterialRecord,
    "meshes": MeshRecord,
}
"""Tables of a document by key: the class of their records."""

TABLE_OF_KIND = {
    "entity": "entities",
    "image": "images",
    "material": "materials",
    "mesh": "meshes",
}
"""Where the ids of a `field_meta(kind=...)` are looked up."""


def make_document(
    world: World,
    mesh_files: Mapping[str, str],
    images: Mapping[str, ImageRecord],
    clip_files: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return `world` as the content of a `.fyn` file, nothing checked.

    `mesh_files` and `clip_files` give the relative path of each mesh and clip id, `images` the
    record of each image id.
    Defaults are left out by value and -0.0 is written as 0.0, so equal worlds give equal documents.
    """
    document: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    if world.active_camera:
        document["active_camera"] = world.active_camera
    for name, kind in WORLD_COMPONENT_TYPES.items():
        if component := to_plain(world.get(kind)):
            document[name] = component
    document["entities"] = [to_plain(world.entities[key]) for key in sorted(world.entities)]
    if clip_files:
        document["clips"] = [
            to_plain(ClipRecord(id=key, file=clip_files[key], name=clip.name, entity=clip.entity))
            for key in sorted(clip_files)
            for clip in [world.clips[key]]
        ]
    document["images"] = [to_plain(images[key]) for key in sorted(images)]
    document["materials"] = [
        {"id": key, **to_plain(world.materials[key])} for key in sorted(world.materials)
    ]
    document["meshes"] = [{"id": key, "file": mesh_files[key]} for key in sorted(mesh_files)]
    return document


def to_plain(value: Struct) -> dict[str, Any]:
    """Return a struct as dicts, lists and plain values, without what equals its default."""
    plain: dict[str, Any] = {}
    for name, default, convert in _plan(type(value)):
        item = convert(getattr(value, name))
        if item != default:
            plain[name] = item
    return plain


# What comes first in a block, whatever the order of inheritance.
_FIRST = ("id", "name", "file", "parent", "transform")


@cache
def _plan(owner: type[Struct]) -> tuple[tuple[str, Any, Callable[[Any], Any]], ...]:
    """(field, default as plain value, conversion to a plain value), in the order of the file."""
    plan = []
    for field in struct_fields(owner):
        convert = _conversion(field.base)
        default = field.default if field.required else convert(field.default)
        plan.append((field.name, default, convert))
    order = {name: place for place, name in enumerate(_FIRST)}
    return tuple(sorted(plan, key=lambda row: order.get(row[0], len(order))))


def _conversion(base: Any) -> Callable[[Any], Any]:
    if base is float:
        return _number
    if isinstance(base, type) and issubclass(base, Struct):
        return _structure
    if get_origin(base) is tuple:
        return _numbers if float in get_args(base) else _items
    return _unchanged


def _number(value: Any) -> Any:
    # Anything else (a NumPy scalar, text) is left for the check to name.
    return float(value) + 0.0 if isinstance(value, float | int) else value


def _numbers(values: Any) -> Any:
    return [_number(value) for value in values] if isinstance(values, tuple | list) else values


def _items(values: Any) -> Any:
    return list(values) if isinstance(values, tuple) else values


def _structure(value: Any) -> Any:
    return to_plain(value) if isinstance(value, Struct) else value


def _unchanged(value: Any) -> Any:
    return value
