"""The viewport of a real Blender, by what is on its screen."""

from __future__ import annotations

import time

import numpy as np
import pytest
from PIL import Image

from fyn.addon.colors import LINEAR_FROM_SRGB_BYTE

BACKENDS = ("vulkan", "opengl")


def picture(path, rect=None):
    """Return (H, W, 3) int of a picture, or of a part of it without its rounded corners."""
    image = np.array(Image.open(path).convert("RGB")).astype(int)
    if rect is None:
        return image
    left, top, right, bottom = rect
    return image[top:bottom, left:right]


def inner(pixels, margin=24):
    """Cut off what Blender draws at the border of a region."""
    return pixels[margin:-margin, margin:-margin]


def colors_in(pixels):
    return len(np.unique(pixels.reshape(-1, 3), axis=0))


@pytest.mark.parametrize("backend", BACKENDS)
def test_every_byte_of_every_channel_is_drawn_as_it_is(play, backend):
    played = play("all_bytes", backend=backend)
    assert played.findings["backend"] == backend.upper()
    for name in ("opaque", "transparent"):
        saved = np.load(played.folder / f"{name}.npz")
        pixels, drawn = saved["pixels"], saved["drawn"]
        alpha = pixels[..., 3:] / 255
        assert np.array_equal(np.rint(drawn[..., 3] * 255), pixels[..., 3])
        expected = LINEAR_FROM_SRGB_BYTE[pixels[..., :3]] * alpha
        assert np.abs(drawn[..., :3] - expected).max() < 1e-5
        shown = drawn[..., :3]
        encoded = np.where(
            shown <= 0.0031308, shown * 12.92, 1.055 * np.maximum(shown, 1e-9) ** (1 / 2.4) - 0.055
        )
        opaque = pixels[..., 3] == 255
        assert np.array_equal(np.rint(encoded * 255)[opaque], pixels[..., :3][opaque])
    part = np.load(played.folder / "part.npz")
    expected = LINEAR_FROM_SRGB_BYTE[part["pixels"][..., :3].repeat(2, 0).repeat(2, 1)]
    assert np.abs(part["drawn"][:4, 4:12, :3] - expected).max() < 1e-5
    assert not part["drawn"][4:].any()
    assert not part["drawn"][:, :4].any()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("change", ["plain", "shift", "parallel"])
def test_the_viewport_shows_what_f12_renders(play, change, backend):
    played = play("same_picture", change, backend=backend)
    shown = picture(played.folder / "viewport.png", played.findings["rect"])
    still = picture(played.folder / "still.png")
    assert shown.shape == still.shape
    difference = np.abs(inner(shown) - inner(still))
    assert colors_in(inner(still)) > 50
    assert difference.mean() <= 1.0
    assert np.percentile(difference, 99.5) <= 2


SCENES = (
    "khronos_gltf_io/scenes/01_principled_material.blend",
    "armory_examples/logic_pong/logic_pong.blend",
)


@pytest.mark.parametrize("scene", SCENES)
def test_the_viewport_shows_what_f12_renders_of_scenes_of_others(play, shared_data, scene):
    played = play("same_picture", blend=shared_data / scene)
    shown = picture(played.folder / "viewport.png", played.findings["rect"])
    still = picture(played.folder / "still.png")
    assert colors_in(inner(still)) > 50
    assert np.abs(inner(shown) - inner(still)).mean() <= 1.0


def test_several_views_and_windows_follow_edits_and_sizes(play):
    found = (played := play("several_views")).findings
    for name in ("both", "edited", "three", "maximised", "restored"):
        sizes = found[name]["sizes"]
        for region in sizes["regions"]:
            assert region in sizes["frames"], name
        for rect in found[name]["rects"]:
            assert colors_in(inner(picture(played.folder / f"{name}.png", rect))) > 20, name
    for before, after in zip(found["both"]["rects"], found["edited"]["rects"], strict=True):
        assert before == after
        seen = [picture(played.folder / f"{name}.png", before) for name in ("both", "edited")]
        assert (np.abs(seen[0] - seen[1]).max(-1) > 20).mean() > 0.005
    assert found["scenes"] == 1, "views of one scene share one world"
    assert found["windows"] == 2
    assert found["second"]["regions"][0] in found["second"]["frames"]
    assert found["scenes in the end"] == 0


@pytest.mark.parametrize("backend", BACKENDS)
def test_disabling_in_rendered_shading_leaves_nothing_behind(play, backend):
    played = play("disable", backend=backend)
    assert {place: left for place, left in played.findings["left"].items() if left} == {}
    rect = played.findings["rect"]
    assert colors_in(inner(picture(played.folder / "enabled.png", rect))) > 20
    assert "Traceback" not in played.output


@pytest.mark.parametrize("backend", BACKENDS)
def test_closing_blender_in_the_middle_of_a_frame_ends_it_soon(play, backend):
    played = play("close_mid_frame", backend=backend)
    assert played.findings["thread"]
    assert played.code == 0, played.output
    assert time.time() - played.findings["quit at"] < 30
    assert "Blender quit" in played.output
    assert "Traceback" not in played.output


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_view_that_cannot_be_drawn_says_why_and_recovers(play, backend):
    played = play("messages", backend=backend)
    rect = played.findings["rect"]
    shots = {
        name: inner(picture(played.folder / f"{name}.png", rect))
        for name in ("panorama", "perspective", "failure", "recovered")
    }
    for name in ("panorama", "failure"):
        ground = np.median(shots[name].reshape(-1, 3), axis=0)
        is_text = shots[name].max(-1) > 120
        assert ground.max() < 60, name
        assert 0.0005 < is_text.mean() < 0.1, name
    assert np.abs(shots["perspective"] - shots["recovered"]).mean() < 0.5
    assert np.abs(shots["perspective"] - shots["failure"]).mean() > 5


def test_the_view_follows_the_scene_and_what_it_is_told_to_show(play):
    played = play("follow")
    rect = played.findings["rect"]

    def seen(name):
        return inner(picture(played.folder / f"{name}.png", rect))

    def differ(one, other):
        return (np.abs(seen(one) - seen(other)).max(-1) > 12).mean()

    assert differ("start", "mesh edited") > 0.01
    assert differ("start", "undone") < 1e-4
    assert differ("undone", "added") > 0.01
    assert differ("added", "local") > 0.01
    assert differ("local", "hidden one moved") < 1e-4
    assert differ("added", "global") < 1e-4
    assert differ("removed", "undone") < 1e-4
    assert differ("frame 1", "frame 20") > 0.01
    assert differ("frame 1", "removed") < 1e-4
    assert differ("played", "frame 1") < 1e-4
    assert differ("fine", "played") < 1e-4

    whole = picture(played.folder / "fine.png", rect)
    region = picture(played.folder / "region.png", rect)
    left, bottom, right, top = played.findings["frame"]
    columns = slice(*(round(left + x * (right - left)) for x in (0.5, 0.75)))
    height = whole.shape[0]
    rows = slice(*(round(height - bottom - y * (top - bottom)) for y in (0.75, 0.25)))
    assert np.abs(region[rows, columns] - whole[rows, columns]).mean() < 1.0
    outside = np.ones(whole.shape[:2], bool)
    outside[rows, columns] = False
    outside[:24] = outside[-24:] = outside[:, :24] = outside[:, -24:] = False
    assert colors_in(region[outside]) < 20, "nothing is drawn outside the region"

    coarse = seen("coarse")
    steps = (np.abs(np.diff(coarse, axis=1)).max(-1) > 4).any(axis=0)
    assert steps.sum() <= coarse.shape[1] / 8 + 1, "pixels are 8 wide"
    assert np.abs(coarse - seen("fine")).mean() < 4


def test_previews_of_materials_worlds_and_lamps_are_drawn_by_fyn(play):
    played = play("previews")
    assert len(played.findings["drawn"]) >= 3
    assert all(played.findings["drawn"])
    material, world, lamp = (
        np.load(played.folder / f"{name}.npy") for name in ("material", "world", "lamp")
    )
    middle = material[material.shape[0] // 2, material.shape[1] // 2]
    assert middle[0] > 2 * max(middle[1], middle[2])
    assert np.median(world[..., 2]) > 2 * np.median(world[..., 0])
    assert lamp.std() > 0.01


def test_f12_runs_as_a_job_beside_a_rendered_view_and_escape_ends_it(play):
    played = play("render_job")
    assert played.findings["ended"] == ["render_complete", "render_cancel"]
    assert played.findings["seconds to cancel"] < 5
    assert colors_in(picture(played.folder / "job.png")) > 50
    assert "Traceback" not in played.output
