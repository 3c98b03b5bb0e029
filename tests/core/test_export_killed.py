"""An export that is killed, at every moment at which it touches the disk, leaves a whole level."""

from __future__ import annotations

import runpy
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fyn.engine_core.assets.image_io import decode
from fyn.engine_core.world.level_file import check_level, read_level
from fyn.engine_core.world.world import World
from fyn.exporters.level import export_level

EXPORTER = '''
"""Exports over an older level and dies at the n-th change of the disk."""

import os
import signal
import sys

import numpy as np

from fyn.engine_core.assets.image import ImageData
from fyn.engine_core.assets.mesh import MeshData, Primitive
from fyn.engine_core.world.components import MeshComponent
from fyn.engine_core.world.entity import Entity
from fyn.engine_core.world.world import World
from fyn.exporters.level import export_level


def world(value):
    corners = np.array([[0, 0, 0], [value, 0, 0], [0, value, 0]], np.float32)
    up = np.tile(np.array([0, 0, 1], np.float32), (3, 1))
    mesh = MeshData("M", corners, up, np.arange(3, dtype=np.uint32), (Primitive(0, 3, 0),))
    pixels = np.full((2, 2, 4), value, np.uint8)
    return World(
        entities={"e": Entity(id="e", name=f"{value}", mesh=MeshComponent(mesh="M"))},
        meshes={"M": mesh},
        images={"I": ImageData("I", pixels=pixels)},
    )


changes = 0


def count(event, arguments):
    global changes
    is_writing = event == "open" and isinstance(arguments[2], int) and arguments[2] & os.O_CREAT
    if is_writing or event in ("os.rename", "os.remove", "os.mkdir", "os.rmdir"):
        changes += 1
        if changes == deadly:
            os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    folder, deadly, ready = sys.argv[1], int(sys.argv[2]), world(2)
    sys.addaudithook(count)
    export_level(ready, folder)
'''


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_a_killed_export_leaves_the_old_level_or_the_new_one_whole(tmp_path):
    script = tmp_path / "exporter.py"
    script.write_text(EXPORTER, "utf-8")
    make_world: Callable[[int], World] = runpy.run_path(str(script))["world"]
    export_level(make_world(1), tmp_path / "old")
    expected = files_in(export_level(make_world(2), tmp_path / "new").level.parent)
    found: list[str] = []
    for deadly in range(1, 100):
        folder = tmp_path / f"killed at {deadly}"
        shutil.copytree(tmp_path / "old", folder)
        command = [sys.executable, str(script), str(folder), str(deadly)]
        run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        if run.returncode == 0:
            assert files_in(folder) == expected
            break
        assert run.returncode == -signal.SIGKILL, run.stderr
        assert check_level(folder / "level.fyn") == []
        world = read_level(folder / "level.fyn")
        found.append(world.entities["e"].name)
        size, pixel = world.meshes["M"].positions[1, 0], decode(world.images["I"])[0, 0, 0]
        assert (str(int(size)), str(int(pixel))) == (found[-1], found[-1])
        # The next export clears away whatever the dead one left.
        export_level(make_world(2), folder)
        assert files_in(folder) == expected
    assert found == sorted(found)
    # Three files are opened and renamed; the old level counts until the last is. Two are removed.
    assert found.count("1") >= 6
    assert found.count("2") >= 2


def files_in(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
