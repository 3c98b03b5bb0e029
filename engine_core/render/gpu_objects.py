"""GL objects with a lifetime: textures, framebuffers, buffers, vertex arrays, samplers.

Each is counted on its device from creation to `release`, which is how tests find leaks.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..errors import DeviceError
from . import opengl
from .device import Device
from .opengl import INTERNAL_FORMATS

Wrap = Literal["repeat", "mirror", "clamp"]

_WRAPS = {
    "repeat": opengl.REPEAT,
    "mirror": opengl.MIRRORED_REPEAT,
    "clamp": opengl.CLAMP_TO_EDGE,
}
_TRANSFER_DTYPES = {
    opengl.UNSIGNED_BYTE: np.uint8,
    opengl.FLOAT: np.float32,
    opengl.UNSIGNED_INT: np.uint32,
}
_CHANNELS = {
    opengl.RED: 1,
    opengl.RED_INTEGER: 1,
    opengl.DEPTH_COMPONENT: 1,
    opengl.RG: 2,
    opengl.RGB: 3,
    opengl.RGBA: 4,
}


class Texture:
    """A 2D texture, array (`layers` > 0) or multisampled target (`samples` > 1) of exact format.

    `internal` is a name of `opengl.INTERNAL_FORMATS`. Filtering and wrapping live in samplers.
    """

    def __init__(
        self,
        device: Device,
        internal: str,
        width: int,
        height: int,
        *,
        layers: int = 0,
        samples: int = 1,
        pixels: np.ndarray | None = None,
        mipmaps: bool = False,
    ) -> None:
        """Make the texture; `pixels` (H, W[, C]) goes to its first level, row 0 at v = 0."""
        self.device, self.internal = device, internal
        self.width, self.height, self.layers, self.samples = width, height, layers, samples
        self.target = (
            opengl.TEXTURE_2D_MULTISAMPLE
            if samples > 1
            else opengl.TEXTURE_2D_ARRAY
            if layers
            else opengl.TEXTURE_2D
        )
        gl = device.gl
        code, transfer, kind = INTERNAL_FORMATS[internal]
        self.name = gl.generate("Textures")
        device.track("texture", 1)
        gl.ActiveTexture(opengl.TEXTURE0)
        gl.BindTexture(self.target, self.name)
        if samples > 1:
            gl.TexImage2DMultisample(self.target, samples, code, width, height, 1)
        else:
            data = None if pixels is None else _transfer_pointer(pixels, transfer, kind)
            gl.PixelStorei(opengl.UNPACK_ALIGNMENT, 1)
            size = (width, height, layers) if layers else (width, height)
            upload = gl.TexImage3D if layers else gl.TexImage2D
            upload(self.target, 0, code, *size, 0, transfer, kind, data)
            gl.TexParameteri(self.target, opengl.TEXTURE_BASE_LEVEL, 0)
            if not mipmaps:
                gl.TexParameteri(self.target, opengl.TEXTURE_MAX_LEVEL, 0)
            # Complete even where a driver looks at the texture's own state despite a sampler.
            nearest = opengl.NEAREST_MIPMAP_NEAREST if mipmaps else opengl.NEAREST
            gl.TexParameteri(self.target, opengl.TEXTURE_MIN_FILTER, nearest)
            gl.TexParameteri(self.target, opengl.TEXTURE_MAG_FILTER, opengl.NEAREST)
            if mipmaps:
                gl.GenerateMipmap(self.target)
        device.check(f"making a texture of {width}x{height} pixels ({internal})")

    def write(self, pixels: np.ndarray, x: int = 0, y: int = 0) -> None:
        """Replace the rectangle at (x, y) of a plain texture by `pixels` (h, w[, C])."""
        gl = self.device.gl
        _code, transfer, kind = INTERNAL_FORMATS[self.internal]
        data = _transfer_pointer(pixels, transfer, kind)
        gl.ActiveTexture(opengl.TEXTURE0)
        gl.BindTexture(self.target, self.name)
        gl.PixelStorei(opengl.UNPACK_ALIGNMENT, 1)
        height, width = pixels.shape[:2]
        gl.TexSubImage2D(self.target, 0, x, y, width, height, transfer, kind, data)

    def bind(self, unit: int) -> None:
        """Bind to a texture unit."""
        self.device.gl.ActiveTexture(opengl.TEXTURE0 + unit)
        self.device.gl.BindTexture(self.target, self.name)

    def release(self) -> None:
        """Delete the texture."""
        if self.name:
            self.device.gl.delete("Textures", self.name)
            self.device.track("texture", -1)
            self.name = 0


def _transfer_pointer(pixels: np.ndarray, transfer: int, kind: int) -> ctypes.c_void_p:
    """Check that `pixels` is what GL will read and return its address."""
    channels = 1 if pixels.ndim == 2 else pixels.shape[-1]
    if (
        pixels.dtype != _TRANSFER_DTYPES[kind]
        or channels != _CHANNELS[transfer]
        or not pixels.flags.c_contiguous
    ):
        raise ValueError(f"pixels {pixels.dtype}{pixels.shape} do not fit the texture's format")
    return ctypes.c_void_p(pixels.ctypes.data)


@dataclass(frozen=True)
class TargetLayer:
    """One image to attach to a framebuffer; `layer` is -1 for plain textures."""

    texture: Texture
    layer: int = -1


class Framebuffer:
    """Colour and depth images drawn into together."""

    def __init__(
        self, device: Device, colors: tuple[TargetLayer, ...], depth: TargetLayer | None = None
    ) -> None:
        """Attach the images.

        Raises:
            DeviceError: the driver cannot draw into this combination of images.
        """
        self.device = device
        gl = device.gl
        self.name = gl.generate("Framebuffers")
        device.track("framebuffer", 1)
        self.bind()
        for index, color in enumerate(colors):
            self._attach(opengl.COLOR_ATTACHMENT0 + index, color)
        if depth is not None:
            self._attach(opengl.DEPTH_ATTACHMENT, depth)
        points = [opengl.COLOR_ATTACHMENT0 + i for i in range(len(colors))] or [opengl.NONE]
        gl.DrawBuffers(len(points), (ctypes.c_uint * len(points))(*points))
        gl.ReadBuffer(points[0])
        status = gl.CheckFramebufferStatus(opengl.FRAMEBUFFER)
        if status != opengl.FRAMEBUFFER_COMPLETE:
            self.release()
            raise DeviceError(f"The driver cannot draw into a frame's targets ({status:#x}).")

    def _attach(self, point: int, image: TargetLayer) -> None:
        gl, texture = self.device.gl, image.texture
        if image.layer >= 0:
            gl.FramebufferTextureLayer(opengl.FRAMEBUFFER, point, texture.name, 0, image.layer)
        else:
            gl.FramebufferTexture2D(opengl.FRAMEBUFFER, point, texture.target, texture.name, 0)

    def bind(self, target: int = opengl.FRAMEBUFFER) -> None:
        """Draw into (and read from) this framebuffer."""
        self.device.gl.BindFramebuffer(target, self.name)

    def read(self, internal: str, width: int, height: int, channels: int) -> np.ndarray:
        """Return the first image as (H, W, channels), uint8 or float32, bottom row first."""
        _code, transfer, kind = INTERNAL_FORMATS[internal]
        if transfer != opengl.DEPTH_COMPONENT:
            transfer = {1: opengl.RED, 2: opengl.RG, 3: opengl.RGB, 4: opengl.RGBA}[channels]
        out = np.empty((height, width, channels), _TRANSFER_DTYPES[kind])
        gl = self.device.gl
        self.bind()
        gl.PixelStorei(opengl.PACK_ALIGNMENT, 1)
        gl.ReadPixels(0, 0, width, height, transfer, kind, ctypes.c_void_p(out.ctypes.data))
        return out

    def release(self) -> None:
        """Delete the framebuffer; its images stay."""
        if self.name:
            self.device.gl.delete("Framebuffers", self.name)
            self.device.track("framebuffer", -1)
            self.name = 0


class Buffer:
    """A moderngl buffer that is counted."""

    def __init__(
        self, device: Device, data: np.ndarray | bytes | None = None, size: int = 0
    ) -> None:
        """Make a buffer of `data`, or of `size` bytes."""
        self.device = device
        if data is None:
            self.buffer = device.context.buffer(reserve=size, dynamic=True)
        else:
            self.buffer = device.context.buffer(data)
        self.name = self.buffer.glo
        self.size = self.buffer.size
        device.track("buffer", 1)

    def write(self, data: np.ndarray | bytes, offset: int = 0) -> None:
        """Replace bytes from `offset` on."""
        self.buffer.write(data, offset)

    def bind_uniform_range(self, binding: int, offset: int = 0, size: int = 0) -> None:
        """Bind `size` bytes (0: all) from `offset` on to a uniform block's binding point."""
        self.device.gl.BindBufferRange(
            opengl.UNIFORM_BUFFER, binding, self.name, offset, size or self.size
        )

    def release(self) -> None:
        """Delete the buffer."""
        if self.name:
            self.buffer.release()
            self.device.track("buffer", -1)
            self.name = 0


class VertexArray:
    """Where each vertex attribute is fetched from, and the index buffer."""

    def __init__(
        self, device: Device, attributes: dict[int, tuple[Buffer, int]], indices: Buffer
    ) -> None:
        """`attributes`: location -> (buffer of float32, number of floats a vertex)."""
        self.device = device
        gl = device.gl
        self.name = gl.generate("VertexArrays")
        device.track("vertex array", 1)
        gl.BindVertexArray(self.name)
        for location, (buffer, count) in attributes.items():
            gl.BindBuffer(opengl.ARRAY_BUFFER, buffer.name)
            gl.EnableVertexAttribArray(location)
            gl.VertexAttribPointer(location, count, opengl.FLOAT, 0, 0, None)
        gl.BindBuffer(opengl.ELEMENT_ARRAY_BUFFER, indices.name)
        gl.BindVertexArray(0)

    def release(self) -> None:
        """Delete the vertex array; its buffers stay."""
        if self.name:
            self.device.gl.delete("VertexArrays", self.name)
            self.device.track("vertex array", -1)
            self.name = 0


@dataclass(frozen=True)
class SamplerState:
    """How a texture is sampled."""

    linear: bool = True
    mipmaps: bool = False
    wrap_u: str = "clamp"
    wrap_v: str = "clamp"
    compare: bool = False
    anisotropy: float = 1.0


class SamplerCache:
    """One GL sampler for each state that was asked for; there are few, they live to the end."""

    def __init__(self, device: Device) -> None:
        """Start empty."""
        self.device = device
        self._samplers: dict[SamplerState, int] = {}

    def get(self, state: SamplerState) -> int:
        """Return the GL name of the sampler with `state`."""
        name = self._samplers.get(state)
        if name is None:
            name = self._samplers[state] = self._make(state)
        return name

    def _make(self, state: SamplerState) -> int:
        gl = self.device.gl
        name = gl.generate("Samplers")
        self.device.track("sampler", 1)
        magnify = opengl.LINEAR if state.linear else opengl.NEAREST
        minify = magnify
        if state.mipmaps:
            # Even hard-pixel textures shimmer without mipmaps in the distance: nearest is for
            # magnification.
            minify = opengl.LINEAR_MIPMAP_LINEAR
        gl.SamplerParameteri(name, opengl.TEXTURE_MAG_FILTER, magnify)
        gl.SamplerParameteri(name, opengl.TEXTURE_MIN_FILTER, minify)
        gl.SamplerParameteri(name, opengl.TEXTURE_WRAP_S, _WRAPS[state.wrap_u])
        gl.SamplerParameteri(name, opengl.TEXTURE_WRAP_T, _WRAPS[state.wrap_v])
        if state.compare:
            gl.SamplerParameteri(name, opengl.TEXTURE_COMPARE_MODE, opengl.COMPARE_REF_TO_TEXTURE)
            gl.SamplerParameteri(name, opengl.TEXTURE_COMPARE_FUNC, opengl.LEQUAL)
        if state.anisotropy > 1:
            gl.SamplerParameterf(name, opengl.TEXTURE_MAX_ANISOTROPY, state.anisotropy)
        return name

    def release(self) -> None:
        """Delete all samplers."""
        for name in self._samplers.values():
            self.device.gl.delete("Samplers", name)
            self.device.track("sampler", -1)
        self._samplers.clear()
