"""Follower: a world kept in step with the open scene, held against a fresh sync."""

from __future__ import annotations

import bpy
import numpy as np

from fyn.addon.sync import geometry
from fyn.addon.sync.scene_sync import SceneSync
from fyn.engine_core.world.components import COMPONENT_TYPES
from fyn.engine_core.world.world import World


class Follower:
    """A world kept in step with the scene through depsgraph updates."""

    def __init__(self):
        self.sync, self.world, self.deltas = SceneSync(), World(), []
        self.world.apply(self.sync.full(bpy.context.evaluated_depsgraph_get()))
        bpy.app.handlers.depsgraph_update_post.append(self.on_update)

    def on_update(self, scene, depsgraph):
        delta = self.sync.update(depsgraph)
        self.deltas.append(delta)
        self.world.apply(delta)

    def after(self, *changes):
        """Make changes, let Blender evaluate, and return the one delta that came of it."""
        self.deltas.clear()
        for change in changes:
            change()
        bpy.context.view_layer.update()
        assert len(self.deltas) <= 1
        self.check()
        return self.deltas[0] if self.deltas else None

    def check(self):
        """The world is the one that a sync from nothing gives."""
        fresh = World()
        fresh.apply(SceneSync().full(bpy.context.evaluated_depsgraph_get()))
        assert set(self.world.entities) == set(fresh.entities)
        for key, entity in fresh.entities.items():
            mine = self.world.entities[key]
            assert (mine.mesh, mine.light, mine.camera) == (
                entity.mesh,
                entity.light,
                entity.camera,
            )
            assert mine.parent == entity.parent
            for kind in COMPONENT_TYPES.values():
                assert mine.get(kind) == entity.get(kind)
            assert np.allclose(
                self.world.world_from_local(key), fresh.world_from_local(key), atol=1e-4
            )
        assert set(self.world.meshes) == set(fresh.meshes)
        assert all(geometry._same_mesh(self.world.meshes[k], m) for k, m in fresh.meshes.items())
        assert self.world.materials == fresh.materials
        assert set(self.world.images) == set(fresh.images)
        assert self.world.environment == fresh.environment
        assert self.world.components == fresh.components
        assert self.world.active_camera == fresh.active_camera
