"""Fixtures shared by all tests: real scenes, real Blender, the GL driver, awkward folder names."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent

# Any of these has broken a path join, a shell, a URL or a TOML string at one time or another.
AWKWARD_NAMES = (
    "with space",
    "Blumen-Gärten [v2] #1",
    "関卡 100% (final)",
    "it's {level} & more",
)


def _make_fyn_importable() -> None:
    """Let `import fyn` find the working copy, also in a Blender that nothing was installed into."""
    if importlib.util.find_spec("fyn") is not None:
        return
    spec = importlib.util.spec_from_file_location(
        "fyn", REPOSITORY / "__init__.py", submodule_search_locations=[str(REPOSITORY)]
    )
    assert spec is not None and spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules["fyn"] = package
    spec.loader.exec_module(package)


_make_fyn_importable()


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the working copy."""
    return REPOSITORY


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real scenes; skips where it is absent."""
    return _shared("data", "FYN_TEST_DATA")


@pytest.fixture(scope="session")
def real_blender() -> list[str]:
    """The command that starts a real Blender program (not the wheel); skips where there is none.

    Inside a Blender it is that one; $BLENDER names another; otherwise the tool beside the
    repository runs one (`-b ARGS`, `--gui ARGS`).
    """
    around = getattr(getattr(sys.modules.get("bpy"), "app", None), "binary_path", "")
    if around:
        return [around]
    if named := os.environ.get("BLENDER"):
        return [named]
    tool = _shared("tools", "FYN_TEST_TOOLS") / "real-blender"
    if not tool.is_file():
        pytest.skip("no real Blender: set BLENDER to its executable")
    # The tool would build its root folder on first use, for minutes: only CI does that, on purpose.
    default = re.search(r"REAL_BLENDER_ROOT:-([^}]+)}", tool.read_text("utf-8"))
    root = os.environ.get("REAL_BLENDER_ROOT") or (default.group(1) if default else "")
    if not Path(root, ".ready").exists():
        pytest.skip(f"no real Blender: run `{tool.name} --setup` once")
    return [str(tool)]


def _shared(folder: str, variable: str) -> Path:
    path = Path(os.environ.get(variable) or REPOSITORY.parent / "shared" / folder)
    if not path.is_dir():
        pytest.skip(f"no shared {folder}: set {variable} to the folder that holds it")
    return path.resolve()


@pytest.fixture(scope="session")
def gl() -> str:
    """The name of the GL driver; skips where no context of version 4.1 can be made."""
    moderngl = pytest.importorskip("moderngl")
    options = {"backend": "egl"} if sys.platform.startswith("linux") else {}
    try:
        context = moderngl.create_context(standalone=True, require=410, **options)
    except Exception as reason:
        pytest.skip(f"no OpenGL 4.1 context: {reason}")
    driver = str(context.info["GL_RENDERER"])
    context.release()
    return driver


@pytest.fixture(scope="session")
def gltf_validator() -> list[str]:
    """The command that runs a script with Khronos' glTF validator; skips where it is absent.

    `scripts/test` installs the npm package `gltf-validator` under `.cache/node`. Run it with
    `subprocess.run([*gltf_validator, GLB_FILE])`: it prints the validator's report as JSON.
    """
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node: Khronos' glTF validator cannot run")
    modules = Path(os.environ.get("FYN_NODE_MODULES") or REPOSITORY / ".cache/node/node_modules")
    if not (modules / "gltf-validator").is_dir():
        pytest.skip("no npm package gltf-validator under .cache/node: scripts/test installs it")
    return [node, str(REPOSITORY / "scripts" / "validate_gltf.js"), str(modules)]


@pytest.fixture(params=AWKWARD_NAMES)
def awkward_path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A fresh folder whose name holds spaces, brackets, non-ASCII letters and the like."""
    path = tmp_path / request.param
    path.mkdir()
    return path


@pytest.fixture(autouse=True)
def _same_folder_afterwards() -> Iterator[None]:
    """A test that changes the current folder would break the ones after it: put it back."""
    before = Path.cwd()
    yield
    os.chdir(before)
