"""GLB files back to MeshData, trusting nothing: neither lengths, counts, types nor indices.

Read is what `glb.py` writes: one mesh in one buffer inside the file, float32 attributes shared by
all primitives, triangles with indices. pygltflib's own reader would follow paths in the file and
take any type for a number, so the document is decoded into typed structs instead.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta, Struct

from ..errors import LevelError
from .glb import BINARY_CHUNK, CONTAINER_VERSION, JSON_CHUNK, MAGIC
from .json_depth import nesting_depth
from .mesh import MeshData, MeshSkin, MorphTarget, Primitive, is_finite
from .mesh_deform_repair import WEIGHT_TOLERANCE

MAX_DOCUMENT_BYTES = 16 << 20
MAX_NESTING = 32
MAX_SETS = 8
"""UV sets, and colour sets, of one mesh; as many as Blender has."""
MAX_JOINTS = 4096
"""Joints of one skin."""

_Index = Annotated[int, Meta(ge=0, le=0xFFFFFFFF)]


class _Asset(Struct):
    version: str


class _Buffer(Struct):
    byteLength: _Index  # noqa: N815 - glTF's own names
    uri: str | None = None


class _View(Struct):
    buffer: _Index
    byteLength: _Index  # noqa: N815
    byteOffset: _Index = 0  # noqa: N815
    byteStride: _Index | None = None  # noqa: N815


class _Accessor(Struct):
    componentType: int  # noqa: N815
    count: _Index
    type: str
    bufferView: _Index | None = None  # noqa: N815
    byteOffset: _Index = 0  # noqa: N815
    normalized: bool = False
    sparse: Any = None


class _Primitive(Struct):
    attributes: dict[str, _Index]
    indices: _Index
    targets: list[dict[str, _Index]] = []
    material: Annotated[int, Meta(ge=0, le=0xFFFF)] = 0
    mode: Literal[4] = 4


class _Mesh(Struct):
    primitives: list[_Primitive]
    name: str = ""
    extras: Any = None


class _Node(Struct):
    name: str = ""


class _Skin(Struct):
    joints: Annotated[list[_Index], Meta(min_length=1, max_length=MAX_JOINTS)]
    inverseBindMatrices: _Index  # noqa: N815


class _Document(Struct):
    asset: _Asset
    buffers: Annotated[list[_Buffer], Meta(max_length=1)] = []
    bufferViews: list[_View] = []  # noqa: N815
    accessors: list[_Accessor] = []
    meshes: Annotated[list[_Mesh], Meta(max_length=1)] = []
    nodes: list[_Node] = []
    skins: Annotated[list[_Skin], Meta(max_length=1)] = []
    extensionsRequired: list[str] = []  # noqa: N815


def decode_glb(data: bytes) -> MeshData:
    """Return the mesh of a GLB file; its arrays are read-only views of `data` where possible.

    Raises LevelError, which begins with the place in the file, if anything in it is not as said.
    """
    text, blob = _chunks(data)
    document = _parse(text)
    if document.extensionsRequired:
        raise LevelError(
            f"extensionsRequired: {document.extensionsRequired[0][:60]!r} is not read."
        )
    if not document.meshes:
        name = document.nodes[0].name if document.nodes else ""
        nothing = np.zeros((0, 3), np.float32)
        return MeshData(name, nothing, nothing, np.zeros(0, np.uint32), ())
    if not document.buffers or document.buffers[0].uri is not None:
        raise LevelError("buffers: the data has to be in the file itself.")
    if document.buffers[0].byteLength > len(blob):
        raise LevelError(
            f"buffers[0].byteLength: {document.buffers[0].byteLength} bytes are promised, the file "
            f"holds {len(blob)}."
        )
    return _mesh(document.meshes[0], _Arrays(document, blob))


# Container ----------------------------------------------------------------------------------------


def _chunks(data: bytes) -> tuple[bytes, memoryview]:
    """Return the JSON text and the binary chunk (empty if there is none)."""
    if len(data) < 20 or data[:4] != MAGIC:
        raise LevelError("no GLB file (its first bytes are not glTF).")
    version, length, json_length, kind = struct.unpack_from("<IIII", data, 4)
    if version != CONTAINER_VERSION:
        raise LevelError(f"GLB container of version {version}; version 2 is read.")
    if length != len(data):
        raise LevelError(f"its header promises {length} bytes, the file has {len(data)}.")
    if kind != JSON_CHUNK or json_length > len(data) - 20:
        raise LevelError("its first chunk is no JSON that fits into the file.")
    if json_length > MAX_DOCUMENT_BYTES:
        raise LevelError(f"its document has {json_length} bytes; {MAX_DOCUMENT_BYTES} are read.")
    text = data[20 : 20 + json_length]
    start = 20 + json_length
    if start == len(data):
        return text, memoryview(b"")
    if len(data) - start < 8:
        raise LevelError("its second chunk is cut off.")
    binary_length, kind = struct.unpack_from("<II", data, start)
    if kind != BINARY_CHUNK or binary_length > len(data) - start - 8:
        raise LevelError("its second chunk is no binary data that fits into the file.")
    return text, memoryview(data)[start + 8 : start + 8 + binary_length]


def _parse(text: bytes) -> _Document:
    if nesting_depth(text) > MAX_NESTING:
        raise LevelError("its document nests brackets too deep.")
    try:
        return msgspec.json.decode(text, type=_Document)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        words = str(error)
        place = re.search(r" - at `\$\.?([^`]*)`$", words)
        where = f"{place[1]}: " if place else ""
        raise LevelError(f"{where}{re.sub(r' - at `[^`]*`$', '', words)}.") from error


# Mesh ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Arrays:
    """Accessors as arrays, each checked to lie inside the buffer."""

    document: _Document
    blob: memoryview

    def read(self, index: int, types: dict[int, str], shape: str) -> np.ndarray:
        """Return accessor `index` as (N,) or (N, k); `types` maps allowed component types."""
        where = f"accessors[{index}]"
        if index >= len(self.document.accessors):
            raise LevelError(f"{where}: does not exist.")
        accessor = self.document.accessors[index]
        if accessor.componentType not in types or accessor.type != shape or accessor.normalized:
            raise LevelError(f"{where}: has a type that is not read here.")
        if accessor.sparse is not None or accessor.bufferView is None:
            raise LevelError(f"{where}: has no plain data.")
        if accessor.bufferView >= len(self.document.bufferViews):
            raise LevelError(f"{where}.bufferView: does not exist.")
        dtype = np.dtype(types[accessor.componentType])
        width = _WIDTHS[shape]
        view = self.document.bufferViews[accessor.bufferView]
        if view.byteStride not in (None, dtype.itemsize * width):
            raise LevelError(f"bufferViews[{accessor.bufferView}].byteStride: is not read.")
        start = view.byteOffset + accessor.byteOffset
        size = accessor.count * width * dtype.itemsize
        if view.buffer != 0 or view.byteOffset + view.byteLength > len(self.blob):
            raise LevelError(f"bufferViews[{accessor.bufferView}]: reaches beyond the buffer.")
        if accessor.byteOffset + size > view.byteLength:
            raise LevelError(f"{where}.count: {accessor.count} items do not fit into its view.")
        if start % dtype.itemsize:
            raise LevelError(f"{where}.byteOffset: is not a multiple of {dtype.itemsize}.")
        flat = np.frombuffer(self.blob, dtype, accessor.count * width, start)
        return flat if width == 1 else flat.reshape(-1, width)


_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
_FLOAT = {5126: "<f4"}
_UNSIGNED = {5123: "<u2", 5125: "<u4"}
_SHORT = {5123: "<u2"}


def _mesh(mesh: _Mesh, arrays: _Arrays) -> MeshData:
    if not mesh.primitives:
        raise LevelError("meshes[0].primitives: is empty.")
    attributes = mesh.primitives[0].attributes
    first = mesh.primitives[0]
    if any((p.attributes, p.targets) != (attributes, first.targets) for p in mesh.primitives):
        raise LevelError("meshes[0].primitives: they have to share their attributes.")
    positions = _attribute(arrays, attributes, "POSITION", "VEC3", None)
    count = len(positions)
    uv_sets = _sets(arrays, attributes, "TEXCOORD", "VEC2", count)
    color_sets = _sets(arrays, attributes, "COLOR", "VEC4", count) or _sets(
        arrays, attributes, "_COLOR", "VEC4", count
    )
    indices, primitives = _indices(mesh, arrays, count)
    return MeshData(
        name=mesh.name,
        positions=positions,
        normals=_attribute(arrays, attributes, "NORMAL", "VEC3", count),
        indices=indices,
        primitives=primitives,
        uv_sets=uv_sets,
        tangents=_attribute(arrays, attributes, "TANGENT", "VEC4", count)
        if "TANGENT" in attributes
        else None,
        color_sets=color_sets,
        uv_names=_names(mesh, "uv_names", len(uv_sets)),
        color_names=_names(mesh, "color_names", len(color_sets)),
        skin=_skin(arrays, attributes, count),
        morphs=_morphs(mesh, arrays, count),
    )


def _skin(arrays: _Arrays, attributes: dict[str, int], count: int) -> MeshSkin | None:
    document = arrays.document
    if not document.skins:
        return None
    skin = document.skins[0]
    if any(joint >= len(document.nodes) for joint in skin.joints):
        raise LevelError("skins[0].joints: names a node that does not exist.")
    weights = _attribute(arrays, attributes, "WEIGHTS_0", "VEC4", count)
    where = "meshes[0].primitives[0].attributes"
    if (weights < 0).any() or (np.abs(weights.sum(axis=1) - 1.0) > WEIGHT_TOLERANCE).any():
        raise LevelError(f"{where}.WEIGHTS_0: the weights of a vertex do not add up to 1.")
    if "JOINTS_0" not in attributes:
        raise LevelError(f"{where}.JOINTS_0: is missing.")
    joints = arrays.read(attributes["JOINTS_0"], _SHORT, "VEC4")
    if len(joints) != count:
        raise LevelError(f"{where}.JOINTS_0: has {len(joints)} items for {count} vertices.")
    if count and int(joints.max()) >= len(skin.joints):
        raise LevelError(f"{where}.JOINTS_0: {joints.max()} is beyond the skin's joints.")
    columns = arrays.read(skin.inverseBindMatrices, _FLOAT, "MAT4").reshape(-1, 4, 4)
    if len(columns) != len(skin.joints) or not is_finite(columns):
        raise LevelError("skins[0].inverseBindMatrices: has to have a matrix for each joint.")
    inverse = np.ascontiguousarray(columns.transpose(0, 2, 1))
    if np.abs(inverse[:, 3] - (0, 0, 0, 1)).max() > WEIGHT_TOLERANCE:
        raise LevelError("skins[0].inverseBindMatrices: a last row is not 0 0 0 1.")
    names = tuple(document.nodes[joint].name for joint in skin.joints)
    return MeshSkin(joints, weights, inverse, names)


def _morphs(mesh: _Mesh, arrays: _Arrays, count: int) -> tuple[MorphTarget, ...]:
    targets = mesh.primitives[0].targets
    if 24 * count * len(targets) > len(arrays.blob):  # the same bytes again and again: a bomb
        raise LevelError("meshes[0].primitives[0].targets: use the buffer more than once.")
    names = _names(mesh, "targetNames", len(targets)) or ("",) * len(targets)
    return tuple(
        MorphTarget(
            name,
            _attribute(arrays, target, "POSITION", "VEC3", count, f"targets[{number}]"),
            _attribute(arrays, target, "NORMAL", "VEC3", count, f"targets[{number}]"),
        )
        for number, (name, target) in enumerate(zip(names, targets, strict=True))
    )


def _attribute(
    arrays: _Arrays,
    attributes: dict[str, int],
    name: str,
    shape: str,
    count: int | None,
    table: str = "attributes",
) -> np.ndarray:
    where = f"meshes[0].primitives[0].{table}.{name}"
    if name not in attributes:
        raise LevelError(f"{where}: is missing.")
    array = arrays.read(attributes[name], _FLOAT, shape)
    if count is not None and len(array) != count:
        raise LevelError(f"{where}: has {len(array)} items for {count} vertices.")
    if not is_finite(array):
        raise LevelError(f"{where}: holds something that is no finite number.")
    return array


def _sets(
    arrays: _Arrays, attributes: dict[str, int], name: str, shape: str, count: int
) -> tuple[np.ndarray, ...]:
    found = []
    while (attribute := f"{name}_{len(found)}") in attributes:
        if len(found) == MAX_SETS:
            raise LevelError(f"meshes[0].primitives[0].attributes: more than {MAX_SETS} {name}.")
        found.append(_attribute(arrays, attributes, attribute, shape, count))
    return tuple(found)


def _indices(
    mesh: _Mesh, arrays: _Arrays, vertex_count: int
) -> tuple[np.ndarray, tuple[Primitive, ...]]:
    runs: list[np.ndarray] = []
    primitives: list[Primitive] = []
    first = size = 0
    for number, part in enumerate(mesh.primitives):
        where = f"meshes[0].primitives[{number}].indices"
        run = arrays.read(part.indices, _UNSIGNED, "SCALAR")
        size += run.nbytes
        if size > len(arrays.blob):  # the same bytes again and again: a bomb
            raise LevelError(f"{where}: primitives use the buffer more than once.")
        if len(run) == 0 or len(run) % 3:
            raise LevelError(f"{where}: {len(run)} indices are no whole triangles.")
        if int(run.max()) >= vertex_count:
            raise LevelError(f"{where}: index {run.max()} is beyond the {vertex_count} vertices.")
        runs.append(run)
        primitives.append(Primitive(first, len(run), part.material))
        first += len(run)
    indices = runs[0] if len(runs) == 1 else np.concatenate(runs)
    return np.ascontiguousarray(indices, np.uint32), tuple(primitives)


def _names(mesh: _Mesh, key: str, count: int) -> tuple[str, ...]:
    """Names of the sets, which any other program may have dropped or changed: () then."""
    names = mesh.extras.get(key) if isinstance(mesh.extras, dict) else None
    if not isinstance(names, list) or len(names) != count:
        return ()
    return tuple(names) if all(isinstance(name, str) for name in names) else ()
