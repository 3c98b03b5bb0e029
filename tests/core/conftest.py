"""Fixtures of the engine tests: small meshes, a world with something of everything, its level."""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fyn.engine_core.assets.image import ImageData
from fyn.engine_core.assets.image_io import encode_png
from fyn.engine_core.assets.material import Material, TextureSlot
from fyn.engine_core.assets.mesh import MeshData, Primitive
from fyn.engine_core.world.components import (
    CameraComponent,
    Environment,
    LightComponent,
    MeshComponent,
    RenderSettings,
)
from fyn.engine_core.world.entity import Entity, Transform
from fyn.engine_core.world.world import World
from fyn.exporters.level import export_level


def _unit(vectors: np.ndarray) -> np.ndarray:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(scope="session")
def make_mesh() -> Callable[..., MeshData]:
    """A function that makes a sound mesh of random triangles in two material slots."""

    def make(
        name: str = "Mesh",
        *,
        seed: int = 0,
        vertices: int = 12,
        triangles: int = 8,
        uv_sets: int = 1,
        color_sets: int = 0,
        tangents: bool = False,
    ) -> MeshData:
        random = np.random.default_rng(seed)
        first = 3 * (triangles // 2)
        signs = random.choice([-1.0, 1.0], (vertices, 1))
        return MeshData(
            name=name,
            positions=random.normal(size=(vertices, 3)).astype(np.float32),
            normals=_unit(random.normal(size=(vertices, 3))),
            indices=random.integers(0, vertices, 3 * triangles).astype(np.uint32),
            primitives=(Primitive(0, first, 1), Primitive(first, 3 * triangles - first, 0)),
            uv_sets=tuple(
                random.normal(size=(vertices, 2)).astype(np.float32) for _ in range(uv_sets)
            ),
            tangents=np.hstack([_unit(random.normal(size=(vertices, 3))), signs]).astype(np.float32)
            if tangents
            else None,
            color_sets=tuple(
                random.random((vertices, 4)).astype(np.float32) for _ in range(color_sets)
            ),
            uv_names=tuple(f"UV {index}" for index in range(uv_sets)),
            color_names=tuple(f"Farbe [{index}]" for index in range(color_sets)),
        )

    return make


@pytest.fixture
def sample_world(make_mesh: Callable[..., MeshData]) -> World:
    """Two meshes, three images (file, pixels, floats), two materials, five entities in a tree."""
    random = np.random.default_rng(7)
    bark = random.integers(0, 256, (4, 6, 4), dtype=np.uint8)
    stone = random.integers(0, 256, (5, 3, 4), dtype=np.uint8)
    entities = [
        Entity(id="Root", name="Wurzel [1]"),
        Entity(
            id="Rock",
            parent="Root",
            transform=Transform(translation=(1.0, 2.5, -3.0), scale=(1.0, -2.0, 1.0)),
            mesh=MeshComponent(mesh="Rock", materials=("Stone", "")),
        ),
        Entity(
            id="岩",
            name="岩",
            parent="Rock",
            transform=Transform(matrix=(1, 0.5, 0, 0, 0, 1, 0, 0, 0, 0, 1, 4.0, 0, 0, 0, 1)),
            mesh=MeshComponent(mesh="岩", casts_shadow=False),
        ),
        Entity(id="Lamp", light=LightComponent(kind="sun", strength=3.0)),
        Entity(id="Camera", camera=CameraComponent(fov=0.9), transform=Transform()),
    ]
    return World(
        entities={entity.id: entity for entity in entities},
        meshes={
            "Rock": make_mesh("Rock", seed=1, tangents=True, color_sets=2),
            "岩": make_mesh("岩 (2)", seed=2, uv_sets=0),
        },
        materials={
            "Stone": Material(
                name="Stone",
                roughness=0.9,
                base_color_texture=TextureSlot(image="bark.png", scale=(2.0, 2.0)),
                normal_texture=TextureSlot(image="stone"),
            ),
            "Glow": Material(emissive=(1.0, 0.5, 0.25), emissive_strength=20.0),
        },
        images={
            "bark.png": ImageData("bark.png", encoded=encode_png(bark)),
            "stone": ImageData("stone", color_space="linear", pixels=stone),
            "sky": ImageData(
                "sky", color_space="linear", pixels=random.random((2, 4, 4)).astype(np.float32)
            ),
        },
        environment=Environment(kind="hemisphere", sky_color=(0.1, 0.2, 0.3)),
        render=RenderSettings(samples=8, exposure=-0.5),
        active_camera="Camera",
    )


@pytest.fixture
def level(sample_world: World, tmp_path: Path) -> Path:
    """The sample world as a level on disk, in a folder of its own inside `tmp_path`.

    Its entities are, in the order of the file: Camera, Lamp, Rock, Root, 岩.
    """
    return export_level(sample_world, tmp_path / "level").level


@pytest.fixture
def spoil(level: Path) -> Callable[..., Path]:
    """A function that changes values of the level's document: spoil({"entities[1].id": 5})."""

    def change(values: dict[str, Any]) -> Path:
        document = json.loads(level.read_text("utf-8"))
        for path, value in values.items():
            keys = [int(key) if key.isdigit() else key for key in re.findall(r"[^.\[\]]+", path)]
            target = document
            for key in keys[:-1]:
                target = target[key]
            target[keys[-1]] = value
        level.write_text(json.dumps(document), "utf-8")
        return level

    return change


@pytest.fixture
def opened() -> Iterator[list[Path]]:
    """Every path that Python opens or lists while the test runs, besides its own modules."""
    _HEARD.clear()
    if not _IS_HOOKED:
        # An audit hook stays for the life of the process, hence one that can be told to be quiet.
        sys.addaudithook(_hear)
        _IS_HOOKED.append(True)
    _LISTENING.append(threading.get_ident())
    yield _HEARD
    _LISTENING.clear()


_OPENING = ("open", "os.listdir", "os.scandir")
_HEARD: list[Path] = []
_LISTENING: list[int] = []
_IS_HOOKED: list[bool] = []


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    # Other threads are none of ours: hypothesis keeps its examples on one.
    if threading.get_ident() not in _LISTENING or event not in _OPENING:
        return
    path = arguments[0]
    if isinstance(path, str | os.PathLike) and not str(path).endswith((".py", ".pyc")):
        _HEARD.append(Path(path).absolute())
