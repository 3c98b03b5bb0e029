"""Meshes on the device: one buffer an attribute, uploaded when something first draws with it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..assets.mesh import MeshData, Primitive
from .device import Device
from .gpu_objects import Buffer, VertexArray
from .interface import ATTRIBUTES
from .mesh_clusters import Cluster, cluster_mesh


@dataclass(frozen=True)
class VertexLayout:
    """Which of a mesh's sets feed the shader's attributes; -1: none, the constant."""

    uv0: int = -1
    uv1: int = -1
    color: int = -1
    tangents: bool = False
    skin: bool = False
    keeps_order: bool = False
    """Triangles come in the order of the mesh, as blending wants it, not in that of clusters."""


class GpuMesh:
    """Buffers of one mesh; UV and colour sets that no material uses stay off the device."""

    def __init__(self, device: Device, mesh: MeshData) -> None:
        """Upload the indices of a mesh that `drawable` passed."""
        self.device, self.mesh = device, mesh
        self.primitives = tuple(p for p in mesh.primitives if p.index_count > 0)
        self._buffers: dict[tuple[str, int], Buffer] = {}
        indices, self._clusters = cluster_mesh(mesh)
        self._indices = Buffer(device, indices)
        self._ordered_indices: Buffer | None = None
        self._arrays: dict[VertexLayout, VertexArray] = {}

    def clusters_of(self, primitive: Primitive) -> tuple[Cluster, ...]:
        """Return the clusters of a large primitive; none if it is drawn whole."""
        return self._clusters.get(primitive, ())

    def layout_for(
        self, uv_sets: tuple[int, ...], color_set: int | None, tangents: bool
    ) -> VertexLayout:
        """Return the layout that feeds `uv_sets` (two at most) to uv0 and uv1 where they exist."""
        uvs = [index if index < len(self.mesh.uv_sets) else -1 for index in uv_sets] + [-1, -1]
        color = -1 if color_set is None or color_set >= len(self.mesh.color_sets) else color_set
        return VertexLayout(uvs[0], uvs[1], color, tangents and self.mesh.tangents is not None)

    def vertex_array(self, layout: VertexLayout) -> VertexArray:
        """Return the vertex array of `layout`, made on first use."""
        array = self._arrays.get(layout)
        if array is None:
            mesh = self.mesh
            sources = {"in_position": (mesh.positions, 0), "in_normal": (mesh.normals, 0)}
            if layout.tangents and mesh.tangents is not None:
                sources["in_tangent"] = (mesh.tangents, 0)
            if layout.skin and mesh.skin is not None:
                sources["in_joints"] = (mesh.skin.joints, 0)
                sources["in_weights"] = (mesh.skin.weights, 0)
            for name, table, index in (
                ("in_uv0", mesh.uv_sets, layout.uv0),
                ("in_uv1", mesh.uv_sets, layout.uv1),
                ("in_color", mesh.color_sets, layout.color),
            ):
                if index >= 0:
                    sources[name] = (table[index], index)
            attributes = {
                ATTRIBUTES[name][0]: (self._buffer(name, *source), int(ATTRIBUTES[name][1][-1]))
                for name, source in sources.items()
            }
            indices = self._indices_in_order() if layout.keeps_order else self._indices
            array = self._arrays[layout] = VertexArray(self.device, attributes, indices)
        return array

    def _indices_in_order(self) -> Buffer:
        """Return the indices as the mesh has them, uploaded on first use if clusters changed it."""
        if not self._clusters:
            return self._indices
        if self._ordered_indices is None:
            indices = np.ascontiguousarray(self.mesh.indices, np.uint32)
            self._ordered_indices = Buffer(self.device, indices)
        return self._ordered_indices

    def _buffer(self, name: str, array: np.ndarray, index: int) -> Buffer:
        """Return the buffer of one attribute's set, uploaded on first use."""
        key = (name.rstrip("01"), index)
        buffer = self._buffers.get(key)
        if buffer is None:
            # One of another type than float32 would be read as noise.
            data = np.ascontiguousarray(array, np.float32)
            buffer = self._buffers[key] = Buffer(self.device, data)
        return buffer

    def release(self) -> None:
        """Delete everything."""
        for thing in (*self._arrays.values(), *self._buffers.values(), self._indices):
            thing.release()
        if self._ordered_indices is not None:
            self._ordered_indices.release()


def drawable(mesh: MeshData) -> tuple[MeshData | None, list[str]]:
    """Return what of `mesh` can be drawn (None: nothing) and warnings about the rest.

    Triangles that use a vertex with NaN or infinite coordinates, or one that does not exist, are
    left out; the GPU must never see them.
    """
    if len(mesh.positions) == 0 or len(mesh.indices) == 0:
        return None, []
    good = np.isfinite(mesh.positions).all(axis=1)
    in_range = mesh.indices < len(mesh.positions)
    if good.all() and in_range.all():
        return mesh, []
    whole = len(mesh.indices) // 3 * 3
    corners = np.where(in_range[:whole], mesh.indices[:whole], 0).reshape(-1, 3)
    kept = (good[corners] & in_range[:whole].reshape(-1, 3)).all(axis=1)
    warning = (
        f"Mesh '{mesh.name}' has {int((~kept).sum())} triangles with coordinates that are not"
        " finite or vertices that do not exist; they are not drawn."
    )
    if not kept.any():
        return None, [warning]
    before = np.concatenate([[0], np.cumsum(kept)])
    primitives = []
    for primitive in mesh.primitives:
        first = int(before[min(primitive.first_index // 3, len(kept))])
        last = int(before[min((primitive.first_index + primitive.index_count) // 3, len(kept))])
        primitives.append(Primitive(3 * first, 3 * (last - first), primitive.material_slot))
    return (
        MeshData(
            name=mesh.name,
            positions=np.where(good[:, None], mesh.positions, 0).astype(np.float32),
            normals=mesh.normals,
            indices=np.ascontiguousarray(corners[kept].reshape(-1), np.uint32),
            primitives=tuple(primitives),
            uv_sets=mesh.uv_sets,
            tangents=mesh.tangents,
            color_sets=mesh.color_sets,
            uv_names=mesh.uv_names,
            color_names=mesh.color_names,
            skin=mesh.skin,
            morphs=mesh.morphs,
        ),
        [warning],
    )
