"""Sun shadows as pictures: they stand still, begin where things touch, and end softly."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from fyn.engine_core.assets.image import ImageData
from fyn.engine_core.assets.material import Material, TextureSlot
from fyn.engine_core.render.view import camera_view
from fyn.engine_core.world.components import (
    CameraComponent,
    LightComponent,
    MeshComponent,
    RenderSettings,
)
from fyn.engine_core.world.entity import Entity, Transform
from fyn.engine_core.world.world import World

LIT = RenderSettings(
    samples=1, bloom=False, tone_map="linear", shadows=False, shadow_resolution=1024
)
SHADOWED = msgspec.structs.replace(LIT, shadows=True)
CHALK = Material(base_color=(1.0, 1.0, 1.0, 1.0), roughness=1.0, ior=1.0)
FLAT = Transform(rotation=(-(0.5**0.5), 0.0, 0.0, 0.5**0.5))


def sun_at(height, around=0.5):
    """Unit direction towards a sun `height` degrees above the horizon."""
    h = np.radians(height)
    return np.array([np.cos(h) * np.cos(around), np.sin(h), np.cos(h) * np.sin(around)])


def yard(scene, towards_sun, ground=60.0, **things):
    """A chalk ground with a cube on it; `things` replace the cube: name -> (mesh, transform)."""
    world = World(environment=scene.black)
    world.materials["m"] = CHALK
    world.meshes = {"ground": scene.quad(ground), "box": scene.box()}
    placed = things or {"box": ("box", Transform(translation=(0.0, 0.5, 0.0)))}
    for key, (mesh, transform) in {"ground": ("ground", FLAT), **placed}.items():
        world.entities[key] = Entity(
            id=key, mesh=MeshComponent(mesh=mesh, materials=("m",)), transform=transform
        )
    matrix = scene.look_at(np.asarray(towards_sun) * 10)
    world.entities["sun"] = Entity(
        id="sun",
        light=LightComponent(kind="sun"),
        transform=Transform(matrix=tuple(matrix.ravel())),
    )
    return world


@pytest.fixture
def shade(make_renderer):
    """Return a function: light (H, W) of 0 (shadow) to 1, and world positions (H, W, 3)."""

    def run(world, view, settings=SHADOWED):
        renderer = make_renderer(world)
        outputs = renderer.render(view, ("frame_linear", "frame_depth"), settings).outputs
        unshadowed = msgspec.structs.replace(settings, shadows=False)
        lit = renderer.render(view, ("frame_linear",), unshadowed).outputs["frame_linear"][..., 0]
        light = np.ones_like(lit)
        np.divide(outputs["frame_linear"][..., 0], lit, out=light, where=lit > 1e-4)
        return light, positions(view, outputs["frame_depth"])

    return run


def positions(view, depth):
    height, width = depth.shape
    x = (np.arange(width) + 0.5) / width * 2 - 1
    y = 1 - (np.arange(height) + 0.5) / height * 2
    x, y = np.meshgrid(x, y)
    depth = np.where(np.isfinite(depth), depth, 0)
    scale = depth if view.perspective else 1.0
    projection = view.clip_from_view
    offset = projection[:2, 2] if view.perspective else -projection[:2, 3]
    in_view = np.stack(
        [
            (x + offset[0]) / projection[0, 0] * scale,
            (y + offset[1]) / projection[1, 1] * scale,
            -depth,
            np.ones_like(depth),
        ],
        axis=-1,
    )
    return (in_view @ np.linalg.inv(view.view_from_world).T)[..., :3]


def in_cube_s_shadow(points, towards_sun):
    """Tell exactly whether the unit cube on the ground stands between `points` and the sun."""
    with np.errstate(divide="ignore", invalid="ignore"):
        one = (np.array([-0.5, 0.0, -0.5]) - points) / towards_sun
        two = (np.array([0.5, 1.0, 0.5]) - points) / towards_sun
    enter, leave = np.minimum(one, two).max(axis=-1), np.maximum(one, two).min(axis=-1)
    return (leave > enter) & (leave > 0)


def near_edge(points, towards_sun, distance):
    """Tell which `points` of the ground are nearer than `distance` to the edge of the shadow."""
    here = in_cube_s_shadow(points, towards_sun)
    near = np.zeros_like(here)
    for angle in np.arange(16) / 16 * 2 * np.pi:
        step = distance * np.array([np.cos(angle), 0.0, np.sin(angle)])
        near |= in_cube_s_shadow(points + step, towards_sun) != here
    return near


def straight_down(position, size, width, turn=0):
    """A parallel view from above, `width` metres across, turned by quarters."""
    camera = CameraComponent(projection="orthographic", ortho_scale=width)
    matrix = np.identity(4)
    axes = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])  # columns: right, up, back
    c, s = np.cos(turn * np.pi / 2), np.sin(turn * np.pi / 2)
    matrix[:3, :3] = axes @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    matrix[:3, 3] = position
    return camera_view(camera, matrix, size)


def test_static_shadow_edges_do_not_crawl_when_the_camera_moves(scene, shade):
    """The camera moves by whole pixels, each a fraction of a texel: the picture only shifts."""
    world = yard(scene, sun_at(40))
    size, width = 128, 4.0
    pixel = width / size
    reference, _ = shade(world, straight_down((0.0, 8.0, 0.0), (size, size), width))
    assert 0.02 < (reference < 0.5).mean() < 0.5
    for right, down in [(1, 0), (2, 1), (3, 5), (7, -4)]:
        moved = straight_down((right * pixel, 8.0, down * pixel), (size, size), width)
        light, _ = shade(world, moved)
        rows, columns = slice(8, -8), slice(8, -8)
        shifted = light[8 - down : size - 8 - down, 8 - right : size - 8 - right]
        np.testing.assert_allclose(shifted, reference[rows, columns], atol=4e-3)


def test_static_shadow_edges_do_not_crawl_when_the_camera_turns(scene, shade):
    world = yard(scene, sun_at(40))
    reference, _ = shade(world, straight_down((0.3, 8.0, -0.2), (96, 96), 4.0))
    for quarters in (1, 2, 3):
        light, _ = shade(world, straight_down((0.3, 8.0, -0.2), (96, 96), 4.0, quarters))
        np.testing.assert_allclose(np.rot90(light, quarters), reference, atol=4e-3)


def sampled(image, view, points):
    """Filter `image` bilinearly where `view` sees `points` (N, 3)."""
    clip = np.concatenate([points, np.ones((len(points), 1))], axis=1) @ view.clip_from_world.T
    height, width = image.shape
    x = (clip[:, 0] / clip[:, 3] + 1) / 2 * width - 0.5
    y = (1 - clip[:, 1] / clip[:, 3]) / 2 * height - 0.5
    column, row = np.floor(x).astype(int), np.floor(y).astype(int)
    u, v = x - column, y - row
    upper = image[row, column] * (1 - u) + image[row, column + 1] * u
    lower = image[row + 1, column] * (1 - u) + image[row + 1, column + 1] * u
    return upper * (1 - v) + lower * v


def test_static_shadow_edges_stay_in_the_world_under_a_free_camera(scene, shade):
    """Seen from other places, each point of a penumbra has the light that it had before."""
    world = yard(scene, sun_at(35))
    first = None
    for step in range(5):
        eye = np.array([2.0 + 0.0131 * step, 4.0, 3.0 - 0.0077 * step])
        look = scene.look_at(eye, (-0.4, 0.0, 0.01 * step - 0.3))
        view = camera_view(CameraComponent(fov=0.5), look, (480, 360))
        light, place = shade(world, view)
        if first is None:
            ground = (np.abs(place[..., 1]) < 1e-3) & (np.abs(place[..., 0] + 1.0) < 0.4)
            ground[:8] = ground[-8:] = ground[:, :8] = ground[:, -8:] = False
            penumbra = ground & (np.abs(light - 0.5) < 0.4)
            first = place[penumbra], light[penumbra]
            assert penumbra.sum() > 100
        moved = np.abs(sampled(light, view, first[0]) - first[1])
        # A penumbra is three texels wide: half a texel of crawling would be a sixth.
        assert moved.mean() < 0.02, step
        assert np.percentile(moved, 95) < 0.06, step


@pytest.mark.parametrize("height", [75, 35, 15, 8, 4, 2])
def test_a_shadow_is_where_geometry_says_down_to_grazing_suns(scene, shade, height):
    towards = sun_at(height)
    view = camera_view(
        CameraComponent(fov=0.7), scene.look_at((1.5, 2.5, 7.0), (-0.5, 0.3, 0.0)), (240, 160)
    )
    light, place = shade(yard(scene, towards), view)
    ground = (np.abs(place[..., 1]) < 2e-3) & (np.linalg.norm(place, axis=-1) < 12)
    # Penumbra and offset stay within four texels; along the ground the sun stretches them.
    texel = 0.012
    clear = ground & ~near_edge(place, towards, 4 * texel / max(np.sin(np.radians(height)), 0.1))
    dark = in_cube_s_shadow(place, towards)
    lit, shadowed = clear & ~dark, clear & dark
    assert lit.sum() > 1000
    assert (light[lit] < 0.95).mean() < 2e-3, "acne"
    assert shadowed.sum() > 20
    assert (light[shadowed] > 0.05).mean() < 0.02, "light leaks under the cube"


@pytest.mark.parametrize("height", [60, 20])
def test_a_thing_s_shadow_begins_where_it_touches_the_ground(scene, shade, height):
    """No bright seam between the cube and its shadow: on the shaded side it is dark at once."""
    towards = sun_at(height, around=0.0)
    world = yard(scene, towards)
    light, place = shade(world, straight_down((-0.5, 8.0, 0.0), (256, 256), 0.5))
    ground = np.abs(place[..., 1]) < 1e-3
    behind = ground & (place[..., 0] < -0.51) & (place[..., 0] > -0.56)
    assert behind.sum() > 100
    assert light[behind].max() < 0.05


def test_lit_faces_of_a_smooth_ball_show_no_acne(scene, shade):
    towards = sun_at(30)
    world = yard(scene, towards, ball=("ball", Transform(translation=(0.0, 1.0, 0.0))))
    world.meshes["ball"] = scene.sphere(1.0, rings=24)
    view = camera_view(
        CameraComponent(fov=0.5), scene.look_at((3.0, 2.0, 4.0), (0, 1, 0)), (160,) * 2
    )
    light, place = shade(world, view)
    normal = place - np.array([0.0, 1.0, 0.0])
    ball = np.abs(np.linalg.norm(normal, axis=-1) - 1) < 0.01
    lit = ball & (normal @ towards > 0.15)
    assert lit.sum() > 2000
    assert (light[lit] < 0.9).mean() < 5e-3


def test_a_cut_out_cuts_its_shadow(scene, draw):
    """A fence of alternating strips, overhead: the ground shows the strips."""
    strips = np.zeros((1, 4, 4), np.uint8)
    strips[..., :3] = 255
    strips[0, ::2, 3] = 255
    world = yard(
        scene, (0.0, 1.0, 0.0), fence=("quad", Transform(
            translation=(0.0, 1.0, 0.0), rotation=FLAT.rotation
        )),
    )  # fmt: skip
    world.meshes["quad"] = scene.quad(4.0)
    world.images["strips"] = ImageData("strips", pixels=strips)
    slot = TextureSlot(image="strips", filter="nearest")
    world.materials["fence"] = Material(base_color_texture=slot, alpha_mode="mask")
    fence = MeshComponent(mesh="quad", materials=("fence",), visible_to_camera=False)
    world.entities["fence"] = msgspec.structs.replace(world.entities["fence"], mesh=fence)
    view = straight_down((0.0, 8.0, 0.0), (64, 64), 4.0)
    light = draw(world, view, ("frame_linear",), SHADOWED).outputs["frame_linear"][..., 0]
    columns = light[32, [8, 24, 40, 56]]
    np.testing.assert_allclose(columns, [0, 1, 0, 1], atol=2e-3)


@pytest.mark.parametrize(("faces_sun", "back_casts", "is_shaded"), [
    (True, True, True), (True, False, True), (False, True, True), (False, False, False),
])  # fmt: skip
def test_the_back_of_a_sheet_casts_a_shadow_if_its_material_says_so(
    scene, shade, faces_sun, back_casts, is_shaded
):
    half = 0.5**0.5
    up = Transform(translation=(0.0, 1.0, 0.0), rotation=(-half, 0.0, 0.0, half))
    down = Transform(translation=(0.0, 1.0, 0.0), rotation=(half, 0.0, 0.0, half))
    world = yard(scene, sun_at(80.0), sheet=("sheet", up if faces_sun else down))
    world.meshes["sheet"] = scene.quad(1.0)
    world.materials["sheet"] = msgspec.structs.replace(CHALK, back_casts_shadow=back_casts)
    world.entities["sheet"] = msgspec.structs.replace(
        world.entities["sheet"], mesh=MeshComponent(mesh="sheet", materials=("sheet",))
    )
    eye = scene.look_at((0.0, 0.6, 3.0), (0.0, 0.0, -0.2))
    light, at = shade(world, camera_view(CameraComponent(), eye, (96, 54)))
    below = (np.abs(at[..., 1]) < 0.01) & (np.abs(at[..., :3:2]) < 0.2).all(axis=-1)
    assert below.sum() > 20
    assert (light[below] < 0.1).all() if is_shaded else (light[below] > 0.9).all()


def test_flags_say_who_casts_and_who_receives(scene, draw):
    view = straight_down((0.0, 8.0, 0.0), (65, 65), 4.0)
    where = (32, 8)  # left of the cube, in its shadow

    def light(**flags):
        world = yard(scene, sun_at(35, around=0.0))
        for key in ("box", "ground"):
            entity = world.entities[key]
            own = {
                name.split("_", 1)[1]: value
                for name, value in flags.items()
                if name.startswith(key)
            }
            mesh = msgspec.structs.replace(entity.mesh, **own)
            world.entities[key] = msgspec.structs.replace(entity, mesh=mesh)
        frame = draw(world, view, ("frame_linear",), SHADOWED).outputs["frame_linear"]
        return frame[where][0]

    full = np.sin(np.radians(35))
    assert light() == pytest.approx(0, abs=1e-3)
    assert light(box_casts_shadow=False) == pytest.approx(full, rel=2e-3)
    assert light(ground_receives_shadow=False) == pytest.approx(full, rel=2e-3)
    assert light(box_visible_to_camera=False) == pytest.approx(0, abs=1e-3)


def test_a_caster_far_outside_the_view_still_shades_it(scene, draw):
    towards = sun_at(45, around=0.0)
    tower = Transform(translation=tuple(towards * 60.0), scale=(6.0, 6.0, 6.0))
    world = yard(scene, towards, tower=("box", tower))
    frame = draw(world, straight_down((0.0, 8.0, 0.0), (33, 33), 2.0), ("frame_linear",), SHADOWED)
    assert frame.outputs["frame_linear"][16, 16, 0] == pytest.approx(0, abs=1e-3)


def test_shadows_fade_out_before_their_distance_ends(scene, shade):
    """Along a wall that shades the ground beside it, light returns over the last 8 percent."""
    towards = sun_at(30, around=np.pi)
    wall = Transform(translation=(0.0, 1.0, -50.0), scale=(0.2, 2.0, 200.0))
    world = yard(scene, towards, ground=400.0, wall=("box", wall))
    settings = msgspec.structs.replace(SHADOWED, shadow_distance=40.0)
    view = camera_view(
        CameraComponent(fov=0.6), scene.look_at((1.0, 6.0, 10.0), (1.0, 0.0, -25.0)), (120, 240)
    )
    light, place = shade(world, view, settings)
    depth = -(place @ view.view_from_world[2, :3] + view.view_from_world[2, 3])
    shaded = (np.abs(place[..., 1]) < 5e-3) & (np.abs(place[..., 0] - 1.0) < 0.5)
    assert light[shaded & (depth < 36)].max() < 0.05
    assert light[shaded & (depth > 40.2)].min() > 0.99
    fading = shaded & (depth > 37) & (depth < 39.8)
    expected = (depth - 36.8) / 3.2
    np.testing.assert_allclose(light[fading], expected[fading], atol=0.05)


def test_cascades_pass_into_each_other_without_a_seam(scene, shade):
    """On a ground without casters no border between cascades may show."""
    world = yard(scene, sun_at(12), ground=300.0)
    view = camera_view(
        CameraComponent(fov=0.9), scene.look_at((4.0, 2.0, 6.0), (30.0, 0.0, -30.0)), (160, 120)
    )
    light, place = shade(world, view)
    ground = (np.abs(place[..., 1]) < 5e-3) & ~near_edge(place, sun_at(12), 1.0)
    assert ground.sum() > 5000
    assert light[ground].min() > 0.98
