"""PictureStage: a scene under an orthographic camera, and its pixels by F12 and by an export."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
from PIL import Image

from fyn.addon.headless import read_scene
from fyn.addon.sync.scene_sync import SceneSync
from fyn.addon.viewport.scene_pool import object_filter
from fyn.engine_core.render.device import Device
from fyn.engine_core.render.view import camera_view
from fyn.engine_core.render.world_renderer import WorldRenderer
from fyn.engine_core.world.level_file import read_level
from fyn.engine_core.world.world import World
from fyn.exporters.level import export_level

SIZE = (64, 36)
WIDTH = 16.0
"""Metres that the picture shows: 4 pixels each. The camera looks down; the middle is the origin."""

RED, GREEN, BLUE, YELLOW = (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0)


class PictureStage:
    """The open scene, seen from above; everything shines by itself, so that colours are known."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.light_up(bpy.context.scene)

    @property
    def scene(self):
        return bpy.context.scene

    @property
    def space(self):
        """The first 3D view of Blender's windows."""
        areas = [area for screen in bpy.data.screens for area in screen.areas]
        return next(area.spaces[0] for area in areas if area.type == "VIEW_3D")

    def light_up(self, scene):
        """Give a scene the engine, size and camera of the stage."""
        scene.render.engine = "FYN"
        scene.render.resolution_x, scene.render.resolution_y = SIZE
        scene.render.resolution_percentage = 100
        scene.render.dither_intensity = 0
        scene.render.image_settings.file_format = "PNG"
        scene.view_settings.view_transform = "Standard"
        data = bpy.data.cameras.new("stage camera")
        data.type, data.ortho_scale = "ORTHO", WIDTH
        scene.camera = bpy.data.objects.new("stage camera", data)
        scene.camera.location.z = 50
        scene.collection.objects.link(scene.camera)
        scene.world = bpy.data.worlds.new("black")
        if scene.world.node_tree is None:
            scene.world.use_nodes = True
        tree = scene.world.node_tree
        tree.nodes["Background"].inputs["Strength"].default_value = 0

    def glow(self, color, name="glow"):
        """A material that shines in one colour."""
        material = bpy.data.materials.new(name)
        if material.node_tree is None:
            material.use_nodes = True
        nodes = material.node_tree.nodes
        nodes.clear()
        emission, output = nodes.new("ShaderNodeEmission"), nodes.new("ShaderNodeOutputMaterial")
        emission.inputs["Color"].default_value = (*color, 1)
        material.node_tree.links.new(emission.outputs[0], output.inputs["Surface"])
        return material

    def shine(self, material, socket):
        """Make a colour socket of a tree what its material shines with."""
        links, nodes = material.node_tree.links, material.node_tree.nodes
        emission = next(node for node in nodes if node.type == "EMISSION")
        links.new(socket, emission.inputs["Color"])

    def square(self, name, color=RED, at=(0, 0), collection=None, size=2.0, uv=True):
        """An object that is a glowing square of `size` metres, facing up."""
        mesh = bpy.data.meshes.new(f"{name} mesh")
        h = size / 2
        mesh.from_pydata([(-h, -h, 0), (h, -h, 0), (h, h, 0), (-h, h, 0)], [], [(0, 1, 2, 3)])
        if uv:
            layer = mesh.uv_layers.new(name="UVMap")
            layer.data.foreach_set("uv", [0, 0, 1, 0, 1, 1, 0, 1])
        material = color if isinstance(color, bpy.types.Material) else self.glow(color, name)
        mesh.materials.append(material)
        obj = bpy.data.objects.new(name, mesh)
        obj.location = (*at, 0)
        (collection or self.scene.collection).objects.link(obj)
        return obj

    def collection(self, name, parent=None):
        """A new collection in the scene (or in `parent`; False: nowhere)."""
        made = bpy.data.collections.new(name)
        if parent is not False:
            (parent or self.scene.collection).children.link(made)
        return made

    def instance(self, collection, at=(0, 0), name="instance", into=None):
        """An empty that instances a collection."""
        empty = bpy.data.objects.new(name, None)
        empty.instance_type, empty.instance_collection = "COLLECTION", collection
        empty.location = (*at, 0)
        (into or self.scene.collection).objects.link(empty)
        return empty

    def f12(self, **arguments):
        """The picture that a render writes."""
        path = self.folder / "f12.png"
        self.scene.render.filepath = str(path)
        bpy.ops.render.render(write_still=True, **arguments)
        return Picture(np.array(Image.open(path).convert("RGB")))

    def exported(self, folder=None):
        """The picture of the level that the scene is exported to, drawn without Blender."""
        scene = read_scene()
        report = export_level(scene.world, folder or self.folder / "level")
        world = read_level(report.level)
        camera = world.entities[world.active_camera]
        assert camera.camera is not None
        view = camera_view(camera.camera, world.world_from_local(camera.id), SIZE)
        with Device.create() as device:
            renderer = WorldRenderer(device)
            renderer.apply(world.as_delta())
            frame = renderer.render(view, ("frame_color",), world.render)
            renderer.release()
        return Picture(frame.outputs["frame_color"][..., :3])

    def both(self):
        """F12 and the exported level, which show the same."""
        pictures = self.f12(), self.exported()
        assert np.abs(pictures[0].pixels.astype(int) - pictures[1].pixels).max() <= 1
        return pictures[0]

    def viewport(self):
        """The world that a viewport shows."""
        world = World()
        depsgraph = bpy.context.evaluated_depsgraph_get()
        is_shown = object_filter(self.space, depsgraph.view_layer)
        world.apply(SceneSync(is_shown).full(depsgraph))
        return world

    def warnings(self):
        """What a sync of the render warns of."""
        return read_scene().warnings


class Picture:
    """Pixels (H, W, 3) uint8, asked for by the metres of the scene."""

    def __init__(self, pixels):
        self.pixels = pixels

    def at(self, x, y=0.0):
        """The colour over a point of the ground, each channel rounded to 0 or 1."""
        column = int(SIZE[0] / 2 + x * SIZE[0] / WIDTH)
        row = int(SIZE[1] / 2 - y * SIZE[0] / WIDTH)
        return tuple(int(value) for value in self.pixels[row, column] > 127)

    def exact(self, x, y=0.0):
        """The pixel over a point of the ground."""
        column = int(SIZE[0] / 2 + x * SIZE[0] / WIDTH)
        row = int(SIZE[1] / 2 - y * SIZE[0] / WIDTH)
        return tuple(int(value) for value in self.pixels[row, column])
