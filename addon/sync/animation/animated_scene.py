"""A scene as a level wants it: meshes at rest with skins and shape keys, bones, and clips."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from ....engine_core.world.animation.clip import SCENE_CLIP
from ....engine_core.world.world import World, WorldDelta
from ..render_depsgraph import with_render_engine
from ..scene_sync import SceneSync
from ..warnings import SyncWarning, warn_about
from .actions import ActionJob, action_jobs, playing
from .animation_causes import AnimationCause
from .bones import Deformed, deform_world
from .clips import Progress, action_clip, sample_frames, scene_clip
from .deform_plan import at_rest, plan_deforms
from .kept_clips import restore_animation
from .kept_values import kept_values
from .motion import has_rigid_bodies, may_move, simulate
from .sampler import Sampler


def read_animated_scene(
    scene: Any, progress: Progress | None = None
) -> tuple[World, list[SyncWarning]]:
    """Read a scene at its frame, and how it moves, as a render sees it.

    Only what may move is sampled, at whole frames from the scene's first to its last; the scene is
    left at its frame, and all that is animated as it stood. `progress` may raise to cancel. Raises
    SyncError if Blender cannot render.
    """
    plan = plan_deforms(scene)
    sync = SceneSync(keeps_origins=True)
    world = World()
    warnings = list(plan.warnings)
    fps = scene.render.fps / scene.render.fps_base
    frames = range(scene.frame_start, scene.frame_end + 1)

    def read(engine: Any, depsgraph: Any) -> Deformed | None:
        world.apply(sync.full(depsgraph))
        deformed = deform_world(world, sync, plan, depsgraph)
        warnings.extend([*sync.warnings, *deformed.warnings])
        if not may_move(depsgraph):
            return None
        sampler = Sampler(world, sync, deformed, depsgraph)
        sample_frames(engine, sampler, frames, "animation of the scene", progress)
        warnings.extend(
            warn_about(obj, AnimationCause.CLIP_APPEARS) for obj in sampler.arrivals.values()
        )
        clip = scene_clip(world, sampler, frames, fps)
        if clip is not None:
            world.apply(WorldDelta(clips={SCENE_CLIP: clip}))
        return deformed

    with kept_values(), at_rest(plan):
        if has_rigid_bodies(scene):
            simulate(scene, frames)
        deformed = with_render_engine(scene, read)
        if deformed is not None:
            warnings += _read_actions(scene, world, sync, deformed, fps, progress)
    warnings += restore_animation(scene, world)
    return world, sorted(set(warnings))


def _read_actions(
    scene: Any,
    world: World,
    sync: SceneSync,
    deformed: Deformed,
    fps: float,
    progress: Progress | None,
) -> list[SyncWarning]:
    """Add a clip for each action. Each pass plays one action of every datablock at once."""
    warnings: list[SyncWarning] = []
    holders = action_jobs(world, sync, deformed)
    for number in range(max(map(len, holders), default=0)):
        jobs = [jobs[number] for jobs in holders if number < len(jobs)]
        with ExitStack() as stack:
            played = []
            for job in jobs:
                try:
                    stack.enter_context(playing(job))
                    played.append(job)
                except (RuntimeError, TypeError, AttributeError) as error:
                    values = {"name": job.action.name, "reason": str(error).strip()}
                    warnings.append(warn_about(job.holder, AnimationCause.CLIP_ACTION, **values))
            if played:
                _play(scene, world, sync, deformed, fps, played, progress)
    return warnings


def _play(
    scene: Any,
    world: World,
    sync: SceneSync,
    deformed: Deformed,
    fps: float,
    jobs: list[ActionJob],
    progress: Progress | None,
) -> None:
    frames = range(min(j.frames.start for j in jobs), max(j.frames.stop for j in jobs))
    names = ", ".join(job.action.name for job in jobs)

    def read(engine: Any, depsgraph: Any) -> None:
        sampler = Sampler(world, sync, deformed, depsgraph)
        sample_frames(engine, sampler, frames, f"animation {names}", progress, whole=False)
        for job in jobs:
            window = slice(job.frames.start - frames.start, job.frames.stop - frames.start)
            name = job.action.name
            clip = action_clip(sampler, name, job.owner, set(job.parts), window, fps)
            if clip is not None:
                world.apply(WorldDelta(clips={_free(world, f"{job.owner}/{name}"): clip}))

    with_render_engine(scene, read)


def _free(world: World, wanted: str) -> str:
    found, number = wanted, 2
    while found in world.clips:
        found, number = f"{wanted}.{number}", number + 1
    return found
