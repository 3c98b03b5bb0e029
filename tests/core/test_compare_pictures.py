"""Picture comparison: measures against formulas and scikit-image, limits, edges, bad input."""

from __future__ import annotations

import numpy as np
import pytest

from fyn.compare.comparison import ComparisonError, compare_images
from fyn.compare.difference import LEFT_OUT, SCALE_STOPS, difference_picture, difference_scale
from fyn.compare.pictures import read_picture, write_png
from fyn.compare.tolerance import Tolerance
from fyn.engine_core.errors import UsageError

ANYTHING = Tolerance(mean=255, share=1, ssim=-1)


def photo_like(size: tuple[int, int] = (90, 140), channels: int = 3, seed: int = 5) -> np.ndarray:
    """Smooth shapes, an edge and a little noise: (H, W, channels) uint8."""
    height, width = size
    y, x = np.mgrid[0:height, 0:width]
    random = np.random.default_rng(seed)
    planes = [
        120 + 80 * np.sin(x / (9 + c)) * np.cos(y / 13) + 40 * (x > width // 2) for c in range(3)
    ]
    if channels == 4:
        planes.append(np.full((height, width), 255.0))
    picture = np.stack(planes, axis=2)
    picture[:, :, :3] += random.normal(0, 3, (height, width, 3))
    return picture.clip(0, 255).astype(np.uint8)


def test_equal_pictures_agree_in_every_measure():
    picture = photo_like()
    comparison = compare_images(picture, picture.copy())
    measures = comparison.measures
    assert comparison.passed
    assert (measures.mean, measures.share, measures.ssim, measures.worst) == (0, 0, 1, 0)


def test_mean_and_share_follow_their_formulas():
    expected = np.zeros((10, 20, 3), np.uint8)
    actual = expected.copy()
    actual[:5, :, 0] = 10  # half of the pixels, one of three channels
    measures = compare_images(actual, expected, ANYTHING).measures
    assert measures.mean == pytest.approx(10 / 6)
    assert measures.share == 0.5
    assert measures.worst == pytest.approx(10)


def test_a_difference_of_exactly_the_pixel_limit_is_not_off_and_one_more_is():
    expected = np.full((16, 16, 3), 100, np.uint8)
    for step, share in ((5, 0.0), (6, 1.0)):
        actual = expected + np.uint8(step)
        assert compare_images(actual, expected, Tolerance(pixel=5)).measures.share == share


@pytest.mark.parametrize("noise", [2, 12, 60])
def test_similarity_equals_that_of_scikit_image(noise):
    metrics = pytest.importorskip("skimage.metrics", reason="scikit-image is not installed")
    expected = photo_like()
    shift = np.random.default_rng(noise).integers(-noise, noise + 1, expected.shape)
    actual = (expected.astype(int) + shift).clip(0, 255).astype(np.uint8)
    reference = metrics.structural_similarity(
        actual,
        expected,
        gaussian_weights=True,
        sigma=1.5,
        use_sample_covariance=False,
        data_range=255,
        channel_axis=2,
    )
    measured = compare_images(actual, expected, ANYTHING).measures.ssim
    assert measured == pytest.approx(reference, abs=1e-6)


def test_similarity_drops_for_blur_that_the_mean_hardly_sees():
    expected = photo_like()
    expected[::2, ::2] = 255 - expected[::2, ::2]
    wide = np.pad(expected.astype(float), ((1, 1), (1, 1), (0, 0)), mode="edge")
    rows, columns = expected.shape[:2]
    blurred = sum(wide[i : i + rows, j : j + columns] for i in range(3) for j in range(3)) / 9
    assert compare_images(blurred.astype(np.uint8), expected, ANYTHING).measures.ssim < 0.6


@pytest.mark.parametrize("size", [(1, 1), (1, 40), (10, 10), (11, 11), (3, 200)])
def test_pictures_smaller_than_the_window_are_compared_whole(size):
    expected = photo_like(size)
    assert compare_images(expected, expected).passed
    assert compare_images(expected // 3, expected, ANYTHING).measures.ssim < 0.9


def test_every_exceeded_limit_is_named():
    expected = photo_like()
    comparison = compare_images(255 - expected, expected, Tolerance(worst=100))
    text = "; ".join(comparison.reasons)
    assert not comparison.passed
    assert len(comparison.reasons) == 4
    for word in ("mean difference", "pixels off", "structural similarity", "worst pixel"):
        assert word in text


def test_floats_and_bytes_of_the_same_picture_agree():
    picture = photo_like()
    measures = compare_images(picture.astype(np.float64) / 255, picture).measures
    assert measures.worst < 1e-3


def test_a_value_that_is_not_finite_is_as_far_off_as_can_be():
    expected = np.full((8, 8, 3), 0.25, np.float32)
    for bad in (np.nan, np.inf, -np.inf):
        actual = expected.copy()
        actual[2, 3, 1] = bad
        comparison = compare_images(actual, expected, ANYTHING)
        assert comparison.measures.worst == pytest.approx(0.75 * 255)
        assert np.isfinite(comparison.measures.ssim)


def test_a_golden_picture_that_is_not_finite_is_refused():
    expected = np.full((8, 8, 3), np.nan, np.float32)
    with pytest.raises(ComparisonError, match="not finite"):
        compare_images(np.zeros((8, 8, 3), np.float32), expected)


def test_an_opaque_alpha_changes_nothing():
    expected = photo_like()
    actual = expected.copy()
    actual[0, 0] ^= 255
    with_alpha = np.dstack([actual, np.full(actual.shape[:2], 255, np.uint8)])
    assert (
        compare_images(with_alpha, expected, ANYTHING).measures
        == compare_images(actual, expected, ANYTHING).measures
    )


def test_colour_under_zero_alpha_does_not_count_but_alpha_does():
    expected = photo_like(channels=4)
    expected[:, :20, 3] = 0
    hidden = expected.copy()
    hidden[:, :20, :3] = 255
    assert compare_images(hidden, expected).measures.worst == 0
    shown = expected.copy()
    shown[:, :20, 3] = 255
    assert compare_images(shown, expected).measures.worst == 255


@pytest.mark.parametrize(
    ("actual", "expected", "words"),
    [
        (np.zeros((4, 5, 3), np.uint8), np.zeros((5, 4, 3), np.uint8), "actual 5x4, expected 4x5"),
        (np.zeros((4, 5), np.uint8), np.zeros((4, 5, 3), np.uint8), r"\(H, W, 3\)"),
        (np.zeros((4, 5, 2), np.uint8), np.zeros((4, 5, 3), np.uint8), "actual picture has shape"),
        (np.zeros((0, 5, 3), np.uint8), np.zeros((0, 5, 3), np.uint8), "no pixel"),
        (np.zeros((4, 5, 3), np.uint16), np.zeros((4, 5, 3), np.uint8), "uint16"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_words(actual, expected, words):
    with pytest.raises(ComparisonError, match=words):
        compare_images(actual, expected)


def half_and_half(shift: int = 0) -> np.ndarray:
    picture = np.full((40, 60, 3), 30, np.uint8)
    picture[:, 30 + shift :] = 220
    return picture


def test_an_edge_moved_by_a_pixel_passes_only_when_edges_are_left_out():
    moved, expected = half_and_half(1), half_and_half()
    assert not compare_images(moved, expected).passed
    outside = compare_images(moved, expected, Tolerance(edge_width=2))
    assert outside.passed
    assert outside.measures.worst == 0
    assert outside.measures.counted == pytest.approx(56 / 60)


def test_leaving_out_edges_keeps_differences_elsewhere():
    actual, expected = half_and_half(), half_and_half()
    actual[10:20, 5:15] += 40
    assert not compare_images(actual, expected, Tolerance(edge_width=2)).passed


def test_a_noisy_actual_picture_cannot_excuse_itself_as_edges():
    noise = np.random.default_rng(2).integers(0, 256, (40, 60, 3)).astype(np.uint8)
    comparison = compare_images(noise, half_and_half(), Tolerance(edge_width=2))
    assert comparison.measures.counted > 0.9
    assert not comparison.passed


def test_an_expected_picture_of_edges_alone_proves_nothing_and_fails():
    checker = (np.indices((32, 32)).sum(axis=0) % 2 * 255).astype(np.uint8)
    picture = np.repeat(checker[:, :, None], 3, axis=2)
    comparison = compare_images(picture, picture, Tolerance(edge_width=1))
    assert "outside edges" in comparison.reasons[0]


@pytest.mark.parametrize("field", ["mean", "pixel", "share", "worst", "edge_width", "ssim"])
@pytest.mark.parametrize("value", [-2.0, 1e9, float("nan")])
def test_limits_outside_their_range_are_refused(field, value):
    with pytest.raises(UsageError, match=f"tolerance.{field}"):
        Tolerance(**{field: value})


def test_the_difference_picture_uses_the_ends_of_its_scale():
    expected = np.zeros((20, 20, 3), np.uint8)
    actual = expected.copy()
    actual[:, 10:] = 200
    comparison = compare_images(actual, expected)
    assert difference_scale(comparison) == 255
    picture = difference_picture(comparison)
    assert tuple(picture[0, 0]) == SCALE_STOPS[0][1]
    assert picture[0, 15].sum() > picture[0, 0].sum()
    small = compare_images(expected + np.uint8(1), expected)
    assert difference_scale(small) == 16  # twice the limit of a pixel is 10: the next step


def test_the_difference_picture_marks_what_was_left_out():
    comparison = compare_images(half_and_half(1), half_and_half(), Tolerance(edge_width=2))
    assert tuple(difference_picture(comparison)[5, 30]) == LEFT_OUT


@pytest.mark.parametrize("name", ["plain.png", "Szene [1] größe Ω.png"])
def test_a_picture_survives_writing_and_reading(tmp_path, name):
    picture = photo_like(channels=4)
    picture[:4, :, 3] = 100
    for channels in (3, 4):
        write_png(tmp_path / "new folder" / name, picture[:, :, :channels])
        read = read_picture(tmp_path / "new folder" / name)
        assert np.array_equal(read[:, :, :channels], picture[:, :, :channels])


def test_floats_are_rounded_and_bad_values_do_not_stop_the_writing(tmp_path):
    picture = np.array([[[0.5, np.nan, np.inf], [-1.0, 2.0, 1.0]]], np.float32)
    write_png(tmp_path / "a.png", picture)
    assert read_picture(tmp_path / "a.png").tolist() == [[[128, 0, 255, 255], [0, 255, 255, 255]]]


@pytest.mark.parametrize(
    "content", [b"", b"not a picture", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01"]
)
def test_a_file_that_is_no_picture_is_named(tmp_path, content):
    path = tmp_path / "bild [2].png"
    path.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        read_picture(path)
    assert str(path) in str(caught.value)


def test_a_picture_cut_short_is_named(tmp_path):
    write_png(tmp_path / "a.png", photo_like())
    data = (tmp_path / "a.png").read_bytes()
    (tmp_path / "a.png").write_bytes(data[: len(data) // 2])
    with pytest.raises(UsageError, match=r"a\.png"):
        read_picture(tmp_path / "a.png")


def test_a_missing_picture_is_named(tmp_path):
    with pytest.raises(UsageError, match=r"there is no picture .*nothing\.png"):
        read_picture(tmp_path / "nothing.png")
