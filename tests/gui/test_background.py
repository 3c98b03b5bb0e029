"""The command line of a real Blender without a window: `blender -b FILE -E FYN -o OUT -f 1`."""

from __future__ import annotations

import os
import subprocess

import numpy as np
import pytest
from PIL import Image

from .conftest import background

EXTENSION = "bl_ext.user_default.fyn"


@pytest.fixture
def blender(real_blender, blender_home):
    """Return a function that runs Blender in the background with the extension enabled."""

    def run(*arguments, timeout_s=180):
        hidden = ("DISPLAY", "WAYLAND_DISPLAY")
        environment = {name: value for name, value in os.environ.items() if name not in hidden}
        environment["BLENDER_USER_RESOURCES"] = str(blender_home)
        command = background(real_blender, "--factory-startup", *map(str, arguments))
        return subprocess.run(
            command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout_s,
            check=False,
        )

    return run


def test_a_scene_of_others_renders_without_a_display(blender, shared_data, tmp_path):
    scene = shared_data / "armory_examples" / "logic_pong" / "logic_pong.blend"
    done = blender(
        scene, "--addons", EXTENSION, "-E", "FYN", "-F", "PNG", "-o", tmp_path / "out_", "-f", 1
    )
    assert done.returncode == 0, done.stdout
    image = np.array(Image.open(tmp_path / "out_0001.png").convert("RGB"))
    assert len(np.unique(image.reshape(-1, 3), axis=0)) > 200
    assert "Traceback" not in done.stdout


def test_an_animation_renders_each_frame(blender, tmp_path):
    move = (
        "import bpy; cube = bpy.data.objects['Cube']; cube.keyframe_insert('location', frame=1);"
        "cube.location.x = 3; cube.keyframe_insert('location', frame=3)"
    )
    done = blender(
        "--addons", EXTENSION, "-E", "FYN", "--python-expr", move,
        "-F", "PNG", "-o", tmp_path / "out_", "-f", "1..3",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    frames = [np.array(Image.open(tmp_path / f"out_000{n}.png")).astype(int) for n in (1, 2, 3)]
    assert (np.abs(frames[0] - frames[1]).max(-1) > 20).mean() > 0.01
    assert (np.abs(frames[1] - frames[2]).max(-1) > 20).mean() > 0.01


def test_without_a_camera_the_command_line_says_so(blender, tmp_path):
    script = "import bpy; bpy.context.scene.camera = None"
    done = blender(
        "--addons", EXTENSION, "-E", "FYN", "--python-expr", script, "-o", tmp_path / "o", "-f", 1
    )
    assert "no camera" in done.stdout.lower(), done.stdout
    assert not list(tmp_path.glob("o*"))


def test_enabling_twenty_times_in_the_background_leaves_nothing_behind(blender):
    script = f"""
import bpy, sys, threading
def traces():
    panels = [p for p in bpy.types.Panel.__subclasses__() if "fyn" not in p.__module__]
    return (
        [p.__name__ for p in panels if "FYN" in getattr(p, "COMPAT_ENGINES", ())],
        [name for name in dir(bpy.types) if "fyn" in name.lower()],
        [thread.name for thread in threading.enumerate()],
        [len(h) for n in dir(bpy.app.handlers)
         if isinstance(h := getattr(bpy.app.handlers, n), list)],
    )
before = traces()
for _ in range(20):
    bpy.ops.preferences.addon_enable(module="{EXTENSION}")
    bpy.context.scene.render.engine = "FYN"
    bpy.context.scene.render.engine = "BLENDER_WORKBENCH"
    assert "moderngl" not in sys.modules
    bpy.ops.preferences.addon_disable(module="{EXTENSION}")
assert traces() == before, (traces(), before)
print("NOTHING LEFT")
"""
    done = blender("--python-exit-code", 3, "--python-expr", script)
    assert done.returncode == 0, done.stdout
    assert "NOTHING LEFT" in done.stdout
