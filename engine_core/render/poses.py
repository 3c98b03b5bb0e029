"""Poses: joint matrices and morph weights of every deformed entity, in one texture a frame.

Vertex shaders fetch from it (`shaders/common/deform.glsl`), so entities of one mesh still share a
draw call whatever their poses. All joints of all entities are multiplied at once by NumPy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..assets.mesh import MeshData
from ..world.components.morph import Morph
from ..world.components.skin import Skin
from .device import Device
from .gpu_assets import GpuAssets
from .gpu_objects import Texture
from .interface import MORPH_TABLE_WIDTH, POSE_TABLE_WIDTH
from .scene_table import SceneTable


@dataclass(frozen=True, eq=False)
class _Deformed:
    """Entities that are deformed, as columns; P of them with J joints and T weights in all.

    rows, armature: (P,) rows of the scene table (armature -1: none). first: (P,) first texel.
    joint_row, owner: (J,) row of each joint's entity, and whose it is. inverse_bind (J, 4, 4).
    joint_boxes: (J, 2, 3) of the vertices that hang on it; used: (J,) whether any do. relevant:
    (R,) bool, rows that change a pose. texels: (N, 4) float32, the texture.
    """

    rows: np.ndarray
    armature: np.ndarray
    first: np.ndarray
    joint_row: np.ndarray
    owner: np.ndarray
    inverse_bind: np.ndarray
    joint_boxes: np.ndarray
    used: np.ndarray
    relevant: np.ndarray
    meshes: tuple[MeshData, ...]
    texels: np.ndarray


class PoseTable:
    """The textures `pose_table` and `morph_table`, and the bounds that hold for the poses."""

    def __init__(self, device: Device) -> None:
        """Start with nothing deformed."""
        self.device = device
        self.warnings: list[str] = []
        self.rows = np.zeros(0, np.int64)
        """Rows of the scene table that are deformed."""
        self.bounds = np.zeros((0, 2, 3), np.float32)
        """(P, 2, 3) corners of each of them in its own space, in its present pose."""
        self._deformed: _Deformed | None = None
        self._versions: tuple[int, ...] = ()
        self._pose: Texture | None = None
        self._morphs = _MorphTexture(device)

    def refresh(self, table: SceneTable, assets: GpuAssets, moved: np.ndarray) -> np.ndarray:
        """Catch up; return the rows whose place in the texture is another one now."""
        replaced = np.zeros(0, np.int64)
        versions = (table.items_version, table.family_version, assets.version, table.capacity)
        is_new = versions != self._versions
        if is_new:
            self._versions = versions
            before = table.pose.copy()
            self._deformed = self._gather(table, assets)
            replaced = np.flatnonzero(table.pose != before)
        deformed = self._deformed
        if deformed is not None and (is_new or deformed.relevant[moved].any()):
            self._pose_all(table, deformed)
        return replaced

    def textures(self) -> dict[str, Texture]:
        """Return the textures by sampler; stand-ins of one texel where nothing is deformed."""
        if self._pose is None:
            self._write(np.zeros((1, 4), np.float32))
        assert self._pose is not None
        return {"pose_table": self._pose, "morph_table": self._morphs.texture()}

    def release(self) -> None:
        """Delete the textures."""
        if self._pose is not None:
            self._pose.release()
            self._pose = None
        self._morphs.release()

    def _gather(self, table: SceneTable, assets: GpuAssets) -> _Deformed | None:
        """Find what is deformed and give each entity its place in the texture."""
        posed = np.array([setup.is_posed for setup in table.setups], bool)
        drawn = np.flatnonzero(table.setup >= 0)
        candidates = drawn[posed[table.setup[drawn]]] if len(posed) else drawn[:0]
        self.warnings = []
        table.pose[:] = 0
        found = []
        for row in candidates.tolist():
            mesh = assets.mesh_data(table.setups[table.setup[row]].mesh)
            if mesh is not None and (mesh.skin is not None or mesh.morphs):
                found.append((row, mesh, *self._joint_rows(table, row, mesh)))
        self.rows = np.array([row for row, *_ in found], np.int64)
        self.bounds = np.zeros((len(found), 2, 3), np.float32)
        lines = self._morphs.hold([mesh for _, mesh, *_ in found if mesh.morphs])
        self.warnings += self._morphs.warnings
        if not found:
            return None
        return _columns(table, found, lines)

    def _joint_rows(self, table: SceneTable, row: int, mesh: MeshData) -> tuple[int, list[int]]:
        """Return the rows of armature and joints; (-1, []) where the skin cannot be followed."""
        skin = table.entities[row].get(Skin)
        if skin is None or mesh.skin is None:
            return -1, []
        armature = table.rows.get(skin.armature, -1)
        joints = [table.rows.get(joint, -1) for joint in skin.joints]
        if armature < 0 or -1 in joints or len(joints) != len(mesh.skin.names):
            self.warnings.append(
                f"Entity '{table.entities[row].id}' lacks joints of its skin; it is drawn at rest."
            )
            return -1, []
        return armature, joints

    def _pose_all(self, table: SceneTable, deformed: _Deformed) -> None:
        texels = deformed.texels
        weights, reach = _weights(table, deformed)
        texels[weights[0], 0] = weights[1]
        matrices = _joint_matrices(table, deformed)
        joint_texels = _joint_texels(deformed)
        texels[joint_texels[:, None] + np.arange(3)] = matrices[:, :3]
        self._write(texels)
        self.bounds = _pose_bounds(deformed, matrices, reach)

    def _write(self, texels: np.ndarray) -> None:
        lines = -(-len(texels) // POSE_TABLE_WIDTH)
        padded = np.zeros((lines * POSE_TABLE_WIDTH, 4), np.float32)
        padded[: len(texels)] = texels
        pixels = padded.reshape(lines, POSE_TABLE_WIDTH, 4)
        if self._pose is not None and self._pose.height != lines:
            self._pose.release()
            self._pose = None
        if self._pose is None:
            self._pose = Texture(self.device, "RGBA32F", POSE_TABLE_WIDTH, lines, pixels=pixels)
        else:
            self._pose.write(pixels)


def _columns(
    table: SceneTable, found: list[tuple[int, MeshData, int, list[int]]], lines: dict[int, int]
) -> _Deformed:
    """Lay out the texels: for each entity a header, three a joint, one a morph weight."""
    counts = np.array([len(joints) for *_, joints in found])
    targets = np.array([len(mesh.morphs) if id(mesh) in lines else 0 for _, mesh, *_ in found])
    sizes = 1 + 3 * counts + targets
    first = np.cumsum(sizes) - sizes
    texels = np.zeros((int(sizes.sum()), 4), np.float32)
    texels[first, 0], texels[first, 1] = counts, targets
    texels[first, 2] = [lines.get(id(mesh), 0) for _, mesh, *_ in found]
    texels[first, 3] = [len(mesh.positions) for _, mesh, *_ in found]
    rows = np.array([row for row, *_ in found], np.int64)
    table.pose[rows] = first
    skins = [mesh.skin for _, mesh, _, joints in found if joints and mesh.skin is not None]
    boxes = {id(mesh.skin): _joint_boxes(mesh) for _, mesh, _, joints in found if joints}
    nothing = np.zeros((0, 4, 4))
    joint_row = np.array([row for *_, joints in found for row in joints], np.int64)
    armature = np.array([row for _, _, row, _ in found], np.int64)
    relevant = np.zeros(table.capacity, bool)
    relevant[np.concatenate([rows, joint_row, armature[armature >= 0]])] = True
    found_boxes = [boxes[id(skin)] for skin in skins]
    return _Deformed(
        rows=rows,
        armature=armature,
        first=first,
        joint_row=joint_row,
        owner=np.repeat(np.arange(len(found)), counts),
        inverse_bind=np.concatenate([nothing, *(skin.inverse_bind for skin in skins)]),
        joint_boxes=np.concatenate([np.zeros((0, 2, 3)), *(box for box, _ in found_boxes)]),
        used=np.concatenate([np.zeros(0, bool), *(used for _, used in found_boxes)]),
        relevant=relevant,
        meshes=tuple(mesh for _, mesh, *_ in found),
        texels=texels,
    )


def _joint_boxes(mesh: MeshData) -> tuple[np.ndarray, np.ndarray]:
    """Return the box (J, 2, 3) of each joint's vertices at rest, and (J,) whether it has any."""
    assert mesh.skin is not None
    count = len(mesh.skin.names)
    low = np.full((count, 3), np.inf)
    high = np.full((count, 3), -np.inf)
    for influence in range(4):
        hangs = mesh.skin.weights[:, influence] > 0
        joints = mesh.skin.joints[hangs, influence]
        np.minimum.at(low, joints, mesh.positions[hangs])
        np.maximum.at(high, joints, mesh.positions[hangs])
    used = np.isfinite(low).all(axis=1)
    return np.where(used[:, None, None], np.stack([low, high], axis=1), 0.0), used


def _weights(
    table: SceneTable, deformed: _Deformed
) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray]:
    """Return (texels, weights) of all morphs, and how far they may carry a vertex, (P, 3)."""
    places: list[np.ndarray] = []
    values: list[np.ndarray] = []
    reach = np.zeros((len(deformed.rows), 3))
    joints = np.bincount(deformed.owner, minlength=len(deformed.rows))
    for number, (row, mesh) in enumerate(zip(deformed.rows.tolist(), deformed.meshes, strict=True)):
        count = int(deformed.texels[deformed.first[number], 1])
        if not count:
            continue
        morph = table.entities[row].get(Morph)
        given = np.array(morph.weights if morph is not None else (), np.float32)[:count]
        weights = np.zeros(count, np.float32)
        weights[: len(given)] = given
        places.append(deformed.first[number] + 1 + 3 * joints[number] + np.arange(count))
        values.append(weights)
        reach[number] = np.abs(weights) @ mesh.morph_reach
    if not places:
        return (np.zeros(0, np.int64), np.zeros(0, np.float32)), reach
    return (np.concatenate(places), np.concatenate(values)), reach


def _joint_matrices(table: SceneTable, deformed: _Deformed) -> np.ndarray:
    """Return mesh_from_mesh of every joint, (J, 4, 4) float64 (the formula is in `Skin`)."""
    mesh = _invertible(table.world[deformed.rows])
    armature = _invertible(table.world[np.maximum(deformed.armature, 0)])
    to_armature = np.linalg.inv(armature) @ mesh
    from_world = np.linalg.inv(mesh)
    owner = deformed.owner
    in_world = table.world[deformed.joint_row] @ deformed.inverse_bind
    return np.nan_to_num(from_world[owner] @ in_world @ to_armature[owner])


def _joint_texels(deformed: _Deformed) -> np.ndarray:
    """Return the first texel of each joint."""
    counts = np.bincount(deformed.owner, minlength=len(deformed.rows))
    within = np.arange(len(deformed.owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    return deformed.first[deformed.owner] + 1 + 3 * within


def _pose_bounds(deformed: _Deformed, matrices: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """Return boxes (P, 2, 3) that hold every vertex.

    A skinned vertex is a weighted mean of where its joints carry it, so it lies in the box around
    the joints' boxes; one without joints lies in the mesh's box, wider by what morphs add.
    """
    rest = np.stack([mesh.bounds for mesh in deformed.meshes]).astype(np.float64)
    low, high = rest[:, 0] - reach, rest[:, 1] + reach
    chosen = np.flatnonzero(deformed.used)
    if len(chosen):
        owner = deformed.owner[chosen]
        boxes = deformed.joint_boxes[chosen]
        axes = matrices[chosen, :3, :3]
        center = np.einsum("nij,nj->ni", axes, boxes.mean(axis=1)) + matrices[chosen, :3, 3]
        sizes = (boxes[:, 1] - boxes[:, 0]) / 2 + reach[owner]
        half = np.einsum("nij,nj->ni", np.abs(axes), sizes)
        starts = np.flatnonzero(np.r_[True, np.diff(owner) != 0])
        low[owner[starts]] = np.minimum.reduceat(center - half, starts)
        high[owner[starts]] = np.maximum.reduceat(center + half, starts)
    return np.stack([low, high], axis=1).astype(np.float32)


def _invertible(matrices: np.ndarray) -> np.ndarray:
    """Return copies with the identity in place of what has no inverse (nothing is drawn there)."""
    with np.errstate(invalid="ignore", over="ignore"):
        determinant = np.linalg.det(matrices)
    good = np.isfinite(matrices).all(axis=(1, 2)) & (np.abs(determinant) > 1e-30)
    return np.where(good[:, None, None], matrices, np.identity(4))


class _MorphTexture:
    """Deltas of the morphed meshes in use: two texels a vertex and target, by mesh on new lines."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.warnings: list[str] = []
        self._held: list[MeshData] = []
        self._lines: dict[int, int] = {}
        self._texture: Texture | None = None

    def hold(self, meshes: list[MeshData]) -> dict[int, int]:
        """Hold `meshes` and nothing else; return the first line of each by its `id`."""
        wanted = list({id(mesh): mesh for mesh in meshes}.values())
        if [id(mesh) for mesh in wanted] != [id(mesh) for mesh in self._held]:
            self.release()
            self._held = wanted
            self._upload()
        return self._lines

    def texture(self) -> Texture:
        """Return the texture; one texel where there are no morphs."""
        if self._texture is None:
            empty = np.zeros((1, 1, 4), np.float32)
            self._texture = Texture(self.device, "RGBA32F", 1, 1, pixels=empty)
        return self._texture

    def _upload(self) -> None:
        self.warnings, self._lines = [], {}
        blocks: list[np.ndarray] = []
        line = 0
        for mesh in self._held:
            texels = _morph_texels(mesh)
            lines = -(-len(texels) // MORPH_TABLE_WIDTH)
            if line + lines > self.device.info.max_texture_size:
                self.warnings.append(
                    f"Mesh '{mesh.name}' has more shape keys than this driver's textures hold;"
                    " it is drawn without them."
                )
                continue
            padded = np.zeros((lines * MORPH_TABLE_WIDTH, 4), np.float32)
            padded[: len(texels), :3] = texels
            blocks.append(padded)
            self._lines[id(mesh)] = line
            line += lines
        if blocks:
            pixels = np.concatenate(blocks).reshape(line, MORPH_TABLE_WIDTH, 4)
            self._texture = Texture(self.device, "RGBA32F", MORPH_TABLE_WIDTH, line, pixels=pixels)

    def release(self) -> None:
        if self._texture is not None:
            self._texture.release()
            self._texture = None
        self._held, self._lines = [], {}


def _morph_texels(mesh: MeshData) -> np.ndarray:
    """Return (T * V * 2, 3) float32: by target, by vertex, position then normal."""
    pairs = [np.stack([morph.positions, morph.normals], axis=1) for morph in mesh.morphs]
    return np.concatenate(pairs).reshape(-1, 3)
