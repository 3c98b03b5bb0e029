"""MeshData as a GLB file: one mesh, float32 as it is, one primitive per run of a material slot.

A skin brings its joints as nodes in their places at rest, so that any viewer shows the mesh at
rest; in a level the joints are entities.

The document is made of pygltflib's classes. Materials in it are empty and only name the slots: in
a level the entity says which material a slot has. `glb_reading.py` is the way back.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
import pygltflib

from ..errors import LevelError
from .mesh import MeshData, MeshSkin

MAGIC = b"glTF"
CONTAINER_VERSION = 2
JSON_CHUNK = 0x4E4F534A
BINARY_CHUNK = 0x004E4942
MAX_BYTES = (1 << 32) - 4
"""A GLB counts its bytes in 32 bits."""


def encode_glb(mesh: MeshData) -> bytes:
    """Return `mesh` as a GLB file; equal meshes give equal bytes.

    The mesh has to be sound (see `mesh_repair.repaired`). Raises LevelError if it is too large.
    """
    document = pygltflib.GLTF2(
        asset=pygltflib.Asset(version="2.0", generator="Fyn"),
        scene=0,
        scenes=[pygltflib.Scene(nodes=[0])],
        nodes=[pygltflib.Node(name=mesh.name)],
    )
    buffer = _Buffer(document)
    if mesh.primitives:
        attributes = _add_attributes(mesh, buffer)
        document.meshes = [_mesh(mesh, attributes, buffer)]
        document.nodes[0].mesh = 0
        # Empty, without pygltflib's default cutoff, which belongs to the mode "MASK" alone.
        document.materials = [
            pygltflib.Material(name=f"slot {slot}", alphaMode=None, alphaCutoff=None)
            for slot in range(1 + max(part.material_slot for part in mesh.primitives))
        ]
        if mesh.skin is not None:
            _add_skin(mesh.skin, document, buffer)
        document.buffers = [pygltflib.Buffer(byteLength=buffer.length)]
    text = document.to_json(separators=(",", ":"), allow_nan=False)
    return _container(text, buffer.parts, buffer.length, mesh.name)


class _Buffer:
    """Collects arrays and adds their views and accessors to a document."""

    def __init__(self, document: pygltflib.GLTF2) -> None:
        self.parts: list[memoryview | bytes] = []
        self.length = 0
        self._document = document

    def add(self, array: np.ndarray, target: int | None, limits: bool = False) -> int:
        """Append a (N,), (N, 2..4) or (N, 4, 4) array; return its accessor's index."""
        # Not copied here: a terrain has hundreds of megabytes, and they are joined once at the end.
        data = np.ascontiguousarray(array)
        view = pygltflib.BufferView(
            buffer=0, byteOffset=self.length, byteLength=data.nbytes, target=target
        )
        padding = -data.nbytes % 4
        self.parts += [data.reshape(-1).view(np.uint8).data, b"\0" * padding]
        self.length += data.nbytes + padding
        accessor = pygltflib.Accessor(
            bufferView=len(self._document.bufferViews),
            componentType=_COMPONENT_TYPES[array.dtype],
            count=len(array),
            type=_SHAPES[array.shape[1:]],
        )
        if limits:
            # A column at a time: NumPy reduces the long axis of a narrow array ten times slower.
            accessor.min = [float(array[:, k].min()) for k in range(array.shape[1])]
            accessor.max = [float(array[:, k].max()) for k in range(array.shape[1])]
        self._document.bufferViews.append(view)
        self._document.accessors.append(accessor)
        return len(self._document.accessors) - 1


_COMPONENT_TYPES = {
    np.dtype(np.float32): pygltflib.FLOAT,
    np.dtype(np.uint32): pygltflib.UNSIGNED_INT,
    np.dtype(np.uint16): pygltflib.UNSIGNED_SHORT,
}
_SHAPES = {(): "SCALAR", (2,): "VEC2", (3,): "VEC3", (4,): "VEC4", (4, 4): "MAT4"}


def _add_attributes(mesh: MeshData, buffer: _Buffer) -> pygltflib.Attributes:
    arrays = {"POSITION": mesh.positions, "NORMAL": mesh.normals}
    if mesh.tangents is not None:
        arrays["TANGENT"] = mesh.tangents
    arrays |= {f"TEXCOORD_{i}": array for i, array in enumerate(mesh.uv_sets)}
    color = "COLOR" if _are_in_gltf_range(mesh.color_sets) else "_COLOR"
    arrays |= {f"{color}_{i}": array for i, array in enumerate(mesh.color_sets)}
    if mesh.skin is not None:
        arrays |= {"JOINTS_0": mesh.skin.joints, "WEIGHTS_0": mesh.skin.weights}
    return pygltflib.Attributes(
        **{
            name: buffer.add(array, pygltflib.ARRAY_BUFFER, limits=name == "POSITION")
            for name, array in arrays.items()
        }
    )


def _add_skin(skin: MeshSkin, document: pygltflib.GLTF2, buffer: _Buffer) -> None:
    """Add the armature's node with the joints at rest below it, and the skin."""
    # glTF stores columns.
    inverse = buffer.add(skin.inverse_bind.transpose(0, 2, 1), None)
    rest = np.linalg.inv(skin.inverse_bind.astype(np.float64))
    first = len(document.nodes) + 1
    joints = list(range(first, first + len(skin.names)))
    document.scenes[0].nodes = [0, first - 1]
    document.nodes.append(pygltflib.Node(name="armature", children=joints))
    for name, matrix in zip(skin.names, rest, strict=True):
        document.nodes.append(
            pygltflib.Node(name=name, matrix=matrix.T.astype(np.float32).ravel().tolist())
        )
    document.skins = [
        pygltflib.Skin(inverseBindMatrices=inverse, skeleton=first - 1, joints=joints)
    ]
    document.nodes[0].skin = 0


def _add_targets(mesh: MeshData, buffer: _Buffer) -> list[pygltflib.Attributes]:
    return [
        pygltflib.Attributes(
            POSITION=buffer.add(morph.positions, pygltflib.ARRAY_BUFFER, limits=True),
            NORMAL=buffer.add(morph.normals, pygltflib.ARRAY_BUFFER),
        )
        for morph in mesh.morphs
    ]


def _are_in_gltf_range(color_sets: Sequence[np.ndarray]) -> bool:
    """Tell whether glTF allows these as COLOR_n, 0..1; brighter ones get a name of our own."""
    return all(float(array.min()) >= 0.0 and float(array.max()) <= 1.0 for array in color_sets)


def _mesh(mesh: MeshData, attributes: pygltflib.Attributes, buffer: _Buffer) -> pygltflib.Mesh:
    # 65535 is the restart index of 16-bit indices, which glTF forbids.
    small = int(mesh.indices.max()) < 65535
    indices = mesh.indices.astype(np.uint16) if small else mesh.indices
    names = {
        "uv_names": list(mesh.uv_names),
        "color_names": list(mesh.color_names),
        "targetNames": [morph.name for morph in mesh.morphs],
    }
    targets = _add_targets(mesh, buffer)
    return pygltflib.Mesh(
        name=mesh.name,
        extras={key: value for key, value in names.items() if value},
        weights=[0.0] * len(targets),
        primitives=[
            pygltflib.Primitive(
                attributes=attributes,
                targets=targets,
                indices=buffer.add(
                    indices[part.first_index : part.first_index + part.index_count],
                    pygltflib.ELEMENT_ARRAY_BUFFER,
                ),
                material=part.material_slot,
            )
            for part in mesh.primitives
        ],
    )


def _container(text: str, parts: Sequence[memoryview | bytes], size: int, name: str) -> bytes:
    """Wrap document and buffer; without a buffer there is no second chunk (glTF 2.0, 4.4.3.3)."""
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise LevelError(f"Mesh {name!r}: its name is no valid text; rename it.") from error
    data += b" " * (-len(data) % 4)
    chunks = [struct.pack("<II", len(data), JSON_CHUNK), data]
    if size:
        chunks += [struct.pack("<II", size, BINARY_CHUNK), *parts]
    length = 12 + 8 + len(data) + (8 + size if size else 0)
    if length > MAX_BYTES:
        raise LevelError(f"Mesh '{name}' takes {length} bytes; a GLB holds 4 GiB. Split the mesh.")
    return b"".join([struct.pack("<4sII", MAGIC, CONTAINER_VERSION, length), *chunks])
