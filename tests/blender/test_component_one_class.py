"""A new component is one class in a file of its own: everything else finds it by itself."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]

COMPONENT = '''
"""Glint: a component that only a test knows."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from ..fields import Vec3, field_meta
from .base import Component, Owner


class Glint(Component, frozen=True):
    """Makes things sparkle now and then."""

    key: ClassVar[str] = "glint"
    label: ClassVar[str] = "Glint"
    icon: ClassVar[str] = "LIGHT_SUN"
    addable: ClassVar[bool] = True

    rate: Annotated[float, field_meta("Rate", "How often", ge=0.0, soft_max=9.0, unit="s")] = 1.0
    style: Annotated[Literal["star", "ring"], field_meta("Style", "What is seen")] = "star"
    aim: Annotated[Vec3, field_meta("Aim", "Where to", kind="direction")] = (0.0, 1.0, 0.0)
    target: Annotated[str, field_meta("Target", "Whom it is for", kind="entity")] = ""


class Mist(Component, frozen=True):
    """Haze over the whole level."""

    key: ClassVar[str] = "mist"
    owner: ClassVar[Owner] = "level"
    label: ClassVar[str] = "Mist"
    addable: ClassVar[bool] = True

    density: Annotated[float, field_meta("Density", "How thick", ge=0.0)] = 0.0
'''

SCRIPT = """
import json, sys
import bpy
import fyn
fyn.register()
from fyn.addon.headless import read_scene
from fyn.engine_core.world.component_docs import components_markdown
from fyn.engine_core.world.components.glint import Glint, Mist
from fyn.engine_core.world.level_check import document_problems
from fyn.engine_core.world.level_file import read_level
from fyn.engine_core.world.schema import level_schema
from fyn.exporters.level import export_level

cube, scene = bpy.data.objects["Cube"], bpy.context.scene
bpy.context.view_layer.objects.active = cube
panels = [getattr(bpy.types, name) for name in ("OBJECT_PT_fyn_glint", "VIEW3D_PT_fyn_glint")]
seen = [panel.poll(bpy.context) for panel in panels]
bpy.ops.fyn.component_add(component="glint")
bpy.ops.fyn.component_add(component="mist")
seen += [panel.poll(bpy.context) for panel in panels]
cube.fyn.glint.rate, cube.fyn.glint.style = 2.5, "ring"
cube.fyn.glint.target = bpy.data.objects["Camera"]
scene.fyn.mist.density = 0.5
world = read_scene().world
level = export_level(world, sys.argv[1]).level
again = read_level(level)
document = json.loads(level.read_text("utf-8"))
broken = json.loads(level.read_text("utf-8"))
place = next(n for n, e in enumerate(broken["entities"]) if e["id"] == "Cube")
broken["entities"][place]["glint"]["rate"] = -1
broken["entities"][place]["glint"]["target"] = "Nobody"
bpy.ops.fyn.component_copy(component="glint")
bpy.ops.fyn.component_reset(component="glint")
bpy.ops.fyn.component_paste(component="glint")
pasted = read_scene().world.entities["Cube"].get(Glint) == world.entities["Cube"].get(Glint)
schema = level_schema()["$defs"]
print("FOUND", json.dumps({
    "seen": seen,
    "file": document["entities"][place]["glint"],
    "mist": document["mist"],
    "read": again.entities["Cube"].get(Glint) == world.entities["Cube"].get(Glint)
        == Glint(rate=2.5, style="ring", target="Camera") and again.get(Mist) == Mist(density=0.5),
    "schema": ["glint" in schema["Entity"]["properties"], schema["Glint"]["properties"]["rate"],
               "mist" in schema["LevelDocument"]["properties"]],
    "docs": [line for line in components_markdown().splitlines()
             if "Glint" in line or "| `rate`" in line],
    "problems": [str(problem) for problem in document_problems(broken)],
    "pasted": pasted,
    "preset": hasattr(bpy.types, "FYN_PT_glint_presets"),
    "tooltip": cube.fyn.glint.bl_rna.properties["rate"].description,
}))
fyn.unregister()
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What a copy of Fyn says that has the one file more."""
    import bpy

    if not bpy.app.module:
        pytest.skip("this Blender is a program; the test starts a Python with its module")
    root = tmp_path_factory.mktemp("one_class")
    for name in ("engine_core", "addon", "exporters", "shaders"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(REPOSITORY / name, root / "fyn" / name, ignore=ignored)
    shutil.copy(REPOSITORY / "__init__.py", root / "fyn")
    components = root / "fyn" / "engine_core" / "world" / "components"
    (components / "glint.py").write_text(COMPONENT.lstrip(), "utf-8")
    script = root / "script.py"
    script.write_text(SCRIPT, "utf-8")
    done = subprocess.run(
        [sys.executable, str(script), str(root / "level")],
        check=False, capture_output=True, text=True, timeout=180, cwd=root,
    )  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if line.startswith("FOUND ")]
    assert lines, done.stdout + done.stderr
    return json.loads(lines[0].removeprefix("FOUND "))


def test_it_is_in_the_panels_once_it_was_added(found):
    assert found["seen"] == [False, False, True, True]
    assert found["tooltip"] == "How often (seconds)"
    assert found["preset"]
    assert found["pasted"]


def test_it_is_in_the_file_and_comes_back(found):
    assert found["file"] == {"rate": 2.5, "style": "ring", "target": "Camera"}
    assert found["mist"] == {"density": 0.5}
    assert found["read"]


def test_it_is_in_the_schema(found):
    has_entity, rate, has_level = found["schema"]
    assert has_entity
    assert has_level
    assert (rate["minimum"], rate["x-unit"], rate["default"]) == (0.0, "s", 1.0)


def test_it_is_in_the_documentation(found):
    assert "## Glint (entity key `glint`)" in found["docs"]
    assert "| `rate` | number | from 0 s | 1 | How often |" in found["docs"]


def test_a_file_is_checked_against_it(found):
    assert len(found["problems"]) == 2
    assert any(".glint.rate" in problem for problem in found["problems"])
    assert any("'Nobody' does not exist" in problem for problem in found["problems"])
