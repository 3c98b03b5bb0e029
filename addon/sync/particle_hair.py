"""Hair of particle systems: tubes that become part of the mesh that grows them.

A mesh that is exported with its skin or shape keys goes without: its hair could not follow.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...engine_core.assets.mesh import MeshData, Primitive
from .axes import turn_to_engine
from .meshes import MeshReading
from .scene_causes import SceneCause
from .tubes import CATMULL_ROM, Strands, Tubes, tubes
from .warnings import warn_about

MAX_POINTS = 600_000
"""Points that are asked of Blender for one system; it hands them out one by one, 0.7 us each."""


def with_particle_hair(reading: MeshReading, obj: Any, is_render: bool) -> MeshReading:
    """Return what an evaluated object shows together with the hair of its particle systems.

    An emitter that is hidden itself shows nothing but its hair.
    """
    if not _shows_emitter(obj, is_render) and reading.data is not None:
        reading = replace(reading, data=_without_vertices(reading.data))
    for modifier in obj.modifiers:
        if modifier.type != "PARTICLE_SYSTEM":
            continue
        is_on = modifier.show_render if is_render else modifier.show_viewport
        system = modifier.particle_system
        if is_on and draws_hair(system):
            reading = _with_hair(reading, obj, modifier, system, is_render)
    return reading


def _shows_emitter(obj: Any, is_render: bool) -> bool:
    if len(obj.particle_systems) == 0:
        return True
    return obj.show_instancer_for_render if is_render else obj.show_instancer_for_viewport


def _without_vertices(mesh: MeshData) -> MeshData:
    """Return a mesh of nothing with the sets of `mesh`."""
    return replace(
        mesh,
        positions=mesh.positions[:0],
        normals=mesh.normals[:0],
        indices=mesh.indices[:0],
        primitives=(),
        uv_sets=tuple(uv[:0] for uv in mesh.uv_sets),
        tangents=None if mesh.tangents is None else mesh.tangents[:0],
        color_sets=tuple(color[:0] for color in mesh.color_sets),
        skin=None,
        morphs=(),
    )


def draws_hair(system: Any) -> bool:
    """Tell whether a particle system is rendered as strands of hair."""
    return system.settings.type == "HAIR" and system.settings.render_type == "PATH"


def _with_hair(
    reading: MeshReading, obj: Any, modifier: Any, system: Any, is_render: bool
) -> MeshReading:
    chosen, count = _chosen(system, is_render)
    if len(chosen) == 0 or reading.data is None:
        return reading
    if reading.data.skin is not None or reading.data.morphs:
        told = warn_about(obj, SceneCause.OBJECT_PARTICLES)
        return replace(reading, warnings=(*reading.warnings, told))
    paths = _paths(obj, system, chosen, _steps(system.settings, is_render))
    radii = _radii(system.settings, paths.shape[1]) * np.sqrt(count / len(chosen))
    strand_count, steps = paths.shape[:2]
    uvs = _uvs(modifier, system, chosen) if reading.data.uv_sets else None
    made = tubes(
        Strands(
            np.arange(strand_count + 1) * steps,
            paths.reshape(-1, 3),
            np.tile(radii, strand_count).astype(np.float32),
            np.full(strand_count, CATMULL_ROM),
            np.zeros(strand_count, bool),
            uvs=() if uvs is None else (np.repeat(uvs, steps, axis=0),),
        ),
        steps=1,
    )
    if made is None:
        return reading
    slot = min(system.settings.material, max(len(obj.material_slots), 1)) - 1
    warnings = reading.warnings
    if made.drawn * 2 <= count:
        warnings += (warn_about(obj, SceneCause.STRANDS_THINNED, drawn=made.drawn, count=count),)
    return MeshReading(_appended(reading.data, made, max(slot, 0)), warnings)


def _chosen(system: Any, is_render: bool) -> tuple[np.ndarray, int]:
    """Return the numbers of the strands that are drawn, and how many there are.

    Children take the place of their parents. Blender numbers parents first.
    """
    parents, children = len(system.particles), len(system.child_particles)
    has_children = system.settings.child_type != "NONE" and children > 0
    numbers = np.arange(parents if has_children else 0, parents + children * has_children)
    allowed = max(MAX_POINTS // _steps(system.settings, is_render), 1)
    return numbers[:: -(-len(numbers) // allowed) or 1], len(numbers)


def _steps(settings: Any, is_render: bool) -> int:
    """Return how many points Blender keeps of a strand."""
    steps = (1 << (settings.render_step if is_render else settings.display_step)) + 1
    return steps + (settings.kink_extra_steps if settings.kink == "SPIRAL" else 0)


def _paths(obj: Any, system: Any, chosen: np.ndarray, steps: int) -> np.ndarray:
    """Return the points (C, steps, 3) of strands in the object's space, engine axes."""
    ask = system.co_hair
    flat = [
        ask(object=obj, particle_no=number, step=step)
        for number in chosen.tolist()
        for step in range(steps)
    ]
    world = np.array(flat, np.float64).reshape(-1, 3)
    local_from_world = np.linalg.pinv(np.array(obj.matrix_world, np.float64))
    local = world @ local_from_world[:3, :3].T + local_from_world[:3, 3]
    return turn_to_engine(local.astype(np.float32)).reshape(-1, steps, 3)


def _radii(settings: Any, steps: int) -> np.ndarray:
    """Return the radius (steps,) along a strand, as Cycles shapes it."""
    root = settings.root_radius * settings.radius_scale / 2
    tip = settings.tip_radius * settings.radius_scale / 2
    left = 1 - np.arange(steps) / (steps - 1)
    shape = settings.shape
    power = 1 + shape if shape < 0 else 1 / max(1 - shape, 1e-6)
    radii = left**power * (root - tip) + tip
    if settings.use_close_tip:
        radii[-1] = 0
    return radii


def _uvs(modifier: Any, system: Any, chosen: np.ndarray) -> np.ndarray:
    """Return where on the first UV map strands grow, (C, 2) float32, v down."""
    particles = system.particles
    last = len(particles) - 1
    found = np.array(
        [
            system.uv_on_emitter(
                modifier, particle=particles[min(number, last)], particle_no=number, uv_no=0
            )
            for number in chosen.tolist()
        ],
        np.float32,
    )
    found[:, 1] = 1 - found[:, 1]
    return found


def _appended(mesh: MeshData, made: Tubes, slot: int) -> MeshData:
    """Return `mesh` with tubes in a material slot; what they lack of its attributes is neutral."""
    before, count = len(mesh.positions), len(made.positions)
    strand_uvs = made.uvs[0] if made.uvs else np.zeros((count, 2), np.float32)
    tangents = None
    if mesh.tangents is not None:
        along = np.tile(np.array([0, 0, 0, 1], np.float32), (count, 1))
        axis = np.eye(3, dtype=np.float32)[np.abs(made.normals).argmin(axis=1)]
        across = np.cross(made.normals, axis)
        along[:, :3] = across / np.linalg.norm(across, axis=1, keepdims=True)
        tangents = np.concatenate([mesh.tangents, along])
    return replace(
        mesh,
        positions=np.concatenate([mesh.positions, made.positions]),
        normals=np.concatenate([mesh.normals, made.normals]),
        indices=np.concatenate([mesh.indices, made.indices + np.uint32(before)]),
        primitives=(*mesh.primitives, Primitive(len(mesh.indices), len(made.indices), slot)),
        uv_sets=tuple(np.concatenate([uv, strand_uvs]) for uv in mesh.uv_sets),
        tangents=tangents,
        color_sets=tuple(
            np.concatenate([color, np.ones((count, 4), np.float32)]) for color in mesh.color_sets
        ),
    )
