"""The assets of a level, loaded from its folder record by record."""

from __future__ import annotations

from pathlib import Path

from ..assets.asset_path import read_asset
from ..assets.float_image import decode_floats
from ..assets.glb_reading import decode_glb
from ..assets.image import ImageData
from ..assets.image_io import read_header
from ..assets.mesh import MeshData
from ..errors import LevelError
from .animation.clip import Clip
from .animation.clip_file import decode_clip
from .level_document import ClipRecord, ImageRecord, MeshRecord


def load_mesh(folder: Path, record: MeshRecord) -> MeshData:
    """Return the mesh of a record; raises LevelError naming its file and the place in it."""
    data = read_asset(folder, record.file)
    try:
        return decode_glb(data)
    except LevelError as error:
        raise LevelError(f"'{record.file}': {error}") from error


def load_clip(folder: Path, record: ClipRecord) -> Clip:
    """Return the clip of a record; raises LevelError naming its file and the place in it."""
    data = read_asset(folder, record.file)
    try:
        return decode_clip(data, record.name, record.entity)
    except LevelError as error:
        raise LevelError(f"'{record.file}': {error}") from error


def load_image(folder: Path, record: ImageRecord) -> ImageData:
    """Return the image of a record; of a PNG, JPEG or WebP only the header is looked at.

    Raises LevelError naming its file if it cannot be read, is another format or too large.
    """
    data = read_asset(folder, record.file)
    name = record.name or record.id
    try:
        if record.encoding is None or record.size is None:
            read_header(data, name)
            return ImageData(name, record.color_space, encoded=data, missing=record.missing)
        pixels = decode_floats(data, record.encoding, *record.size)
    except LevelError as error:
        raise LevelError(f"'{record.file}': {error}") from error
    return ImageData(name, record.color_space, pixels=pixels, missing=record.missing)
