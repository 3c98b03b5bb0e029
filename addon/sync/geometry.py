"""GeometryTable: which evaluated geometry an object shows, read once however many share it."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from ...engine_core.assets.mesh import MeshData
from .asset_table import AssetTable
from .identity import datablock_key, datablock_name
from .meshes import MeshReading, read_mesh
from .warnings import SyncWarning

MESH_CONVERTIBLE = frozenset({"MESH", "CURVE", "SURFACE", "FONT", "META"})
"""Object types whose evaluated geometry can be had as a mesh."""

NOT_DRAWN = {
    "CURVES": "Hair curves",
    "POINTCLOUD": "Point clouds",
    "VOLUME": "Volumes",
    "GREASEPENCIL": "Grease Pencil drawings",
    "GPENCIL": "Grease Pencil drawings",
    "LIGHT_PROBE": "Light probes",
}
"""Object types that are left out, and what they are called in a warning."""


class GeometryTable:
    """Meshes by what they come from.

    Keys: ("data", uid) for a mesh that objects share unmodified, ("object", uid) for what an
    object's modifiers made of it, ("made", uid, n) for the n-th geometry that an object's
    geometry nodes instance or that was converted from a curve.
    """

    def __init__(self) -> None:
        self.meshes: AssetTable[MeshData] = AssetTable(_same_mesh)
        self._dirty: set[Hashable] = set()
        self._dirty_owners: set[int] = set()
        self._key_of_pointer: dict[int, tuple] = {}
        self._made_count: dict[int, int] = {}
        self._used: set[Hashable] = set()

    def begin_pass(self, dirty_data: set[int], dirty_objects: set[int]) -> None:
        """Start looking at objects; what is dirty is read again when it is met."""
        self._key_of_pointer.clear()
        self._made_count.clear()
        self._used.clear()
        self._dirty = {("data", uid) for uid in dirty_data}
        self._dirty |= {("object", uid) for uid in dirty_objects}
        self._dirty_owners = dirty_objects

    def end_whole_pass(self) -> None:
        """Forget every mesh that was not met since `begin_pass`."""
        self.meshes.keep_only(self._used)

    def key_of(self, obj: Any, depsgraph: Any) -> tuple | None:
        """Return the key of the geometry that evaluated `obj` shows, reading it if need be.

        None if the object's type has no geometry.
        """
        if obj.type not in MESH_CONVERTIBLE and obj.type not in NOT_DRAWN:
            return None
        pointer = obj.data.as_pointer()
        key = self._key_of_pointer.get(pointer)
        if key is None:
            key = self._new_key(obj, pointer, depsgraph)
            self._key_of_pointer[pointer] = key
            self._used.add(key)
            dirty = key in self._dirty or (key[0] == "made" and key[1] in self._dirty_owners)
            if dirty or key not in self.meshes:
                self._read(key, obj)
        return key

    def _new_key(self, obj: Any, pointer: int, depsgraph: Any) -> tuple:
        original_data = obj.data.original
        uid = datablock_key(obj)
        if obj.type == "MESH":
            if original_data.evaluated_get(depsgraph).as_pointer() == pointer:
                return ("data", original_data.session_uid)
            own = obj.original.evaluated_get(depsgraph).data
            if own is not None and own.as_pointer() == pointer:
                return ("object", uid)
        number = self._made_count.get(uid, 0)
        self._made_count[uid] = number + 1
        return ("made", uid, number)

    def _read(self, key: tuple, obj: Any) -> None:
        if key[0] == "data":
            wanted = datablock_name(obj.data.original)
        else:
            wanted = datablock_name(obj.original)
            if key[0] == "made" and key[2]:
                wanted = f"{wanted}/{key[2]}"
        mesh_id = self.meshes.id_of(key, wanted)
        reading = read_geometry(obj, mesh_id)
        self.meshes.put(key, reading.data, reading.warnings)
        self._dirty.discard(key)


def read_geometry(obj: Any, name: str) -> MeshReading:
    """Read what an evaluated object shows as a mesh called `name`."""
    if obj.type in NOT_DRAWN:
        warning = SyncWarning(
            "object",
            obj.name,
            f"{NOT_DRAWN[obj.type]} are not drawn.",
            "Convert it to a mesh, for example with Geometry Nodes.",
            left_out=True,
        )
        return MeshReading(None, (warning,))
    if obj.type == "MESH" and not obj.data.is_editmode:
        return read_mesh(obj.data, name)
    mesh = obj.to_mesh()
    try:
        return read_mesh(mesh, name) if mesh is not None else MeshReading(None)
    finally:
        obj.to_mesh_clear()


def _same_mesh(a: MeshData, b: MeshData) -> bool:
    """Tell whether two meshes draw alike, so that a mere re-evaluation is not sent on."""
    if a.primitives != b.primitives or a.uv_names != b.uv_names or a.color_names != b.color_names:
        return False
    pairs = [(a.positions, b.positions), (a.normals, b.normals), (a.indices, b.indices)]
    pairs += list(zip(a.uv_sets, b.uv_sets, strict=True))
    pairs += list(zip(a.color_sets, b.color_sets, strict=True))
    if (a.tangents is None) != (b.tangents is None):
        return False
    if a.tangents is not None and b.tangents is not None:
        pairs.append((a.tangents, b.tangents))
    return all(x.shape == y.shape and bool((x == y).all()) for x, y in pairs)
