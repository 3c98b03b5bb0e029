"""Symptoms met in add-ons of other engines: colours, pictures and their files."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

RED, GREEN, BLUE, BLACK, PINK = (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 0), (1, 0, 1)


@pytest.fixture
def square(stage):
    """A square whose material shines; tests decide with what."""
    return stage.square("square", BLACK, size=8.0)


@pytest.fixture
def nodes(square):
    return square.data.materials[0].node_tree.nodes


def picture(name="picture", left=RED, right=GREEN):
    """An image of 8 x 8 pixels in two halves."""
    image = bpy.data.images.new(name, 8, 8)
    pixels = np.ones((8, 8, 4), np.float32)
    pixels[:, :4, :3], pixels[:, 4:, :3] = left, right
    image.pixels.foreach_set(pixels.ravel())
    return image


def show_picture(stage, square, image):
    material = square.data.materials[0]
    node = material.node_tree.nodes.new("ShaderNodeTexImage")
    node.image, node.interpolation = image, "Closest"
    stage.shine(material, node.outputs["Color"])
    return node


def color(nodes, value):
    node = nodes.new("ShaderNodeRGB")
    node.outputs[0].default_value = (*value, 1)
    return node.outputs[0]


def mix_node(nodes, legacy, a, b, factor, blend):
    """A Mix node of colours, or the older MixRGB of files from before 3.4."""
    links = nodes.id_data.links
    node = nodes.new("ShaderNodeMixRGB" if legacy else "ShaderNodeMix")
    node.blend_type = blend
    if legacy:
        inputs, output = [node.inputs[name] for name in ("Fac", "Color1", "Color2")], 0
    else:
        node.data_type = "RGBA"
        by_id = {socket.identifier: socket for socket in node.inputs}
        inputs = [by_id[name] for name in ("Factor_Float", "A_Color", "B_Color")]
        output = next(i for i, s in enumerate(node.outputs) if s.identifier == "Result_Color")
    inputs[0].default_value = factor
    for socket, value in zip(inputs[1:], (a, b), strict=True):
        if isinstance(value, bpy.types.NodeSocket):
            links.new(value, socket)
        else:
            socket.default_value = (*value, 1)
    return node.outputs[output]


WHITE, GREY = (1, 1, 1), (0.5, 0.5, 0.5)
MIXES = {
    "all A": (RED, BLUE, 0.0, "MIX", RED),
    "all B": (RED, BLUE, 1.0, "MIX", BLUE),
    "multiply by white": (RED, WHITE, 1.0, "MULTIPLY", RED),
    "multiply": ((1, 1, 0), (0, 1, 1), 1.0, "MULTIPLY", GREEN),
    "add": (RED, BLUE, 1.0, "ADD", PINK),
    "subtract": ((1, 1, 0), RED, 1.0, "SUBTRACT", GREEN),
    "screen of black": (RED, BLACK, 1.0, "SCREEN", RED),
    "overlay by a factor of nothing": (RED, GREY, 0.0, "OVERLAY", RED),
}


@pytest.mark.parametrize("legacy", [False, True], ids=["Mix", "MixRGB"])
@pytest.mark.parametrize(("a", "b", "factor", "blend", "seen"), MIXES.values(), ids=MIXES)
def test_a_mix_node_keeps_the_colours_that_it_mixes(
    stage, square, nodes, legacy, a, b, factor, blend, seen
):
    stage.shine(square.data.materials[0], mix_node(nodes, legacy, a, b, factor, blend))
    assert stage.f12().at(0) == seen


def test_a_mix_of_a_picture_with_a_colour_keeps_the_picture(stage, square, nodes):
    node = show_picture(stage, square, picture())
    output = mix_node(nodes, False, node.outputs["Color"], (1, 1, 0), 1.0, "MULTIPLY")
    stage.shine(square.data.materials[0], output)
    seen = stage.both()
    assert (seen.at(-2), seen.at(2)) == (RED, GREEN)


def group(nodes, inner_color, depth=1, with_shader=False):
    """A group node (of `depth` groups within each other) that gives a colour or a shader."""
    tree = bpy.data.node_groups.new("Gruppe [1]", "ShaderNodeTree")
    kind = "NodeSocketShader" if with_shader else "NodeSocketColor"
    tree.interface.new_socket("Out", in_out="OUTPUT", socket_type=kind)
    tree.interface.new_socket("In", in_out="INPUT", socket_type="NodeSocketColor")
    end = tree.nodes.new("NodeGroupOutput")
    if depth > 1:
        source = group(tree.nodes, inner_color, depth - 1, with_shader).outputs[0]
    elif with_shader:
        shader = tree.nodes.new("ShaderNodeEmission")
        shader.inputs["Color"].default_value = (*inner_color, 1)
        source = shader.outputs[0]
    else:
        source = color(tree.nodes, inner_color)
    tree.links.new(source, end.inputs[0])
    node = nodes.new("ShaderNodeGroup")
    node.node_tree = tree
    return node


@pytest.mark.parametrize("depth", [1, 3])
def test_a_colour_from_a_group_is_that_colour_and_not_white(stage, square, nodes, depth):
    stage.shine(square.data.materials[0], group(nodes, GREEN, depth).outputs[0])
    assert stage.both().at(0) == GREEN


@pytest.mark.parametrize("depth", [1, 3])
def test_a_shader_from_a_group_is_drawn(stage, square, nodes, depth):
    output = next(node for node in nodes if node.type == "OUTPUT_MATERIAL")
    node = group(nodes, GREEN, depth, with_shader=True)
    nodes.id_data.links.new(node.outputs[0], output.inputs["Surface"])
    assert stage.both().at(0) == GREEN


def test_a_colour_passed_into_a_group_comes_out_of_it(stage, square, nodes):
    node = group(nodes, RED)
    tree = node.node_tree
    start = tree.nodes.new("NodeGroupInput")
    end = next(inner for inner in tree.nodes if inner.type == "GROUP_OUTPUT")
    tree.links.new(start.outputs[0], end.inputs[0])
    node.inputs[0].default_value = (*BLUE, 1)
    stage.shine(square.data.materials[0], node.outputs[0])
    assert stage.both().at(0) == BLUE


def test_a_group_that_is_gone_shows_black_and_the_rest_is_drawn(stage, square, nodes):
    node = group(nodes, RED)
    stage.shine(square.data.materials[0], node.outputs[0])
    bpy.data.node_groups.remove(node.node_tree)
    stage.square("beside", GREEN, (6, 0))
    seen = stage.both()
    assert (seen.at(0), seen.at(6)) == (BLACK, GREEN)


def test_a_mesh_without_uvs_shows_its_picture_in_one_colour_and_is_named_once(stage):
    first = stage.square("first", BLACK, (-4, 0), uv=False)
    show_picture(stage, first, picture(left=RED, right=RED))
    for index in range(5):
        other = bpy.data.objects.new(f"other {index}", first.data)
        other.location = (4, index, 0)
        stage.scene.collection.objects.link(other)
    seen = stage.both()
    assert (seen.at(-4), seen.at(4)) == (RED, RED)
    warnings = [w for w in stage.warnings() if w.cause == "MESH_NO_UV"]
    assert [(w.kind, w.name) for w in warnings] == [("mesh", first.data.name)]


def test_a_missing_picture_is_pink_named_once_and_costs_nothing_else(
    stage, square, tmp_path, capfd
):
    image = picture("böse")
    image.filepath_raw = str(tmp_path / "nirgends" / "böse.png")
    image.source = "FILE"
    show_picture(stage, square, image)
    stage.square("beside", GREEN, (6, 0))
    seen = stage.both()
    assert (seen.at(0), seen.at(6)) == (PINK, GREEN)
    (warning,) = [w for w in stage.warnings() if w.cause == "IMAGE_MISSING"]
    assert (warning.kind, warning.name) == ("image", "böse")
    assert "nirgends" in str(warning)
    said = [line for line in capfd.readouterr().out.splitlines() if "mage 'böse'" in line]
    assert len(said) == 1, "the renderer does not name it once more"


NAMES = [
    "Grüße 関卡 🌍",
    "wall [old] {1} (2)",
    "100% #1 & more;",
    "a.b.c.png",
    "x" * 60,
    "con",
    " ",
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("where", ["generated", "packed"])
def test_a_picture_of_any_name_is_exported_and_drawn(stage, square, name, where):
    image = picture(name)
    if where == "packed":
        image.pack()
    square.data.materials[0].name = name
    square.name = name
    show_picture(stage, square, image)
    seen = stage.both()
    assert (seen.at(-2), seen.at(2)) == (RED, GREEN)


def test_pictures_in_folders_of_any_name_are_found(stage, square, awkward_path):
    image = picture("holz")
    path = awkward_path / "höl[z].png"
    image.filepath_raw, image.file_format = str(path), "PNG"
    image.save()
    loaded = bpy.data.images.load(str(path))
    show_picture(stage, square, loaded)
    bpy.ops.wm.save_as_mainfile(filepath=str(awkward_path / "szene [1].blend"))
    loaded.filepath = bpy.path.relpath(str(path))
    assert loaded.filepath.startswith("//")
    loaded.reload()
    for seen in (stage.f12(), stage.exported(awkward_path / "level [1]")):
        assert (seen.at(-2), seen.at(2)) == (RED, GREEN)


def test_two_pictures_of_one_file_name_in_two_folders_keep_apart(stage, tmp_path):
    for index, (folder, shade) in enumerate((("a", RED), ("b", BLUE))):
        (tmp_path / folder).mkdir()
        image = picture(f"temporary {folder}", shade, shade)
        image.filepath_raw, image.file_format = str(tmp_path / folder / "wood.png"), "PNG"
        image.save()
        square = stage.square(folder, BLACK, (8 * index - 4, 0))
        show_picture(stage, square, bpy.data.images.load(image.filepath_raw))
    seen = stage.both()
    assert (seen.at(-4), seen.at(4)) == (RED, BLUE)


def test_an_empty_slot_and_no_slot_at_all_are_drawn_in_plain_white(stage):
    without = stage.square("without", RED, (-4, 0))
    without.data.materials.clear()
    empty = stage.square("empty", RED, (4, 0))
    empty.data.materials[0] = None
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy = 6
    stage.scene.collection.objects.link(sun)
    seen = stage.both()
    assert (seen.at(-4), seen.at(4), seen.at(0)) == (WHITE, WHITE, BLACK)


def test_a_material_is_swapped_for_another_on_the_object_and_on_the_mesh(stage, follow):
    square = stage.square("square", RED)
    follower = follow()
    follower.after(lambda: square.data.materials.__setitem__(0, stage.glow(GREEN, "second")))
    assert stage.f12().at(0) == GREEN

    def override():
        square.material_slots[0].link = "OBJECT"
        square.material_slots[0].material = stage.glow(BLUE, "third")

    follower.after(override)
    assert stage.both().at(0) == BLUE
