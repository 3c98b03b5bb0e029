"""Does random things in a Blender whose views are Rendered, and looks for errors and leaks.

Arguments: the seed and the number of steps. Every so often all views must have a picture, and the
world that was kept in step must be the one that a sync from nothing gives.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent))
import stage
import walk_context
import walk_steps
from stage import findings

LOOK_EVERY = 15


def script():
    seed, count = map(int, stage.arguments()[:2])
    chance = random.Random(seed)
    names = findings["steps"] = []
    errors = findings["errors"] = []
    skipped = findings["skipped"] = {}
    stage.enable_extension()
    prepare_files()
    yield from back_to_rendered()
    yield from all_closed()
    findings["before"], findings["compared"] = live_objects(), 0
    yield from back_to_rendered()
    walk_context.push_undo("start")
    weights = [weight for weight, _ in walk_steps.STEPS]
    for number in range(count):
        (_, step), *_ = chance.choices(walk_steps.STEPS, weights)
        names.append(step.__name__)
        stage.write_findings()  # what led to a crash must be known
        try:
            step(chance)
            if step not in walk_steps.WITHOUT_UNDO:
                walk_context.push_undo(step.__name__)
        except (walk_context.InfeasibleError, RuntimeError) as reason:
            skipped.setdefault(step.__name__, []).append(str(reason))
        yield 0.02
        if number % LOOK_EVERY == LOOK_EVERY - 1:
            yield from back_to_rendered()
            errors += [f"step {number}: {text}" for text in (*unexpected(), *differences())]
    yield from all_closed()
    findings["after"] = live_objects()
    findings["own operators"] = sorted(set(walk_steps.OWN_OPERATORS))


def prepare_files():
    """Save the scene, and a library with one object."""
    shared = bpy.data.objects.new("Shared", bpy.data.meshes["Cube"])
    bpy.data.libraries.write(str(walk_steps.LIBRARY_FILE), {shared}, fake_user=True)
    bpy.data.objects.remove(shared)
    bpy.context.preferences.filepaths.use_load_ui = True
    walk_steps.save_file(random.Random(0))


def back_to_rendered():
    """Show every view by Fyn and wait for the pictures."""
    if bpy.context.screen is not None and stage.window().screen.is_animation_playing:
        with walk_context.within():
            bpy.ops.screen.animation_cancel(restore_frame=False)
    for scene in bpy.data.scenes:
        if not scene.library:
            stage.use_fyn(scene)
    if not stage.views():
        stage.window().workspace = bpy.data.workspaces["Layout"]
        yield 0.1
    for _, _, space, _ in stage.views():
        space.shading.type = "RENDERED"
        space.overlay.show_overlays = False
    yield 0.1
    yield stage.is_settled


def all_closed():
    """Leave Rendered shading everywhere, and wait until nothing shows a scene any more."""
    pool = stage.part("addon.viewport.scene_pool")
    for screen in bpy.data.screens:
        for area in screen.areas:
            if area.type == "VIEW_3D":
                area.spaces[0].shading.type = "SOLID"
    yield lambda: pool.shared_scene_count() == 0
    stage.part("addon.kept_worlds").forget_all()


def unexpected():
    """Return failures of views that have no reason which people would understand."""
    return [text for text in stage.failures() if "did not expect" in text]


def live_objects():
    """Count what lives on Fyn's device, by kind."""
    host = stage.part("addon.render_host")
    return host.render_thread().call(lambda device: device.live_objects_by_kind)


def differences():
    """Say where the first view's world differs from what a sync from nothing reads."""
    pool = stage.part("addon.viewport.scene_pool")
    sync_module = stage.part("addon.sync.scene_sync")
    geometry = stage.part("addon.sync.geometry")
    window = stage.window()
    depsgraph = window.view_layer.depsgraph
    key = (window.scene.session_uid, window.view_layer.name, 0)
    if depsgraph is None or key not in pool._shared:
        return
    findings["compared"] += 1
    kept = pool._shared[key].content._sync
    fresh = sync_module.SceneSync(kept._is_shown)
    fresh.full(depsgraph)
    for what, mine, theirs in (
        ("entities", kept._entities, fresh._entities),
        ("meshes", kept._geometry.meshes, fresh._geometry.meshes),
        ("materials", kept._surfaces.materials, fresh._surfaces.materials),
    ):
        for one in mine._values.keys() ^ theirs._values.keys():
            yield f"{what} {one}: {mine._values.get(one)} against {theirs._values.get(one)}"
    for one in kept._entities._values.keys() & fresh._entities._values.keys():
        mine, theirs = kept._entities.value(one), fresh._entities.value(one)
        pairs = ((mine.mesh, theirs.mesh), (mine.light, theirs.light), (mine.camera, theirs.camera))
        if mine.name != theirs.name or any((a is None) != (b is None) for a, b in pairs):
            yield f"entity {one}: {mine} against {theirs}"
        if abs(kept._placements._world[one] - fresh._placements._world[one]).max() > 1e-4:
            yield f"entity {one} stands elsewhere"
    for one in kept._geometry.meshes._values.keys() & fresh._geometry.meshes._values.keys():
        mine, theirs = kept._geometry.meshes.value(one), fresh._geometry.meshes.value(one)
        if (mine is None) != (theirs is None) or (mine and not geometry._same_mesh(mine, theirs)):
            yield f"mesh {one} is another"


stage.close_splash()
stage.play(script)
