"""Bump nodes: a height becomes a picture of slopes, in metres, with a normal map under it."""

from __future__ import annotations

import numpy as np
import pytest


def put(node, pixels):
    """Make (8, 8) numbers the image of an image node, row 0 at the bottom."""
    full = np.ones((8, 8, 4), np.float32)
    full[..., :3] = pixels[..., None]
    node.image.pixels.foreach_set(full.ravel())


def bump(tree, height, **inputs):
    node = tree.add("Bump")
    tree.link(height, node.inputs["Height"])
    node.inputs["Distance"].default_value = 1.0
    for name, value in inputs.items():
        tree.feed(node.inputs[name], value)
    return node


def slopes(tree, material):
    """What rises a unit of u and of v (downwards), (8, 8) each, top row first."""
    pixels = tree.pixels(material.normal_texture)
    across, down = pixels[..., 2] * 2 - 1, pixels[..., 3] * 2 - 1
    upright = np.sqrt(1 - across**2 - down**2)
    return across / upright * material.bump_distance, down / upright * material.bump_distance


def waves():
    """A height whose slopes are those of central differences, known exactly."""
    angle = np.arange(8) / 8 * 2 * np.pi
    return (0.5 + 0.2 * np.sin(angle)[None, :] + 0.1 * np.cos(angle)[:, None]).astype(np.float32)


def expected():
    height = waves()[::-1]
    across = (np.roll(height, -1, 1) - np.roll(height, 1, 1)) * 4
    down = (np.roll(height, -1, 0) - np.roll(height, 1, 0)) * 4
    return across, down


def test_slopes_are_those_of_the_picture(tree):
    picture = tree.picture()
    put(picture, waves())
    tree.principled(Normal=bump(tree, picture.outputs["Color"]).outputs[0])
    material = tree.read()
    across, down = slopes(tree, material)
    np.testing.assert_allclose(across, expected()[0], atol=0.06)
    np.testing.assert_allclose(down, expected()[1], atol=0.06)
    assert material.bump_strength == pytest.approx(tree.nodes["Bump"].inputs[0].default_value)
    assert np.abs(tree.pixels(material.normal_texture)[..., :2] - 0.5).max() < 0.01
    assert tree.warnings == []


def test_distance_invert_and_arithmetic_scale_the_height(tree):
    picture = tree.picture()
    put(picture, waves())
    half = tree.add("Math", operation="MULTIPLY_ADD")
    tree.link(picture.outputs["Color"], half.inputs[0])
    half.inputs[1].default_value, half.inputs[2].default_value = 0.5, 0.2
    node = bump(tree, half.outputs[0], Distance=0.1)
    node.invert = True
    tree.principled(Normal=node.outputs[0])
    material = tree.read()
    assert material.bump_distance < 0
    np.testing.assert_allclose(slopes(tree, material)[0], -0.05 * expected()[0], atol=0.004)


def test_the_edge_of_a_picture_that_does_not_repeat_is_no_cliff(tree):
    picture = tree.picture(extension="EXTEND")
    put(picture, np.broadcast_to(np.arange(8, dtype=np.float32) / 7, (8, 8)))
    tree.principled(Normal=bump(tree, picture.outputs["Color"]).outputs[0])
    across, down = slopes(tree, tree.read())
    np.testing.assert_allclose(across[:, 1:-1], 8 / 7, atol=0.05)
    np.testing.assert_allclose(across[:, 0], 4 / 7, atol=0.05)
    np.testing.assert_allclose(down, 0, atol=0.05)


def test_a_normal_map_is_kept_under_the_bump(tree):
    height, normals = tree.picture("height"), tree.picture("normals")
    node = bump(tree, height.outputs["Color"])
    tree.link(tree.normal_map(normals.outputs["Color"]).outputs[0], node.inputs["Normal"])
    tree.principled(Normal=node.outputs[0])
    material = tree.read()
    source = np.empty(8 * 8 * 4, np.float32)
    normals.image.pixels.foreach_get(source)
    pixels = tree.pixels(material.normal_texture)
    np.testing.assert_allclose(pixels[..., :2], source.reshape(8, 8, 4)[::-1, :, :2], atol=0.01)
    assert material.bump_distance > 0
    assert tree.warnings == []


def test_a_height_that_is_the_same_everywhere_is_no_bump(tree):
    node = bump(tree, tree.add("Value").outputs[0])
    tree.principled(Normal=node.outputs[0])
    material = tree.read()
    assert (material.normal_texture, material.bump_distance) == (None, 0)


def test_a_procedural_height_asks_for_a_bake(tree):
    node = bump(tree, tree.add("TexNoise").outputs[0])
    tree.principled(Normal=node.outputs[0])
    assert tree.read().normal_texture is None
    assert any("Noise Texture" in warning and "Bake" in warning for warning in tree.warnings)


def test_of_two_bumps_in_a_row_the_last_is_drawn_and_the_other_named(tree):
    first = bump(tree, tree.picture("first").outputs["Color"])
    last = bump(tree, tree.picture("last").outputs["Color"], Normal=first.outputs[0])
    tree.principled(Normal=last.outputs[0])
    assert tree.read().normal_texture.image == "last (bump)"
    assert len(tree.warnings) == 1
