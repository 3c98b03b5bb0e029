"""GLB files: bit for bit what went in, valid for Khronos' validator, and hostile ones refused."""

from __future__ import annotations

import contextlib
import json
import struct
import subprocess
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pygltflib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fyn.engine_core.assets.glb import encode_glb
from fyn.engine_core.assets.glb_reading import decode_glb
from fyn.engine_core.assets.mesh import MeshData, Primitive
from fyn.engine_core.assets.mesh_repair import repaired
from fyn.engine_core.errors import LevelError

ARRAYS = ("positions", "normals", "tangents", "indices")


def assert_same_mesh(one: MeshData, other: MeshData) -> None:
    for name in ARRAYS:
        a, b = getattr(one, name), getattr(other, name)
        assert (a is None) == (b is None), name
        if a is not None:
            assert (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes()), name
            assert b.flags.c_contiguous, name
    for name in ("uv_sets", "color_sets"):
        assert [a.tobytes() for a in getattr(one, name)] == [
            b.tobytes() for b in getattr(other, name)
        ], name
    for name in ("name", "primitives", "uv_names", "color_names"):
        assert getattr(one, name) == getattr(other, name), name


def rewrite(data: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    """The same GLB with its JSON changed and all lengths right."""
    size = struct.unpack_from("<I", data, 12)[0]
    document = json.loads(data[20 : 20 + size])
    change(document)
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    rest = data[20 + size :]
    head = struct.pack("<4sIIII", b"glTF", 2, 20 + len(text) + len(rest), len(text), 0x4E4F534A)
    return head + text + rest


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 40),
    st.integers(2, 30),
    st.integers(0, 8),
    st.integers(0, 8),
    st.booleans(),
    st.text(max_size=20),
)
@settings(max_examples=60, deadline=None)
def test_every_mesh_comes_back_bit_for_bit(
    make_mesh, seed, vertices, triangles, uv_sets, color_sets, tangents, name
):
    mesh = make_mesh(
        name,
        seed=seed,
        vertices=vertices,
        triangles=triangles,
        uv_sets=uv_sets,
        color_sets=color_sets,
        tangents=tangents,
    )
    data = encode_glb(mesh)
    assert_same_mesh(mesh, decode_glb(data))
    assert encode_glb(decode_glb(data)) == data


def test_negative_zeros_denormals_and_the_largest_float_survive(make_mesh):
    positions = make_mesh().positions.copy()
    positions[:4, 0] = [-0.0, 1e-45, np.finfo(np.float32).max, np.finfo(np.float32).tiny]
    mesh = replace(make_mesh(), positions=positions)
    assert_same_mesh(mesh, decode_glb(encode_glb(mesh)))


def test_indices_take_16_bits_where_they_suffice(make_mesh):
    small, large = make_mesh(vertices=65535, uv_sets=0), make_mesh(vertices=65536, uv_sets=0)
    small.indices[0], large.indices[0] = 65534, 65535
    sizes = [
        pygltflib.GLTF2.load_from_bytes(encode_glb(mesh)).accessors[-1].componentType
        for mesh in (small, large)
    ]
    assert sizes == [pygltflib.UNSIGNED_SHORT, pygltflib.UNSIGNED_INT]
    for mesh in (small, large):
        assert_same_mesh(mesh, decode_glb(encode_glb(mesh)))


def test_colours_beyond_one_keep_their_values(make_mesh):
    mesh = make_mesh(color_sets=2)
    bright = replace(mesh, color_sets=(mesh.color_sets[0], mesh.color_sets[1] * np.float32(-7.5)))
    assert_same_mesh(bright, decode_glb(encode_glb(bright)))


def test_a_mesh_of_nothing_comes_back_empty():
    nothing = np.zeros((0, 3), np.float32)
    mesh = MeshData("Leer", nothing, nothing, np.zeros(0, np.uint32), ())
    assert_same_mesh(mesh, decode_glb(encode_glb(mesh)))


def test_another_reader_sees_the_same_numbers(make_mesh):
    mesh = make_mesh("Fels", tangents=True, color_sets=1)
    file = pygltflib.GLTF2.load_from_bytes(encode_glb(mesh))
    blob, primitive = file.binary_blob(), file.meshes[0].primitives[1]

    def array(index: int, dtype: type, width: int) -> np.ndarray:
        accessor = file.accessors[index]
        start = file.bufferViews[accessor.bufferView].byteOffset
        flat = np.frombuffer(blob, dtype, accessor.count * width, start)
        return flat.reshape(-1, width)

    assert np.array_equal(array(primitive.attributes.POSITION, np.float32, 3), mesh.positions)
    assert np.array_equal(array(primitive.attributes.TEXCOORD_0, np.float32, 2), mesh.uv_sets[0])
    assert np.array_equal(array(primitive.attributes.COLOR_0, np.float32, 4), mesh.color_sets[0])
    assert np.array_equal(array(primitive.attributes.TANGENT, np.float32, 4), mesh.tangents)
    part = mesh.primitives[1]
    expected = mesh.indices[part.first_index : part.first_index + part.index_count]
    assert np.array_equal(array(primitive.indices, np.uint16, 1)[:, 0], expected)
    assert primitive.material == part.material_slot


@pytest.mark.parametrize("case", ["plain", "everything", "bright", "empty", "unsound"])
def test_the_validator_of_khronos_finds_no_error(case, make_mesh, gltf_validator, tmp_path):
    mesh = make_mesh("Fels [ü] 岩", vertices=200, triangles=120, tangents=True, uv_sets=2)
    if case == "everything":
        mesh = make_mesh("All", vertices=70000, uv_sets=8, color_sets=8, tangents=True)
    elif case == "bright":
        mesh = make_mesh("Bright", color_sets=3)
        mesh.color_sets[1][:] *= np.float32(20.0)
    elif case == "empty":
        mesh = replace(mesh, primitives=())
    elif case == "unsound":
        mesh.positions[3] = np.nan
        mesh.normals[5:20] = 0.0
        mesh.tangents[7:30] = [0.0, 0.0, 0.0, 0.0]
        mesh.uv_sets[0][9] = np.inf
        mesh.indices[4] = 10**6
    mesh, _ = repaired(mesh)
    file = tmp_path / f"{case}.glb"
    file.write_bytes(encode_glb(mesh))
    run = subprocess.run([*gltf_validator, str(file)], capture_output=True, text=True, check=False)
    issues = json.loads(run.stdout)["issues"]
    errors = [issue for issue in issues["messages"] if issue["severity"] == 0]
    assert issues["numErrors"] == 0, errors[:5]
    warnings = {issue["code"] for issue in issues["messages"] if issue["severity"] == 1}
    assert warnings <= {"ACCESSOR_INDEX_TRIANGLE_DEGENERATE"}


# Hostile files ------------------------------------------------------------------------------------


@pytest.fixture
def glb(make_mesh) -> bytes:
    return encode_glb(make_mesh(color_sets=1))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d[:11], "no GLB"),
        (lambda d: b"GLTF" + d[4:], "no GLB"),
        (lambda d: d[:4] + struct.pack("<I", 1) + d[8:], "version 1"),
        (lambda d: d[:8] + struct.pack("<I", 0xFFFFFFFF) + d[12:], "promises 4294967295 bytes"),
        (lambda d: d + b"more", "promises"),
        (lambda d: d[:12] + struct.pack("<I", 0xFFFFFFF0) + d[16:], "first chunk"),
        (lambda d: d[:16] + struct.pack("<I", 0x004E4942) + d[20:], "first chunk"),
    ],
)
def test_a_container_that_lies_about_itself_is_refused(glb, change, words):
    with pytest.raises(LevelError, match=words):
        decode_glb(change(glb))


def test_a_second_chunk_of_four_gigabytes_is_refused(glb):
    start = 20 + struct.unpack_from("<I", glb, 12)[0]
    lie = glb[:start] + struct.pack("<I", 0xFFFFFFFC) + glb[start + 4 :]
    with pytest.raises(LevelError, match="second chunk"):
        decode_glb(lie)


def put(*path: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        target: Any = document
        for key in path[:-1]:
            target = target[key]
        target[path[-1]] = value

    return change


ATTRIBUTES = ("meshes", 0, "primitives", 0, "attributes")


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (put("accessors", 0, "count", value=13), r"accessors\[0\]\.count"),
        (put("accessors", 0, "count", value=2**32 - 1), r"accessors\[0\]\.count"),
        (put("accessors", 0, "count", value=2**40), r"accessors\[0\]\.count"),
        (put("accessors", 0, "count", value=-1), r"accessors\[0\]\.count"),
        (put("accessors", 0, "count", value="9"), r"accessors\[0\]\.count"),
        (put("accessors", 0, "byteOffset", value=8), r"accessors\[0\]\.count"),
        (put("accessors", 0, "bufferView", value=99), r"accessors\[0\]\.bufferView"),
        (put("accessors", 0, "bufferView", value=None), r"accessors\[0\]"),
        (put("accessors", 0, "sparse", value={"count": 1}), r"accessors\[0\]"),
        (put("accessors", 0, "componentType", value=5120), r"accessors\[0\]"),
        (put("accessors", 0, "type", value="MAT4"), r"accessors\[0\]"),
        (put("accessors", 0, "normalized", value=True), r"accessors\[0\]"),
        (put("bufferViews", 0, "byteLength", value=2**31), r"bufferViews\[0\]"),
        (put("bufferViews", 0, "byteOffset", value=2**31), r"bufferViews\[0\]"),
        (put("bufferViews", 0, "byteOffset", value=2), r"accessors\[0\]\.byteOffset"),
        (put("bufferViews", 0, "byteStride", value=4), r"bufferViews\[0\]\.byteStride"),
        (put("bufferViews", 0, "buffer", value=1), r"bufferViews\[0\]"),
        (put("buffers", 0, "byteLength", value=2**32 - 1), r"buffers\[0\]\.byteLength"),
        (put("buffers", 0, "uri", value="../secret.bin"), "buffers"),
        (put("buffers", 0, "uri", value="/etc/passwd"), "buffers"),
        (put("buffers", value=[]), "buffers"),
        (put("meshes", 0, "primitives", value=[]), "primitives"),
        (put("meshes", 0, "primitives", 0, "mode", value=0), r"primitives\[0\]\.mode"),
        (put("meshes", 0, "primitives", 0, "material", value=2**31), r"primitives\[0\]\.material"),
        (put("meshes", 0, "primitives", 0, "indices", value=77), r"accessors\[77\]"),
        (put("meshes", 0, "primitives", 0, "indices", value=0), r"accessors\[0\]"),
        (put(*ATTRIBUTES, value={"POSITION": 0}), "share"),
        (put(*ATTRIBUTES, "NORMAL", value=2), "share"),
        (put("meshes", 0, "name", value=3), "name"),
        (put("meshes", value={}), "meshes"),
        (put("asset", value=None), "asset"),
        (put("extensionsRequired", value=["KHR_draco_mesh_compression"]), "extensionsRequired"),
    ],
)
def test_a_document_that_lies_is_refused_with_the_place(glb, change, place):
    with pytest.raises(LevelError, match=place):
        decode_glb(rewrite(glb, change))


def test_attributes_of_another_length_are_refused(make_mesh):
    data = encode_glb(replace(make_mesh(), primitives=(Primitive(0, 24, 0),)))
    shorter = rewrite(data, put("accessors", 1, "count", value=11))
    with pytest.raises(LevelError, match=r"NORMAL: has 11 items for 12 vertices"):
        decode_glb(shorter)
    without = rewrite(
        data, lambda document: document["meshes"][0]["primitives"][0]["attributes"].pop("NORMAL")
    )
    with pytest.raises(LevelError, match=r"NORMAL: is missing"):
        decode_glb(without)


def test_indices_beyond_the_vertices_are_refused(make_mesh):
    mesh = make_mesh()
    mesh.indices[5] = 12
    with pytest.raises(LevelError, match=r"primitives\[0\]\.indices: index 12"):
        decode_glb(encode_glb(mesh))


@pytest.mark.parametrize("array", ["positions", "normals", "uv_sets", "color_sets", "tangents"])
def test_numbers_that_are_none_are_refused(make_mesh, array):
    mesh = make_mesh(tangents=True, color_sets=1)
    target = getattr(mesh, array)
    (target[0] if isinstance(target, tuple) else target)[3, 1] = np.inf
    data = rewrite_limits(mesh)
    with pytest.raises(LevelError, match="no finite number"):
        decode_glb(data)


def rewrite_limits(mesh: MeshData) -> bytes:
    """Encode a mesh with an infinity in it, which the limits of its accessor cannot say."""
    bad = mesh.positions.copy()
    mesh.positions[:] = np.where(np.isfinite(bad), bad, 0.0)
    data = bytearray(encode_glb(mesh))
    start = 28 + struct.unpack_from("<I", data, 12)[0]
    data[start : start + bad.nbytes] = bad.tobytes()
    return bytes(data)


def test_using_the_same_bytes_many_times_over_is_refused(glb):
    def repeat(document: dict[str, Any]) -> None:
        part = document["meshes"][0]["primitives"][0]
        document["meshes"][0]["primitives"] = [part] * 1000

    with pytest.raises(LevelError, match="more than once"):
        decode_glb(rewrite(glb, repeat))


def test_ten_thousand_levels_of_nesting_are_refused(glb):
    def nest(document: dict[str, Any]) -> None:
        document["extras"] = "NEST"

    data = rewrite(glb, nest)
    bomb = data.replace(b'"NEST"', b"[" * 10000 + b"]" * 10000)
    size = struct.unpack_from("<I", data, 12)[0] + 20000 - 6
    text = bomb[20 : 20 + size] + b" " * (-size % 4)
    rest = bomb[20 + size :]
    head = struct.pack("<4sIIII", b"glTF", 2, 20 + len(text) + len(rest), len(text), 0x4E4F534A)
    with pytest.raises(LevelError, match="nests brackets too deep"):
        decode_glb(head + text + rest)


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_damaged_files_raise_level_errors_and_nothing_else(make_mesh, data):
    encoded = bytearray(encode_glb(make_mesh(color_sets=1)))
    for _ in range(data.draw(st.integers(1, 6))):
        encoded[data.draw(st.integers(0, len(encoded) - 1))] = data.draw(st.integers(0, 255))
    try:
        mesh = decode_glb(bytes(encoded))
    except LevelError:
        return
    assert len(mesh.indices) == 0 or mesh.indices.max() < len(mesh.positions)
    assert np.isfinite(mesh.positions).all()


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_documents_of_wrong_values_raise_level_errors_and_nothing_else(make_mesh, data):
    glb = encode_glb(make_mesh())
    wrong = st.one_of(
        st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(), st.text(max_size=4),
        st.lists(st.integers(), max_size=2), st.dictionaries(st.text(max_size=3), st.integers()),
    )  # fmt: skip

    def spoil(document: dict[str, Any]) -> None:
        target: Any = document
        while True:
            keys = list(target) if isinstance(target, dict) else range(len(target))
            if not keys:
                return
            key = data.draw(st.sampled_from(keys))
            if not isinstance(target[key], dict | list) or data.draw(st.booleans()):
                target[key] = data.draw(wrong)
                return
            target = target[key]

    with contextlib.suppress(LevelError):
        decode_glb(rewrite(glb, spoil))


@given(st.binary(max_size=200))
@settings(max_examples=200, deadline=None)
def test_random_bytes_raise_level_errors_and_nothing_else(junk):
    for data in (junk, b"glTF" + struct.pack("<II", 2, len(junk) + 12) + junk):
        with pytest.raises(LevelError):
            decode_glb(data)
