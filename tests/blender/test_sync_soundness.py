"""Whatever a scene holds, its World can be exported, and what was changed for that is told."""

from __future__ import annotations

import bpy
import pytest

from fyn.addon.sync.ranges import LARGEST, within_ranges
from fyn.addon.sync.scene_sync import SceneSync
from fyn.engine_core.assets.material import Material
from fyn.engine_core.world.components import CameraComponent, LightComponent
from fyn.engine_core.world.level_file import read_level
from fyn.engine_core.world.world import World
from fyn.exporters.level import export_level

NAN, INF = float("nan"), float("inf")


def linked(name, data=None):
    obj = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def cube(name="cube"):
    bpy.ops.mesh.primitive_cube_add()
    bpy.context.object.name = name
    return bpy.context.object


def exported(folder):
    """The scene's world and warnings, after its level was written and read again."""
    sync, world = SceneSync(), World()
    world.apply(sync.full(bpy.context.evaluated_depsgraph_get()))
    report = export_level(world, folder)
    read_level(folder / "level.fyn")
    assert report.warnings == ()
    return world, sync.warnings


def causes(warnings):
    return {(warning.name, warning.cause) for warning in warnings}


def test_values_in_range_stay_the_same_object():
    for value in (LightComponent(kind="spot"), CameraComponent(), Material(name="m")):
        assert within_ranges(value) == (value, ())
        assert within_ranges(value)[0] is value


def test_values_out_of_range_come_to_the_nearest_one_and_are_named():
    light, fields = within_ranges(
        LightComponent(strength=-1.0, radius=1e300, color=(NAN, 2.0, INF))
    )
    assert light.strength == 0.0 and light.radius == LARGEST
    assert light.color == (1.0, 2.0, LARGEST)
    assert sorted(fields) == ["Color", "Radius", "Strength"]


@pytest.mark.parametrize("value", [NAN, INF, 3e38])
@pytest.mark.parametrize("what", ["location", "scale"])
def test_an_object_that_is_nowhere_is_left_out_with_its_children_and_named(
    empty_scene, tmp_path, what, value
):
    lost, child, fine = cube("lost"), cube("child"), cube("fine")
    setattr(lost, what, (value, 1, 1))
    child.parent = lost
    world, warnings = exported(tmp_path)
    drawn = {entity.id for entity in world.entities.values() if entity.mesh is not None}
    assert drawn == {fine.name}
    assert causes(warnings) == {("lost", "OBJECT_NOWHERE"), ("child", "OBJECT_NOWHERE")}


def test_an_object_that_comes_back_from_nowhere_is_drawn_again(follow):
    lost = cube("lost")
    follower = follow()
    lost.location.x = NAN
    bpy.context.view_layer.update()
    assert follower.world.entities["lost"].mesh is None
    lost.location.x = 2
    bpy.context.view_layer.update()
    assert follower.world.entities["lost"].mesh is not None
    assert follower.world.world_from_local("lost")[0, 3] == 2


@pytest.mark.parametrize("kind", ["SUN", "POINT", "SPOT", "AREA"])
@pytest.mark.parametrize("energy", [3e38, NAN])
def test_a_lamp_beyond_measure_is_exported(empty_scene, tmp_path, kind, energy):
    lamp = bpy.data.lights.new("lamp", kind)
    lamp.energy, lamp.exposure, lamp.color = energy, 10, (1e5, 1, 1)
    linked("lamp", lamp)
    _, warnings = exported(tmp_path)
    assert causes(warnings) == {("lamp", "VALUE_OUT_OF_RANGE")}


def test_a_world_and_a_material_beyond_measure_are_exported(empty_scene, tmp_path):
    world = bpy.data.worlds.new("world")
    world.node_tree.nodes["Background"].inputs["Strength"].default_value = 3e38
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (1e30, 1, 1, 1)
    empty_scene.world = world
    material = bpy.data.materials.new("glow")
    surface = material.node_tree.nodes["Principled BSDF"]
    surface.inputs["Emission Strength"].default_value = 3e38
    surface.inputs["Emission Color"].default_value = (1e30, 1, 1, 1)
    surface.inputs["Base Color"].default_value = (1e30, -5, NAN, 1)
    cube().data.materials.append(material)
    _, warnings = exported(tmp_path)
    named = {(name, cause) for name, cause in causes(warnings) if cause == "VALUE_OUT_OF_RANGE"}
    assert named == {("world", "VALUE_OUT_OF_RANGE"), ("glow", "VALUE_OUT_OF_RANGE")}


def test_more_colour_attributes_than_a_level_holds_are_left_out_and_told(empty_scene, tmp_path):
    mesh = cube().data
    for index in range(12):
        mesh.color_attributes.new(f"c{index}", "FLOAT_COLOR", "CORNER")
    world, warnings = exported(tmp_path)
    (data,) = world.meshes.values()
    assert len(data.color_sets) == 8
    assert causes(warnings) == {("Cube", "MESH_SETS")}


def test_odd_meshes_are_exported(empty_scene, tmp_path):
    flat = bpy.data.meshes.new("flat")
    flat.from_pydata([(0, 0, 0)] * 3, [], [(0, 1, 2)])
    linked("flat", flat)
    slots = cube("slots").data.attributes.new("material_index", "INT", "FACE")
    slots.data.foreach_set("value", [-5, 100_000, 2**31 - 1, 0, 1, 2])
    huge = cube("huge").data
    huge.attributes["position"].data.foreach_set("vector", [3e38, -3e38, 3e38] * 8)
    bent = cube("bent").data.attributes.new("custom_normal", "FLOAT_VECTOR", "CORNER")
    bent.data.foreach_set("vector", [NAN] * 72)
    exported(tmp_path)
