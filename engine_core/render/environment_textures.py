"""The environment on the device: the blurred map of its light, and its panorama."""

from __future__ import annotations

import numpy as np

from ..errors import LevelError
from ..world.components import Environment
from .device import Device
from .environment import PanoramaMaps, environment_map, without_image
from .gpu_objects import SamplerState, Texture
from .gpu_textures import TextureStore

_MAP_STATE = SamplerState()
_PANORAMA_STATE = SamplerState(mipmaps=True, wrap_u="repeat")


class EnvironmentTextures:
    """Textures of one environment, made anew when it changes."""

    def __init__(self, device: Device, textures: TextureStore) -> None:
        """`textures` hold the panoramas."""
        self.device, self._textures = device, textures
        self._maps = PanoramaMaps()
        self._texture: Texture | None = None
        self._pixels: np.ndarray | None = None
        self._image = ""
        self.warnings: tuple[str, ...] = ()

    def update(self, environment: Environment) -> Environment:
        """Bring the textures up to date; return the environment as it can be drawn.

        A panorama that is missing or cannot be read gives way to pink, with a warning.
        """
        self.warnings, self._image = (), ""
        pixels = environment_map(environment)
        if environment.kind == "image":
            pixels = self._panorama_map(environment.image)
            if pixels is None:
                environment = without_image(environment)
        self._textures.kept = {self._image} - {""}
        if pixels is not None and pixels is not self._pixels:
            self.release()
            self._pixels = pixels
            self._texture = Texture(
                self.device, "RGBA16F", pixels.shape[1], pixels.shape[0], pixels=pixels
            )
        return environment

    def _panorama_map(self, key: str) -> np.ndarray | None:
        image = self._textures.image(key)
        if image is None:
            said = f"The panorama '{key}' is missing" if key else "The environment has no panorama"
            self.warnings = (f"{said}; the surroundings are pink.",)
            return None
        if image.missing:
            self.warnings = (f"Image '{image.name}' could not be read; the surroundings are pink.",)
            return None
        try:
            found = self._maps.get(image)
        except LevelError as error:
            self.warnings = (f"{error} The surroundings are pink.",)
            return None
        self._image = key
        self.warnings = tuple(f"Image '{image.name}': {note}" for note in found.notes)
        return found.pixels

    def textures(self) -> dict[str, tuple[Texture, SamplerState]]:
        """Return what shaders sample of the environment, by sampler."""
        found = {}
        if self._texture is not None:
            found["environment_map"] = (self._texture, _MAP_STATE)
        if self._image:
            found["environment_image"] = (self._textures.get(self._image), _PANORAMA_STATE)
        return found

    def release(self) -> None:
        """Delete the map."""
        if self._texture is not None:
            self._texture.release()
        self._texture = self._pixels = None
