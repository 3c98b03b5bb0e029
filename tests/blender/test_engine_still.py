"""F12 without a GPU: a renderer of known pixels shows what Blender makes of them."""

from __future__ import annotations

import struct
from types import SimpleNamespace
from typing import ClassVar

import bpy
import numpy as np
import pytest
from PIL import Image

from fyn.addon import render_host, views
from fyn.addon.sync.cameras import read_camera
from fyn.addon.viewport.packing import pack
from fyn.engine_core.errors import UsageError
from fyn.engine_core.render import view as engine_view

SIZE = (60, 40)


class PatternRenderer:
    """Draws pixels that tell where they stand, whatever the world; keeps what it was asked."""

    views: ClassVar[list] = []

    def __init__(self, device):
        pass

    def apply(self, delta):
        pass

    def render(self, view, outputs=("frame_color",), settings=None, slot="main"):
        PatternRenderer.views.append(view)
        return SimpleNamespace(
            size=view.size,
            outputs={name: pattern(name, view.size) for name in outputs},
            warnings=("the frame is a pattern",),
        )

    def release_slot(self, slot):
        pass

    def release(self):
        pass


def pattern(output, size):
    rows, columns = np.mgrid[: size[1], : size[0]]
    if output == "frame_color":
        channels = (columns * 4, rows * 6, columns * 5 % 251, np.full_like(rows, 255))
        return np.stack(channels, -1).astype(np.uint8)
    if output == "frame_depth":
        return np.where(rows < 20, np.inf, columns + 0.5).astype(np.float32)
    return np.stack((columns, rows + 100, rows * 0 + 7), -1).astype(np.float32)


@pytest.fixture
def scene(registered, monkeypatch):
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    monkeypatch.setattr(
        render_host, "_create_device", lambda: SimpleNamespace(release=lambda: None)
    )
    monkeypatch.setattr(render_host, "_create_renderer", PatternRenderer)
    PatternRenderer.views.clear()
    render_host.shut_down()
    scene = bpy.context.scene
    scene.render.engine = "FYN"
    scene.render.resolution_x, scene.render.resolution_y = SIZE
    scene.render.resolution_percentage = 100
    scene.render.dither_intensity = 0
    scene.view_settings.view_transform = "Standard"
    scene.render.image_settings.file_format = "PNG"
    scene.render.image_settings.color_mode = "RGBA"
    yield scene
    render_host.shut_down()


def render(scene, path):
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    return np.array(Image.open(path))


def test_standard_shows_the_very_bytes_that_the_engine_drew(scene, tmp_path):
    assert np.array_equal(render(scene, tmp_path / "a.png"), pattern("frame_color", SIZE))


def test_every_byte_of_every_channel_survives_standard(scene, tmp_path, monkeypatch):
    sweep = np.zeros((4, 256, 4), np.uint8)
    for channel in range(3):
        sweep[channel, :, channel] = np.arange(256)
    sweep[3] = np.arange(256)[:, None]
    sweep[..., 3] = 255
    monkeypatch.setitem(globals(), "pattern", lambda output, size: sweep)
    scene.render.resolution_x, scene.render.resolution_y = 256, 4
    assert np.array_equal(render(scene, tmp_path / "a.png"), sweep)


def test_transparent_film_keeps_straight_colors_and_alpha(scene, tmp_path, monkeypatch):
    pixels = np.full((16, 16, 4), (200, 100, 50, 0), np.uint8)
    pixels[..., 3] = np.arange(256).reshape(16, 16)
    monkeypatch.setitem(globals(), "pattern", lambda output, size: pixels)
    scene.render.resolution_x = scene.render.resolution_y = 16
    scene.render.film_transparent = True
    made = render(scene, tmp_path / "a.png").astype(int)
    assert np.array_equal(made[..., 3], pixels[..., 3])
    visible = pixels[..., 3] >= 16
    assert np.abs(made - pixels)[visible].max() <= 1


def test_resolution_percentage_scales_the_picture(scene, tmp_path):
    scene.render.resolution_percentage = 50
    assert render(scene, tmp_path / "a.png").shape == (20, 30, 4)


@pytest.mark.parametrize("crop", [True, False])
def test_a_render_region_is_the_same_part_of_the_same_view(scene, tmp_path, crop):
    whole = render(scene, tmp_path / "whole.png")
    render_settings = scene.render
    render_settings.use_border = True
    render_settings.use_crop_to_border = crop
    render_settings.border_min_x, render_settings.border_max_x = 0.25, 0.75
    render_settings.border_min_y, render_settings.border_max_y = 0.1, 0.6
    made = render(scene, tmp_path / "part.png")
    region = (slice(40 - 24, 40 - 4), slice(15, 45))
    part = pattern("frame_color", (30, 20))
    if crop:
        assert np.array_equal(made, part)
    else:
        assert made.shape == whole.shape
        assert np.array_equal(made[region], part)
    whole_view, part_view = PatternRenderer.views
    for ndc in ((-1.0, -1.0), (1.0, 1.0), (0.2, -0.4)):
        point = np.linalg.inv(part_view.clip_from_world) @ (*ndc, 0.3, 1.0)
        seen = whole_view.clip_from_world @ point
        x, y = (seen[:2] / seen[3] / 2 + 0.5) * SIZE
        expected = (15 + (ndc[0] / 2 + 0.5) * 30, 4 + (ndc[1] / 2 + 0.5) * 20)
        assert (x, y) == pytest.approx(expected, abs=1e-6)


def test_depth_and_normal_passes_arrive_in_blenders_terms(scene, tmp_path):
    layer = bpy.context.view_layer
    layer.use_pass_z = layer.use_pass_normal = True
    path = tmp_path / "passes.exr"
    image_settings = scene.render.image_settings
    if hasattr(image_settings, "media_type"):
        image_settings.media_type = "MULTI_LAYER_IMAGE"
    image_settings.file_format = "OPEN_EXR_MULTILAYER"
    image_settings.color_depth, image_settings.exr_codec = "32", "NONE"
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    channels = exr_channels(path)
    depth = channels["ViewLayer.Depth.Z"]
    assert np.array_equal(depth[20:], pattern("frame_depth", SIZE)[20:])
    assert (depth[:20] == 1e10).all()
    x, y, z = (channels[f"ViewLayer.Normal.{axis}"] for axis in "XYZ")
    engine = pattern("frame_normal", SIZE)
    assert np.array_equal(x, engine[..., 0])
    assert np.array_equal(z, engine[..., 1])
    assert np.array_equal(y, -engine[..., 2])


def exr_channels(path):
    """Read the channels of an uncompressed OpenEXR file of 32-bit scan lines, top row first."""
    data = path.read_bytes()
    (version,) = struct.unpack_from("<I", data, 4)
    has_parts = bool(version & 0x1000)
    position, parts = 8, []
    while data[position]:
        names, position = _exr_header(data, position)
        parts.append(names)
        if not has_parts:
            break
    position += has_parts  # an empty header ends the list
    width, height = SIZE
    found = {}
    for names in parts:
        offsets = struct.unpack_from(f"<{height}Q", data, position)
        position += 8 * height
        start = 12 if has_parts else 8
        rows = [np.frombuffer(data, "<f4", width * len(names), o + start) for o in offsets]
        picture = np.stack(rows).reshape(height, len(names), width)
        found |= {name: picture[:, number] for number, name in enumerate(names)}
    return found


def _exr_header(data, position):
    names = []
    while data[position]:
        name, position = _text(data, position)
        _, position = _text(data, position)
        (length,) = struct.unpack_from("<I", data, position)
        value = data[position + 4 : position + 4 + length]
        position += 4 + length
        if name == "compression":
            assert value[0] == 0, "compressed"
        if name == "channels":
            start = 0
            while value[start]:
                channel, start = _text(value, start)
                assert struct.unpack_from("<I", value, start)[0] == 2, "not 32-bit float"
                names.append(channel)
                start += 16
    return names, position + 1


def _text(data, position):
    end = data.index(0, position)
    return data[position:end].decode(), end + 1


def test_an_animation_renders_every_frame_at_its_time(scene, tmp_path):
    scene.frame_start, scene.frame_end = 10, 12
    scene.render.fps, scene.render.fps_base = 24, 1
    scene.render.filepath = str(tmp_path / "frame_")
    bpy.ops.render.render(animation=True)
    assert len(list(tmp_path.glob("frame_*.png"))) == 3
    assert [view.time for view in PatternRenderer.views] == pytest.approx([10 / 24, 11 / 24, 0.5])


def test_without_a_camera_the_error_says_so(scene):
    scene.camera = None
    with pytest.raises(RuntimeError, match="no camera"):
        bpy.ops.render.render()


def test_a_panoramic_camera_is_refused_by_name(scene):
    scene.camera.data.type = "PANO"
    with pytest.raises(RuntimeError, match="'Camera' is panoramic"):
        bpy.ops.render.render()


def test_rendering_from_a_lamp_is_refused_by_name(scene):
    scene.camera = bpy.data.objects["Light"]
    with pytest.raises(RuntimeError, match="'Light' is a light"):
        bpy.ops.render.render()


def test_an_empty_render_region_is_an_error_that_says_what_to_do():
    with pytest.raises(UsageError, match=r"region is empty; draw it anew"):
        views.border_rect((0.5, 0.0), (0.505, 1.0), SIZE)


def test_a_renderer_that_fails_says_why_in_the_report(scene, monkeypatch):
    def fail(self, *arguments):
        raise ZeroDivisionError("in the middle of a frame")

    monkeypatch.setattr(PatternRenderer, "render", fail)
    with pytest.raises(RuntimeError, match="in the middle of a frame"):
        bpy.ops.render.render()


CAMERAS = {
    "plain": {},
    "telephoto": {"lens": 200.0},
    "shifted": {"shift_x": 0.31, "shift_y": -0.17},
    "tall sensor": {"sensor_fit": "VERTICAL", "sensor_height": 17.0},
    "wide sensor": {"sensor_fit": "HORIZONTAL", "sensor_width": 50.0, "shift_y": 0.2},
    "parallel": {"type": "ORTHO", "ortho_scale": 4.5, "shift_x": 0.1},
    "parallel, tall": {"type": "ORTHO", "sensor_fit": "VERTICAL"},
    "wide range": {"clip_start": 0.001, "clip_end": 100000.0},
}


@pytest.mark.parametrize("size", [(60, 40), (40, 60)])
@pytest.mark.parametrize("aspect", [(1.0, 1.0), (1.0, 1.5), (2.0, 1.0)])
@pytest.mark.parametrize("settings", CAMERAS.values(), ids=CAMERAS)
def test_f12_sees_through_a_camera_as_an_exported_level_does(scene, settings, aspect, size):
    """Blender's matrix and the engine's own projection of the exported camera are one."""
    camera = scene.camera
    for name, value in settings.items():
        setattr(camera.data, name, value)
    scene.render.resolution_x, scene.render.resolution_y = size
    scene.render.pixel_aspect_x, scene.render.pixel_aspect_y = aspect
    depsgraph = bpy.context.evaluated_depsgraph_get()
    ours = views.camera_view(depsgraph, camera.evaluated_get(depsgraph), camera.matrix_world)
    component = read_camera(camera.data).component
    world_from_local = views.ENGINE_FROM_BLENDER @ np.array(camera.matrix_world)
    exported = engine_view.camera_view(
        component, world_from_local, size, pixel_aspect=aspect[1] / aspect[0]
    )
    assert (ours.near, ours.far) == pytest.approx((exported.near, exported.far))
    assert ours.clip_from_view == pytest.approx(exported.clip_from_view, rel=2e-6, abs=2e-6)
    assert ours.view_from_world == pytest.approx(exported.view_from_world, abs=1e-5)
    assert ours.perspective == exported.perspective


def test_packing_keeps_every_byte_of_every_channel():
    pixels = np.zeros((5, 256, 4), np.uint8)
    pixels[..., 3] = 255
    for channel in range(4):
        pixels[channel, :, channel] = np.arange(256)
    pixels[4] = np.random.default_rng(3).integers(0, 256, (256, 4))
    packed = pack(pixels)
    color, transparency = packed.data.reshape(5, 256, 2).transpose(2, 0, 1)
    assert np.isfinite(packed.data).all()
    word = color.astype(np.uint32)
    unpacked = np.stack((word & 255, word >> 8 & 255, word >> 16, 255 - transparency), -1)
    assert np.array_equal(unpacked, pixels)


def test_an_opaque_frame_takes_one_float_a_pixel():
    packed = pack(np.full((3, 4, 4), 255, np.uint8))
    assert packed.channels == 1
    assert packed.size == (4, 3)
    assert (packed.data == 0xFFFFFF).all()
