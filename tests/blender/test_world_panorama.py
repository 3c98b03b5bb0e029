"""Panoramas of Blender's World: what is kept, how they are turned, what the camera sees of them."""

from __future__ import annotations

import importlib.util
import math
import sys

import bpy
import numpy as np
import pytest
from mathutils import Vector

from fyn.addon.sync.scene_sync import SceneSync
from fyn.addon.sync.world_environment import read_environment
from fyn.engine_core.render.panorama import directions_of, sampled
from fyn.engine_core.render.world_renderer import render_world
from fyn.engine_core.world.level_file import check_level, read_level
from fyn.engine_core.world.world import World
from fyn.exporters.level import export_level

ROWS = 32


@pytest.fixture
def world(empty_scene):
    made = bpy.data.worlds.new("world")
    if made.node_tree is None:
        made.use_nodes = True
    empty_scene.world = made
    return made


def nodes_of(world):
    return {node.type: node for node in world.node_tree.nodes}


def new(world, kind, **settings):
    node = world.node_tree.nodes.new(kind)
    for name, value in settings.items():
        setattr(node, name, value)
    return node


def link(world, output, socket):
    world.node_tree.links.new(output, socket)


def spotted(spot=(9.0, 6.0, 3.0)):
    """An image of dim, smooth light with a bright spot a little above the horizon."""
    look = directions_of(ROWS)
    pixels = np.ones((ROWS, 2 * ROWS, 4), np.float32)
    pixels[..., :3] = 0.2 + 0.1 * look
    pixels[10:13, 12:15, :3] = spot
    image = bpy.data.images.new("sky", 2 * ROWS, ROWS, float_buffer=True)
    image.pixels.foreach_set(pixels[::-1].ravel())
    image.update()
    return image, pixels


def with_picture(world, rotation=None, **mapping):
    """Link an environment texture, through a Mapping node if anything of it is given."""
    image, pixels = spotted()
    node = new(world, "ShaderNodeTexEnvironment", image=image)
    if rotation is not None or mapping:
        mapped = new(world, "ShaderNodeMapping", vector_type=mapping.pop("vector_type", "POINT"))
        coordinates = new(world, "ShaderNodeTexCoord")
        link(world, coordinates.outputs["Generated"], mapped.inputs["Vector"])
        link(world, mapped.outputs[0], node.inputs["Vector"])
        mapped.inputs["Rotation"].default_value = rotation or (0, 0, 0)
        for name, value in mapping.items():
            mapped.inputs[name].default_value = value
    link(world, node.outputs[0], nodes_of(world)["BACKGROUND"].inputs["Color"])
    return node, pixels


def with_camera(scene, towards, fov=1.9):
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.data.angle = fov
    camera.rotation_euler = Vector(towards).to_track_quat("-Z", "Y").to_euler()
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.render.resolution_x, scene.render.resolution_y = 48, 48
    bpy.context.view_layer.update()


def with_mirror_ball(scene):
    bpy.ops.mesh.primitive_uv_sphere_add(segments=96, ring_count=48, location=(0, 0, 0))
    ball = bpy.context.object
    ball.data.shade_smooth()
    material = bpy.data.materials.new("mirror")
    if material.node_tree is None:
        material.use_nodes = True
    inputs = material.node_tree.nodes["Principled BSDF"].inputs
    inputs["Metallic"].default_value, inputs["Roughness"].default_value = 1.0, 0.1
    ball.data.materials.append(material)
    scene.camera.location = (0, -3, 0.5)
    scene.camera.rotation_euler = (math.radians(80), 0, 0)
    scene.camera.data.angle = 0.9
    bpy.context.view_layer.update()


def synced():
    result = World()
    sync = SceneSync()
    result.apply(sync.full(bpy.context.evaluated_depsgraph_get()))
    return result, sync


def ours():
    result, _ = synced()
    return render_world(result, None, (48, 48), outputs=("frame_linear",)).outputs["frame_linear"]


def theirs(scene, folder, samples=8):
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising, scene.cycles.max_bounces = samples, False, 0
    scene.cycles.use_adaptive_sampling = False
    settings = scene.render.image_settings
    settings.file_format, settings.color_mode, settings.color_depth = "OPEN_EXR", "RGBA", "32"
    scene.render.filepath = str(folder / "cycles.exr")
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(scene.render.filepath)
    image.colorspace_settings.name = "Non-Color"
    pixels = np.array(image.pixels[:], np.float32).reshape(48, 48, 4)
    bpy.data.images.remove(image)
    return pixels[::-1]


def brightest(picture):
    """Row and column of the middle of the brightest spot."""
    light = picture[..., :3].sum(-1)
    weight = np.where(light > 0.5 * light.max(), light, 0)
    rows, columns = np.mgrid[: light.shape[0], : light.shape[1]]
    return np.array([(weight * rows).sum(), (weight * columns).sum()]) / weight.sum()


def test_a_panorama_is_kept_with_strength_and_tint(world):
    node, pixels = with_picture(world)
    background = nodes_of(world)["BACKGROUND"]
    mix = new(world, "ShaderNodeMix", data_type="RGBA", blend_type="MULTIPLY")
    mix.inputs[0].default_value = 1.0
    link(world, node.outputs[0], mix.inputs[6])
    mix.inputs[7].default_value = (1.0, 0.5, 0.25, 1.0)
    link(world, mix.outputs[2], background.inputs["Color"])
    background.inputs["Strength"].default_value = 3.0
    reading = read_environment(world)
    environment = reading.environment
    assert (environment.kind, environment.strength) == ("image", pytest.approx(3))
    assert environment.tint == pytest.approx((1, 0.5, 0.25))
    np.testing.assert_array_equal(reading.picture.pixels, pixels)
    assert not reading.warnings and environment.background == "same"


@pytest.mark.one_blender
@pytest.mark.parametrize(
    "mapping",
    [
        {},
        {"rotation": (0, 0, 1.0)},
        {"rotation": (0.4, -0.3, 2.0)},
        {"rotation": (0, 0, 1.0), "vector_type": "TEXTURE"},
        {"Scale": (1.0, -1.0, 1.0)},
        {"rotation": (0.2, 0, -2.0), "Location": (0.1, 0.0, 0.3), "Scale": (1.0, 1.5, 1.0)},
    ],
    ids=["plain", "about z", "about all", "texture", "mirrored", "moved and scaled"],
)
def test_the_camera_sees_a_panorama_as_cycles_shows_it(gl, world, empty_scene, tmp_path, mapping):
    with_picture(world, **mapping)
    worst = 0.0  # the spot is three pixels wide, and Cycles averages a pixel
    for towards in ((0, 1, 0.1), (-1, -0.6, 0.2)):
        with_camera(empty_scene, towards)
        a, b = theirs(empty_scene, tmp_path)[..., :3], ours()[..., :3]
        worst = max(worst, float(np.abs(a - b).mean() / a.mean()))
    assert worst < 0.05


@pytest.mark.one_blender
def test_a_highlight_stands_where_cycles_has_it(gl, world, empty_scene, tmp_path):
    with_picture(world, rotation=(0.3, 0.1, -2.2))
    with_camera(empty_scene, (0, 1, 0))
    with_mirror_ball(empty_scene)
    for obj in empty_scene.objects:
        obj.hide_render = obj.type not in {"MESH", "CAMERA"}
    nodes_of(world)["BACKGROUND"].inputs["Strength"].default_value = 1.0
    empty_scene.render.film_transparent = True
    a, b = theirs(empty_scene, tmp_path, 64), ours()
    assert np.abs(brightest(a) - brightest(b)).max() < 1.0


def test_an_object_s_coordinates_turn_a_panorama(world, empty_scene):
    node, _ = with_picture(world)
    empty = bpy.data.objects.new("turner", None)
    empty.rotation_euler = (0, 0, 0.7)
    empty_scene.collection.objects.link(empty)
    bpy.context.view_layer.update()
    coordinates = new(world, "ShaderNodeTexCoord", object=empty)
    link(world, coordinates.outputs["Object"], node.inputs["Vector"])
    turned = read_environment(world).environment.rotation
    assert turned == pytest.approx((0, math.sin(0.35), 0, math.cos(0.35)), abs=1e-6)


def test_vector_rotate_turns_a_panorama(world):
    node, _ = with_picture(world)
    rotate = new(world, "ShaderNodeVectorRotate", rotation_type="Z_AXIS")
    rotate.inputs["Angle"].default_value = -0.7
    coordinates = new(world, "ShaderNodeTexCoord")
    link(world, coordinates.outputs["Generated"], rotate.inputs["Vector"])
    link(world, rotate.outputs[0], node.inputs["Vector"])
    turned = read_environment(world).environment.rotation
    assert turned == pytest.approx((0, math.sin(0.35), 0, math.cos(0.35)), abs=1e-6)


def test_coordinates_that_are_no_directions_are_named(world):
    node, _ = with_picture(world)
    noise = new(world, "ShaderNodeTexNoise")
    link(world, noise.outputs["Color"], node.inputs["Vector"])
    reading = read_environment(world)
    assert reading.environment.kind == "image"
    assert any("not turned" in str(warning) for warning in reading.warnings)


def test_a_panorama_through_a_curve_is_computed(world):
    node, pixels = with_picture(world)
    invert = new(world, "ShaderNodeInvert")
    link(world, node.outputs[0], invert.inputs["Color"])
    link(world, invert.outputs[0], nodes_of(world)["BACKGROUND"].inputs["Color"])
    reading = read_environment(world)
    assert reading.environment.kind == "image"
    dim = pixels[..., 0] < 0.5
    np.testing.assert_allclose(
        reading.picture.pixels[dim][:, :3], 1 - pixels[dim][:, :3], atol=0.01
    )


def by_camera_ray(world, lit, seen):
    """Mix two Backgrounds by Is Camera Ray; each is (color output or rgb, strength)."""
    mix, path = new(world, "ShaderNodeMixShader"), new(world, "ShaderNodeLightPath")
    link(world, path.outputs["Is Camera Ray"], mix.inputs[0])
    for index, (color, strength) in ((1, lit), (2, seen)):
        background = new(world, "ShaderNodeBackground")
        background.inputs["Strength"].default_value = strength
        if isinstance(color, tuple):
            background.inputs["Color"].default_value = (*color, 1.0)
        else:
            link(world, color, background.inputs["Color"])
        link(world, background.outputs[0], mix.inputs[index])
    link(world, mix.outputs[0], nodes_of(world)["OUTPUT_WORLD"].inputs["Surface"])


def test_the_camera_may_see_one_colour_where_a_panorama_lights(world):
    node, _ = with_picture(world)
    by_camera_ray(world, (node.outputs[0], 2.0), ((0.25, 0.5, 0.75), 2.0))
    environment = read_environment(world).environment
    assert (environment.kind, environment.strength) == ("image", pytest.approx(2))
    assert environment.background == "color"
    assert environment.background_color == pytest.approx((0.5, 1.0, 1.5))


def test_the_camera_may_see_a_panorama_at_another_strength(world):
    node, _ = with_picture(world)
    by_camera_ray(world, (node.outputs[0], 2.0), (node.outputs[0], 0.5))
    environment = read_environment(world).environment
    assert (environment.strength, environment.background) == (pytest.approx(2), "scaled")
    assert environment.background_color == pytest.approx((0.5, 0.5, 0.5))


def test_a_panorama_may_be_seen_and_light_nothing(gl, world, empty_scene, tmp_path):
    node, _ = with_picture(world)
    by_camera_ray(world, ((0.0, 0.0, 0.0), 1.0), (node.outputs[0], 1.0))
    environment = read_environment(world).environment
    assert (environment.kind, environment.strength) == ("image", 0)
    with_camera(empty_scene, (0, 1, 0.1))
    a, b = theirs(empty_scene, tmp_path)[..., :3], ours()[..., :3]
    assert np.abs(a - b).mean() < 0.03 * a.mean()


def test_a_camera_that_sees_another_picture_is_told(world):
    node, _ = with_picture(world)
    other = new(world, "ShaderNodeTexEnvironment", image=spotted()[0])
    by_camera_ray(world, (node.outputs[0], 1.0), (other.outputs[0], 1.0))
    reading = read_environment(world)
    assert reading.environment.background == "same"
    assert any("another picture" in str(warning) for warning in reading.warnings)


def test_a_tinted_sky_tints_its_sun_as_well(world):
    sky = new(world, "ShaderNodeTexSky")
    mix = new(world, "ShaderNodeMix", data_type="RGBA", blend_type="MULTIPLY")
    mix.inputs[0].default_value = 1.0
    link(world, sky.outputs[0], mix.inputs[6])
    mix.inputs[7].default_value = (0.5, 1.0, 0.25, 1.0)
    background = nodes_of(world)["BACKGROUND"]
    link(world, sky.outputs[0], background.inputs["Color"])
    plain = read_environment(world)
    link(world, mix.outputs[2], background.inputs["Color"])
    tinted = read_environment(world)
    assert tinted.environment.tint == pytest.approx((0.5, 1, 0.25))
    assert tinted.environment.strength == pytest.approx(plain.environment.strength)
    if plain.sun is not None:
        expected = np.array(plain.sun.light.color) * (0.5, 1, 0.25)
        assert tinted.sun.light.color == pytest.approx(tuple(expected))


def test_a_turned_sky_turns_its_sun(world):
    sky = new(world, "ShaderNodeTexSky", sky_type="PREETHAM")
    sky.sun_direction = (0.6, 0.0, 0.8)
    link(world, sky.outputs[0], nodes_of(world)["BACKGROUND"].inputs["Color"])
    rotate = new(world, "ShaderNodeMapping")
    rotate.inputs["Rotation"].default_value = (0, 0, math.pi / 2)
    coordinates = new(world, "ShaderNodeTexCoord")
    link(world, coordinates.outputs["Generated"], rotate.inputs["Vector"])
    link(world, rotate.outputs[0], sky.inputs["Vector"])
    # Looked up in +X is what Blender's sky has in +Y, so the sun stands in -Y: the engine's +Z.
    assert read_environment(world).environment.sun_direction == pytest.approx(
        (0, 0.8, 0.6), abs=1e-6
    )


def test_turning_a_panorama_does_not_send_its_picture_again(world, empty_scene):
    with_picture(world, rotation=(0, 0, 0.1))
    sync, result = SceneSync(), World()
    result.apply(sync.full(bpy.context.evaluated_depsgraph_get()))
    assert result.environment.image in result.images
    first = read_environment(world).environment.rotation
    nodes_of(world)["MAPPING"].inputs["Rotation"].default_value[2] = 0.9
    graph = bpy.context.evaluated_depsgraph_get()
    delta = sync.full(graph)
    assert delta.environment.rotation != first
    assert delta.images.keys() == {result.environment.image}


def test_a_level_with_a_panorama_draws_the_same_pixels_without_blender(
    gl, world, empty_scene, tmp_path
):
    with_picture(world, rotation=(0, 0, 0.8))
    with_camera(empty_scene, (0, 1, 0.1))
    with_mirror_ball(empty_scene)
    result, _ = synced()
    level = export_level(result, tmp_path).level
    assert check_level(level) == []
    again = read_level(level)
    frames = [render_world(w, None, (64, 64)).outputs["frame_color"] for w in (result, again)]
    np.testing.assert_array_equal(*frames)
    assert frames[0].std() > 5
    (file,) = (tmp_path / "textures").glob("*")
    file.unlink()
    assert [problem.path for problem in check_level(level)] == ["images[0].file"]


@pytest.mark.parametrize("ending", ["hdr", "exr"])
def test_a_hostile_panorama_is_pink_and_named(world, tmp_path, ending):
    heads = {"hdr": b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 99999999 +X 99999999\n", "exr": b""}
    path = tmp_path / f"sky.{ending}"
    path.write_bytes(heads[ending] + b"\x76\x2f\x31\x01" + bytes(range(256)) * 8)
    node, _ = with_picture(world)
    node.image = bpy.data.images.load(str(path))
    reading = read_environment(world)
    assert reading.environment.kind == "color"
    assert reading.environment.sky_color == (1, 0, 1)
    assert f"sky.{ending}" in str(reading.warnings[0])


@pytest.fixture(scope="module")
def board(repository):
    """The module scripts/prove_cycles.py, with small spheres."""
    spec = importlib.util.spec_from_file_location(
        "prove_panoramas", repository / "scripts" / "prove_cycles.py"
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules["prove_panoramas"] = module
    spec.loader.exec_module(module)
    module.SIDE, module.PIXELS = 3, 40
    name, turn, _samples = module.PANORAMAS["forest"]
    module.PANORAMAS["forest"] = (name, turn, 150)
    return module


@pytest.mark.one_blender
def test_a_board_under_a_studio_light_looks_as_cycles_draws_it(gl, board, tmp_path):
    if board.panorama_file("forest") is None:
        pytest.skip("this Blender has no studio lights")
    measured = board.prove("forest", tmp_path)
    assert measured.mean < 0.05
    assert measured.worst_sphere < 0.1
    assert measured.brightness == pytest.approx(1, abs=0.02)


def test_the_picture_is_sampled_between_its_pixels():
    """The twin that other tests lean on, by hand: halfway between two pixels is their mean."""
    picture = np.zeros((4, 8, 1), np.float32)
    picture[1, 3], picture[1, 4] = 1, 3
    between = directions_of(4)[1, 3:5].mean(axis=0)
    np.testing.assert_allclose(sampled(picture, between / np.linalg.norm(between)), [2], atol=0.15)
