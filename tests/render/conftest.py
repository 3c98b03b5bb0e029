"""Fixtures of the tests that draw: a device, a way to draw a world, and simple shapes."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import numpy as np
import pytest

from fyn.engine_core.assets.mesh import MeshData, Primitive
from fyn.engine_core.render import opengl
from fyn.engine_core.render.device import Device
from fyn.engine_core.render.gpu_objects import (
    Buffer,
    Framebuffer,
    SamplerCache,
    SamplerState,
    TargetLayer,
    Texture,
    VertexArray,
)
from fyn.engine_core.render.interface import BLOCKS, block_dtype
from fyn.engine_core.render.programs import ProgramCache
from fyn.engine_core.render.shader_source import ShaderSources
from fyn.engine_core.render.view import View, camera_view
from fyn.engine_core.render.world_renderer import Frame, WorldRenderer
from fyn.engine_core.world.components import CameraComponent, Environment, RenderSettings
from fyn.engine_core.world.world import World

PLAIN = RenderSettings(
    samples=1, tone_map="linear", bloom=False, shadows=False, cascade_count=1, shadow_resolution=512
)
"""One sample, no effects: what a pixel holds can be worked out by hand."""
BLACK = Environment(sky_color=(0.0, 0.0, 0.0), ground_color=(0.0, 0.0, 0.0))


@pytest.fixture(scope="session")
def device(gl: str) -> Iterator[Device]:
    """One GL device for all tests of a worker."""
    assert gl
    with Device.create() as made:
        yield made


@pytest.fixture(autouse=True, scope="module")
def settled(device: Device) -> None:
    """Nothing of earlier tests disturbs these: contexts they dropped are collected now, not while
    a test draws, and errors that they left pending are not laid at the door of the next call."""
    gc.collect()
    device.activate()
    while device.gl.GetError() != opengl.NO_ERROR:
        pass


@pytest.fixture
def make_renderer(device: Device) -> Iterator[Callable[..., WorldRenderer]]:
    """Return a function that makes a renderer (of a world); all are released afterwards."""
    made: list[WorldRenderer] = []

    def make(world: World | None = None, **options) -> WorldRenderer:
        renderer = WorldRenderer(options.pop("device", device), **options)
        made.append(renderer)
        if world is not None:
            renderer.apply(world.as_delta())
        return renderer

    yield make
    for renderer in made:
        renderer.release()


@pytest.fixture
def draw(make_renderer: Callable[..., WorldRenderer]) -> Callable[..., Frame]:
    """Return a function that draws a world once: `draw(world, view, outputs, settings)`."""

    def once(
        world: World,
        view: View,
        outputs: tuple[str, ...] = ("frame_linear",),
        settings: RenderSettings = PLAIN,
    ) -> Frame:
        return make_renderer(world).render(view, outputs, settings)

    return once


@pytest.fixture
def run_pass(device: Device) -> Iterator[Callable[..., np.ndarray]]:
    """Return a function that draws one fullscreen shader: `run_pass(shader, size, images, ...)`.

    images: sampler -> (H, W, 4) float32, kept in `internal` and sampled linearly; frame: members of
    block Frame; the result is (height, width, 4) float32. Rows count from v = 0 up, both ways.
    """
    programs = ProgramCache(device, ShaderSources())
    samplers = SamplerCache(device)
    nothing = Buffer(device, size=4)
    array = VertexArray(device, {}, nothing)

    def run(shader, size, images=None, *, frame=None, defines=None, internal="RGBA32F"):
        device.activate()
        gl = device.gl
        block = np.zeros((), block_dtype("Frame"))
        for name, value in (frame or {}).items():
            block[name] = value
        uniforms = Buffer(device, block.tobytes())
        uniforms.bind_uniform_range(list(BLOCKS).index("Frame"))
        target = Texture(device, internal, *size)
        framebuffer = Framebuffer(device, (TargetLayer(target),))
        program = programs.get(shader, defines or {})
        gl.UseProgram(program.name)
        textures = []
        for name, image in (images or {}).items():
            pixels = np.ascontiguousarray(image, np.float32)
            texture = Texture(device, internal, pixels.shape[1], pixels.shape[0], pixels=pixels)
            textures.append(texture)
            if name in program.samplers:
                texture.bind(program.samplers[name])
                gl.BindSampler(program.samplers[name], samplers.get(SamplerState()))
        for state in (opengl.DEPTH_TEST, opengl.BLEND, opengl.CULL_FACE, opengl.SCISSOR_TEST):
            gl.Disable(state)
        gl.ColorMask(1, 1, 1, 1)
        gl.Viewport(0, 0, *size)
        gl.BindVertexArray(array.name)
        gl.DrawArrays(opengl.TRIANGLES, 0, 3)
        out = framebuffer.read(internal, *size, 4)
        for made in (framebuffer, target, uniforms, *textures):
            made.release()
        return out

    yield run
    array.release()
    nothing.release()
    samplers.release()
    programs.release()


def make_mesh(
    positions, indices, normals=(0, 0, 1), uvs=None, name: str = "mesh", **more
) -> MeshData:
    """A mesh of one primitive; `normals` is one for all or one each."""
    positions = np.array(positions, np.float32).reshape(-1, 3)
    indices = np.array(indices, np.uint32).reshape(-1)
    normals = np.broadcast_to(np.array(normals, np.float32), positions.shape)
    return MeshData(
        name=name,
        positions=np.ascontiguousarray(positions),
        normals=np.ascontiguousarray(normals),
        indices=indices,
        primitives=more.pop("primitives", (Primitive(0, len(indices), 0),)),
        uv_sets=() if uvs is None else (np.array(uvs, np.float32).reshape(-1, 2),),
        **more,
    )


def quad(size: float = 1.0, **more) -> MeshData:
    """A square in the XY plane that faces +Z; its picture stands upright."""
    s = size / 2
    corners = [[-s, -s, 0], [s, -s, 0], [s, s, 0], [-s, s, 0]]
    uvs = [[0, 1], [1, 1], [1, 0], [0, 0]]
    return make_mesh(corners, [0, 1, 2, 0, 2, 3], uvs=uvs, **more)


def box(size: float = 1.0) -> MeshData:
    """A cube with flat normals."""
    faces, normals = [], []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            normal = np.zeros(3)
            normal[axis] = sign
            u = np.roll(np.abs(normal), 1)
            v = np.cross(normal, u)
            faces += [normal - u - v, normal + u - v, normal + u + v, normal - u + v]
            normals += [normal] * 4
    indices = [4 * face + corner for face in range(6) for corner in (0, 1, 2, 0, 2, 3)]
    return make_mesh(np.array(faces) * size / 2, indices, np.array(normals))


def sphere(radius: float = 1.0, rings: int = 48) -> MeshData:
    """A sphere with smooth normals, its poles on Y."""
    theta, phi = np.meshgrid(
        np.linspace(0, np.pi, rings + 1), np.linspace(0, 2 * np.pi, 2 * rings + 1), indexing="ij"
    )
    unit = np.stack(
        [np.sin(theta) * np.sin(phi), np.cos(theta), np.sin(theta) * np.cos(phi)], axis=-1
    ).reshape(-1, 3)
    ring, around = np.meshgrid(np.arange(rings), np.arange(2 * rings), indexing="ij")
    corner = (ring * (2 * rings + 1) + around).ravel()
    below = corner + 2 * rings + 1
    indices = np.stack([corner, below, corner + 1, corner + 1, below, below + 1], axis=1)
    return make_mesh(unit * radius, indices, unit)


def look_at(eye, target=(0.0, 0.0, 0.0)) -> np.ndarray:
    """world_from_local (4, 4) of something at `eye` whose -Z looks at `target`, Y up."""
    eye = np.array(eye, np.float64)
    back = (eye - target) / np.linalg.norm(eye - target)
    helper = (0.0, 0.0, -1.0) if abs(back[1]) > 0.999 else (0.0, 1.0, 0.0)
    right = np.cross(helper, back)
    right /= np.linalg.norm(right)
    out = np.identity(4)
    out[:3, :] = np.stack([right, np.cross(back, right), back, eye], axis=1)
    return out


def flat_view(size: tuple[int, int], width: float = 2.0, distance: float = 5.0) -> View:
    """A parallel view along -Z from +Z, `width` metres across."""
    camera = CameraComponent(
        projection="orthographic", fit="horizontal", ortho_scale=width, near=0.1, far=100.0
    )
    return camera_view(camera, look_at((0.0, 0.0, distance)), size)


@pytest.fixture(scope="session")
def scene() -> SimpleNamespace:
    """Shapes, views and settings that tests build their worlds from."""
    return SimpleNamespace(
        mesh=make_mesh,
        quad=quad,
        box=box,
        sphere=sphere,
        look_at=look_at,
        flat_view=flat_view,
        plain=PLAIN,
        black=BLACK,
    )
