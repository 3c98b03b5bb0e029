"""Where the shadow maps of lamps look: which lamps have them, and the matrices of their faces.

A spot and an area look one way, a point six ways (the faces of a cube), as does a spot whose cone
is too wide for one. A point far outside of the scene looks at the scene alone. Nothing here depends
on the camera but the choice of lamps, where there are more than fit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .interface import LIGHT_KINDS, MAX_LAMP_FACES, block_dtype
from .light_selection import FrameLights

_SUN, _POINT, _SPOT, _AREA = (LIGHT_KINDS.index(k) for k in ("sun", "point", "spot", "area"))

FACE_COUNTS = (1, 2, 4, 6, 8, 12, 18, 24, MAX_LAMP_FACES)
"""Numbers of layers that are made, so that one lamp more or less does not make all anew."""
AREA_ANGLE = math.radians(140.0)
"""An area shines into a half space; its map sees so much of it (full angle), the rest is lit."""
WIDEST_SPOT = math.radians(120.0)
"""A wider cone has the faces of a cube: one map would be coarse in its middle and end too soon."""
FAR_ANGLE = math.radians(60.0)
"""A point that sees the whole scene in so small a cone (full angle) has one map of just that."""
EDGE_TEXELS = 3.0
"""A face sees so many texels more than its share on every side, for the filter's sake."""
NEAR_SHARE = 1e-3
LEAST_NEAR_M = 0.01
"""The near plane: this share of the way to the far plane, but at least so many metres."""

# Directions and up vectors of the cube's faces, in the order that shaders count them in.
_FORWARD = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], float)
_UP = np.array([[0, 1, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1], [0, 1, 0], [0, 1, 0]], float)


@dataclass(frozen=True, eq=False)
class LampFaces:
    """The faces of a frame's lamps.

    matrices: (F, 4, 4) float64, clip space from world space. blocks: contents of the uniform block
    `LampShadows`. left_out: lamps that cast shadows, but have no map since there are too many.
    """

    matrices: np.ndarray
    block: np.ndarray
    left_out: int

    @property
    def layers(self) -> int:
        """How many layers hold the faces: the next of FACE_COUNTS."""
        return next((n for n in FACE_COUNTS if n >= len(self.matrices)), 0)


def place_faces(
    lights: FrameLights, bounds: np.ndarray, resolution: int, most_lamps: int
) -> LampFaces:
    """Choose which lamps have shadows and place their maps.

    bounds: (2, 3) corners of all that casts or receives. resolution: texels a side. The weightiest
    lamps come first, until `most_lamps` or MAX_LAMP_FACES are used up.
    """
    block = np.zeros((), block_dtype("LampShadows"))
    block["light_shadow"][:, 0] = -1.0
    kinds = lights.block["light_position"][: lights.count, 3].astype(int)
    wants = np.flatnonzero(lights.casts & (kinds != _SUN))
    matrices: list[np.ndarray] = []
    chosen = 0
    for index in wants[np.argsort(-lights.weight[wants], kind="stable")].tolist():
        placed = _lamp_matrices(lights.block, index, int(kinds[index]), bounds, resolution)
        faces = len(placed)
        if chosen == most_lamps or len(matrices) + faces > MAX_LAMP_FACES:
            continue
        block["light_shadow"][index] = _entry(lights.block, index, len(matrices), faces)
        matrices.extend(placed)
        chosen += 1
    stacked = np.array(matrices).reshape(-1, 4, 4)
    block["lamp_from_world"][: len(stacked)] = stacked.transpose(0, 2, 1)
    block["lamp_shadow_params"] = (1.0 / resolution, 0.0, 0.0, 0.0)
    return LampFaces(stacked, block, len(wants) - chosen)


def _entry(block: np.ndarray, index: int, first: int, faces: int) -> tuple[float, ...]:
    """First face, how many, and the radius in metres of what shines."""
    right, up = block["light_right"][index, :3], block["light_up"][index, :3]
    is_area = int(block["light_position"][index, 3]) == _AREA
    area_radius = math.sqrt(float(np.linalg.norm(right)) * float(np.linalg.norm(up)))
    return (first, faces, area_radius if is_area else float(block["light_params"][index, 0]), 0.0)


def _lamp_matrices(
    block: np.ndarray, index: int, kind: int, bounds: np.ndarray, resolution: int
) -> np.ndarray:
    """Return (faces, 4, 4) clip_from_world of one lamp."""
    position = block["light_position"][index, :3].astype(float)
    forward = block["light_direction"][index, :3].astype(float)
    far = _reach(position, float(block["light_direction"][index, 3]), bounds)
    near = max(far * NEAR_SHARE, LEAST_NEAR_M)
    axes = [(forward, _perpendicular(forward))]
    if kind == _AREA:
        spread = 2 * math.acos(min(max(float(block["light_up"][index, 3]), -1.0), 1.0))
        angle = min(spread, AREA_ANGLE)
    elif kind == _SPOT:
        angle = 2 * math.acos(min(max(float(block["light_params"][index, 1]), -1.0), 1.0))
    else:
        angle = math.tau
    if kind != _AREA and angle > WIDEST_SPOT:
        scene = (bounds[0] + bounds[1]) / 2 - position
        radius = float(np.linalg.norm(bounds[1] - bounds[0])) / 2
        distance = float(np.linalg.norm(scene))
        if radius < distance * math.sin(FAR_ANGLE / 2):
            angle = 2 * math.asin(radius / distance)
            axes = [(scene / distance, _perpendicular(scene / distance))]
            near = max(near, min(distance - 1.01 * radius, far / 2))
        else:
            angle, axes = math.pi / 2, list(zip(_FORWARD, _UP, strict=True))
    half = math.tan(max(angle, 1e-2) / 2) * (1 + 2 * EDGE_TEXELS / resolution)
    projection = _projection(half, near, far)
    return np.stack([projection @ _looking(position, ahead, up) for ahead, up in axes])


def _reach(position: np.ndarray, limit: float, bounds: np.ndarray) -> float:
    """How far the lamp's light matters: to the farthest corner of the scene, or its own range."""
    farthest = np.maximum(np.abs(bounds[0] - position), np.abs(bounds[1] - position))
    reach = float(np.linalg.norm(farthest)) * 1.01 + 2 * LEAST_NEAR_M
    return max(min(reach, limit), 4 * LEAST_NEAR_M) if limit > 0 else reach


def _perpendicular(direction: np.ndarray) -> np.ndarray:
    axis = np.zeros(3)
    axis[int(np.argmin(np.abs(direction)))] = 1.0
    return axis


def _looking(position: np.ndarray, forward: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Return view_from_world of an eye that looks along `forward`."""
    right = np.cross(forward, up)
    right /= np.linalg.norm(right)
    view = np.identity(4)
    view[:3, :3] = right, np.cross(right, forward), -forward
    view[:3, 3] = -view[:3, :3] @ position
    return view


def _projection(half: float, near: float, far: float) -> np.ndarray:
    """Return clip_from_view of a square view of tangent `half`."""
    out = np.zeros((4, 4))
    out[0, 0] = out[1, 1] = 1 / half
    out[2, 2] = -(far + near) / (far - near)
    out[2, 3] = -2 * far * near / (far - near)
    out[3, 2] = -1.0
    return out
