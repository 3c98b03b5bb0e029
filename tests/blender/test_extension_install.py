"""The extension in a real Blender: installed from its zip, enabled, drawing with its own wheels."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MARK = "FYN-REPORT "

# Adds every piece, and applies every preset that Blender lists to a component with other values.
OFFERS = """
import bpy, pathlib
from bl_ext.user_default.fyn.addon.pieces.catalogue import PIECES
libraries = bpy.context.preferences.filepaths.asset_libraries
found = {"libraries": [lib.path for lib in libraries if lib.name == "Fyn"]}
drawn = bpy.types.VIEW3D_MT_add._dyn_ui_initialize()
found["in Shift+A"] = any("fyn" in function.__module__ for function in drawn)
found["not added"] = []
for piece in PIECES:
    bpy.ops.fyn.add_piece(piece=piece.identifier)
    if piece.name not in bpy.data.objects:
        found["not added"].append(piece.name)
found["presets"] = {}
bpy.ops.mesh.primitive_cube_add()
for name in ("behaviour", "collider"):
    for folder in bpy.utils.preset_paths(f"fyn/{name}"):
        for file in pathlib.Path(folder).glob("*.py"):
            component = getattr(bpy.context.object.fyn, name)
            values = lambda: {
                key: tuple(value) if hasattr(value, "__len__") else value
                for key in component.bl_rna.properties.keys()
                for value in [getattr(component, key)]
            }
            before = values()
            bpy.ops.fyn.component_preset(
                filepath=str(file), menu_idname=f"FYN_PT_{name}_presets"
            )
            found["presets"][f"{name}/{file.name}"] = values() != before
"""


def _blender(command: list[str], resources: Path, *arguments: str) -> str:
    environment = {**os.environ, "BLENDER_USER_RESOURCES": str(resources)}
    run = subprocess.run(
        [*command, "-b", *arguments],
        env=environment, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    output = run.stdout + run.stderr
    assert run.returncode == 0, output
    return output


def _report(output: str) -> dict:
    [line] = [line for line in output.splitlines() if line.startswith(MARK)]
    return json.loads(line.removeprefix(MARK))


def _say(expression: str) -> str:
    return f"import json, sys; print({MARK!r} + json.dumps({expression}), flush=True)"


@pytest.fixture(scope="module")
def installed(real_blender, tmp_path_factory):
    """(command, user folder) of a Blender that the extension was installed and enabled in."""
    resources = tmp_path_factory.mktemp("blender user")
    output = _blender(real_blender, resources, "--python-expr", _say("sys.version_info[:2]"))
    python = ".".join(str(part) for part in _report(output))
    dist = tmp_path_factory.mktemp("dist")
    build = [sys.executable, str(ROOT / "scripts/build_extension"), "linux-x64", "-o", str(dist)]
    run = subprocess.run([*build, "--python", python], capture_output=True, text=True, check=False)
    if "No wheels are pinned" in run.stdout:
        pytest.skip(run.stdout.strip())
    assert run.returncode == 0, run.stdout + run.stderr
    [archive] = dist.glob("*.zip")
    install = ["--command", "extension", "install-file", "-r", "user_default", "-e", str(archive)]
    assert 'Installed "fyn"' in _blender(real_blender, resources, *install)
    return real_blender, resources


def test_the_installed_extension_is_enabled_at_the_next_start(installed):
    report = _report(
        _blender(
            *installed,
            "--python-expr",
            "import bl_ext.user_default.fyn as fyn, bpy; "
            + _say("[fyn.__name__, [a.module for a in bpy.context.preferences.addons]]"),
        )
    )
    assert report[0] == "bl_ext.user_default.fyn"
    assert report[0] in report[1]


def test_the_packages_come_from_the_wheels_that_the_extension_carries(installed):
    names = ["moderngl", "glcontext", "pyglm", "pygltflib", "msgspec", "lupa", "PIL", "rich"]
    report = _report(
        _blender(
            *installed,
            "--python-expr",
            f"import importlib; found = [importlib.import_module(n) for n in {names}]; "
            + _say("[m.__file__ for m in found]"),
        )
    )
    wheels = installed[1] / "extensions" / ".local"
    assert [name for name in report if not Path(name).is_relative_to(wheels)] == []


def test_the_installed_extension_offers_its_pieces_and_presets(installed, tmp_path):
    script = tmp_path / "offers.py"
    script.write_text(OFFERS + _say("found") + "\n", "utf-8")
    found = _report(_blender(*installed, "--python-exit-code", "3", "--python", str(script)))
    pieces = installed[1] / "extensions" / "user_default" / "fyn" / "addon" / "pieces"
    assert [Path(library) for library in found["libraries"]] == [pieces]
    assert (pieces / "blender_assets.cats.txt").is_file()
    assert found["in Shift+A"]
    assert found["not added"] == []
    assert found["presets"]["collider/Ice.py"]
    assert {name for name, works in found["presets"].items() if not works} == set()


def test_a_blend_is_rendered_with_fyn_from_blenders_command_line(installed, tmp_path):
    command, resources = installed
    picture = tmp_path / "still.png"
    scene = (
        "import bpy; s = bpy.context.scene; s.render.resolution_x = 64; "
        "s.render.resolution_y = 48; s.render.resolution_percentage = 100; "
        "s.render.image_settings.file_format = 'PNG'"
    )
    output = _blender(
        command, resources, "--factory-startup", "--addons", "bl_ext.user_default.fyn",
        "-E", "FYN", "--python-expr", scene, "-o", str(tmp_path / "still"), "-F", "PNG", "-f", "1",
    )  # fmt: skip
    made = list(tmp_path.glob("still*.png"))
    assert len(made) == 1, output
    made[0].rename(picture)
    from PIL import Image

    with Image.open(picture) as image:
        assert image.size == (64, 48)
        darkest, brightest = image.convert("L").getextrema()
    # Blender's first cube, grey in its lamp's light, before a darker world.
    assert brightest - darkest > 30
