"""Registering leaves nothing behind, fails whole, and works without a display."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from contextlib import contextmanager

import bpy
import pytest

import fyn
from fyn.addon import engine_panels, registration, render_host


@pytest.fixture
def unregistered():
    """Fyn is not registered during the test, and as it was afterwards."""
    was_registered = bool(registration._undo)
    fyn.unregister()
    yield
    fyn.unregister()
    if was_registered:
        fyn.register()


def traces():
    """Everything that an add-on can leave in Blender, by where it is."""
    panels = engine_panels._all_panels(bpy.types.Panel)
    handlers = {
        name: list(getattr(bpy.app.handlers, name))
        for name in dir(bpy.app.handlers)
        if isinstance(getattr(bpy.app.handlers, name), list)
    }
    types = (bpy.types.Scene, bpy.types.Object, bpy.types.World, bpy.types.Material)
    return {
        "engines": {cls.__name__ for cls in bpy.types.RenderEngine.__subclasses__()
                    if getattr(cls, "is_registered", False)},
        "panels": {panel.__name__ for panel in panels if getattr(panel, "is_registered", False)},
        "compat": {p.__name__: frozenset(getattr(p, "COMPAT_ENGINES", ())) for p in panels
                   if p not in engine_panels.CLASSES},
        "preferences": {cls.__name__ for cls in bpy.types.AddonPreferences.__subclasses__()
                        if getattr(cls, "is_registered", False)},
        "types": {name for name in dir(bpy.types) if "fyn" in name.lower()},
        "properties": {(t.__name__, p.identifier) for t in types for p in t.bl_rna.properties},
        "handlers": handlers,
        "threads": {thread.name for thread in threading.enumerate()},
        "log handlers": [type(handler) for handler in logging.getLogger("fyn").handlers],
    }  # fmt: skip


def test_registering_twenty_times_leaves_nothing_behind(unregistered, monkeypatch):
    class Device:
        def release(self):
            pass

    monkeypatch.setattr(render_host, "_create_device", Device)
    before = traces()
    for _ in range(20):
        fyn.register()
        render_host.render_thread().call(lambda device: None)
        assert "fyn-render" in traces()["threads"]
        fyn.unregister()
    after = traces()
    for place, things in before.items():
        assert after[place] == things, place


def test_registering_adds_the_engine_and_its_panels(unregistered):
    before = traces()
    fyn.register()
    after = traces()
    assert "FynRenderEngine" in after["engines"] - before["engines"]
    assert "VIEWLAYER_PT_fyn_passes" in after["panels"]
    for name in ("RENDER_PT_output", "EEVEE_MATERIAL_PT_surface", "DATA_PT_lens"):
        assert "FYN" in after["compat"][name], name
    for name in ("VIEWLAYER_PT_freestyle", "RENDER_PT_eevee_sampling"):
        assert "FYN" not in after["compat"].get(name, ()), name


def test_registering_twice_is_registering_once(unregistered):
    fyn.register()
    once = traces()
    fyn.register()
    assert traces() == once


def test_a_registration_that_fails_is_undone_whole(unregistered, monkeypatch):
    def fail():
        raise RuntimeError("no panel today")

    steps = (*registration._STEPS, (fail, fail))
    before = traces()
    monkeypatch.setattr(registration, "_STEPS", steps)
    with pytest.raises(RuntimeError, match="no panel today"):
        fyn.register()
    assert traces() == before


def test_a_part_that_cannot_be_removed_does_not_keep_the_rest(unregistered, monkeypatch, caplog):
    def fail():
        raise RuntimeError("stuck")

    before = traces()
    monkeypatch.setattr(registration, "_STEPS", (*registration._STEPS, (lambda: None, fail)))
    fyn.register()
    with propagating_log():
        fyn.unregister()
    assert "stuck" in caplog.text
    assert traces() == before


@contextmanager
def propagating_log():
    """Fyn's log reaches pytest's handler although the add-on prints it by itself."""
    logging.getLogger("fyn").propagate = True
    yield
    logging.getLogger("fyn").propagate = True


def test_registering_needs_no_display_and_makes_no_device():
    script = (
        "import sys, bpy, fyn; fyn.register(); import threading;"
        "assert 'moderngl' not in sys.modules and 'glcontext' not in sys.modules;"
        "assert threading.active_count() == 1; fyn.unregister(); print('done')"
    )
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    if not bpy.app.module:
        pytest.skip("this Blender is a program: tests/gui start it without a display")
    result = subprocess.run(
        [sys.executable, "-c", script],
        check=False, env=environment, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip().endswith("done")
