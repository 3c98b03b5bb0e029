"""Opening .blend files without a window: seen as a render sees them, errors in words."""

from __future__ import annotations

import bpy
import pytest

from fyn.addon.headless import iterate_frames, load_world
from fyn.addon.sync.render_depsgraph import with_render_depsgraph
from fyn.engine_core.errors import FynError, SyncError, UsageError
from fyn.engine_core.world.level_file import read_level
from fyn.exporters.level import export_level


@pytest.fixture
def blend(empty_scene, awkward_path):
    """A scene with two cameras, a hidden object and a moving one, saved under an awkward name."""
    scene = empty_scene
    for name in ("first", "zweite [2]"):
        camera = bpy.data.objects.new(name, bpy.data.cameras.new(name))
        scene.collection.objects.link(camera)
        scene.camera = scene.camera or camera
    mesh = bpy.data.meshes.new("triangle")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    mover = bpy.data.objects.new("mover", mesh)
    scene.collection.objects.link(mover)
    for frame in (0, 10):
        mover.location.x = frame
        mover.keyframe_insert("location", frame=frame)
    hidden = bpy.data.objects.new("hidden in renders", mesh)
    hidden.hide_render = True
    scene.collection.objects.link(hidden)
    scene.render.resolution_x, scene.render.resolution_y = 640, 480
    scene.render.resolution_percentage = 50
    scene.render.pixel_aspect_y = 2
    scene.render.fps, scene.render.fps_base = 50, 2
    scene.frame_start, scene.frame_end = 3, 8
    scene.frame_set(5)
    path = awkward_path / "szene [1].blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    return path


def test_a_file_is_read_as_its_maker_would_render_it(blend):
    before = blend.read_bytes()
    loaded = load_world(blend)
    assert set(loaded.world.entities) == {"first", "zweite [2]", "mover"}
    assert loaded.world.active_camera == "first"
    assert loaded.size == (320, 240) and loaded.pixel_aspect == 2
    assert (loaded.frame, loaded.frame_range, loaded.fps) == (5, (3, 8), 25)
    assert loaded.time == pytest.approx(5 / 25)
    assert loaded.warnings == ()
    assert blend.read_bytes() == before
    assert [path.name for path in blend.parent.iterdir()] == [blend.name]


def test_a_frame_and_a_camera_can_be_chosen(blend):
    loaded = load_world(blend, frame=10, camera="zweite [2]")
    assert loaded.world.active_camera == "zweite [2]"
    assert loaded.world.world_from_local("mover")[0, 3] == pytest.approx(10)


def test_frames_follow_each_other(blend):
    places = [
        loaded.world.world_from_local("mover")[0, 3] for loaded in iterate_frames(blend, 0, 10)
    ]
    assert len(places) == 11 and places[0] == 0 and places[10] == pytest.approx(10)
    assert places == sorted(places)


@pytest.mark.parametrize("name", ["missing.blend", "folder.blend", "picture.png", ""])
def test_a_path_that_is_no_blend_file_is_refused_by_name(awkward_path, name):
    (awkward_path / "folder.blend").mkdir()
    (awkward_path / "picture.png").write_bytes(b"")
    with pytest.raises(UsageError) as error:
        load_world(awkward_path / name)
    assert name in str(error.value)


@pytest.mark.parametrize("content", [b"", b"BLENDER", b"not a blend file at all" * 100])
def test_a_damaged_file_is_named(awkward_path, content):
    path = awkward_path / "broken.blend"
    path.write_bytes(content)
    with pytest.raises(FynError, match=r"broken\.blend"):
        load_world(path)


def test_an_unknown_camera_is_refused_with_the_names_there_are(blend):
    with pytest.raises(UsageError, match=r"'third'.*'first', 'zweite \[2\]'"):
        load_world(blend, camera="third")


def test_frames_that_run_backwards_are_refused(blend):
    with pytest.raises(UsageError, match="backwards"):
        next(iterate_frames(blend, 5, 4))


def test_a_scene_whose_layers_are_all_off_says_so(empty_scene):
    empty_scene.view_layers[0].use = False
    with pytest.raises(SyncError, match="view layer"):
        with_render_depsgraph(empty_scene, lambda depsgraph: depsgraph)


def test_an_error_while_reading_arrives_and_the_scene_is_put_back(empty_scene):
    engine = empty_scene.render.engine
    with pytest.raises(ZeroDivisionError):
        with_render_depsgraph(empty_scene, lambda depsgraph: 1 // 0)
    assert empty_scene.render.engine == engine and empty_scene.camera is None
    assert with_render_depsgraph(empty_scene, lambda depsgraph: depsgraph.mode) == "RENDER"


def test_a_level_keeps_the_picture_s_size_and_the_shape_of_its_pixels(empty_scene, tmp_path):
    scene = empty_scene
    scene.render.resolution_x, scene.render.resolution_y = 640, 480
    scene.render.resolution_percentage = 50
    scene.render.pixel_aspect_x, scene.render.pixel_aspect_y = 1, 2
    path = tmp_path / "anamorphic.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    report = export_level(load_world(path).world, tmp_path / "level")
    render = read_level(report.level).render
    assert (render.width, render.height, render.pixel_aspect) == (320, 240, 2.0)
