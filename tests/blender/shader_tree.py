"""ShaderTree: a material whose nodes a test adds and links in a line each."""

from __future__ import annotations

import bpy
import numpy as np

from fyn.addon.sync.image_table import ImageTable
from fyn.addon.sync.materials import read_material
from fyn.addon.sync.mesh_arrays import MeshLayout
from fyn.engine_core.assets.image_io import decode

LAYOUT = MeshLayout(("UVMap", "second"), ("Color", "other"))


class ShaderTree:
    """A material's node tree being built."""

    def __init__(self, name="material"):
        self.material = bpy.data.materials.new(name)
        if self.material.node_tree is None:
            self.material.use_nodes = True
        self.nodes = self.material.node_tree.nodes
        self.nodes.clear()
        self.output = self.add("OutputMaterial")

    def add(self, kind, **settings):
        """A new node of `ShaderNode<kind>` with some of its settings."""
        node = self.nodes.new(f"ShaderNode{kind}")
        for name, value in settings.items():
            setattr(node, name, value)
        return node

    def link(self, source, target):
        self.material.node_tree.links.new(source, target)

    def show(self, socket):
        """Make a shader the surface of the material."""
        self.link(socket, self.output.inputs["Surface"])

    def principled(self, **inputs):
        """A Principled BSDF on show; inputs by name with _ for a blank."""
        node = self.add("BsdfPrincipled")
        for name, value in inputs.items():
            self.feed(node.inputs[name.replace("_", " ")], value)
        self.show(node.outputs[0])
        return node

    def feed(self, socket, value):
        if isinstance(value, bpy.types.NodeSocket):
            self.link(value, socket)
        else:
            socket.default_value = value

    def picture(self, name="picture", data=True, alpha=None, **settings):
        """An image node of a new 8 x 8 image of noise, its alpha given or noise too."""
        image = bpy.data.images.new(name, 8, 8, alpha=True, is_data=data)
        pixels = np.random.default_rng(len(bpy.data.images)).random((8, 8, 4)).astype(np.float32)
        if alpha is not None:
            pixels[..., 3] = alpha
        image.pixels.foreach_set(pixels.ravel())
        return self.add("TexImage", image=image, **settings)

    def normal_map(self, color, **settings):
        """A Normal Map node fed by `color`."""
        node = self.add("NormalMap", **settings)
        self.link(color, node.inputs["Color"])
        return node

    def read(self, layout=LAYOUT):
        """The material, for meshes of `layout`; its warnings and pictures stay on this object."""
        self.images = ImageTable()
        self.reading = read_material(self.material, self.material.name, layout, self.images)
        self.warnings = [str(warning) for warning in self.reading.warnings]
        return self.reading.material

    def pixels(self, slot):
        """The picture of a slot, (H, W, 4) 0..1, top row first."""
        return decode(self.images.images.by_id(slot.image)) / 255
