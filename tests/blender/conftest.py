"""Fixtures of the tests that need Blender, as the bpy module or as the program around pytest."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest


def _why_blender_is_absent() -> str | None:
    try:
        import bpy  # noqa: F401
    except ImportError as reason:
        return f"no Blender in this Python: {reason}"
    return None


ABSENT = _why_blender_is_absent()


class _SkippedModule(pytest.Module):
    """A test file that is reported as skipped, with the reason, before its imports can fail."""

    def collect(self) -> list[pytest.Item]:
        pytest.skip(ABSENT or "", allow_module_level=True)


def pytest_pycollect_makemodule(module_path, parent):
    """Skip every file of this folder, in words, where bpy cannot be imported."""
    if ABSENT is not None:
        return _SkippedModule.from_parent(parent, path=module_path)
    return None


@pytest.fixture
def empty_scene():
    """`bpy.context.scene` of a new file without objects; all other data is gone."""
    import bpy

    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    return bpy.context.scene


@pytest.fixture
def tree(empty_scene):
    """A new material whose node tree the test builds: a `ShaderTree` of shader_tree.py."""
    return _beside("shader_tree").ShaderTree()


@pytest.fixture
def follow(empty_scene):
    """Starts following the scene: call it for a `Follower` of follower.py."""
    import bpy

    followers = []

    def start():
        followers.append(_beside("follower").Follower())
        return followers[-1]

    yield start
    for follower in followers:
        bpy.app.handlers.depsgraph_update_post.remove(follower.on_update)


@pytest.fixture
def stage(gl, registered, empty_scene, tmp_path):
    """A scene whose pixels a test asks for: a `PictureStage` of picture_stage.py."""
    return _beside("picture_stage").PictureStage(tmp_path)


def _beside(name: str):
    """Import a module of this folder, which is no package."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def registered() -> Iterator[None]:
    """The add-on is registered while the tests of a file that ask for this run.

    Not for longer: the tests of another file may register and unregister it themselves.
    """
    import fyn

    fyn.register()
    yield
    fyn.unregister()
