"""GeometryTable: which evaluated geometry an object shows, read once however many share it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ...engine_core.assets.mesh import MeshData
from ...engine_core.assets.mesh_repair import repaired
from .asset_table import AssetTable
from .extra_uvs import can_be_set
from .identity import datablock_name
from .kept import unchanged
from .mesh_arrays import MAX_SETS, MeshLayout, mesh_layout
from .meshes import MeshReading, VertexOrigins, read_mesh
from .particle_hair import with_particle_hair
from .scene_causes import SceneCause
from .strands import read_curves, read_point_cloud, strand_layout
from .warnings import named_warning, warn_about

CURVES = frozenset({"CURVE", "SURFACE", "FONT", "META"})
"""Object types that Blender makes a mesh of."""

MESH_CONVERTIBLE = CURVES | {"MESH"}
"""Object types whose evaluated geometry can be had as a mesh."""

STRANDS = frozenset({"CURVES", "POINTCLOUD"})
"""Object types without faces that are drawn as triangles around their points."""

NOT_DRAWN = {
    "VOLUME": "Volumes",
    "GREASEPENCIL": "Grease Pencil drawings",
    "GPENCIL": "Grease Pencil drawings",
    "LIGHT_PROBE": "Light probes",
    "SPEAKER": "Speakers",
}
"""Object types that are left out, and what they are called in a warning."""

SILENT = frozenset({"LIGHT_PROBE", "SPEAKER"})
"""Of those, the ones that a renderer would not draw either."""

GeometryKey = tuple
"""("data", uid), ("object", uid) or ("made", uid, n); see `GeometryTable`."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Geometry as an object shows it: its key and the names of its UV maps and colours.

    The last of its UV maps are `extra_uvs`, which materials have asked for.
    """

    key: GeometryKey
    layout: MeshLayout
    extra_uvs: tuple[str, ...] = ()


class GeometryTable:
    """Meshes by what they come from.

    Keys: ("data", uid) for a mesh that objects share unmodified, ("object", uid) for what an
    object's modifiers made of it, ("made", uid, n) for the n-th geometry that an object's
    geometry nodes instance or that was converted from a curve.
    """

    def __init__(self) -> None:
        self.meshes: AssetTable[MeshData] = AssetTable(_same_mesh)
        self._is_render = False
        self._dirty_data: set[int] = set()
        self._dirty_objects: set[int] = set()
        self._shown: dict[tuple[int, int], Shown] = {}
        self._made_count: dict[int, int] = {}
        self._read_in_pass: set[GeometryKey] = set()
        self._tangents: dict[GeometryKey, str] = {}
        self.origins: dict[str, VertexOrigins] | None = None
        """By mesh id, what its vertices were made of; kept for who sets it to a dict."""
        self._extra_uvs: dict[GeometryKey, tuple[str, ...]] = {}
        self._read_uvs: dict[GeometryKey, tuple[str, ...]] = {}
        self._curve_layouts: dict[GeometryKey, MeshLayout] = {}

    def begin_pass(self, dirty_data: set[int], dirty_objects: set[int]) -> None:
        """Start looking at objects; what is dirty is read again when it is met."""
        self._shown.clear()
        self._made_count.clear()
        self._read_in_pass.clear()
        self._dirty_data, self._dirty_objects = dirty_data, dirty_objects

    def drop(self, keys: set[GeometryKey]) -> None:
        """Forget meshes that nobody shows any more."""
        for key in keys:
            self.meshes.drop(key)
            self._tangents.pop(key, None)
            self._extra_uvs.pop(key, None)
            self._read_uvs.pop(key, None)
            self._curve_layouts.pop(key, None)

    def shown_by(self, obj: Any, depsgraph: Any) -> Shown | None:
        """Return what geometry an evaluated object shows; None if its type has none."""
        if obj.type not in MESH_CONVERTIBLE | STRANDS | NOT_DRAWN.keys():
            return None
        pointer = obj.data.as_pointer()
        place = _place(obj, pointer)
        shown = self._shown.get(place)
        if shown is None:
            key = self._new_key(obj, pointer, depsgraph)
            extra = tuple(n for n in self._extra_uvs.get(key, ()) if _can_be_set(obj, n))
            shown = self._shown[place] = Shown(key, self._layout(key, obj, extra), extra)
        return shown

    def _layout(self, key: GeometryKey, obj: Any, extra_uvs: tuple[str, ...]) -> MeshLayout:
        """Return the names of what an object shows; those of a curve are kept until it changes."""
        if obj.type in STRANDS:
            return strand_layout(obj.data)
        if obj.type == "MESH":
            return mesh_layout(obj.data, extra_uvs)
        known = self._curve_layouts.get(key)
        if known is None or self._is_dirty(key):
            known = self._curve_layouts[key] = _curve_layout(obj)
        return replace(known, uv_names=(*known.uv_names, *extra_uvs))

    def with_uv_sets(self, shown: Shown, obj: Any, names: tuple[str, ...]) -> Shown:
        """Return `shown` with those of the UV sets `names` that can be made of what it has."""
        room = MAX_SETS - len(shown.layout.uv_names)
        added = [name for name in names if _can_be_set(obj, name)][:room]
        if not added:
            return shown
        extra = (*shown.extra_uvs, *added)
        wider = Shown(shown.key, self._layout(shown.key, obj, extra), extra)
        self._extra_uvs[shown.key] = extra
        self._shown[_place(obj, obj.data.as_pointer())] = wider
        return wider

    def mesh(self, shown: Shown, obj: Any, tangent_uv: str | None) -> MeshData | None:
        """Return the mesh that `obj` shows, reading it if it is new, dirty or lacks tangents.

        `tangent_uv` names the UV map along which a material wants tangents. None if there is
        nothing to draw.
        """
        key = shown.key
        lacks_tangents = tangent_uv is not None and self._tangents.get(key) != tangent_uv
        lacks_uvs = self._read_uvs.get(key, ()) != shown.extra_uvs
        if key not in self.meshes or lacks_tangents or lacks_uvs or self._is_dirty(key):
            self._read(shown, obj, tangent_uv or self._tangents.get(key))
        return self.meshes.value(key)

    def _is_dirty(self, key: GeometryKey) -> bool:
        if key in self._read_in_pass:
            return False
        return key[1] in (self._dirty_data if key[0] == "data" else self._dirty_objects)

    def _new_key(self, obj: Any, pointer: int, depsgraph: Any) -> GeometryKey:
        self._is_render = depsgraph.mode == "RENDER"
        original = obj.original
        uid = original.session_uid
        if obj.type == "MESH" and original.type == "MESH":
            own = original.evaluated_get(depsgraph).data
            if own is not None and own.as_pointer() == pointer:
                shares = is_shown_unmodified(original)
                return ("data", original.data.session_uid) if shares else ("object", uid)
        number = self._made_count.get(uid, 0)
        self._made_count[uid] = number + 1
        return ("made", uid, number)

    def _read(self, shown: Shown, obj: Any, tangent_uv: str | None) -> None:
        key = shown.key
        if key[0] == "data":
            wanted = datablock_name(obj.original.data)
        else:
            wanted = datablock_name(obj.original)
            if key[0] == "made" and key[2]:
                wanted = f"{wanted}/{key[2]}"
        mesh_id = self.meshes.id_of(key, wanted)
        original = obj.original.data if key[0] in {"data", "object"} else None
        reading = read_geometry(obj, mesh_id, tangent_uv, shown.extra_uvs, original)
        self._read_uvs[key] = shown.extra_uvs
        if key[0] == "object":
            reading = with_particle_hair(reading, obj, self._is_render)
        reading = _repaired(reading)
        culprit = obj.original.data if key[0] == "data" else obj.original
        warnings = tuple(warning.about(culprit) for warning in reading.warnings)
        data = unchanged(culprit, reading.data) if key[0] == "data" else reading.data
        self.meshes.put(key, data, warnings)
        if self.origins is not None and reading.origins is not None:
            self.origins[mesh_id] = reading.origins
        self._read_in_pass.add(key)
        if tangent_uv is not None:
            self._tangents[key] = tangent_uv


def _place(obj: Any, pointer: int) -> tuple[int, int]:
    """Return where in memory what `obj` shows is: equal for objects that show the same.

    A mesh is a copy for each object with modifiers; a curve is not, only the mesh made of it is.
    """
    original = obj.original
    if obj.type in CURVES and (len(original.modifiers) or _is_deformed_by_parent(original)):
        return pointer, original.session_uid
    return pointer, 0


def _is_deformed_by_parent(obj: Any) -> bool:
    return obj.parent is not None and obj.parent_type in {"ARMATURE", "LATTICE"}


def is_shown_unmodified(obj: Any) -> bool:
    """Tell whether an original mesh object shows its mesh as it is, like all that share it.

    Besides modifiers, shape keys and deforming parents give an object geometry of its own. (What
    Blender evaluated does not tell: in 5.0 even an unmodified mesh is a copy without an original.)
    """
    is_plain = len(obj.modifiers) == 0 and obj.data.shape_keys is None
    return is_plain and not _is_deformed_by_parent(obj)


def _curve_layout(obj: Any) -> MeshLayout:
    mesh = obj.to_mesh() if obj.type in CURVES else None
    try:
        return MeshLayout() if mesh is None else mesh_layout(mesh)
    finally:
        obj.to_mesh_clear()


def _can_be_set(obj: Any, name: str) -> bool:
    if obj.type not in MESH_CONVERTIBLE:
        return False
    return can_be_set(obj.data if obj.type == "MESH" else None, name)


def read_geometry(
    obj: Any,
    name: str,
    tangent_uv: str | None = None,
    extra_uvs: tuple[str, ...] = (),
    original: Any | None = None,
) -> MeshReading:
    """Read what an evaluated object shows as a mesh called `name`; see `read_mesh`."""
    if obj.type in SILENT:
        return MeshReading(None)
    if obj.type in NOT_DRAWN:
        warning = warn_about(obj, SceneCause.OBJECT_NOT_DRAWN, kind=NOT_DRAWN[obj.type])
        return MeshReading(None, (warning,))
    if obj.type == "CURVES":
        return read_curves(obj.data, name)
    if obj.type == "POINTCLOUD":
        return read_point_cloud(obj.data, name)
    if obj.type == "MESH" and not obj.data.is_editmode:
        return read_mesh(obj.data, name, tangent_uv, extra_uvs, original)
    mesh = obj.to_mesh()
    try:
        if mesh is None:
            return MeshReading(None)
        return read_mesh(mesh, name, tangent_uv, extra_uvs)
    finally:
        obj.to_mesh_clear()


def _repaired(reading: MeshReading) -> MeshReading:
    """Return a mesh that a file may hold, and what had to be done for that."""
    if reading.data is None:
        return reading
    # What comes straight from a mesh of Blender's has been checked on the way (see `mesh_data`).
    mesh, notes = repaired(reading.data, values_are_sound=reading.origins is not None)
    told = tuple(
        named_warning("mesh", mesh.name, SceneCause.MESH_REPAIRED, values={"what": note})
        for note in notes
    )
    kept = mesh if mesh.triangle_count else None
    return MeshReading(kept, reading.warnings + told, reading.origins)


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
