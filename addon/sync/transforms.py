"""Matrices to translation, rotation and scale, for thousands of entities at once. Knows no bpy."""

from __future__ import annotations

import numpy as np

from ...engine_core.world.entity import Transform

SHEAR_TOLERANCE = 1e-5
"""Largest cosine between two axes of a matrix that still counts as unsheared."""


def transforms_from_matrices(matrices: np.ndarray) -> list[Transform]:
    """Split affine matrices (N, 4, 4) float64 into Transforms; sheared ones keep their matrix.

    A mirrored matrix (negative determinant) gets three negative scales, as Blender's own
    decomposition does. An axis scaled to zero gets a direction square to the others.
    """
    if len(matrices) == 0:
        return []
    rotation, scale, sheared = _decomposed(matrices)
    return _transforms(matrices, rotation, scale, sheared)


def decomposed(matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return translation (N, 3), quaternion (N, 4), scale (N, 3), and (N,) whether it is sheared.

    As `transforms_from_matrices` splits them, for matrices (N, 4, 4) float64.
    """
    rotation, scale, sheared = _decomposed(matrices)
    return matrices[:, :3, 3], _quaternions(rotation), scale, sheared


def _decomposed(matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    axes = matrices[:, :3, :3]
    scale = np.linalg.norm(axes, axis=1)
    scale = np.where((np.linalg.det(axes) < 0)[:, None], -scale, scale)
    rotation = _orthonormal(axes, scale)
    cosines = np.abs(rotation.transpose(0, 2, 1) @ rotation - np.identity(3)).max(axis=(1, 2))
    return rotation, scale, cosines > SHEAR_TOLERANCE


def _transforms(
    matrices: np.ndarray, rotation: np.ndarray, scale: np.ndarray, sheared: np.ndarray
) -> list[Transform]:
    translations = matrices[:, :3, 3].tolist()
    quaternions = _quaternions(rotation).tolist()
    scales = scale.tolist()
    out = [
        Transform(translation=tuple(t), rotation=tuple(q), scale=tuple(s))
        for t, q, s in zip(translations, quaternions, scales, strict=True)
    ]
    for index in np.flatnonzero(sheared).tolist():
        out[index] = Transform(matrix=tuple(matrices[index].ravel().tolist()))
    return out


def _orthonormal(axes: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Divide the columns of (N, 3, 3) by `scale`, filling in axes that have no length."""
    tiny = np.abs(scale) < 1e-30
    rotation = axes / np.where(tiny, 1.0, scale)[:, None, :]
    for index in np.flatnonzero(tiny.any(axis=1)).tolist():
        rotation[index] = _completed(rotation[index], tiny[index])
    return rotation


def _completed(columns: np.ndarray, missing: np.ndarray) -> np.ndarray:
    """Return a right-handed orthonormal basis that keeps the columns which are not `missing`."""
    known = [np.array(columns[:, i]) for i in range(3) if not missing[i]]
    out = np.array(columns)
    if len(known) == 0:
        return np.identity(3)
    if len(known) == 1:
        first = int(np.flatnonzero(~missing)[0])
        least = np.identity(3)[int(np.argmin(np.abs(known[0])))]
        second = np.cross(known[0], least)
        second /= np.linalg.norm(second)
        out[:, (first + 1) % 3] = second
        out[:, (first + 2) % 3] = np.cross(known[0], second)
        return out
    gap = int(np.flatnonzero(missing)[0])
    filled = np.cross(out[:, (gap + 1) % 3], out[:, (gap + 2) % 3])
    length = float(np.linalg.norm(filled))
    out[:, gap] = filled / length if length > 1e-30 else np.identity(3)[gap]
    return out


def _quaternions(rotation: np.ndarray) -> np.ndarray:
    """Rotation matrices (N, 3, 3) to unit quaternions (N, 4) x y z w with w >= 0.

    Shepperd's method: the largest of the four components is found first, so that the division
    is never by something small. (S. W. Shepperd, "Quaternion from rotation matrix", 1978.)
    """
    m = rotation
    trace = m[:, 0, 0] + m[:, 1, 1] + m[:, 2, 2]
    squares = np.stack(
        [
            1 + 2 * m[:, 0, 0] - trace,
            1 + 2 * m[:, 1, 1] - trace,
            1 + 2 * m[:, 2, 2] - trace,
            1 + trace,
        ],
        axis=1,
    )
    xy, yz, zx = m[:, 1, 0] + m[:, 0, 1], m[:, 2, 1] + m[:, 1, 2], m[:, 0, 2] + m[:, 2, 0]
    xw, yw, zw = m[:, 2, 1] - m[:, 1, 2], m[:, 0, 2] - m[:, 2, 0], m[:, 1, 0] - m[:, 0, 1]
    rows = np.stack(
        [
            np.stack([squares[:, 0], xy, zx, xw], axis=1),
            np.stack([xy, squares[:, 1], yz, yw], axis=1),
            np.stack([zx, yz, squares[:, 2], zw], axis=1),
            np.stack([xw, yw, zw, squares[:, 3]], axis=1),
        ],
        axis=1,
    )
    chosen = rows[np.arange(len(m)), np.argmax(squares, axis=1)]
    lengths = np.linalg.norm(chosen, axis=1, keepdims=True)
    chosen = chosen / np.where(lengths > 0, lengths, 1)
    return np.where(chosen[:, 3:] < 0, -chosen, chosen) + 0.0
