"""Images of every source become picture files as the artist saved them, or pixels."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from fyn.addon.sync.image_tiles import Tile, atlas, resized
from fyn.addon.sync.images import read_image
from fyn.engine_core.assets.image_io import decode
from fyn.engine_core.errors import LevelError


@pytest.fixture
def pixels():
    """(3, 5, 4) float32, bottom row first as Blender keeps it, every pixel another one."""
    values = np.linspace(0, 1, 3 * 5 * 4, dtype=np.float32).reshape(3, 5, 4)
    values[..., 3] = 1
    return values


def image_of(pixels, name="image", **options):
    image = bpy.data.images.new(name, pixels.shape[1], pixels.shape[0], alpha=True, **options)
    image.pixels.foreach_set(pixels.ravel())
    return image


def saved(pixels, path, kind="PNG"):
    image = image_of(pixels)
    image.filepath_raw, image.file_format = str(path), kind
    image.save()
    bpy.data.images.remove(image)
    return path


def same(found, pixels):
    return np.allclose(found / 255.0, pixels[::-1], atol=0.003)


def test_a_generated_image_is_read_top_row_first(empty_scene, pixels):
    data = read_image(image_of(pixels), "image").data
    assert data.encoded is None and data.pixels.dtype == np.uint8
    assert same(data.pixels, pixels)


def test_a_float_image_stays_float_and_straight(empty_scene):
    premultiplied = np.full((2, 2, 4), 0.5, np.float32)
    image = image_of(premultiplied, float_buffer=True)
    data = read_image(image, "image").data
    assert data.pixels.dtype == np.float32
    assert np.allclose(data.pixels, (1, 1, 1, 0.5))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_a_picture_file_is_kept_byte_for_byte(empty_scene, awkward_path, pixels, kind):
    path = saved(pixels, awkward_path / f"bild.{kind.lower()}", kind)
    image = bpy.data.images.load(str(path))
    data = read_image(image, "image").data
    assert data.encoded == path.read_bytes()
    image.pack()
    path.unlink()
    assert read_image(image, "image").data.encoded == data.encoded
    assert decode(data).shape == (3, 5, 4)


def test_another_kind_of_file_is_read_as_pixels(empty_scene, tmp_path, pixels):
    image = bpy.data.images.load(str(saved(pixels, tmp_path / "image.tga", "TARGA")))
    data = read_image(image, "image").data
    assert data.encoded is None and same(data.pixels, pixels)


def test_a_painted_picture_is_read_as_painted(empty_scene, tmp_path, pixels):
    image = bpy.data.images.load(str(saved(pixels, tmp_path / "image.png")))
    image.pixels.foreach_set((1 - pixels).ravel())
    data = read_image(image, "image").data
    assert data.encoded is None
    assert np.allclose(data.pixels[..., :3] / 255.0, (1 - pixels)[::-1, :, :3], atol=0.003)


@pytest.mark.parametrize(
    ("space", "expected", "warns"),
    [
        ("sRGB", "srgb", 0),
        ("Non-Color", "linear", 0),
        ("Linear Rec.709", "linear", 0),
        ("AgX Log", "srgb", 1),
    ],
)
def test_colour_spaces(empty_scene, pixels, space, expected, warns):
    image = image_of(pixels)
    image.colorspace_settings.name = space
    reading = read_image(image, "image")
    assert reading.data.color_space == expected
    assert len(reading.warnings) == warns and all(space in str(w) for w in reading.warnings)


@pytest.mark.parametrize("content", [None, b"", b"not a picture", b"\x89PNG\r\n\x1a\nbroken"])
def test_an_unreadable_file_is_pink_and_named(empty_scene, awkward_path, content):
    path = awkward_path / "bild [1].png"
    if content is not None:
        path.write_bytes(content)
    image = bpy.data.images.new("bild", 1, 1)
    image.source, image.filepath = "FILE", str(path)
    reading = read_image(image, "bild")
    assert reading.data.missing
    assert (decode(reading.data) == (255, 0, 255, 255)).all()
    (warning,) = reading.warnings
    assert warning.name == "bild" and "bild [1].png" in str(warning)


def test_a_sequence_shows_the_picture_of_its_frame(empty_scene, tmp_path):
    for frame in range(1, 4):
        saved(np.full((2, 2, 4), frame / 4, np.float32), tmp_path / f"s{frame:04d}.png")
    image = bpy.data.images.load(str(tmp_path / "s0001.png"))
    image.source = "SEQUENCE"
    material = bpy.data.materials.new("m")
    if material.node_tree is None:
        material.use_nodes = True
    node = material.node_tree.nodes.new("ShaderNodeTexImage")
    node.image = image
    node.image_user.frame_duration, node.image_user.use_auto_refresh = 3, True
    mesh = bpy.data.meshes.new("mesh")
    mesh.materials.append(material)
    empty_scene.collection.objects.link(bpy.data.objects.new("o", mesh))
    for frame in (3, 1, 2):
        empty_scene.frame_set(frame)
        evaluated = material.evaluated_get(bpy.context.evaluated_depsgraph_get())
        user = evaluated.node_tree.nodes[node.name].image_user
        shown = decode(read_image(image, "image", user).data)
        assert np.allclose(shown / 255.0, frame / 4, atol=0.003)


def test_tiles_lie_in_one_picture(empty_scene, tmp_path):
    for number, value in ((1001, 0.25), (1002, 0.5), (1011, 0.75)):
        side = 4 if number == 1001 else 8
        saved(np.full((side, side, 4), value, np.float32), tmp_path / f"tile.{number}.png")
    image = bpy.data.images.load(str(tmp_path / "tile.1001.png"))
    image.source = "TILED"
    image.filepath = str(tmp_path / "tile.<UDIM>.png")
    for number in (1002, 1011):
        if image.tiles.get(number) is None:
            image.tiles.new(number)
    reading = read_image(image, "image")
    assert reading.tile_grid == (2, 2)
    shown = reading.data.pixels[..., 0] / 255.0
    assert shown.shape == (16, 16)
    assert np.allclose([shown[12, 4], shown[12, 12], shown[4, 4]], [0.25, 0.5, 0.75], atol=0.003)
    assert reading.data.pixels[4, 12].tolist() == [0, 0, 0, 0]


@pytest.fixture
def two_tiles(empty_scene, tmp_path):
    """A tiled image of two files of 4 x 4, values 0.25 and 0.5."""
    for number, value in ((1001, 0.25), (1002, 0.5)):
        saved(np.full((4, 4, 4), value, np.float32), tmp_path / f"tile.{number}.png")
    image = bpy.data.images.load(str(tmp_path / "tile.1001.png"))
    image.source = "TILED"
    image.filepath = str(tmp_path / "tile.<UDIM>.png")
    if image.tiles.get(1002) is None:
        image.tiles.new(1002)
    return image


def test_a_missing_tile_is_pink_by_itself_and_named(two_tiles, tmp_path):
    (tmp_path / "tile.1002.png").unlink()
    reading = read_image(two_tiles, "image")
    assert reading.data.pixels[0, 0, 0] / 255 == pytest.approx(0.25, abs=0.003)
    assert reading.data.pixels[0, 4].tolist() == [255, 0, 255, 255]
    assert ["1002" in str(warning) for warning in reading.warnings] == [True]


def test_without_any_tile_the_whole_picture_is_missing(two_tiles, tmp_path):
    for number in (1001, 1002):
        (tmp_path / f"tile.{number}.png").unlink()
    assert read_image(two_tiles, "image").data.missing


def test_painted_tiles_are_read_as_painted(two_tiles):
    two_tiles.pixels.foreach_set(np.full(len(two_tiles.pixels), 0.75, np.float32))
    assert two_tiles.is_dirty
    reading = read_image(two_tiles, "image")
    shown = reading.data.pixels[0, :, 0] / 255
    assert np.allclose(shown[[0, 4]], [0.75, 0.5], atol=0.003) and reading.warnings == ()
    assert two_tiles.is_dirty  # nothing was saved over the artist's files


def test_an_atlas_places_rows_upwards():
    red, blue = (
        np.full((2, 2, 4), color, np.uint8) for color in ((255, 0, 0, 255), (0, 0, 255, 255))
    )
    picture, grid = atlas([Tile(1001, red), Tile(1021, blue)])
    assert grid == (1, 3) and picture.shape == (6, 2, 4)
    assert picture[-1, 0, 0] == 255 and picture[0, 0, 2] == 255 and picture[2, 0, 3] == 0
    with pytest.raises(LevelError):
        atlas([])


def test_resizing_keeps_constant_pictures_and_means():
    picture = np.random.default_rng(1).random((8, 8, 4)).astype(np.float32)
    assert resized(picture, (8, 8)) is picture
    assert np.allclose(resized(np.full((3, 5, 4), 0.3, np.float32), (17, 9)), 0.3)
    assert resized(picture, (4, 4)).mean() == pytest.approx(picture.mean(), abs=0.02)
