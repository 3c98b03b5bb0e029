"""Blender files without a window: opens a .blend (never saving it) and turns it into a World."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy

from ..engine_core.errors import SyncError, UsageError
from ..engine_core.world.world import World
from .components.homes import datablocks
from .components.migration import update_datablocks
from .components.registration import properties
from .sync.animation.animated_scene import read_animated_scene
from .sync.animation.clips import Progress
from .sync.render_depsgraph import with_render_depsgraph
from .sync.scene_sync import SceneSync
from .sync.warnings import SyncWarning


@dataclass(frozen=True)
class LoadedScene:
    """A scene of a .blend at one frame, as its maker would render it.

    size: (width, height) in pixels with the scene's percentage applied. fps: frames a second.
    time: seconds since frame 0. pixel_aspect: height over width of a pixel's spacing. objects: how
    many Blender objects of each type the scene holds, drawn or not.
    """

    world: World
    warnings: tuple[SyncWarning, ...]
    size: tuple[int, int]
    fps: float
    frame: int
    frame_range: tuple[int, int]
    time: float
    pixel_aspect: float
    objects: dict[str, int]


def load_world(
    path: Path | str,
    *,
    scene: str | None = None,
    frame: int | None = None,
    camera: str | None = None,
) -> LoadedScene:
    """Open a .blend and return a scene (default: the active one) at `frame` (default: as saved).

    `camera` names the object to look through. Raises UsageError for a file that is not there, a
    scene or a camera that does not exist, SyncError for a file that Blender cannot read.
    """
    open_blend(Path(path))
    return read_scene(scene=scene, frame=frame, camera=camera)


def iterate_frames(
    path: Path | str, first: int, last: int, *, camera: str | None = None
) -> Iterator[LoadedScene]:
    """Open a .blend and yield its active scene at every frame from `first` to `last`."""
    if last < first:
        raise UsageError(f"Frames {first}..{last} run backwards; give the smaller one first.")
    open_blend(Path(path))
    for frame in range(first, last + 1):
        yield read_scene(frame=frame, camera=camera)


def open_blend(path: Path) -> None:
    """Make `path` the file that this Blender has open, without running its scripts."""
    if path.suffix.lower() != ".blend":
        raise UsageError(f"'{path}' is not a .blend file.")
    if not path.is_file():
        raise UsageError(f"There is no file '{path}'.")
    try:
        bpy.ops.wm.open_mainfile(filepath=str(path.resolve()), load_ui=False, use_scripts=False)
    except RuntimeError as reason:
        raise SyncError(f"Blender cannot open '{path}': {_one_line(reason)}") from reason
    update_datablocks(datablocks())


def new_file() -> None:
    """Leave this Blender with an empty file open."""
    bpy.ops.wm.read_factory_settings(use_empty=True)


def save_blend(path: Path, scene: Any) -> None:
    """Write the open file to `path`, with `scene` as its only one.

    Raises RuntimeError if it cannot be written; a file that was there is replaced at once.
    """
    for other in [other for other in bpy.data.scenes if other != scene]:
        bpy.data.scenes.remove(other)
    bpy.ops.wm.save_as_mainfile(filepath=str(path.resolve()), compress=True, copy=True)


def read_scene(
    *,
    scene: str | None = None,
    frame: int | None = None,
    camera: str | None = None,
    animated: bool = False,
    progress: Progress | None = None,
) -> LoadedScene:
    """Turn a scene of the open file (default: the active one) into a World, as a render sees it.

    `animated`: as a level wants it, with skins, shape keys, bones and clips instead of one pose;
    `progress` is told about the frames that are sampled then.
    """
    chosen = find_scene(scene, frame)
    with properties():
        if animated:
            world, warnings = read_animated_scene(chosen, progress)
        else:
            sync = SceneSync()
            world = World()
            world.apply(with_render_depsgraph(chosen, sync.full))
            warnings = sync.warnings
    if camera is not None:
        _choose_camera(world, camera)
    fps = chosen.render.fps / chosen.render.fps_base
    return LoadedScene(
        world=world,
        warnings=tuple(warnings),
        size=(world.render.width, world.render.height),
        fps=fps,
        frame=chosen.frame_current,
        frame_range=(chosen.frame_start, chosen.frame_end),
        time=chosen.frame_current / fps,
        pixel_aspect=world.render.pixel_aspect,
        objects=dict(Counter(found.type for found in chosen.objects).most_common()),
    )


def scene_names() -> list[str]:
    """Names of the scenes of the open file, in Blender's order."""
    return [scene.name for scene in bpy.data.scenes]


def find_scene(name: str | None, frame: int | None = None) -> Any:
    """Return a scene of the open file (default: the active one), set to a frame if one is given."""
    chosen = bpy.context.scene if name is None else bpy.data.scenes.get(name)
    if chosen is None:
        known = ", ".join(f"'{known}'" for known in scene_names())
        raise UsageError(f"There is no scene '{name}' in the file; its scenes: {known}.")
    if frame is not None:
        chosen.frame_set(frame)
    return chosen


def _choose_camera(world: World, camera: str) -> None:
    cameras = [entity.id for entity in world.cameras()]
    if camera not in cameras:
        known = ", ".join(f"'{name}'" for name in cameras) or "none"
        raise UsageError(f"There is no camera '{camera}' in the scene; its cameras: {known}.")
    world.active_camera = camera


def _one_line(reason: Exception) -> str:
    return " ".join(str(reason).split()).removeprefix("Error: ")
