"""A World as a level on disk: `level.fyn`, its meshes, textures and clips, swapped in at once.

Assets are written first, under names that no other content has (see asset_names.py); replacing the
one `.fyn` file then switches from the old level to the new. An export that is killed at any moment
leaves a whole level. What no level of the folder uses any more is removed last.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from ..engine_core.assets.asset_path import unsafe_because
from ..engine_core.assets.glb import encode_glb
from ..engine_core.assets.mesh_repair import repaired
from ..engine_core.atomic_files import is_temporary
from ..engine_core.errors import LevelError, UsageError
from ..engine_core.world.animation.clip_file import encode_clip
from ..engine_core.world.level_document import ImageRecord
from ..engine_core.world.level_file import level_bytes
from ..engine_core.world.level_text import parse_document
from ..engine_core.world.world import World
from .asset_names import asset_name, is_left_by_an_export
from .atomic_files import holds, replace_file
from .image_files import image_file

MESH_FOLDER = "meshes"
IMAGE_FOLDER = "textures"
CLIP_FOLDER = "clips"

FileKind = Literal["level", "mesh", "image", "clip"]
Progress = Callable[[int, int, str], None]
"""Called with (steps done, steps in all, what comes next: "" at the end)."""


@dataclass(frozen=True)
class ExportedFile:
    """One file of a level: its path relative to the folder and the ids of the assets in it."""

    path: str
    kind: FileKind
    ids: tuple[str, ...]
    size: int
    """Bytes."""
    is_new: bool
    """False if the same file was there already."""


@dataclass(frozen=True)
class ExportReport:
    """What an export wrote, repaired and removed."""

    level: Path
    files: tuple[ExportedFile, ...]
    warnings: tuple[str, ...]
    removed: tuple[str, ...]

    @property
    def total_size(self) -> int:
        """Bytes of all files of the level together."""
        return sum(file.size for file in self.files)


def export_level(
    world: World, folder: Path | str, *, name: str = "level", progress: Progress | None = None
) -> ExportReport:
    """Write `world` into `folder` as `name`.fyn with its assets; return what was done.

    The same world gives the same bytes under the same names. Meshes that no file may hold are
    repaired, unreadable pictures become pink, and each is a warning. One export at a time may
    write into a folder; several levels may share it.
    Raises UsageError for a name or folder that cannot be, LevelError if the world or the disk does
    not allow a level; the previous export is whole then.
    """
    folder = Path(folder)
    _check_target(folder, name)
    steps = len(world.meshes) + len(world.images) + len(world.clips) + 1
    files = _LevelFiles(folder, steps, progress)
    level = f"{name}.fyn"
    try:
        meshes = {key: files.write_mesh(key, world) for key in sorted(world.meshes)}
        images = {key: files.write_image(key, world) for key in sorted(world.images)}
        clips = {key: files.write_clip(key, world) for key in sorted(world.clips)}
        files.step(level)
        files.write(level, "level", None, level_bytes(world, meshes, images, clips))
        files.step("")
    finally:
        # After a failure too: what the level in place does not use was written in vain.
        removed = _remove_unused(folder)
    return ExportReport(
        folder / level, tuple(files.written.values()), tuple(files.warnings), tuple(removed)
    )


def _check_target(folder: Path, name: str) -> None:
    reason = unsafe_because(f"{name}.fyn") or ("has a slash" if "/" in name else "")
    if not name or reason:
        raise UsageError(f"A level cannot be called '{name}': the name {reason or 'is empty'}.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"'{folder}' cannot be made or is no folder ({error.strerror}); choose another."
        ) from error


@dataclass
class _LevelFiles:
    """The files of one export, while it goes on."""

    folder: Path
    steps: int
    progress: Progress | None
    written: dict[str, ExportedFile] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    steps_done: int = 0

    def step(self, what: str) -> None:
        """Tell that the next step begins."""
        if self.progress is not None:
            self.progress(self.steps_done, self.steps, what)
        self.steps_done += 1

    def write_mesh(self, identity: str, world: World) -> str:
        """Write a mesh; return its path in the level."""
        self.step(f"mesh {identity}")
        mesh, notes = repaired(world.meshes[identity])
        self.warnings += [f"Mesh '{identity}': {note}." for note in notes]
        data = encode_glb(mesh)
        path = f"{MESH_FOLDER}/{asset_name(identity, '.glb', data)}"
        self.write(path, "mesh", identity, data)
        return path

    def write_image(self, identity: str, world: World) -> ImageRecord:
        """Write an image; return its record."""
        self.step(f"image {identity}")
        image = world.images[identity]
        file = image_file(image)
        self.warnings += [f"Image '{identity}': {note}" for note in file.notes]
        path = f"{IMAGE_FOLDER}/{asset_name(identity, file.extension, file.data)}"
        self.write(path, "image", identity, file.data)
        return ImageRecord(
            id=identity,
            file=path,
            name=image.name,
            color_space=file.color_space,
            encoding=file.encoding,
            size=file.size,
            missing=file.missing,
        )

    def write_clip(self, identity: str, world: World) -> str:
        """Write a clip; return its path in the level."""
        self.step(f"clip {identity}")
        data = encode_clip(world.clips[identity])
        path = f"{CLIP_FOLDER}/{asset_name(identity, '.bin', data)}"
        self.write(path, "clip", identity, data)
        return path

    def write(self, path: str, kind: FileKind, identity: str | None, data: bytes) -> None:
        """Write `data` to `path` in the folder, unless it is there already."""
        if path in self.written:  # two assets with the same content
            earlier = self.written[path]
            self.written[path] = replace(earlier, ids=(*earlier.ids, identity))
            return
        target = self.folder / path
        is_new = not holds(target, data)
        if is_new:
            replace_file(target, data)
        ids = () if identity is None else (identity,)
        self.written[path] = ExportedFile(path, kind, ids, len(data), is_new)


def _remove_unused(folder: Path) -> list[str]:
    """Remove assets of earlier exports that no level in `folder` names; return their paths.

    Only files that an export wrote and nobody changed since are touched, and none at all if one of
    the levels cannot be read. A file that resists is left for the next export.
    """
    used = _used_paths(folder)
    removed = []
    for part in ("", MESH_FOLDER, IMAGE_FOLDER, CLIP_FOLDER):
        for path in sorted((folder / part).glob("*")):
            relative = path.relative_to(folder).as_posix()
            is_unused = bool(part) and used is not None and relative not in used
            with contextlib.suppress(OSError):
                if is_temporary(path):
                    path.unlink()
                elif is_unused and is_left_by_an_export(path):
                    path.unlink()
                    removed.append(relative)
        if part:
            with contextlib.suppress(OSError):  # unless it is empty
                (folder / part).rmdir()
    return removed


def _used_paths(folder: Path) -> set[str] | None:
    """Paths that the levels in `folder` name, None if one of them cannot be read."""
    used: set[str] = set()
    for level in folder.glob("*.fyn"):
        try:
            document = parse_document(level.read_bytes())
            tables = [document["meshes"], document["images"], document.get("clips", [])]
            used |= {record["file"] for table in tables for record in table}
        except (OSError, LevelError, KeyError, TypeError):
            return None
    return used
