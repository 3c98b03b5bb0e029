"""Numbers that vary over a surface: constants fold, pictures stay exact as far as they can."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fyn.addon.sync.derived_images import compute, evaluate, linear_from_srgb, srgb_from_linear
from fyn.addon.sync.materials.formulas import MATH, MATH_ARITY, hsv_to_rgb, rgb_to_hsv
from fyn.addon.sync.materials.pictures import DerivedImage
from fyn.addon.sync.materials.samples import (
    ChannelSource,
    ImageSample,
    UvMapping,
    slot_transform,
)
from fyn.addon.sync.materials.values import (
    Color,
    Unrepresentable,
    above,
    add,
    affine,
    as_product,
    combine,
    constant,
    lerp,
    luminance,
    multiply,
    sampled,
)

WOOD = ImageSample(1, 0, UvMapping(), name="wood")
MASK = ImageSample(2, 0, UvMapping(), name="mask")
PIXELS = {
    sample: np.random.default_rng(sample.uid).random((5, 7, 4)).astype(np.float32)
    for sample in (WOOD, MASK)
}


def channel(sample, name):
    return sampled(ChannelSource(sample, name))


def shown(number):
    return evaluate(number, PIXELS)


R, G = channel(WOOD, "r"), channel(WOOD, "g")
M = channel(MASK, "a")
r, g, m = PIXELS[WOOD][..., 0], PIXELS[WOOD][..., 1], PIXELS[MASK][..., 3]


def test_constants_fold():
    assert add(constant(2), multiply(constant(3), constant(4))) == constant(14)
    assert lerp(constant(0), constant(10), constant(0.25)) == constant(2.5)
    assert combine(np.sqrt, constant(9)) == constant(3)
    assert constant(float("nan")) == constant(0)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (affine(R, -1, 1), 1 - r),
        (add(R, affine(R, 2, 0.5)), 3 * r + 0.5),
        (multiply(affine(R, -1, 1), M), (1 - r) * m),
        (multiply(multiply(R, M), constant(3)), r * m * 3),
        (multiply(R, R), r * r),
        (lerp(constant(0.2), constant(0.7), R), 0.2 + 0.5 * r),
        (lerp(constant(0), R, M), r * m),
        (lerp(R, constant(0), M), r * (1 - m)),
        (lerp(R, R, M), r),
        (combine(lambda a: a**2.2, affine(R, 0.5, 0.1)), (0.5 * r + 0.1) ** 2.2),
        (above(R, 0.4), (r > 0.4) * 1.0),
        (affine(above(R, 0.4), -1, 1), (r <= 0.4) * 1.0),
        (multiply(R, R), r * r),
    ],
)
def test_what_is_computed_from_pictures_is_what_each_pixel_would_give(number, expected):
    assert np.allclose(shown(number), expected, atol=2e-4)


def test_a_sum_of_different_pictures_is_refused_in_words():
    with pytest.raises(Unrepresentable, match="pictures"):
        add(R, M)
    with pytest.raises(Unrepresentable):
        combine(np.sqrt, multiply(R, M))


def test_luminance_of_a_picture_weighs_its_channels():
    whole = Color(*(channel(WOOD, name) for name in "rgb"))
    expected = PIXELS[WOOD][..., :3] @ np.array([0.2126, 0.7152, 0.0722], np.float32)
    assert np.allclose(shown(luminance(whole)), expected, atol=1e-6)
    assert luminance(Color(R, R, R)) == R


def test_a_coloured_picture_is_known_as_a_product():
    whole = Color(*(channel(WOOD, name) for name in "rgb"))
    tinted = Color(*(multiply(x, constant(f)) for x, f in zip(whole, (1, 0.5, 0.25), strict=True)))
    product = as_product(tinted)
    assert product.factors == (1, 0.5, 0.25) and len(product.lookups) == 1
    assert as_product(Color(*(affine(x, -1, 1) for x in whole))) is None


def test_a_computed_picture_encodes_colours_and_keeps_data():
    recipe = DerivedImage((affine(R, -1, 1), G, constant(1), M), is_color=False)
    pixels = compute(recipe, PIXELS.__getitem__)
    assert np.allclose(pixels[..., 0], np.rint((1 - r) * 255), atol=1)
    assert np.allclose(pixels[..., 3], np.rint(m * 255), atol=1)
    assert (pixels[..., 2] == 255).all()
    colored = compute(DerivedImage((R, G, constant(1), M), is_color=True), PIXELS.__getitem__)
    decoded = linear_from_srgb(colored[..., 0] / np.float32(255))
    assert np.allclose(decoded, r, atol=0.01)
    assert np.array_equal(colored[..., 3], pixels[..., 3])


@given(st.floats(0, 1))
def test_srgb_decoding_undoes_encoding(value):
    there = srgb_from_linear(np.float32([value]))
    assert linear_from_srgb(there)[0] == pytest.approx(value, abs=1e-5)


@given(st.tuples(*[st.floats(0, 4)] * 3))
def test_hue_saturation_value_comes_back(rgb):
    assert hsv_to_rgb(rgb_to_hsv(rgb)) == pytest.approx(rgb, abs=1e-5)


@pytest.mark.parametrize("operation", sorted(MATH))
def test_every_operation_takes_what_it_says_and_gives_finite_numbers(operation):
    generator = np.random.default_rng(3)
    arguments = generator.normal(size=(MATH_ARITY[operation], 50))
    arguments[:, :3] = 0
    with np.errstate(all="ignore"):
        result = np.nan_to_num(MATH[operation](*arguments), nan=0, posinf=0, neginf=0)
    assert np.isfinite(result).all() and np.shape(result) == (50,)


@given(
    st.tuples(*[st.floats(-3, 3)] * 2),
    st.floats(-3.1, 3.1),
    st.tuples(*[st.floats(0.1, 4)] * 2),
    st.tuples(*[st.floats(-2, 2)] * 2),
)
def test_a_mapping_node_and_its_slot_read_the_same_texel(location, angle, scale, uv):
    cos, sin = np.cos(angle), np.sin(angle)
    mapping = UvMapping().then(
        (cos * scale[0], -sin * scale[1], location[0], sin * scale[0], cos * scale[1], location[1])
    )
    a, b, c, d, e, f = mapping.matrix
    in_blender = (a * uv[0] + b * uv[1] + c, d * uv[0] + e * uv[1] + f)
    slot = slot_transform(mapping)
    u, v = uv[0] * slot.scale[0], (1 - uv[1]) * slot.scale[1]
    cos, sin = np.cos(slot.rotation), np.sin(slot.rotation)
    found = (cos * u + sin * v + slot.offset[0], -sin * u + cos * v + slot.offset[1])
    assert not slot.sheared
    assert (found[0], 1 - found[1]) == pytest.approx(in_blender, abs=1e-6)
