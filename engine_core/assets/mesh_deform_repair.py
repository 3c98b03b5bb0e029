"""Sound skins and morph targets: the part of `mesh_repair` that is about deformation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..errors import LevelError
from .mesh import MeshData, is_finite

WEIGHT_TOLERANCE = 1e-4
"""How far the weights of a vertex may be from adding up to 1; Khronos' validator allows 2e-3."""


def check_deform_shapes(mesh: MeshData) -> None:
    """Raise LevelError if the arrays of skin and morph targets do not fit the mesh."""
    count = len(mesh.positions)
    expected = []
    if (skin := mesh.skin) is not None:
        joints = len(skin.names)
        expected += [
            ("skin.joints", skin.joints, (count, 4), np.uint16),
            ("skin.weights", skin.weights, (count, 4), np.float32),
            ("skin.inverse_bind", skin.inverse_bind, (joints, 4, 4), np.float32),
        ]
    for index, morph in enumerate(mesh.morphs):
        for name in ("positions", "normals"):
            where = f"morphs[{index}].{name}"
            expected.append((where, getattr(morph, name), (count, 3), np.float32))
    for name, array, shape, dtype in expected:
        if array.shape != shape or array.dtype != dtype:
            raise LevelError(
                f"Mesh '{mesh.name}': {name} is {array.shape} {array.dtype}, not {shape} "
                f"{np.dtype(dtype)}."
            )
    if mesh.skin is not None and count and int(mesh.skin.joints.max()) >= len(mesh.skin.names):
        raise LevelError(f"Mesh '{mesh.name}': a vertex hangs on a joint that does not exist.")


def with_sound_deform(mesh: MeshData, notes: list[str]) -> MeshData:
    """Return `mesh` with weights of sum 1 and finite deltas; tell in `notes` what was not."""
    if (skin := mesh.skin) is not None:
        weights = skin.weights
        with np.errstate(invalid="ignore", over="ignore"):
            total = weights.sum(axis=1)
            wrong = ~((np.abs(total - 1.0) <= WEIGHT_TOLERANCE) & (weights >= 0).all(axis=1))
        if wrong.any():
            fixed = weights.copy()
            fixed[wrong] = _normalized(weights[wrong])
            mesh = replace(mesh, skin=replace(skin, weights=fixed))
            notes.append(f"{int(wrong.sum())} x weights that do not add up to 1: made to")
    bad = 0
    morphs = []
    for morph in mesh.morphs:
        clean = {}
        for name in ("positions", "normals"):
            deltas = getattr(morph, name)
            if not is_finite(deltas):
                finite = np.isfinite(deltas)
                bad += int(np.count_nonzero(~finite.all(axis=1)))
                clean[name] = np.where(finite, deltas, np.float32(0.0))
        morphs.append(replace(morph, **clean) if clean else morph)
    if bad:
        notes.append(f"{bad} x shape key with coordinates that are no numbers: set to 0")
        mesh = replace(mesh, morphs=tuple(morphs))
    return mesh


def _normalized(weights: np.ndarray) -> np.ndarray:
    """Make rows add up to 1; one without any weight hangs on its first joint."""
    wide = np.where(np.isfinite(weights), weights, 0.0).clip(0.0).astype(np.float64)
    total = wide.sum(axis=1, keepdims=True)
    wide = np.where(total > 0, wide / np.where(total > 0, total, 1.0), (1.0, 0.0, 0.0, 0.0))
    return wide.astype(np.float32)
