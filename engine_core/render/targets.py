"""The textures and framebuffers in which one slot (a viewport, a final render) draws its plan."""

from __future__ import annotations

import ctypes

import numpy as np

from ..errors import PipelineError
from . import opengl
from .device import Device
from .gpu_objects import Framebuffer, TargetLayer, Texture
from .graph.formats import FORMATS
from .graph.plan import Attachment, Plan, PlanTexture


class SlotTargets:
    """Everything a slot keeps between frames, history included."""

    def __init__(self, device: Device) -> None:
        """Start without textures."""
        self.device = device
        self.plan: Plan | None = None
        self._textures: list[Texture] = []
        self._framebuffers: dict[tuple, Framebuffer] = {}
        self._meaning: list[int] = []

    def begin_frame(self, plan: Plan) -> None:
        """Be ready to draw `plan`: what was current history is previous now.

        For another plan than that of the frame before, all textures are made anew.
        """
        if plan is self.plan:
            self._exchange_history(plan)
            return
        self.release()
        for wanted in plan.textures:
            if wanted.kind == "imported":
                raise PipelineError(
                    f"pipeline {plan.pipeline}: nothing hands in the image '{wanted.name}'"
                )
            self._textures.append(self._make(wanted))
        self._meaning = list(range(len(self._textures)))
        self.plan = plan
        for index, wanted in enumerate(plan.textures):
            if wanted.kind in ("history", "builtin"):
                self._fill(index, wanted)

    def _make(self, wanted: PlanTexture) -> Texture:
        return Texture(
            self.device,
            FORMATS[wanted.format].gl_internal,
            wanted.width,
            wanted.height,
            layers=wanted.layers,
            samples=wanted.samples,
        )

    def _fill(self, index: int, wanted: PlanTexture) -> None:
        """Clear a texture to its initial value."""
        is_depth = FORMATS[wanted.format].is_depth
        for layer in range(wanted.layers) if wanted.layers else (-1,):
            image = (index, layer)
            self.framebuffer((), image) if is_depth else self.framebuffer((image,), None)
            clear_bound(self.device, opengl.DEPTH if is_depth else opengl.COLOR, 0, wanted.initial)

    def texture(self, index: int) -> Texture:
        """Return the texture that `index` of the plan means in this frame."""
        return self._textures[self._meaning[index]]

    def framebuffer(
        self, colors: tuple[tuple[int, int], ...], depth: tuple[int, int] | None
    ) -> Framebuffer:
        """Return a bound framebuffer of images (index, layer) of the plan."""
        physical = tuple((self._meaning[i], layer) for i, layer in colors)
        bottom = None if depth is None else (self._meaning[depth[0]], depth[1])
        key = (physical, bottom)
        found = self._framebuffers.get(key)
        if found is None:
            found = self._framebuffers[key] = Framebuffer(
                self.device,
                tuple(TargetLayer(self._textures[i], layer) for i, layer in physical),
                None if bottom is None else TargetLayer(self._textures[bottom[0]], bottom[1]),
            )
        found.bind()
        return found

    def _exchange_history(self, plan: Plan) -> None:
        meaning = self._meaning
        for pair in plan.history:
            now, before = meaning[pair.current], meaning[pair.previous]
            meaning[pair.current], meaning[pair.previous] = before, now

    def read(self, index: int) -> np.ndarray:
        """Return the pixels of a colour texture, (H, W, C) uint8 or float32, top row first."""
        texture = self.texture(index)
        assert self.plan is not None
        channels = FORMATS[self.plan.textures[index].format].channels
        framebuffer = self.framebuffer(((index, -1),), None)
        pixels = framebuffer.read(texture.internal, texture.width, texture.height, channels)
        return np.ascontiguousarray(pixels[::-1])

    def release(self) -> None:
        """Delete everything."""
        for framebuffer in self._framebuffers.values():
            framebuffer.release()
        for texture in self._textures:
            texture.release()
        self._framebuffers.clear()
        self._textures.clear()
        self.plan = None


def image_of(attachment: Attachment) -> tuple[int, int]:
    """Return the (index, layer) that `SlotTargets.framebuffer` takes."""
    return attachment.texture, attachment.layer


def clear_bound(device: Device, plane: int, index: int, value: tuple[float, ...]) -> None:
    """Clear one image of the bound framebuffer, whatever masks were set before."""
    gl = device.gl
    if plane == opengl.DEPTH:
        gl.DepthMask(1)
    else:
        gl.ColorMask(1, 1, 1, 1)
    numbers = (ctypes.c_float * 4)(*value[:4])
    gl.ClearBufferfv(plane, index, ctypes.byref(numbers))
