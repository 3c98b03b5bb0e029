"""Textures, colours, blending, and assets that are missing or broken."""

from __future__ import annotations

import dataclasses
import math

import msgspec
import numpy as np
import pytest

from fyn.engine_core.assets.image import ImageData
from fyn.engine_core.assets.image_io import encode_png
from fyn.engine_core.assets.material import Material, TextureSlot
from fyn.engine_core.render.gpu_textures import halved
from fyn.engine_core.world.components import MeshComponent
from fyn.engine_core.world.entity import Entity, Transform
from fyn.engine_core.world.world import World, WorldDelta

CHECKS = np.array(
    [[[255, 0, 0, 255], [0, 255, 0, 255]], [[0, 0, 255, 255], [188, 188, 188, 255]]], np.uint8
)
"""Red and green above blue and grey."""
GREY = 0.502886
"""Linear value of the sRGB code 188."""


def textured(scene, slot: TextureSlot, image: ImageData, mesh=None, **material) -> World:
    world = World(environment=scene.black)
    world.meshes["mesh"] = mesh or scene.quad(2.0)
    world.images["image"] = image
    world.materials["m"] = Material(
        base_color_texture=slot, shading="unlit", name="painted", **material
    )
    component = MeshComponent(mesh="mesh", materials=("m",))
    world.entities["e"] = Entity(id="e", mesh=component)
    return world


def corners(pixels: np.ndarray) -> np.ndarray:
    """The middles of the four quarters: top left, top right, bottom left, bottom right."""
    height, width = pixels.shape[:2]
    at = [(height // 4, width // 4), (height // 4, 3 * width // 4)]
    at += [(3 * height // 4, width // 4), (3 * height // 4, 3 * width // 4)]
    return np.array([pixels[place][:3] for place in at])


EXPECTED = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [GREY] * 3])
NEAREST = TextureSlot(image="image", filter="nearest")


def test_a_texture_stands_upright_and_is_decoded_from_srgb(scene, draw):
    world = textured(scene, NEAREST, ImageData("checks", pixels=CHECKS))
    pixels = draw(world, scene.flat_view((16, 16))).outputs["frame_linear"]
    np.testing.assert_allclose(corners(pixels), EXPECTED, atol=2e-3)


def test_a_linear_texture_is_not_decoded(scene, draw):
    world = textured(scene, NEAREST, ImageData("checks", "linear", pixels=CHECKS))
    pixels = draw(world, scene.flat_view((16, 16))).outputs["frame_linear"]
    np.testing.assert_allclose(corners(pixels)[3], 188 / 255, atol=2e-3)


def test_float_pixels_are_linear_and_unbounded_and_nan_is_black(scene, draw):
    pixels = np.ones((2, 2, 4), np.float32)
    pixels[0, 0, :3] = (7.5, 0.25, -1.0)
    pixels[1, 1, :3] = np.nan
    world = textured(scene, NEAREST, ImageData("light", pixels=pixels))
    seen = corners(draw(world, scene.flat_view((16, 16))).outputs["frame_linear"])
    np.testing.assert_allclose(seen[0], [7.5, 0.25, 0.0], atol=5e-3)
    np.testing.assert_array_equal(seen[3], 0)


def test_an_encoded_image_is_drawn_as_its_pixels(scene, draw):
    world = textured(scene, NEAREST, ImageData("checks", encoded=encode_png(CHECKS)))
    pixels = draw(world, scene.flat_view((16, 16))).outputs["frame_linear"]
    np.testing.assert_allclose(corners(pixels), EXPECTED, atol=2e-3)


@pytest.mark.parametrize(
    ("wrap", "order"),
    [("repeat", [0, 1, 2, 3]), ("mirror", [1, 0, 3, 2]), ("clamp", [1, 1, 3, 3])],
)
def test_textures_continue_beyond_their_edge_as_their_wrap_says(scene, draw, wrap, order):
    slot = TextureSlot(image="image", filter="nearest", wrap_u=wrap, offset=(1.0, 0.0))
    world = textured(scene, slot, ImageData("checks", pixels=CHECKS))
    pixels = draw(world, scene.flat_view((16, 16))).outputs["frame_linear"]
    np.testing.assert_allclose(corners(pixels), EXPECTED[order], atol=2e-3)


def test_a_texture_is_scaled_turned_and_then_moved(scene, draw):
    # A quarter turn that looks counter-clockwise maps (u, v) to (v, -u) with v down.
    slot = TextureSlot(image="image", filter="nearest", rotation=math.pi / 2)
    world = textured(scene, slot, ImageData("checks", pixels=CHECKS))
    pixels = draw(world, scene.flat_view((16, 16))).outputs["frame_linear"]
    # The spot at (u, v) shows the texel at (v, 1 - u).
    np.testing.assert_allclose(corners(pixels), EXPECTED[[2, 0, 3, 1]], atol=2e-3)
    slot = msgspec.structs.replace(slot, scale=(2.0, 1.0), offset=(0.0, 0.5))
    world = textured(scene, slot, ImageData("checks", pixels=CHECKS))
    pixels = draw(world, scene.flat_view((16, 16))).outputs["frame_linear"]
    u, v = np.meshgrid((np.arange(16) + 0.5) / 16, (np.arange(16) + 0.5) / 16)
    texel_u, texel_v = v, -2 * u + 0.5
    index = (texel_v % 1 >= 0.5) * 2 + (texel_u % 1 >= 0.5)
    np.testing.assert_allclose(pixels[..., :3], EXPECTED[index], atol=2e-3)


def test_a_texture_is_laid_out_by_the_uv_set_that_it_names(scene, draw):
    square = scene.quad(2.0)
    shifted = dataclasses.replace(
        square, uv_sets=(square.uv_sets[0], square.uv_sets[0] * 0, square.uv_sets[0] + [0.5, 0.0])
    )
    slot = TextureSlot(image="image", filter="nearest", uv_set=2)
    world = textured(scene, slot, ImageData("checks", pixels=CHECKS), mesh=shifted)
    pixels = draw(world, scene.flat_view((16, 16))).outputs["frame_linear"]
    np.testing.assert_allclose(corners(pixels), EXPECTED[[1, 0, 3, 2]], atol=2e-3)


def test_textures_of_two_uv_sets_and_a_warning_for_a_third(scene, draw):
    square = scene.quad(2.0)
    mesh = dataclasses.replace(square, uv_sets=tuple(square.uv_sets[0] for _ in range(3)))
    slots = [TextureSlot(image="image", filter="nearest", uv_set=n) for n in range(3)]
    world = textured(scene, slots[2], ImageData("checks", pixels=CHECKS), mesh=mesh,
                     emissive_texture=slots[1], emissive=(1.0, 1.0, 1.0))  # fmt: skip
    frame = draw(world, scene.flat_view((16, 16)))
    np.testing.assert_allclose(corners(frame.outputs["frame_linear"]), 2 * EXPECTED, atol=4e-3)
    assert frame.warnings == ()
    world.materials["m"] = msgspec.structs.replace(world.materials["m"], occlusion_texture=slots[0])
    frame = draw(world, scene.flat_view((16, 16)))
    assert "'painted' uses 3 UV maps" in frame.warnings[0]


def test_a_mesh_without_uvs_takes_the_first_texel_everywhere(scene, draw):
    bare = dataclasses.replace(scene.quad(2.0), uv_sets=())
    world = textured(scene, NEAREST, ImageData("checks", pixels=CHECKS), mesh=bare)
    pixels = draw(world, scene.flat_view((16, 16))).outputs["frame_linear"]
    np.testing.assert_allclose(corners(pixels), [[1, 0, 0]] * 4, atol=2e-3)


def test_the_chosen_vertex_colours_multiply_and_missing_ones_do_not(scene, draw):
    sets = tuple(
        np.tile(np.array(color, np.float32), (4, 1))
        for color in ((1.0, 0.5, 0.25, 1.0), (0.0, 0.0, 2.0, 1.0))
    )
    mesh = dataclasses.replace(scene.quad(2.0), color_sets=sets)
    expected = {None: (1, 1, 1), 0: (1, 0.5, 0.25), 1: (0, 0, 2), 7: (1, 1, 1)}
    for color_set, color in expected.items():
        world = World(environment=scene.black, meshes={"mesh": mesh})
        world.materials["m"] = Material(
            base_color=(1.0, 1.0, 1.0, 1.0), shading="unlit", vertex_color_set=color_set
        )
        component = MeshComponent(mesh="mesh", materials=("m",))
        world.entities["e"] = Entity(id="e", mesh=component)
        pixels = draw(world, scene.flat_view((8, 8))).outputs["frame_linear"]
        np.testing.assert_allclose(pixels[4, 4, :3], color, atol=1e-3)


TILTED = np.array([[[204, 128, 230, 255]]], np.uint8)
"""A normal map that leans 0.6 to the picture's right everywhere."""


def normal_drawn(scene, draw, mesh, uv_set: int) -> np.ndarray:
    world = World(environment=scene.black, meshes={"mesh": mesh})
    world.images["image"] = ImageData("tilted", "linear", pixels=TILTED)
    slot = TextureSlot(image="image", uv_set=uv_set)
    world.materials["m"] = Material(normal_texture=slot)
    component = MeshComponent(mesh="mesh", materials=("m",))
    world.entities["e"] = Entity(id="e", mesh=component)
    return draw(world, scene.flat_view((9, 9)), ("frame_normal",)).outputs["frame_normal"][4, 4]


def test_normal_maps_follow_the_mesh_tangents_of_their_own_uv_set_and_else_the_uvs(scene, draw):
    bare = scene.quad(2.0)
    bare = dataclasses.replace(bare, uv_sets=(bare.uv_sets[0],) * 2)
    # Tangents that point up instead of right show which of both is followed.
    up = np.tile(np.array([0.0, 1.0, 0.0, 1.0], np.float32), (4, 1))
    with_tangents = dataclasses.replace(bare, tangents=up)
    right = [0.6, 0.0, 0.8]
    np.testing.assert_allclose(normal_drawn(scene, draw, bare, 0), right, atol=8e-3)
    np.testing.assert_allclose(normal_drawn(scene, draw, with_tangents, 1), right, atol=8e-3)
    np.testing.assert_allclose(
        normal_drawn(scene, draw, with_tangents, 0), [0.0, 0.6, 0.8], atol=8e-3
    )


def test_cut_outs_are_holes_below_the_cutoff(scene, draw):
    pixels = np.full((1, 2, 4), 255, np.uint8)
    pixels[0, 0, 3] = 100
    image = ImageData("leaf", pixels=pixels)
    world = textured(scene, NEAREST, image, alpha_mode="mask", alpha_cutoff=0.5)
    frame = draw(world, scene.flat_view((16, 16)), ("frame_linear", "frame_depth"))
    assert frame.outputs["frame_linear"][8, 4, 0] == 0
    assert np.isinf(frame.outputs["frame_depth"][8, 4])
    np.testing.assert_allclose(frame.outputs["frame_linear"][8, 12, :3], 1, atol=1e-3)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_blended_surfaces_cover_each_other_back_to_front(scene, draw, order):
    layers = [  # far to near: colour, alpha
        ((1.0, 0.0, 0.0), 0.5),
        ((0.0, 1.0, 0.0), 0.25),
        ((0.0, 0.0, 1.0), 0.75),
    ]
    world = World(environment=scene.black, meshes={"mesh": scene.quad(2.0)})
    for number in order:
        color, alpha = layers[number]
        world.materials[f"m{number}"] = Material(
            base_color=(*color, alpha), alpha_mode="blend", shading="unlit"
        )
        component = MeshComponent(mesh="mesh", materials=(f"m{number}",))
        placed = Transform(translation=(0.0, 0.0, float(number)))
        world.entities[f"e{number}"] = Entity(id=f"e{number}", mesh=component, transform=placed)
    expected = np.zeros(3)
    for color, alpha in layers:
        expected = expected * (1 - alpha) + np.array(color) * alpha
    pixels = draw(world, scene.flat_view((8, 8))).outputs["frame_linear"]
    np.testing.assert_allclose(pixels[4, 4, :3], expected, atol=2e-3)


def test_blended_surfaces_are_hidden_by_opaque_ones_before_them(scene, draw):
    world = World(environment=scene.black, meshes={"mesh": scene.quad(2.0)})
    world.materials["glass"] = Material(
        base_color=(1.0, 0.0, 0.0, 0.5), alpha_mode="blend", shading="unlit"
    )
    world.materials["wall"] = Material(base_color=(0.0, 1.0, 0.0, 1.0), shading="unlit")
    for key, z in (("glass", -1.0), ("wall", 0.0)):
        component = MeshComponent(mesh="mesh", materials=(key,))
        placed = Transform(translation=(0.0, 0.0, z))
        world.entities[key] = Entity(id=key, mesh=component, transform=placed)
    pixels = draw(world, scene.flat_view((8, 8))).outputs["frame_linear"]
    np.testing.assert_allclose(pixels[4, 4, :3], [0, 1, 0], atol=1e-3)


BROKEN = {
    "no image of that id": None,
    "marked as missing": ImageData("lost.png", pixels=CHECKS * 0 + 9, missing=True),
    "not a picture": ImageData("notes.png", encoded=b"dear diary"),
    "cut short": ImageData("half.png", encoded=encode_png(CHECKS)[:50]),
    "neither file nor pixels": ImageData("void.png"),
}


@pytest.mark.parametrize("kind", BROKEN)
@pytest.mark.parametrize("role", ["base_color_texture", "normal_texture", "occlusion_texture"])
def test_a_missing_or_broken_image_is_pink_with_a_warning_that_names_it(scene, draw, kind, role):
    image = BROKEN[kind]
    world = World(environment=scene.black, meshes={"mesh": scene.quad(2.0)})
    if image is not None:
        world.images["image"] = image
    slot = TextureSlot(image="image")
    world.materials["m"] = Material(base_color=(1.0,) * 4, shading="unlit", **{role: slot})
    component = MeshComponent(mesh="mesh", materials=("m",))
    world.entities["e"] = Entity(id="e", mesh=component)
    frame = draw(world, scene.flat_view((8, 8)))
    if kind != "marked as missing":
        np.testing.assert_allclose(frame.outputs["frame_linear"][4, 4, :3], [1, 0, 1], atol=1e-3)
    assert len(frame.warnings) == 1
    assert (image.name if image else "'image'") in frame.warnings[0]
    assert "pink" in frame.warnings[0]


def test_an_image_that_comes_later_replaces_the_pink_one(scene, make_renderer):
    world = textured(scene, NEAREST, ImageData("checks", pixels=CHECKS))
    image = world.images.pop("image")
    renderer = make_renderer(world)
    view = scene.flat_view((16, 16))
    assert len(renderer.render(view, ("frame_linear",), scene.plain).warnings) == 1
    renderer.apply(WorldDelta(images={"image": image}))
    frame = renderer.render(view, ("frame_linear",), scene.plain)
    np.testing.assert_allclose(corners(frame.outputs["frame_linear"]), EXPECTED, atol=2e-3)
    assert frame.warnings == ()
    renderer.apply(WorldDelta(removed_images=frozenset(["image"])))
    frame = renderer.render(view, ("frame_linear",), scene.plain)
    np.testing.assert_allclose(frame.outputs["frame_linear"][4, 4, :3], [1, 0, 1], atol=1e-3)


def test_an_image_too_large_for_the_driver_is_halved_with_a_warning(
    scene, draw, device, monkeypatch
):
    large = np.repeat(np.repeat(CHECKS, 8, axis=0), 8, axis=1)
    monkeypatch.setattr(device, "info", dataclasses.replace(device.info, max_texture_size=4))
    world = textured(scene, NEAREST, ImageData("huge.png", pixels=large))
    world_view = scene.flat_view((4, 4))
    frame = draw(world, world_view)
    monkeypatch.undo()
    np.testing.assert_allclose(corners(frame.outputs["frame_linear"]), EXPECTED, atol=2e-3)
    assert "'huge.png' has 16 x 16 pixels, this driver takes 4 a side" in frame.warnings[0]
    assert "4 x 4" in frame.warnings[0]


def test_halving_averages_and_keeps_odd_edges():
    pixels = np.arange(3 * 5 * 4, dtype=np.float32).reshape(3, 5, 4)
    half = halved(pixels)
    assert half.shape == (2, 3, 4)
    np.testing.assert_array_equal(half[0, 0], pixels[:2, :2].mean(axis=(0, 1)))
    np.testing.assert_array_equal(half[1, 2], pixels[2, 4])
    assert halved(np.full((4, 4, 4), 200, np.uint8)).dtype == np.uint8


def test_missing_meshes_and_materials_are_warnings(scene, draw):
    world = World(environment=scene.black, meshes={"mesh": scene.quad(2.0)})
    world.entities["a"] = Entity(id="a", mesh=MeshComponent(mesh="nowhere"))
    world.entities["b"] = Entity(id="b", mesh=MeshComponent(mesh="mesh", materials=("unmade",)))
    frame = draw(world, scene.flat_view((8, 8)), ("frame_depth",))
    assert np.isfinite(frame.outputs["frame_depth"]).all()
    assert any("Mesh 'nowhere' does not exist" in text for text in frame.warnings)
    assert any("Material 'unmade' does not exist" in text for text in frame.warnings)


def test_bad_coordinates_and_indices_cost_only_their_own_triangles(scene, draw):
    positions = [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0], [float("nan"), 0, 0]]
    for extra in ([0, 1, 4], [0, 1, 99], [0, 1, 2**32 - 1]):
        mesh = scene.mesh(positions, [0, 1, 2, *extra, 0, 2, 3], name="torn")
        world = World(environment=scene.black, meshes={"mesh": mesh})
        world.entities["a"] = Entity(id="a", mesh=MeshComponent(mesh="mesh"))
        frame = draw(world, scene.flat_view((8, 8)), ("frame_depth",))
        assert np.isfinite(frame.outputs["frame_depth"]).all()
        assert "Mesh 'torn' has 1 triangles" in frame.warnings[0]


def test_empty_meshes_and_zero_area_faces_are_drawn_as_nothing(scene, draw):
    world = World(environment=scene.black)
    world.meshes["empty"] = scene.mesh(np.zeros((0, 3)), [])
    world.meshes["points"] = scene.mesh([[0, 0, 0], [1, 0, 0]], [])
    world.meshes["line"] = scene.mesh([[0, 0, 0], [1, 0, 0]], [0, 1, 1, 0, 0, 0])
    for key in world.meshes:
        world.entities[key] = Entity(id=key, mesh=MeshComponent(mesh=key))
    frame = draw(world, scene.flat_view((8, 8)), ("frame_depth",))
    assert np.isinf(frame.outputs["frame_depth"]).all()


def test_a_scale_of_zero_and_a_matrix_of_nan_are_skipped_with_a_warning(scene, draw):
    world = World(environment=scene.black, meshes={"mesh": scene.quad(2.0)})
    component = MeshComponent(mesh="mesh")
    world.entities["flat"] = Entity(
        id="flat", mesh=component, transform=Transform(scale=(0.0, 0.0, 0.0))
    )
    world.entities["odd"] = Entity(
        id="odd", mesh=component, transform=Transform(matrix=(float("nan"),) * 16)
    )
    frame = draw(world, scene.flat_view((8, 8)), ("frame_depth",))
    assert np.isinf(frame.outputs["frame_depth"]).all()
    assert len(frame.warnings) == 2


def test_what_is_wrong_is_logged_once(scene, make_renderer):
    said: list[str] = []
    world = World(entities={"a": Entity(id="a", mesh=MeshComponent(mesh="nowhere"))})
    renderer = make_renderer(world, log=said.append)
    for _ in range(3):
        renderer.render(scene.flat_view((8, 8)), settings=scene.plain)
    assert len(said) == 1
    assert "nowhere" in said[0]
