"""What to draw, said once for `fyn render` and for render tests, and drawing it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ..compare.pictures import read_picture
from ..compare.render_test_run import Drawn
from ..engine_core.errors import FynError, UsageError
from ..engine_core.render.framing import framing
from ..engine_core.render.view import camera_view
from ..engine_core.world.world import World, WorldDelta
from .blender_host import find_blender, needs_blender_program, run_inside_blender
from .native_output import native_stdout_diverted


@dataclass(frozen=True)
class RenderRequest:
    """A scene and how to draw it; None is the scene's own choice."""

    scene: Path
    size: tuple[int, int] | None = None
    scene_name: str | None = None
    """Of the scenes of a .blend."""
    camera: str | None = None
    whole: bool = False
    """Look at the whole scene through a camera made for it, instead of one of its own."""
    frame: int | None = None
    time: float | None = None
    pipeline: str | None = None
    samples: int | None = None


@dataclass(frozen=True)
class SceneAtFrame:
    """A world ready to be drawn, from whichever file it came."""

    world: World
    frame: int | None
    time: float
    size: tuple[int, int]
    pixel_aspect: float = 1.0
    warnings: tuple[str, ...] = ()


def is_blend(scene: Path) -> bool:
    """Whether it takes Blender to open the scene. Raises UsageError for a file of another kind."""
    suffix = scene.suffix.lower()
    if suffix not in (".blend", ".fyn"):
        raise UsageError(f"'{scene}' is neither a .blend nor a .fyn file")
    if not scene.is_file():
        raise UsageError(f"there is no file '{scene}'")
    return suffix == ".blend"


def draw(request: RenderRequest, blender: str | None = None) -> Drawn:
    """Draw one picture; a .blend is opened here or by a Blender program, as it can be done.

    Raises UsageError for what the scene does not have, other FynErrors for what cannot be drawn.
    """
    if is_blend(request.scene) and needs_blender_program(blender):
        return _drawn_by_blender(request, find_blender(blender))
    return next(draw_frames(request))[1]


def draw_frames(
    request: RenderRequest, frames: range | None = None
) -> Iterator[tuple[int | None, Drawn]]:
    """Draw the request's frame, or all of `frames`, in this process; yields frame and picture."""
    from ..engine_core.render.device import Device
    from ..engine_core.render.world_renderer import WorldRenderer

    scenes = _scenes(request, frames)
    first = next(scenes)  # what cannot be read is said before a device is made
    with Device.create() as device:
        renderer = WorldRenderer(device)
        try:
            shown = World()
            for scene in chain([first], scenes):
                renderer.apply(_change(shown, scene.world))
                shown = scene.world
                yield scene.frame, _drawn(renderer, scene, request, device.info.renderer)
        finally:
            renderer.release()


def _scenes(request: RenderRequest, frames: range | None) -> Iterator[SceneAtFrame]:
    """The scene at the request's frame, or at each of `frames`."""
    if is_blend(request.scene):
        yield from _blend_scenes(request, frames)
        return
    if frames is not None or request.frame is not None:
        raise UsageError(f"'{request.scene}' is a level, which has no frames; use a time instead")
    if request.scene_name is not None:
        raise UsageError(f"'{request.scene}' is a level, which is one scene; leave --scene out")
    from ..engine_core.world.animation.clip import SCENE_CLIP
    from ..engine_core.world.animation.playing import sample_clip
    from ..engine_core.world.level_file import read_level

    world = read_level(request.scene)
    time = request.time or 0.0
    if request.time is not None and SCENE_CLIP in world.clips:
        world.apply(sample_clip(world, world.clips[SCENE_CLIP], time))
    render = world.render
    yield SceneAtFrame(
        world=world,
        frame=None,
        time=time,
        size=(render.width, render.height),
        pixel_aspect=render.pixel_aspect,
    )


def _blend_scenes(request: RenderRequest, frames: range | None) -> Iterator[SceneAtFrame]:
    with native_stdout_diverted():  # importing bpy prints as well
        from ..addon.headless import open_blend, read_scene

        open_blend(request.scene)
    for frame in [request.frame] if frames is None else frames:
        with native_stdout_diverted():
            scene = read_scene(scene=request.scene_name, frame=frame)
        yield SceneAtFrame(
            world=scene.world,
            frame=scene.frame,
            time=scene.time,
            size=scene.size,
            pixel_aspect=scene.pixel_aspect,
            warnings=tuple(str(warning) for warning in scene.warnings),
        )


def _drawn(renderer: Any, scene: SceneAtFrame, request: RenderRequest, device: str) -> Drawn:
    from ..engine_core.render.world_renderer import find_camera

    world = scene.world
    size = request.size or scene.size
    if request.whole:
        added = framing(world, size[0] / size[1])
        renderer.apply(added)
        world.apply(added)
    camera = world.entities[find_camera(world, request.camera)]
    assert camera.camera is not None
    view = camera_view(
        camera.camera,
        world.world_from_local(camera.id),
        size,
        time=scene.time if request.time is None else request.time,
        pixel_aspect=scene.pixel_aspect,
    )
    chosen = {"pipeline": request.pipeline, "samples": request.samples}
    given = {name: value for name, value in chosen.items() if value is not None}
    settings: Any = replace(world.render, **given)
    frame = renderer.render(view, ("frame_color",), settings)
    return Drawn(
        frame.outputs["frame_color"], warnings=(*scene.warnings, *frame.warnings), device=device
    )


def _change(old: World, new: World) -> WorldDelta:
    """The delta that makes a renderer that shows `old` show `new`."""
    whole = new.as_delta()
    return WorldDelta(
        entities=whole.entities,
        meshes=whole.meshes,
        materials=whole.materials,
        images=whole.images,
        removed_entities=frozenset(old.entities.keys() - new.entities.keys()),
        removed_meshes=frozenset(old.meshes.keys() - new.meshes.keys()),
        removed_materials=frozenset(old.materials.keys() - new.materials.keys()),
        removed_images=frozenset(old.images.keys() - new.images.keys()),
        environment=whole.environment,
        render=whole.render,
        active_camera=whole.active_camera,
    )


def _drawn_by_blender(request: RenderRequest, blender: str) -> Drawn:
    """Draw one picture by `fyn render` inside a Blender program."""
    with tempfile.TemporaryDirectory(prefix="fyn-render-") as folder:
        output = Path(folder, "picture.png")
        code, printed = run_inside_blender(blender, _command_line(request, output))
        try:
            result = json.loads(printed)
        except json.JSONDecodeError:
            raise FynError(f"{blender} could not run fyn (exit code {code})") from None
        if code != 0:
            raise FynError(result["error"]["text"])
        return Drawn(
            pixels=read_picture(output),
            warnings=tuple(result["warnings"]),
            device=result["device"],
        )


def _command_line(request: RenderRequest, output: Path) -> list[str]:
    """The arguments of `fyn` that draw the request into `output`."""
    options = {
        "--size": request.size and f"{request.size[0]}x{request.size[1]}",
        "--scene": request.scene_name,
        "--camera": request.camera,
        "--frame": request.frame,
        "--time": request.time,
        "--pipeline": request.pipeline,
        "--samples": request.samples,
    }
    given = [f"{name}={value}" for name, value in options.items() if value is not None]
    given += ["--whole"] if request.whole else []
    return ["render", "--json", "--quiet", f"--output={output}", *given, "--", str(request.scene)]
