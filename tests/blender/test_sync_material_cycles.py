"""Constants that the sync computes from nodes are those that Cycles computes, by tiny bakes."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from fyn.addon.operators.bake_images import baked_pixels
from fyn.addon.operators.bake_scene import bake_scene
from fyn.addon.sync.materials.formulas import MATH
from fyn.addon.sync.mesh_arrays import MeshLayout

LAYOUT = MeshLayout(("UVMap",))


@pytest.fixture
def both(tree):
    """Gives the base colour of the tree's material by the sync and by Cycles, (3,) each."""
    bpy.ops.mesh.primitive_plane_add()
    plane = bpy.context.object
    plane.data.materials.append(tree.material)

    def compute():
        ours = np.array(tree.read(LAYOUT).base_color[:3])
        with bake_scene(tree.material, [plane], 16) as baking:
            baking.channels.show_base()
            baking.bake("UVMap", "EMIT")
            theirs = baked_pixels(baking.target)[0][8, 8].astype(np.float64)
        return ours, np.maximum(theirs, 0)

    return compute


def differ(ours, theirs, share=2e-3):
    return np.abs(ours - theirs).max() > share * max(1, np.abs(theirs).max())


def test_mixed_colours_in_every_mode(tree, both):
    mix = tree.add("Mix", data_type="RGBA")
    mix.inputs["Factor"].default_value = 0.7
    a, b = (socket for socket in mix.inputs if socket.type == "RGBA")
    a.default_value, b.default_value = (0.7, 0.2, 0.35, 1), (0.3, 0.6, 0.15, 1)
    tree.principled(Base_Color=mix.outputs[2])
    modes = [item.identifier for item in mix.bl_rna.properties["blend_type"].enum_items]
    wrong = {}
    for mode in modes:
        mix.blend_type = mode
        ours, theirs = both()
        if differ(ours, theirs):
            wrong[mode] = (ours, theirs)
    assert len(modes) > 15 and wrong == {}


@pytest.mark.parametrize("numbers", [(0.7, 0.4, 0.3), (2.5, -1.5, 0.75)])
def test_every_operation_of_math(tree, both, numbers):
    math = tree.add("Math")
    for socket, value in zip(math.inputs, numbers, strict=True):
        socket.default_value = value
    # What is negative would be lost, and what is huge says little: the middle of a range is kept.
    squashed = tree.add("MapRange", clamp=True)
    squashed.inputs["From Min"].default_value, squashed.inputs["From Max"].default_value = -10, 10
    tree.link(math.outputs[0], squashed.inputs["Value"])
    tree.principled(Base_Color=squashed.outputs[0])
    wrong = {}
    for operation in MATH:
        math.operation = operation
        ours, theirs = both()
        if differ(ours, theirs):
            wrong[operation] = (ours[0] * 20 - 10, theirs[0] * 20 - 10)
    assert wrong == {}


COLOR = (0.6, 0.25, 0.1, 1)


def _curves(node):
    node.mapping.curves[3].points.new(0.4, 0.7)
    node.mapping.curves[0].points.new(0.5, 0.2)
    node.mapping.update()


def _ramp(node):
    node.color_ramp.elements[0].color = (0.1, 0.8, 0.3, 1)
    node.color_ramp.interpolation = "EASE"


@pytest.mark.parametrize(
    ("kind", "inputs", "prepare"),
    [
        ("HueSaturation", {"Hue": 0.7, "Saturation": 1.3, "Value": 0.8, "Color": COLOR}, None),
        ("BrightContrast", {"Color": COLOR, "Contrast": 0.4}, None),
        ("Gamma", {"Color": COLOR, "Gamma": 2.2}, None),
        ("Invert", {"Color": COLOR}, None),
        ("RGBCurve", {"Color": COLOR}, _curves),
        ("ValToRGB", {"Fac": 0.3}, _ramp),
        ("RGBToBW", {"Color": COLOR}, None),
    ],
)
def test_nodes_that_change_colours(tree, both, kind, inputs, prepare):
    node = tree.add(kind)
    for name, value in inputs.items():
        socket = node.inputs.get(name) or node.inputs[0]
        socket.default_value = value
    if prepare is not None:
        prepare(node)
    tree.principled(Base_Color=node.outputs[0])
    ours, theirs = both()
    assert not differ(ours, theirs), (ours, theirs)


# Cycles fits polynomials to a table, the sync integrates the observer's curves.
@pytest.mark.parametrize(
    ("kelvin", "apart"), [(1500.0, 0.03), (3200.0, 0.01), (6500.0, 0.01), (10000.0, 0.01)]
)
def test_a_black_body_is_about_as_red(tree, both, kelvin, apart):
    node = tree.add("Blackbody")
    node.inputs["Temperature"].default_value = kelvin
    scale = tree.add("VectorMath", operation="SCALE")
    scale.inputs["Scale"].default_value = 0.25  # it is brighter than white
    tree.link(node.outputs[0], scale.inputs[0])
    tree.principled(Base_Color=scale.outputs[0])
    ours, theirs = both()
    assert not differ(ours, theirs, apart), (ours * 4, theirs * 4)
