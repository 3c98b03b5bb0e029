"""Procedural materials as Cycles draws them beside what Fyn draws of their bakes.

    python scripts/prove_bakes.py [-o out/bakes] [--size 512]

Six materials that the engine cannot show from their nodes: wood (waves, bump), bricks, a Voronoi
mask of metal, layers mixed by noise with glowing stripes, dust from a node group that takes a
shader, and holes. Writes both pictures and prints how far they are apart. Cycles is held to direct
light, which is what the engine computes.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from fyn.addon.operators.bake_headless import bake_scene_materials
from fyn.cli.native_output import native_stdout_diverted
from fyn.cli.render_request import RenderRequest, draw
from fyn.compare.pictures import as_bytes, read_picture, write_png

COLUMNS = 3
SPACING = 2.6


@dataclass(frozen=True)
class Measured:
    """Mean difference of the two pictures in 1/255, of all pixels and of each material's."""

    mean: float
    of_material: dict[str, float]


class Nodes:
    """A material being built."""

    def __init__(self, name: str) -> None:
        self.material: Any = bpy.data.materials.new(name)
        if self.material.node_tree is None:
            self.material.use_nodes = True
        self.tree = self.material.node_tree
        self.tree.nodes.clear()
        self.output = self.add("OutputMaterial")

    def add(self, kind: str, tree: Any = None, **inputs: Any) -> Any:
        """Add a node; inputs by name with _ for a blank, a value or a socket."""
        node = (tree or self.tree).nodes.new(f"ShaderNode{kind}")
        for name, value in inputs.items():
            socket = node.inputs[name.replace("_", " ")]
            if isinstance(value, bpy.types.NodeSocket):
                (tree or self.tree).links.new(value, socket)
            else:
                socket.default_value = value
        return node

    def ramp(self, factor: Any, *colors: tuple[float, float, float]) -> Any:
        """Return a colour ramp's output with evenly spaced colours."""
        node = self.add("ValToRGB")
        self.tree.links.new(factor, node.inputs[0])
        elements = node.color_ramp.elements
        for index, color in enumerate(colors):
            at = index / (len(colors) - 1)
            element = elements[0] if index == 0 else elements[-1] if at == 1 else elements.new(at)
            element.color = (*color, 1)
        return node.outputs[0]

    def above(self, value: Any, threshold: float) -> Any:
        """Return 1 where the value exceeds the threshold."""
        node = self.add("Math")
        node.operation = "GREATER_THAN"
        node.inputs[1].default_value = threshold
        self.tree.links.new(value, node.inputs[0])
        return node.outputs[0]

    def show(self, shader: Any) -> Any:
        """Make a node the surface; returns the material."""
        self.tree.links.new(shader.outputs[0], self.output.inputs["Surface"])
        return self.material


def wood() -> Any:
    """Distorted waves, their bump."""
    n = Nodes("Wood")
    mapping = n.add("Mapping", Vector=n.add("TexCoord").outputs["Object"], Scale=(1, 1, 6))
    wave = n.add("TexWave", Vector=mapping.outputs[0], Distortion=6.0, Scale=1.2)
    color = n.ramp(wave.outputs[0], (0.25, 0.09, 0.03), (0.5, 0.25, 0.1), (0.6, 0.35, 0.17))
    bump = n.add("Bump", Height=wave.outputs[1], Distance=0.05, Strength=0.6)
    return n.show(n.add("BsdfPrincipled", Base_Color=color, Normal=bump.outputs[0]))


def bricks() -> Any:
    """Bricks on the UV map, mortar sunk in."""
    n = Nodes("Bricks")
    brick = n.add(
        "TexBrick", Vector=n.add("TexCoord").outputs["UV"], Scale=4.0,
        Color1=(0.5, 0.1, 0.05, 1), Color2=(0.35, 0.06, 0.04, 1), Mortar=(0.6, 0.6, 0.55, 1),
    )  # fmt: skip
    bump = n.add("Bump", Height=brick.outputs[1], Distance=0.03)
    bump.invert = True
    return n.show(
        n.add("BsdfPrincipled", Base_Color=brick.outputs[0], Normal=bump.outputs[0], Roughness=0.8)
    )


def cells() -> Any:
    """Voronoi cells with metal rims."""
    n = Nodes("Cells")
    cell = n.add("TexVoronoi", Vector=n.add("TexCoord").outputs["Generated"], Scale=6.0)
    return n.show(
        n.add(
            "BsdfPrincipled",
            Base_Color=cell.outputs["Color"],
            Roughness=n.ramp(cell.outputs["Distance"], (0.2, 0.2, 0.2), (1, 1, 1)),
            Metallic=n.above(cell.outputs["Distance"], 0.4),
        )
    )


def layers() -> Any:
    """Rust over paint by noise, and stripes that shine."""
    n = Nodes("Layers")
    place = n.add("TexCoord").outputs["Object"]
    noise = n.add("TexNoise", Vector=place, Scale=2.5, Detail=6.0)
    factor = n.ramp(noise.outputs[0], (0, 0, 0), (0, 0, 0), (1, 1, 1), (1, 1, 1))
    paint = n.add("BsdfPrincipled", Base_Color=(0.02, 0.15, 0.4, 1), Roughness=0.2)
    rust = n.add("BsdfPrincipled", Base_Color=(0.35, 0.1, 0.02, 1), Roughness=0.9)
    mix = n.add("MixShader")
    for socket, source in zip(mix.inputs, (factor, paint.outputs[0], rust.outputs[0]), strict=True):
        n.tree.links.new(source, socket)
    wave = n.add("TexWave", Vector=place, Scale=0.6)
    wave.bands_direction = "Z"
    glow = n.add("Emission", Color=(1, 0.4, 0.05, 1), Strength=n.above(wave.outputs[1], 0.97))
    both = n.add("AddShader")
    n.tree.links.new(mix.outputs[0], both.inputs[0])
    n.tree.links.new(glow.outputs[0], both.inputs[1])
    return n.show(both)


def dust() -> Any:
    """A node group that lays dust over the shader that it is given."""
    n = Nodes("Dust")
    group: Any = bpy.data.node_groups.new("Dust", "ShaderNodeTree")
    for name, kind in (("Shader", "Shader"), ("Amount", "Float")):
        group.interface.new_socket(name, in_out="INPUT", socket_type=f"NodeSocket{kind}")
    group.interface.new_socket("Shader", in_out="OUTPUT", socket_type="NodeSocketShader")
    start, end = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    noise = n.add("TexNoise", group, Scale=8.0)
    share = n.add("Math", group)
    share.operation = "MULTIPLY"
    grey = n.add("BsdfDiffuse", group, Color=(0.7, 0.65, 0.5, 1))
    mix = n.add("MixShader", group)
    for source, target in (
        (noise.outputs[0], share.inputs[0]),
        (start.outputs["Amount"], share.inputs[1]),
        (share.outputs[0], mix.inputs[0]),
        (start.outputs["Shader"], mix.inputs[1]),
        (grey.outputs[0], mix.inputs[2]),
        (mix.outputs[0], end.inputs[0]),
    ):
        group.links.new(source, target)
    node: Any = n.tree.nodes.new("ShaderNodeGroup")
    node.node_tree = group
    node.inputs["Amount"].default_value = 1.2
    green = n.add("BsdfPrincipled", Base_Color=(0.05, 0.3, 0.08, 1))
    n.tree.links.new(green.outputs[0], node.inputs["Shader"])
    return n.show(node)


def holes() -> Any:
    """A gradient with holes; cells decide where."""
    n = Nodes("Holes")
    place = n.add("TexCoord").outputs["Generated"]
    fade = n.add("TexGradient", Vector=place)
    cell = n.add("TexVoronoi", Vector=place, Scale=5.0)
    color = n.ramp(fade.outputs[1], (0.9, 0.1, 0.1), (0.1, 0.1, 0.9))
    alpha = n.above(cell.outputs["Distance"], 0.35)
    return n.show(n.add("BsdfPrincipled", Base_Color=color, Alpha=alpha))


MATERIALS: tuple[Callable[[], Any], ...] = (wood, bricks, cells, layers, dust, holes)


def build(width: int) -> Any:
    """Make the scene: a sphere or cube for each material, a sun, a grey world, a camera."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene: Any = bpy.context.scene
    for index, make in enumerate(MATERIALS):
        at = ((index % COLUMNS - 1) * SPACING, 0, (0.5 - index // COLUMNS) * SPACING)
        if index % 2:
            bpy.ops.mesh.primitive_cube_add(location=at, size=1.6, rotation=(0.4, 0, 0.6))
        else:
            bpy.ops.mesh.primitive_uv_sphere_add(location=at, segments=48, ring_count=24)
            bpy.ops.object.shade_smooth()
        bpy.context.object.data.materials.append(make())  # type: ignore[union-attr]
    bpy.ops.object.light_add(type="SUN", rotation=(0.7, 0.3, 0.3))
    scene.objects["Sun"].data.energy = 3
    scene.world = bpy.data.worlds.new("World")
    if scene.world.node_tree is None:
        scene.world.use_nodes = True
    nodes = scene.world.node_tree.nodes
    nodes.clear()
    light, output = nodes.new("ShaderNodeBackground"), nodes.new("ShaderNodeOutputWorld")
    light.inputs["Color"].default_value = (0.2, 0.2, 0.22, 1)
    scene.world.node_tree.links.new(light.outputs[0], output.inputs[0])
    bpy.ops.object.camera_add(location=(0, -11, 0), rotation=(math.pi / 2, 0, 0))
    scene.camera = bpy.context.object
    scene.render.resolution_x, scene.render.resolution_y = width, width * 3 // 4
    scene.view_settings.view_transform = "Standard"
    return scene


def by_cycles(scene: Any, path: Path, samples: int) -> np.ndarray:
    """Draw the scene by Cycles without bounces; returns (H, W, 4) uint8."""
    scene.render.engine = "CYCLES"
    cycles = scene.cycles
    cycles.device, cycles.samples, cycles.use_denoising = "CPU", samples, False
    cycles.max_bounces = 0
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    return as_bytes(read_picture(path))


def prove(folder: Path, *, side: int = 512, width: int = 720, samples: int = 32) -> Measured:
    """Draw the scene both ways, its bakes `side` pixels large, and compare."""
    folder.mkdir(parents=True, exist_ok=True)
    with native_stdout_diverted():
        scene = build(width)
        theirs = by_cycles(scene, folder / "cycles.png", samples)
        report = bake_scene_materials(scene, side=side)
        if report.refused:
            raise RuntimeError(f"not baked: {report.refused}")
        bpy.ops.wm.save_as_mainfile(filepath=str(folder / "baked.blend"))
    ours = as_bytes(draw(RenderRequest(scene=folder / "baked.blend")).pixels)
    write_png(folder / "fyn.png", ours)
    apart = np.abs(theirs[..., :3].astype(float) - ours[..., :3]).mean(axis=-1)
    rows, columns = apart.shape[0] // 2, apart.shape[1] // COLUMNS
    of_material: dict[str, float] = {}
    for index, make in enumerate(MATERIALS):
        top, left = index // COLUMNS * rows, index % COLUMNS * columns
        tile = apart[top : top + rows, left : left + columns]
        of_material[make.__name__] = round(float(tile.mean()), 2)
    return Measured(round(float(apart.mean()), 2), of_material)


def main() -> None:
    """Write the pictures and print the numbers."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("-o", "--output", type=Path, default=Path("out/bakes"))
    parser.add_argument("--size", type=int, default=512)
    args = parser.parse_args()
    print(prove(args.output, side=args.size))


if __name__ == "__main__":
    main()
