"""Lamps, cameras and worlds keep their light: the formulas, and what each setting does."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from mathutils import Vector
from msgspec.structs import replace

from fyn.addon.sync.cameras import read_camera
from fyn.addon.sync.lights import read_light
from fyn.addon.sync.materials.samples import SkySample
from fyn.addon.sync.scene_sync import SceneSync
from fyn.addon.sync.sky_light import ELEVATIONS, sky_strength, sun_strength
from fyn.addon.sync.world_environment import read_environment, read_render_settings
from fyn.engine_core.render.sky import environment_radiance
from fyn.engine_core.render.view import camera_view
from fyn.engine_core.world.world import World


def lamp(kind, **settings):
    light = bpy.data.lights.new(kind, kind)
    for name, value in settings.items():
        setattr(light, name, value)
    return light


def component(kind, **settings):
    reading = read_light(lamp(kind, **settings), "lamp")
    assert reading.warnings == ()
    return reading.component


# Lamps


def test_a_sun_of_pi_lights_a_white_floor_to_one(empty_scene):
    light = component("SUN", energy=math.pi, angle=0.02)
    assert (light.kind, light.strength) == ("sun", pytest.approx(1))
    assert light.angle == pytest.approx(0.02)


@pytest.mark.parametrize("kind", ["POINT", "SPOT"])
def test_watts_spread_over_a_sphere(empty_scene, kind):
    light = component(kind, energy=100, shadow_soft_size=0.3)
    irradiance_at_one_metre = 100 / (4 * math.pi)
    assert light.strength == pytest.approx(irradiance_at_one_metre / math.pi)
    assert light.radius == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("shape", "area"),
    [("SQUARE", 4), ("RECTANGLE", 6), ("DISK", math.pi), ("ELLIPSE", math.pi * 1.5)],
)
def test_an_area_lamp_is_a_lambertian_surface(empty_scene, shape, area):
    light = component("AREA", energy=50, shape=shape, size=2, size_y=3)
    assert light.strength * area * math.pi == pytest.approx(50)
    assert light.area_shape == ("rectangle" if shape in {"SQUARE", "RECTANGLE"} else "ellipse")
    assert light.area_size == pytest.approx((2, 3 if shape in {"RECTANGLE", "ELLIPSE"} else 2))


def test_a_spot_keeps_its_cone(empty_scene):
    light = component("SPOT", spot_size=1.2, spot_blend=0.4)
    assert (light.spot_angle, light.spot_blend) == pytest.approx((1.2, 0.4))
    reading = read_light(lamp("SPOT", use_square=True), "lamp")
    assert len(reading.warnings) == 1


def test_exposure_colour_temperature_and_flags_arrive(empty_scene):
    plain = component("POINT", energy=10)
    assert component("POINT", energy=10, exposure=2).strength == pytest.approx(4 * plain.strength)
    light = component("POINT", color=(1, 0.5, 0.25), use_shadow=False, diffuse_factor=0.5)
    assert light.color == pytest.approx((1, 0.5, 0.25))
    assert (light.casts_shadow, light.diffuse_factor) == (False, 0.5)
    warm = component("POINT", energy=10, use_temperature=True, temperature=3000)
    total = [x * warm.strength / plain.strength for x in warm.color]
    tint = lamp("POINT", use_temperature=True, temperature=3000).temperature_color
    assert tint[0] > 1.5 * tint[2] and total == pytest.approx(tint, rel=1e-4)
    assert component("POINT", use_custom_distance=True, cutoff_distance=7).range == 7


@pytest.mark.parametrize(
    ("kind", "settings", "floor"),
    [
        ("SUN", {"energy": 3, "angle": 0.2}, 0.0299),
        ("POINT", {"energy": 1000, "shadow_soft_size": 0.3}, 1.7805 * 16.09),
        ("POINT", {"energy": 1000, "shadow_soft_size": 0}, 6.3325 * 16),
        ("SPOT", {"energy": 1000, "shadow_soft_size": 0.3, "spot_size": 1}, 1.7805 * 16.09),
    ],
)
def test_without_normalize_a_lamp_gives_a_floor_what_cycles_gives(
    empty_scene, kind, settings, floor
):
    # A white floor rendered by Cycles 5.0.1, 4 m below (16.09 = 4^2 + 0.3^2).
    assert component(kind, normalize=False, **settings).strength == pytest.approx(floor, rel=2e-3)


def test_without_normalize_an_area_shines_the_same_however_large(empty_scene):
    for size in (1, 2):
        light = component("AREA", energy=1, size=size, normalize=False)
        assert light.strength == pytest.approx(1 / math.pi)


def test_a_negative_lamp_is_off_and_named(empty_scene):
    reading = read_light(lamp("POINT", energy=-5), "lamp")
    assert reading.component.strength == 0 and "negative" in str(reading.warnings[0])


def emission_of(light):
    if light.node_tree is None:
        light.use_nodes = True
    return next(node for node in light.node_tree.nodes if node.type == "EMISSION")


def test_constant_lamp_nodes_multiply_and_others_are_named(empty_scene):
    light = lamp("POINT", energy=10)
    before = read_light(light, "lamp").component.strength
    emission_of(light).inputs["Strength"].default_value = 3
    assert read_light(light, "lamp").component.strength == pytest.approx(3 * before)
    noise = light.node_tree.nodes.new("ShaderNodeTexNoise")
    light.node_tree.links.new(noise.outputs[0], emission_of(light).inputs["Color"])
    assert "'Noise Texture'" in str(read_light(light, "lamp").warnings[0])


def test_a_quadratic_falloff_node_is_a_factor_and_others_are_named(empty_scene):
    light = lamp("POINT", energy=10)
    before = read_light(light, "lamp").component.strength
    strength = emission_of(light).inputs["Strength"]
    falloff = light.node_tree.nodes.new("ShaderNodeLightFalloff")
    falloff.inputs["Strength"].default_value = 50
    light.node_tree.links.new(falloff.outputs["Quadratic"], strength)
    reading = read_light(light, "lamp")
    assert reading.component.strength == pytest.approx(50 * before) and reading.warnings == ()
    light.node_tree.links.new(falloff.outputs["Constant"], strength)
    assert "Constant" in str(read_light(light, "lamp").warnings[0])


# Cameras


def camera_object(**settings):
    camera = bpy.data.cameras.new("camera")
    obj = bpy.data.objects.new("camera", camera)
    bpy.context.scene.collection.objects.link(obj)
    for name, value in settings.items():
        setattr(camera, name, value)
    return obj


@pytest.mark.parametrize("size", [(160, 90), (90, 160), (100, 100)])
@pytest.mark.parametrize("fit", ["AUTO", "HORIZONTAL", "VERTICAL"])
@pytest.mark.parametrize("kind", ["PERSP", "ORTHO"])
def test_a_camera_sees_what_blender_says_it_sees(empty_scene, size, fit, kind):
    obj = camera_object(
        type=kind, sensor_fit=fit, lens=28, shift_x=0.1, shift_y=-0.2, ortho_scale=5,
        clip_start=0.3, clip_end=50,
    )  # fmt: skip
    blender = obj.calc_matrix_camera(
        bpy.context.evaluated_depsgraph_get(), x=size[0], y=size[1], scale_x=1, scale_y=1
    )
    component = read_camera(obj.data).component
    found = camera_view(component, np.identity(4), size).clip_from_view
    assert np.allclose(found, np.array(blender), atol=1e-5)


def test_a_panorama_is_named(empty_scene):
    camera = camera_object(type="PANO").data
    camera.name = "Rundblick"
    reading = read_camera(camera)
    assert reading.component.projection == "perspective"
    assert "Rundblick" in str(reading.warnings[0])


# Worlds


def world_nodes():
    world = bpy.data.worlds.new("world")
    if world.node_tree is None:
        world.use_nodes = True
    nodes = {node.type: node for node in world.node_tree.nodes}
    return world, world.node_tree, nodes["BACKGROUND"]


def test_no_world_is_black(empty_scene):
    environment = read_environment(None).environment
    assert environment.sky_color == (0, 0, 0)


def test_a_colour_and_its_strength_arrive(empty_scene):
    world, _, background = world_nodes()
    background.inputs["Color"].default_value = (0.2, 0.4, 0.6, 1)
    background.inputs["Strength"].default_value = 5
    environment = read_environment(world).environment
    light = [x * environment.strength for x in environment.sky_color]
    assert light == pytest.approx([1, 2, 3]) and environment.ground_color == environment.sky_color


ELEVATION = math.radians(40)


def sky_world(kind):
    world, tree, background = world_nodes()
    sky = tree.nodes.new("ShaderNodeTexSky")
    names = [item.identifier for item in sky.bl_rna.properties["sky_type"].enum_items]
    sky.sky_type = kind if kind in names else "NISHITA"
    tree.links.new(sky.outputs[0], background.inputs["Color"])
    sky.sun_elevation = ELEVATION
    sky.sun_direction = Vector((math.cos(ELEVATION), 0, math.sin(ELEVATION)))
    return world, sky, background


def test_a_sky_has_its_haze_its_sun_and_the_strength_of_its_background(empty_scene):
    world, sky, background = sky_world("PREETHAM")
    sky.turbidity = 3.5
    plain = read_environment(world).environment
    background.inputs["Strength"].default_value = 2
    reading = read_environment(world)
    environment = reading.environment
    assert (environment.kind, environment.strength) == ("sky", pytest.approx(2 * plain.strength))
    assert environment.turbidity == pytest.approx(3.5)
    expected = (math.cos(ELEVATION), math.sin(ELEVATION), 0)
    assert environment.sun_direction == pytest.approx(expected, abs=1e-6)
    assert reading.sun is None
    assert "equally bright" in reading.warnings[0].what


def test_a_physical_sky_brings_a_sun_that_shines_from_where_it_stands(empty_scene):
    world, sky, _ = sky_world("SINGLE_SCATTERING")
    sky.sun_rotation = math.radians(90)
    empty_scene.world = world
    sync, result = SceneSync(), World()
    result.apply(sync.full(bpy.context.evaluated_depsgraph_get()))
    (sun,) = (entity for entity in result.entities.values() if entity.light is not None)
    towards = result.world_from_local(sun.id)[:3, 2]
    assert np.allclose(towards, result.environment.sun_direction, atol=1e-5)
    assert np.allclose(towards, (math.cos(ELEVATION), math.sin(ELEVATION), 0), atol=1e-5)
    assert sun.light.strength > 10 and sun.light.casts_shadow
    assert sync.warnings
    sky.sun_disc = False
    again = World()
    again.apply(sync.full(bpy.context.evaluated_depsgraph_get()))
    assert again.entities == {}


@pytest.mark.parametrize(
    "kind", ["SINGLE_SCATTERING", "MULTIPLE_SCATTERING", "HOSEK_WILKIE", "PREETHAM"]
)
def test_skies_give_a_floor_the_measured_light(kind):
    angle = math.radians(ELEVATIONS[3])
    sky = SkySample(kind, (math.cos(angle), 0.0, math.sin(angle)), sun_size=0.01)
    measured = {
        "SINGLE_SCATTERING": 2.087, "MULTIPLE_SCATTERING": 2.755, "HOSEK_WILKIE": 0.0455,
        "PREETHAM": 0.3535,
    }  # fmt: skip
    environment = read_environment(None).environment
    environment = replace(
        environment, kind="sky", strength=sky_strength(sky), turbidity=2.2,
        sun_direction=(math.cos(angle), math.sin(angle), 0.0), ground_color=(0.0, 0.0, 0.0),
    )  # fmt: skip
    generator = np.random.default_rng(1)
    radius, turn = np.sqrt(generator.random(40_000)), generator.random(40_000) * 2 * math.pi
    directions = np.stack(
        [radius * np.cos(turn), np.sqrt(1 - radius**2), radius * np.sin(turn)], axis=-1
    )
    floor = environment_radiance(environment, directions).mean(axis=0)
    assert floor @ (0.2126, 0.7152, 0.0722) == pytest.approx(measured[kind], rel=0.02)


def test_a_sun_below_the_horizon_gives_no_light():
    assert sun_strength(SkySample("SINGLE_SCATTERING", (1.0, 0.0, -0.1), sun_size=0.01))[0] == 0


def test_a_missing_environment_picture_is_pink_and_named(empty_scene, tmp_path):
    world, tree, background = world_nodes()
    node = tree.nodes.new("ShaderNodeTexEnvironment")
    node.image = image = bpy.data.images.new("sky.hdr", 4, 4)
    image.source, image.filepath = "FILE", str(tmp_path / "sky.hdr")
    tree.links.new(node.outputs[0], background.inputs["Color"])
    reading = read_environment(world)
    assert reading.environment.sky_color == (1, 0, 1)
    assert "sky.hdr" in str(reading.warnings[0])


def test_an_environment_node_without_a_picture_is_pink_and_named(empty_scene):
    world, tree, background = world_nodes()
    node = tree.nodes.new("ShaderNodeTexEnvironment")
    tree.links.new(node.outputs[0], background.inputs["Color"])
    reading = read_environment(world)
    assert reading.environment.sky_color == (1, 0, 1)
    assert "pink" in str(reading.warnings[0])


def test_an_unsupported_world_node_is_named(empty_scene):
    world, tree, background = world_nodes()
    noise = tree.nodes.new("ShaderNodeTexNoise")
    tree.links.new(noise.outputs["Color"], background.inputs["Color"])
    warnings = read_environment(world).warnings
    assert "Noise" in str(warnings[0]) and "'world'" in str(warnings[0])


def test_film_transparency_is_a_render_setting_and_exposure_is_not(empty_scene):
    empty_scene.render.film_transparent = True
    empty_scene.view_settings.exposure = 3
    settings = read_render_settings(empty_scene)
    assert settings.transparent and settings.exposure == 0
