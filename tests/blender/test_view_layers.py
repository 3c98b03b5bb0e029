"""F12 draws each enabled view layer once, with its own visibility, into its own result."""

from __future__ import annotations

import bpy
import pytest

from fyn.addon import still


def square(name, x, collection):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], [], [(0, 1, 2, 3)])
    obj = bpy.data.objects.new(name, mesh)
    obj.location.x = x
    collection.objects.link(obj)


@pytest.fixture
def scene(registered, empty_scene):
    """A square on the left in collection "left", one on the right in "right", seen from above."""
    empty_scene.render.engine = "FYN"
    for name, x in (("left", -1), ("right", 1)):
        collection = bpy.data.collections.new(name)
        empty_scene.collection.children.link(collection)
        square(name, x, collection)
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.data.type, camera.data.ortho_scale, camera.location.z = "ORTHO", 4, 5
    empty_scene.collection.objects.link(camera)
    empty_scene.camera = camera
    render = empty_scene.render
    render.resolution_x, render.resolution_y, render.resolution_percentage = 40, 20, 100
    render.film_transparent = True
    return empty_scene


@pytest.fixture
def drawn(monkeypatch):
    """What each render wrote: (layer, alpha on the left, alpha on the right)."""
    found = []
    write = still._write

    def record(engine, layer, size, arrays):
        row = arrays["Combined"][10, :, 3]
        found.append((layer, round(float(row[10])), round(float(row[30]))))
        write(engine, layer, size, arrays)

    monkeypatch.setattr(still, "_write", record)
    return found


def test_each_view_layer_is_drawn_with_its_own_collections(scene, drawn):
    first = scene.view_layers[0]
    first.name = "first"
    second, off = scene.view_layers.new("second"), scene.view_layers.new("off")
    first.layer_collection.children["left"].exclude = True
    second.layer_collection.children["right"].exclude = True
    off.use = False
    bpy.ops.render.render()
    assert drawn == [("first", 0, 1), ("second", 1, 0)]


def test_a_layer_that_holds_a_collection_out_or_shows_it_indirectly_has_a_hole(scene, drawn):
    layer = scene.view_layers[0]
    layer.name = "layer"
    layer.layer_collection.children["left"].indirect_only = True
    bpy.ops.render.render()
    layer.layer_collection.children["left"].indirect_only = False
    layer.layer_collection.children["right"].holdout = True
    bpy.ops.render.render()
    assert drawn == [("layer", 0, 1), ("layer", 1, 0)]
