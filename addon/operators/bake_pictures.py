"""The channels of one material, baked one after the other into the pictures that it keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import bpy
import numpy as np

from ..sync.derived_images import CUTOUT_SHARE
from ..sync.materials.baked import Bake
from .bake_arithmetic import BLACK
from .bake_channels import CannotBake
from .bake_images import SAME, baked_pixels, clear, constant_of, filled, packed_image
from .bake_scene import BakeScene

FLAT = np.array([0.5, 0.5, 1.0], np.float32)
"""The colour of a normal that is the mesh's own."""


class ChannelBaker:
    """Bakes with the help of a `BakeScene`; `bake` is what there is so far.

    A channel that turns out to be the same everywhere becomes a number instead of a picture.
    """

    def __init__(self, scene: BakeScene, name: str, bake: Bake) -> None:
        self.bake = bake
        self._scene = scene
        self._name = name
        self._made: list[Any] = []
        self._alpha: np.ndarray | None = None
        self._is_there = np.ones((1, 1), bool)  # what is clear has no colour or roughness

    def steps(self) -> Iterator[tuple[str, float, Callable[[], None]]]:
        """Yield what is baked next, how much is done (0..1) and the function that does it."""
        yield "alpha, roughness and metal", 0.1, self._bake_numbers
        yield "the base colour", 0.35, self._bake_base
        if self._scene.channels.channels.emission != BLACK:
            yield "emission", 0.6, self._bake_emission
        if self._scene.channels.bends_normals:
            yield "normals", 0.75, self._bake_normals

    def discard(self) -> None:
        """Remove the pictures made so far."""
        for image in self._made:
            bpy.data.images.remove(image)
        self._made.clear()

    def _bake_numbers(self) -> None:
        self._scene.channels.show_numbers()
        pixels, covered = self._baked("EMIT")
        self._is_there = pixels[..., 0] > 1 / 255
        there = covered & self._is_there
        flat = constant_of(pixels[..., 1:], there)
        if flat is not None:
            self.bake = replace(self.bake, roughness=_unit(flat[0]), metallic=_unit(flat[1]))
        else:
            data = filled(pixels, there).copy()
            data[..., 0] = 1.0
            image = self._kept("metal and roughness", data, False)
            self.bake = replace(self.bake, data_image=image)
        alpha = constant_of(pixels[..., :1], covered)
        if alpha is None:
            seen = pixels[..., 0][covered]
            between = np.count_nonzero((seen > 0.1) & (seen < 0.9)) / seen.size
            kind = "cutout" if between < CUTOUT_SHARE else "smooth"
            self.bake = replace(self.bake, alpha_kind=kind)
            self._alpha = filled(pixels[..., :1], covered)
        else:
            self.bake = replace(self.bake, base=(*self.bake.base[:3], _unit(alpha[0])))

    def _bake_base(self) -> None:
        self._scene.channels.show_base()
        pixels, covered = self._baked("EMIT")
        covered &= self._is_there
        flat, alpha = constant_of(pixels, covered), self.bake.base[3]
        if self._alpha is None and flat is not None:
            red, green, blue = (_unit(x) for x in flat)
            self.bake = replace(self.bake, base=(red, green, blue, alpha))
            return
        color = filled(pixels, covered)
        if self._alpha is not None:
            color = np.concatenate([color, self._alpha], axis=-1)
        image = self._kept("colour", color, True)
        self.bake = replace(self.bake, base_image=image)

    def _bake_emission(self) -> None:
        self._scene.channels.show_emission()
        pixels, covered = self._baked("EMIT")
        flat = constant_of(pixels, covered)
        if flat is not None:
            red, green, blue = (max(float(x), 0.0) for x in flat)
            self.bake = replace(self.bake, emission=(red, green, blue))
            return
        strength = max(float(pixels[covered].max()), 1e-3)
        image = self._kept("emission", filled(pixels, covered) / strength, True)
        self.bake = replace(self.bake, emission=(strength,) * 3, emission_image=image)

    def _bake_normals(self) -> None:
        self._scene.channels.show_surface()
        pixels, covered = self._baked("NORMAL")
        flat = constant_of(pixels, covered)
        if flat is None or np.abs(flat - FLAT).max() > SAME:
            image = self._kept("normals", filled(pixels, covered), False)
            self.bake = replace(self.bake, normal_image=image)

    def _baked(self, kind: str) -> tuple[np.ndarray, np.ndarray]:
        clear(self._scene.target)
        self._scene.bake(self.bake.uv_map, kind)
        pixels, covered = baked_pixels(self._scene.target)
        if not covered.any():
            raise CannotBake("none of its faces got a pixel; choose a larger size")
        return pixels, covered

    def _kept(self, what: str, pixels: np.ndarray, is_color: bool) -> Any:
        image = packed_image(f"{self._name} {what} (baked)", pixels, is_color)
        self._made.append(image)
        return image


def _unit(value: float) -> float:
    return round(min(max(float(value), 0.0), 1.0), 4)
