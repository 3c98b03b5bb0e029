"""The device: what it says of the driver, what it does without a library, and the fallbacks."""

from __future__ import annotations

import ctypes
import sys

import numpy as np
import pytest

from fyn.engine_core.assets.material import Material
from fyn.engine_core.errors import DeviceError
from fyn.engine_core.render import device as device_module
from fyn.engine_core.render.device import Device
from fyn.engine_core.render.gpu_objects import Framebuffer, TargetLayer, Texture
from fyn.engine_core.render.world_renderer import WorldRenderer
from fyn.engine_core.world.components import MeshComponent, RenderSettings
from fyn.engine_core.world.entity import Entity
from fyn.engine_core.world.world import World


def test_the_device_says_what_it_is(device):
    info = device.info
    assert info.renderer
    assert info.version
    assert info.max_texture_size >= 2048
    assert info.target_formats["rgba8"] >= 1
    assert info.target_formats["depth32f"] >= 1
    assert device.supports("rgba8", 1)
    assert not device.supports("rgba8", 64)


def test_a_new_device_has_nothing_alive_and_counts_what_is_made(gl):
    assert gl
    with Device.create() as fresh:
        assert fresh.live_objects == 0
        texture = Texture(fresh, "RGBA16F", 8, 8, layers=2)
        framebuffer = Framebuffer(fresh, (TargetLayer(texture, 1),))
        assert fresh.live_objects_by_kind == {"framebuffer": 1, "texture": 1}
        framebuffer.release()
        texture.release()
        texture.release()
        assert fresh.live_objects == 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="EGL is the Linux way")
@pytest.mark.parametrize(
    ("library", "package"), [("libEGL.so.1", "libegl1"), ("libGL.so.1", "libgl1")]
)
def test_a_missing_library_is_named_with_its_package(monkeypatch, library, package):
    def load(name: str):
        if name == library:
            raise OSError(f"{name}: cannot open shared object file")
        return ctypes.CDLL(name)

    monkeypatch.setattr(device_module, "_load_library", load)
    with pytest.raises(DeviceError, match=f"{library} is missing; install {package} "):
        Device.create()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="EGL is the Linux way")
def test_a_missing_driver_is_named_with_its_package(monkeypatch):
    def refuse(**options):
        raise RuntimeError("eglInitialize failed (0x3001)")

    monkeypatch.setattr(device_module.moderngl, "create_context", refuse)
    with pytest.raises(DeviceError, match=r"eglInitialize failed.*libgl1-mesa-dri"):
        Device.create()


FALLBACKS = {
    "multisampled float": (set(), ""),
    "float": ({("rgba16f", 2), ("rgba16f", 4)}, "float without multisampling"),
    "8-bit": ({("rgba16f", 1), ("rgba16f", 2), ("rgba16f", 4)}, "8-bit"),
}


@pytest.mark.parametrize("kind", FALLBACKS)
def test_a_missing_format_degrades_and_the_log_says_so(gl, scene, kind):
    unsupported, words = FALLBACKS[kind]
    said: list[str] = []
    world = World(environment=scene.black, meshes={"mesh": scene.quad(1.0)})
    world.materials["m"] = Material(base_color=(0.25, 0.5, 1.0, 1.0), shading="unlit")
    component = MeshComponent(mesh="mesh", materials=("m",))
    world.entities["e"] = Entity(id="e", mesh=component)
    settings = RenderSettings(tone_map="linear", samples=4)
    with Device.create(unsupported) as device:
        renderer = WorldRenderer(device, said.append)
        renderer.apply(world.as_delta())
        for _ in range(2):
            frame = renderer.render(scene.flat_view((32, 32)), settings=settings)
        renderer.release()
    middle = frame.outputs["frame_color"][16, 16].astype(int)
    np.testing.assert_allclose(middle, [137, 188, 255, 255], atol=1)
    if words:
        assert [words in text for text in said] == [True]
        assert any(words in text for text in frame.warnings)
    else:
        assert said == []
        assert frame.warnings == ()


def test_a_device_that_can_draw_nothing_says_why(gl, scene):
    every = {(name, samples) for name in ("rgba8",) for samples in (1, 2, 4, 8)}
    with Device.create(every) as device:
        renderer = WorldRenderer(device)
        with pytest.raises(DeviceError, match="rgba8 cannot be drawn into"):
            renderer.render(scene.flat_view((8, 8)))
        renderer.release()


def test_two_devices_on_one_thread_do_not_disturb_each_other(gl, scene):
    world = World(environment=scene.black, meshes={"mesh": scene.quad(1.0)})
    world.entities["e"] = Entity(id="e", mesh=MeshComponent(mesh="mesh"))
    view = scene.flat_view((16, 16))
    with Device.create() as first, Device.create() as second:
        renderers = [WorldRenderer(first), WorldRenderer(second)]
        for renderer in renderers:
            renderer.apply(world.as_delta())
        pictures = [
            renderer.render(view, ("frame_depth",), scene.plain).outputs["frame_depth"]
            for renderer in (*renderers, *renderers)
        ]
        for renderer in renderers:
            renderer.release()
    assert all((picture == pictures[0]).all() for picture in pictures)
    assert np.isfinite(pictures[0]).any()
