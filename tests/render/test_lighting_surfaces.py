"""Maps of a material as light shows them: bumps, roughness, occlusion, emission, sides."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from fyn.engine_core.assets.image import ImageData
from fyn.engine_core.assets.material import Material, TextureSlot
from fyn.engine_core.world.components import Environment, LightComponent, MeshComponent
from fyn.engine_core.world.entity import Entity, Transform
from fyn.engine_core.world.world import World

CHALK = {"base_color": (1.0, 1.0, 1.0, 1.0), "roughness": 1.0, "ior": 1.0}
SLANT = 0.6


def one_texel(*rgb):
    return ImageData("texel", color_space="linear", pixels=np.array([[[*rgb, 1.0]]], np.float32))


def bump(x, y):
    """A map whose only texel leans by x to the picture's right and by y up."""
    normal = np.array([x, y, math.sqrt(1 - x * x - y * y)])
    return one_texel(*(normal * 0.5 + 0.5))


def tile(scene, mesh, material, image=None, environment=None, transform=None):
    world = World(environment=environment or scene.black)
    world.meshes["tile"] = mesh
    world.materials["m"] = material
    if image is not None:
        world.images["map"] = image
    world.entities["tile"] = Entity(
        id="tile",
        mesh=MeshComponent(mesh="tile", materials=("m",)),
        transform=transform or Transform(),
    )
    return world


def bumped(scene, mesh, image, transform=None, **slot):
    texture = TextureSlot(image="map", **slot)
    return tile(scene, mesh, Material(**CHALK, normal_texture=texture), image, transform=transform)


def normal_of(draw, scene, world):
    frame = draw(world, scene.flat_view((9, 9), width=1.0), ("frame_normal",))
    return frame.outputs["frame_normal"][4, 4]


def with_tangents(mesh, mirrored=False):
    """The tangents that glTF defines for scene.quad, or for it with its picture flipped over."""
    across = -1.0 if mirrored else 1.0
    tangent = np.array([across, 0, 0, across], np.float32)
    return dataclasses.replace(mesh, tangents=np.tile(tangent, (4, 1)))


def mirrored(mesh):
    """The same mesh with its picture flipped left to right."""
    flipped = np.array([1, 0], np.float32) + mesh.uv_sets[0] * np.array([-1, 1], np.float32)
    return dataclasses.replace(mesh, uv_sets=(np.ascontiguousarray(flipped),))


@pytest.mark.parametrize("tangents", [True, False], ids=["tangents", "derivatives"])
@pytest.mark.parametrize("flip", [False, True], ids=["plain", "mirrored"])
@pytest.mark.parametrize("lean", [(SLANT, 0.0), (0.0, SLANT), (-0.3, 0.4)])
def test_a_bump_leans_to_where_the_picture_does(scene, draw, lean, flip, tangents):
    mesh = mirrored(scene.quad()) if flip else scene.quad()
    if tangents:
        mesh = with_tangents(mesh, flip)
    x, y = lean
    expected = [-x if flip else x, y, math.sqrt(1 - x * x - y * y)]
    found = normal_of(draw, scene, bumped(scene, mesh, bump(x, y)))
    np.testing.assert_allclose(found, expected, atol=4e-3)


@pytest.mark.parametrize("tangents", [True, False], ids=["tangents", "derivatives"])
@pytest.mark.parametrize("scale", [(-1, 1, 1), (1, -1, 1), (-1, -1, 1), (2, 0.5, 1)])
def test_a_bump_leans_right_on_a_mirrored_or_stretched_object(scene, draw, scale, tangents):
    mesh = with_tangents(scene.quad()) if tangents else scene.quad()
    world = bumped(scene, mesh, bump(0.4, 0.3), Transform(scale=scale))
    expected = [math.copysign(0.4, scale[0]), math.copysign(0.3, scale[1]), math.sqrt(0.75)]
    np.testing.assert_allclose(normal_of(draw, scene, world), expected, atol=4e-3)


@pytest.mark.parametrize("tangents", [True, False], ids=["tangents", "derivatives"])
def test_a_bump_turns_with_its_texture(scene, draw, tangents):
    mesh = with_tangents(scene.quad()) if tangents else scene.quad()
    # The slot turns coordinates, so the picture on the surface turns the other way: by a quarter,
    # what leans right in the picture leans down or up, and both ways of finding tangents agree.
    world = bumped(scene, mesh, bump(SLANT, 0.0), rotation=math.pi / 2)
    found = normal_of(draw, scene, world)
    u, v = math.cos(math.pi / 2), math.sin(math.pi / 2)
    # u' = u cos + v sin grows along v, which is downwards.
    np.testing.assert_allclose(found, [SLANT * u, -SLANT * v, 0.8], atol=4e-3)


def test_the_strength_of_a_bump_scales_its_lean(scene, draw):
    slot = TextureSlot(image="map")
    material = Material(**CHALK, normal_texture=slot, normal_scale=0.5)
    world = tile(scene, scene.quad(), material, bump(SLANT, 0.0))
    lean = np.array([0.5 * SLANT, 0.0, 0.8])
    found = normal_of(draw, scene, world)
    np.testing.assert_allclose(found, lean / np.linalg.norm(lean), atol=4e-3)


def test_a_bump_without_uvs_to_lie_on_changes_nothing(scene, draw):
    quad = scene.quad()
    collapsed = dataclasses.replace(quad, uv_sets=(np.zeros((4, 2), np.float32),))
    for mesh in (collapsed, dataclasses.replace(quad, uv_sets=())):
        found = normal_of(draw, scene, bumped(scene, mesh, bump(SLANT, 0.0)))
        np.testing.assert_allclose(found, [0, 0, 1], atol=1e-3)


def radiance(draw, scene, world):
    return draw(world, scene.flat_view((9, 9), width=1.0)).outputs["frame_linear"][4, 4, :3]


def sunlit(scene, world, direction=(0.0, 0.0, 1.0)):
    matrix = scene.look_at(np.array(direction) * 10.0)
    world.entities["sun"] = Entity(
        id="sun",
        light=LightComponent(kind="sun", casts_shadow=False),
        transform=Transform(matrix=tuple(matrix.ravel())),
    )
    return world


def test_occlusion_darkens_the_sky_s_light_and_leaves_lamps_alone(scene, draw):
    white = Environment(sky_color=(1.0, 1.0, 1.0))
    slot = TextureSlot(image="map")
    material = Material(**CHALK, occlusion_texture=slot, occlusion_strength=0.5)
    dark_corner = one_texel(0.2, 1.0, 1.0)
    sky = tile(scene, scene.quad(), material, dark_corner, white)
    np.testing.assert_allclose(radiance(draw, scene, sky), 1 - 0.5 * 0.8, atol=2e-3)
    lamp = sunlit(scene, tile(scene, scene.quad(), material, dark_corner))
    np.testing.assert_allclose(radiance(draw, scene, lamp), 1, atol=2e-3)


def test_green_is_roughness_and_blue_is_metallic(scene, draw):
    base = {"base_color": (0.9, 0.4, 0.1, 1.0)}
    slot = TextureSlot(image="map")
    mapped = Material(**base, metallic=1.0, roughness=0.8, metallic_roughness_texture=slot)
    plain = Material(**base, metallic=0.7, roughness=0.4)
    texel = one_texel(0.1, 0.5, 0.7)
    found = radiance(draw, scene, sunlit(scene, tile(scene, scene.quad(), mapped, texel)))
    expected = radiance(draw, scene, sunlit(scene, tile(scene, scene.quad(), plain)))
    np.testing.assert_allclose(found, expected, rtol=3e-3)


def test_emission_adds_to_what_is_reflected(scene, draw):
    glow = Material(**CHALK, emissive=(0.5, 0.25, 1.0), emissive_strength=4.0)
    world = sunlit(scene, tile(scene, scene.quad(), glow))
    np.testing.assert_allclose(radiance(draw, scene, world), [3.0, 2.0, 5.0], rtol=2e-3)


def test_an_unlit_surface_shows_its_colour_whatever_the_light(scene, draw):
    paint = Material(base_color=(0.2, 0.4, 0.8, 1.0), shading="unlit", emissive=(0.1, 0.0, 0.0))
    for environment in (None, Environment(sky_color=(9.0, 9.0, 9.0))):
        world = sunlit(scene, tile(scene, scene.quad(), paint, environment=environment))
        np.testing.assert_allclose(radiance(draw, scene, world), [0.3, 0.4, 0.8], atol=1e-3)


def test_the_back_of_a_double_sided_surface_is_lit_from_its_own_side(scene, draw):
    material = Material(**CHALK, double_sided=True)
    turned = Transform(rotation=(0.0, 1.0, 0.0, 0.0))
    world = sunlit(scene, tile(scene, scene.quad(), material, transform=turned))
    np.testing.assert_allclose(radiance(draw, scene, world), 1, atol=2e-3)
    from_behind = tile(scene, scene.quad(), material, transform=turned)
    sunlit(scene, from_behind, (0.0, 0.0, -1.0))
    np.testing.assert_allclose(radiance(draw, scene, from_behind), 0, atol=1e-6)


def test_light_beyond_a_half_float_is_capped_and_not_infinite(scene, draw):
    glow = Material(**CHALK, emissive=(1.0, 1.0, 1.0), emissive_strength=1e9)
    found = radiance(draw, scene, tile(scene, scene.quad(), glow))
    np.testing.assert_allclose(found, 65504.0)


def test_glass_mirrors_as_if_it_were_opaque(scene, draw):
    white = Environment(
        sky_color=(1.0, 1.0, 1.0), background="color", background_color=(0.0, 0.0, 0.0)
    )
    black = (0.0, 0.0, 0.0, 1.0)
    seen = {}
    for name, settings in {
        "opaque": {"base_color": black},
        "thin": {"base_color": (0.0, 0.0, 0.0, 0.1), "alpha_mode": "blend"},
        "glass": {"base_color": (0.0, 0.0, 0.0, 0.1), "alpha_mode": "blend", "glass": True},
    }.items():
        world = tile(scene, scene.quad(), Material(roughness=0.2, **settings), None, white)
        seen[name] = radiance(draw, scene, world)
    mirrored = seen["opaque"]
    assert mirrored.min() > 0.03
    np.testing.assert_allclose(seen["glass"], mirrored, atol=1e-3)
    np.testing.assert_allclose(seen["thin"], 0.1 * mirrored, atol=1e-3)
