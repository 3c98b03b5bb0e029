"""Whole frames: determinism, deltas against a fresh world, slots, sizes, what is left behind."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from fyn.engine_core.assets.material import Material
from fyn.engine_core.errors import UsageError
from fyn.engine_core.render.device import Device
from fyn.engine_core.render.view import camera_view
from fyn.engine_core.render.world_renderer import WorldRenderer, find_camera, render_world
from fyn.engine_core.world.components import (
    CameraComponent,
    Environment,
    LightComponent,
    MeshComponent,
    RenderSettings,
)
from fyn.engine_core.world.entity import Entity, Transform
from fyn.engine_core.world.world import World, WorldDelta

ALL_OUTPUTS = ("frame_color", "frame_linear", "frame_depth", "frame_normal")
SMALL = RenderSettings(shadow_resolution=512)


def garden(scene) -> World:
    """A few lit objects with shadows, a cut through all that a frame is made of."""
    world = World()
    world.meshes = {"ball": scene.sphere(rings=12), "box": scene.box(), "quad": scene.quad(12.0)}
    world.materials = {
        "red": Material(name="red", base_color=(0.9, 0.1, 0.1, 1.0), roughness=0.3),
        "metal": Material(name="metal", metallic=1.0, roughness=0.2),
        "glass": Material(name="glass", base_color=(0.2, 0.4, 1.0, 0.4), alpha_mode="blend"),
    }
    flat = Transform(rotation=(-(0.5**0.5), 0.0, 0.0, 0.5**0.5))
    things = {
        "floor": ("quad", (), flat),
        "a": ("ball", ("red",), Transform(translation=(-1.5, 1.0, 0.0))),
        "b": ("box", ("metal",), Transform(translation=(1.5, 0.5, 0.0), scale=(1.0, -1.0, 2.0))),
        "c": ("ball", ("glass",), Transform(translation=(0.0, 1.0, 2.0))),
    }
    for key, (mesh, materials, transform) in things.items():
        component = MeshComponent(mesh=mesh, materials=materials)
        world.entities[key] = Entity(id=key, mesh=component, transform=transform)
    sun = tuple(scene.look_at((3.0, 6.0, 4.0)).ravel())
    world.entities["sun"] = Entity(
        id="sun", light=LightComponent(kind="sun"), transform=Transform(matrix=sun)
    )
    world.entities["lamp"] = Entity(
        id="lamp",
        light=LightComponent(kind="point", strength=4.0),
        transform=Transform(translation=(0.0, 3.0, 3.0)),
    )
    world.environment = Environment(kind="hemisphere", sky_color=(0.2, 0.3, 0.5))
    return world


def garden_view(scene, size=(160, 90)):
    camera = CameraComponent(fov=0.9)
    return camera_view(camera, scene.look_at((2.0, 4.0, 8.0), (0.0, 0.7, 0.0)), size)


def test_the_same_frame_drawn_twice_has_the_same_bytes(scene, make_renderer):
    renderer = make_renderer(garden(scene))
    view = garden_view(scene)
    first = renderer.render(view, ALL_OUTPUTS, SMALL)
    second = renderer.render(view, ALL_OUTPUTS, SMALL)
    for name in ALL_OUTPUTS:
        assert first.outputs[name].tobytes() == second.outputs[name].tobytes(), name
    assert first.outputs["frame_color"][..., :3].std() > 10, "the picture shows something"


def test_outputs_have_the_promised_shapes_and_types(scene, make_renderer):
    frame = make_renderer(garden(scene)).render(garden_view(scene), ALL_OUTPUTS, SMALL)
    shapes = {name: (a.shape, a.dtype.name) for name, a in frame.outputs.items()}
    assert shapes == {
        "frame_color": ((90, 160, 4), "uint8"),
        "frame_linear": ((90, 160, 4), "float32"),
        "frame_depth": ((90, 160), "float32"),
        "frame_normal": ((90, 160, 3), "float32"),
    }
    assert frame.size == (160, 90)
    assert (frame.outputs["frame_color"][..., 3] == 255).all()


def test_an_output_is_the_same_whether_or_not_others_are_asked_for(scene, make_renderer):
    renderer = make_renderer(garden(scene))
    together = renderer.render(garden_view(scene), ALL_OUTPUTS, SMALL)
    for name in ALL_OUTPUTS:
        alone = renderer.render(garden_view(scene), (name,), SMALL)
        assert alone.outputs[name].tobytes() == together.outputs[name].tobytes(), name


def edits(world: World, rng: np.random.Generator):
    """One random change of each kind, as a delta."""
    keys = [key for key in world.entities if world.entities[key].mesh is not None]
    key = keys[rng.integers(len(keys))]
    entity = world.entities[key]
    moved = Transform(
        translation=tuple(rng.uniform(-2, 2, 3)), scale=tuple(rng.choice([-1.0, 0.5, 1.0], 3))
    )
    kind = rng.choice(["move", "remove", "add", "parent", "material", "mesh", "hide", "light"])
    if kind == "move":
        return WorldDelta(entities={key: msgspec.structs.replace(entity, transform=moved)})
    if kind == "remove" and len(keys) > 2:
        return WorldDelta(removed_entities=frozenset([key]))
    if kind == "parent":
        other = keys[rng.integers(len(keys))]
        if world.entities[other].parent is None and other != key:
            return WorldDelta(entities={key: msgspec.structs.replace(entity, parent=other)})
    if kind == "material":
        color = (*rng.random(3), 0.5)
        mode = str(rng.choice(["opaque", "blend", "mask"]))
        return WorldDelta(materials={"red": Material(base_color=color, alpha_mode=mode)})
    if kind == "mesh":
        mesh = world.meshes["ball" if rng.random() < 0.5 else "box"]
        return WorldDelta(meshes={"ball": mesh})
    if kind == "hide":
        component = msgspec.structs.replace(
            entity.mesh, casts_shadow=bool(rng.integers(2)), receives_shadow=bool(rng.integers(2))
        )
        return WorldDelta(entities={key: msgspec.structs.replace(entity, mesh=component)})
    if kind == "light":
        lamp = world.entities["lamp"]
        light = msgspec.structs.replace(lamp.light, strength=float(rng.uniform(1, 9)))
        return WorldDelta(entities={"lamp": msgspec.structs.replace(lamp, light=light)})
    name = f"new{rng.integers(1000)}"
    component = MeshComponent(mesh="box", materials=("red",))
    return WorldDelta(entities={name: Entity(id=name, mesh=component, transform=moved)})


@pytest.mark.parametrize("seed", range(4))
def test_a_world_changed_step_by_step_looks_like_one_loaded_whole(scene, make_renderer, seed):
    rng = np.random.default_rng(seed)
    world = garden(scene)
    stepwise = make_renderer(world)
    view = garden_view(scene)
    for _ in range(12):
        delta = edits(world, rng)
        world.apply(delta)
        stepwise.apply(delta)
        changed = stepwise.render(view, ALL_OUTPUTS, SMALL)
    fresh = make_renderer(world).render(view, ALL_OUTPUTS, SMALL)
    for name in ALL_OUTPUTS:
        assert changed.outputs[name].tobytes() == fresh.outputs[name].tobytes(), name
    assert changed.warnings == fresh.warnings


def test_resizing_and_a_hundred_slots_leave_no_objects_behind(scene, device, make_renderer):
    renderer = make_renderer(garden(scene))
    settings = msgspec.structs.replace(SMALL, samples=1)
    renderer.render(garden_view(scene, (64, 36)), ("frame_color",), settings)
    before = device.live_objects_by_kind
    for number in range(100):
        size = (16 + number, 16 + number // 2)
        renderer.render(garden_view(scene, size), ("frame_color",), settings, slot=f"s{number}")
        if number >= 3:
            renderer.release_slot(f"s{number - 3}")
    for number in range(97, 100):
        renderer.release_slot(f"s{number}")
    for width in (40, 80, 64):
        renderer.render(garden_view(scene, (width, 36)), ("frame_color",), settings)
    assert device.live_objects_by_kind == before


def test_releasing_the_renderer_leaves_programs_only(scene, device, make_renderer):
    before = device.live_objects_by_kind
    renderer = make_renderer(garden(scene))
    renderer.render(garden_view(scene), ALL_OUTPUTS, SMALL)
    assert device.live_objects_by_kind["texture"] > before.get("texture", 0)
    renderer.release()
    after = device.live_objects_by_kind
    assert {**after, "program": 0} == {**before, "program": 0}


def test_a_second_renderer_of_a_device_compiles_nothing(gl, scene, monkeypatch):
    assert gl
    view = garden_view(scene)
    with Device.create() as device:
        first, second = WorldRenderer(device), WorldRenderer(device)
        first.apply(garden(scene).as_delta())
        drawn = first.render(view, ALL_OUTPUTS, SMALL)
        programs = device.live_objects_by_kind["program"]
        first.release()
        monkeypatch.setattr(device.context, "program", None)
        second.apply(garden(scene).as_delta())
        again = second.render(view, ALL_OUTPUTS, SMALL)
        assert device.live_objects_by_kind["program"] == programs > 5
        second.release()
    assert device.live_objects == 0
    for name in ALL_OUTPUTS:
        assert drawn.outputs[name].tobytes() == again.outputs[name].tobytes(), name


def test_removing_everything_frees_its_meshes_and_shows_the_background(
    scene, device, make_renderer
):
    world = garden(scene)
    renderer = make_renderer(World(environment=world.environment))
    empty = renderer.render(garden_view(scene), ("frame_color",), SMALL)
    before = device.live_objects_by_kind["buffer"]
    renderer.apply(world.as_delta())
    full = renderer.render(garden_view(scene), ("frame_color",), SMALL)
    assert device.live_objects_by_kind["buffer"] > before
    renderer.apply(WorldDelta(removed_entities=frozenset(world.entities)))
    emptied = renderer.render(garden_view(scene), ("frame_color",), SMALL)
    # The uniform buffer of the default material is made with the first world and stays.
    assert device.live_objects_by_kind["buffer"] <= before + 1
    assert emptied.outputs["frame_color"].tobytes() == empty.outputs["frame_color"].tobytes()
    assert full.outputs["frame_color"].tobytes() != empty.outputs["frame_color"].tobytes()


def test_a_world_without_anything_is_drawn(scene, draw):
    frame = draw(World(), garden_view(scene), ALL_OUTPUTS, SMALL)
    assert np.isinf(frame.outputs["frame_depth"]).all()
    assert (frame.outputs["frame_normal"] == 0).all()
    np.testing.assert_allclose(frame.outputs["frame_linear"][..., :3], 0.05, rtol=1e-3)


def test_a_one_pixel_frame_is_drawn(scene, draw):
    frame = draw(garden(scene), garden_view(scene, (1, 1)), ("frame_color",), SMALL)
    assert frame.outputs["frame_color"].shape == (1, 1, 4)


def test_transparent_frames_are_empty_where_nothing_is_and_straight_elsewhere(scene, draw):
    settings = msgspec.structs.replace(scene.plain, transparent=True)
    world = World(environment=Environment(sky_color=(1.0, 1.0, 1.0)))
    world.meshes["quad"] = scene.quad(1.0)
    world.materials["half"] = Material(
        base_color=(0.5, 0.25, 1.0, 0.5), alpha_mode="blend", shading="unlit"
    )
    component = MeshComponent(mesh="quad", materials=("half",))
    world.entities["e"] = Entity(id="e", mesh=component)
    pixels = draw(world, scene.flat_view((20, 20)), ("frame_color",), settings).outputs[
        "frame_color"
    ]
    assert (pixels[0, 0] == 0).all()
    # sRGB encodings of 0.5, 0.25 and 1.
    np.testing.assert_allclose(pixels[10, 10].astype(int), [188, 137, 255, 128], atol=1)


def test_a_holdout_is_a_hole_in_what_is_behind_it_and_hidden_by_what_is_before_it(scene, draw):
    settings = msgspec.structs.replace(scene.plain, transparent=True)
    world = World(environment=Environment(sky_color=(1.0, 1.0, 1.0)))
    world.meshes["quad"] = scene.quad(1.0)
    world.materials["plain"] = Material(base_color=(1.0, 1.0, 1.0, 1.0), shading="unlit")
    world.materials["hole"] = Material(shading="holdout")
    for name, x, z in (("plain", 0.0, 0.0), ("hole", 0.5, 0.1)):
        world.entities[name] = Entity(
            id=name,
            mesh=MeshComponent(mesh="quad", materials=(name,)),
            transform=Transform(translation=(x, 0.0, z)),
        )
    view = scene.flat_view((20, 20))
    alpha = draw(world, view, ("frame_color",), settings).outputs["frame_color"][10, :, 3]
    assert alpha[8] == 255 and alpha[12] == 0
    world.entities["hole"] = msgspec.structs.replace(
        world.entities["hole"], transform=Transform(translation=(0.5, 0.0, -0.1))
    )
    alpha = draw(world, view, ("frame_color",), settings).outputs["frame_color"][10, :, 3]
    assert alpha[8] == alpha[12] == 255


def test_a_frame_of_no_size_is_refused_in_words(scene, make_renderer):
    renderer = make_renderer(garden(scene))
    with pytest.raises(UsageError, match="0 x 90 pixels"):
        renderer.render(zero_view(scene))


def zero_view(scene):
    view = garden_view(scene)
    return type(view)(view.view_from_world, view.clip_from_view, view.near, view.far, True, (0, 90))


def test_an_unknown_pipeline_or_output_is_refused_in_words(scene, make_renderer):
    renderer = make_renderer(garden(scene))
    with pytest.raises(UsageError, match="toon"):
        renderer.render(garden_view(scene), settings=RenderSettings(pipeline="toon"))
    with pytest.raises(Exception, match=r"frame_colour.*frame_color"):
        renderer.render(garden_view(scene), ("frame_colour",))


def test_render_world_finds_cameras_by_id_and_name_and_says_which_there_are(scene, gl):
    assert gl
    world = garden(scene)
    with pytest.raises(UsageError, match="no camera"):
        render_world(world, None, (8, 8))
    standing = Transform(matrix=tuple(scene.look_at((2.0, 4.0, 8.0)).ravel()))
    for key in ("one", "two"):
        world.entities[key] = Entity(
            id=key, name=f"Camera {key}", camera=CameraComponent(), transform=standing
        )
    assert find_camera(world, None) == "one"
    world.active_camera = "two"
    assert find_camera(world, None) == "two"
    assert find_camera(world, "Camera one") == "one"
    with pytest.raises(UsageError, match=r"'third'.*'Camera one', 'Camera two'"):
        render_world(world, "third", (8, 8))
    with pytest.raises(UsageError, match="0 x 4 pixels"):
        render_world(world, "one", (0, 4))
    frame = render_world(world, "Camera one", (32, 18), settings=SMALL)
    assert frame.outputs["frame_color"][..., :3].std() > 5
