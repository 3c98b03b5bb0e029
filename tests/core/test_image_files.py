"""Image files: pixels come back as they were, and damaged or huge files are refused by name."""

from __future__ import annotations

import contextlib
import gc
import io
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from fyn.engine_core.assets import image_io
from fyn.engine_core.assets.float_image import decode_floats, encode_floats
from fyn.engine_core.assets.image import ImageData
from fyn.engine_core.assets.image_io import (
    decode,
    decode_bytes,
    encode_png,
    image_format,
    missing_image,
    read_header,
)
from fyn.engine_core.errors import LevelError, UsageError


@pytest.fixture
def pixels() -> np.ndarray:
    return np.random.default_rng(3).integers(0, 256, (5, 7, 4), dtype=np.uint8)


def file_of(picture: Image.Image, kind: str, **options: object) -> bytes:
    out = io.BytesIO()
    picture.save(out, kind, **options)
    return out.getvalue()


def png_header(width: int, height: int) -> bytes:
    """A PNG whose header promises a size, followed by one empty data chunk."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


def test_png_gives_the_same_pixels_back_with_straight_alpha(pixels):
    pixels[..., 3] = np.arange(7) * 40  # transparent pixels keep their colour
    assert np.array_equal(decode_bytes(encode_png(pixels), "x"), pixels)


def test_the_same_pixels_give_the_same_png(pixels):
    assert encode_png(pixels) == encode_png(pixels.copy())
    opaque = pixels.copy()
    opaque[..., 3] = 255
    assert encode_png(opaque) == encode_png(opaque[..., :3])


@pytest.mark.parametrize("shape", [(0, 3, 4), (3, 3), (3, 3, 2)])
def test_a_png_of_impossible_pixels_is_refused(shape):
    with pytest.raises(UsageError):
        encode_png(np.zeros(shape, np.uint8))


def test_pixels_are_top_row_first():
    picture = Image.new("RGB", (1, 2))
    picture.putpixel((0, 0), (255, 0, 0))
    assert decode_bytes(file_of(picture, "PNG"), "x")[0, 0].tolist() == [255, 0, 0, 255]


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_every_kind_of_png_becomes_rgba_as_pillow_sees_it(mode, pixels):
    if mode == "I;16":
        grey = np.arange(35, dtype=np.uint16).reshape(5, 7) * 1800
        expected = np.repeat((grey >> 8).astype(np.uint8)[..., None], 4, axis=2)
        expected[..., 3] = 255
        encoded = file_of(Image.fromarray(grey), "PNG")
    else:
        picture = Image.fromarray(pixels).convert(mode)
        expected, encoded = np.asarray(picture.convert("RGBA")), file_of(picture, "PNG")
    decoded = decode_bytes(encoded, "x")
    assert decoded.dtype == np.uint8
    assert np.array_equal(decoded, expected)


@pytest.mark.parametrize(
    ("kind", "mode", "name"),
    [
        ("JPEG", "RGB", "jpeg"),
        ("JPEG", "L", "jpeg"),
        ("JPEG", "CMYK", "jpeg"),
        ("WEBP", "RGBA", "webp"),
    ],
)
def test_jpeg_and_webp_decode_within_what_their_compression_loses(kind, mode, name):
    ramp = np.zeros((32, 32, 4), np.uint8)
    ramp[..., :3] = np.linspace(40, 200, 32).astype(np.uint8)[:, None, None]
    ramp[..., 3] = 255
    encoded = file_of(Image.fromarray(ramp).convert(mode), kind, quality=95)
    assert image_format(encoded) == name
    error = decode_bytes(encoded, "x").astype(int) - ramp
    assert np.abs(error).max() <= 6


def test_orientation_and_colour_profiles_of_a_file_are_ignored(pixels):
    picture = Image.fromarray(pixels[..., :3])
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    plain, turned = file_of(picture, "JPEG"), file_of(picture, "JPEG", exif=exif.tobytes())
    assert np.array_equal(decode_bytes(plain, "x"), decode_bytes(turned, "x"))


def test_what_is_decoded_cannot_be_written_to(pixels):
    with pytest.raises(ValueError, match="read-only"):
        decode_bytes(encode_png(pixels), "x")[0, 0, 0] = 1


def test_the_file_counts_over_the_pixels_unless_it_is_broken(pixels):
    other = 255 - pixels
    assert np.array_equal(decode(ImageData("x", encoded=encode_png(pixels), pixels=other)), pixels)
    assert np.array_equal(decode(ImageData("x", encoded=b"broken", pixels=other)), other)


def test_float_pixels_are_handed_through_as_they_are():
    pixels = np.full((1, 2, 4), 37.5, np.float32)
    assert decode(ImageData("x", pixels=pixels)) is pixels


def test_a_picture_is_decoded_once_and_forgotten_with_its_image(pixels, monkeypatch):
    cache = image_io._DecodedImages(image_io.CACHE_BYTES)
    monkeypatch.setattr(image_io, "_decoded", cache)
    image = ImageData("x", encoded=encode_png(pixels))
    assert decode(image) is decode(image)
    assert cache._bytes == pixels.nbytes
    del image
    gc.collect()
    assert (cache._bytes, len(cache._entries)) == (0, 0)


def test_the_cache_stays_within_its_limit_and_keeps_what_was_used_last(pixels, monkeypatch):
    cache = image_io._DecodedImages(2 * pixels.nbytes)
    monkeypatch.setattr(image_io, "_decoded", cache)
    images = [ImageData(f"{k}", encoded=encode_png(pixels)) for k in range(3)]
    first, second, _ = decode(images[0]), decode(images[1]), decode(images[0])
    decode(images[2])
    assert cache._bytes == 2 * pixels.nbytes
    assert decode(images[0]) is first
    assert decode(images[1]) is not second


@pytest.mark.parametrize(
    "encoded",
    [
        b"",
        b"GIF89a" + bytes(40),
        b"%!PS-Adobe-3.0 EPSF-3.0",
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff\xe0",
        b"RIFF\x10\0\0\0WEBPVP8 ",
        png_header(3, 3),
    ],
)
def test_a_file_that_is_no_picture_is_refused_by_name(encoded):
    with pytest.raises(LevelError, match=r"'Rinde \[1\]'"):
        decode_bytes(encoded, "Rinde [1]")


def test_a_truncated_picture_is_refused_by_name(pixels):
    large = np.random.default_rng(0).integers(0, 256, (64, 64, 4), dtype=np.uint8)
    encoded = encode_png(large)
    assert read_header(encoded[: len(encoded) // 2], "x").width == 64
    with pytest.raises(LevelError, match="'Bark'"):
        decode_bytes(encoded[: len(encoded) // 2], "Bark")


@pytest.mark.parametrize("size", [(60000, 60000), (1, 2**31 - 1), (16384, 16384), (16385, 1)])
def test_a_bomb_is_refused_by_its_header_before_anything_is_decoded(size, monkeypatch):
    def explode(*_):
        raise AssertionError("decoded")

    monkeypatch.setattr(Image.Image, "load", explode)
    with pytest.raises(LevelError, match=f"{size[0]} x {size[1]} pixels"):
        decode_bytes(png_header(*size), "Bomb")


def test_a_header_tells_format_and_size_without_the_pixels():
    header = read_header(png_header(8192, 4096), "x")
    assert (header.format, header.width, header.height) == ("png", 8192, 4096)


def test_the_stand_in_for_a_missing_image_is_pink_and_says_so():
    image = missing_image("Rinde.png")
    assert (image.name, image.missing) == ("Rinde.png", True)
    assert (decode(image) == (255, 0, 255, 255)).all()


def test_an_image_of_nothing_is_refused_by_name():
    with pytest.raises(LevelError, match="'Leer'"):
        decode(ImageData("Leer"))
    with pytest.raises(LevelError, match="'Leer'"):
        decode(ImageData("Leer", pixels=np.zeros((2, 2), np.float32)))


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_damaged_files_raise_level_errors_and_nothing_else(data):
    kind = data.draw(st.sampled_from(["PNG", "JPEG", "WEBP"]))
    picture = Image.fromarray(np.arange(192, dtype=np.uint8).reshape(8, 8, 3))
    encoded = bytearray(file_of(picture, kind))
    for _ in range(data.draw(st.integers(1, 4))):
        encoded[data.draw(st.integers(0, len(encoded) - 1))] = data.draw(st.integers(0, 255))
    encoded = encoded[: data.draw(st.integers(0, len(encoded)))]
    with contextlib.suppress(LevelError):
        assert decode_bytes(bytes(encoded), "x").shape[2] == 4


def test_floats_are_stored_as_halves_only_where_halves_are_exact():
    exact = np.array([[[0.5, 1024.0, -0.0, 6.1e-5]]], np.float32).round(4)
    exact[..., 3] = np.float32(np.float16(6.1e-5))
    for pixels, encoding in (
        (exact, "rgba16f"),
        (exact + np.float32(1e-4), "rgba32f"),
        (exact * 1e5, "rgba32f"),
    ):
        chosen, data = encode_floats(pixels)
        assert chosen == encoding
        assert decode_floats(data, chosen, 1, 1).tobytes() == pixels.tobytes()


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (bytes(15), (1, 1)),
        (bytes(17), (1, 1)),
        (bytes(16), (1, 2**40)),
        (bytes(16), (2**40, 2**40)),
        (struct.pack("<4f", 0, 0, float("nan"), 0), (1, 1)),
        (struct.pack("<4f", 0, 0, float("inf"), 0), (1, 1)),
    ],
)
def test_float_files_of_another_length_or_with_nan_are_refused(data, size):
    with pytest.raises(LevelError):
        decode_floats(data, "rgba32f", *size)
