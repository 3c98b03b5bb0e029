"""Every mesh of other people's scenes is where and as Blender's own glTF exporter says."""

from __future__ import annotations

import importlib
import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
ROOT = Path(os.environ.get("FYN_TEST_DATA") or REPOSITORY.parent / "shared" / "data")
SCENES = sorted(ROOT.rglob("*.blend"))


@pytest.fixture
def yardstick(monkeypatch):
    monkeypatch.syspath_prepend(str(REPOSITORY / "scripts"))
    return importlib.import_module("gltf_yardstick")


@pytest.mark.parametrize("path", SCENES or [None], ids=lambda path: path.stem if path else "none")
def test_boxes_triangles_normals_and_uvs_agree_with_the_exporter(yardstick, shared_data, path):
    if path is None:
        pytest.skip("no .blend file in the shared data")
    for result in yardstick.compare_blend(path):
        assert result.unexplained() == []
