"""Image assets as textures: uploaded when a material first uses them, pink where unreadable."""

from __future__ import annotations

import numpy as np

from ..assets.image import ImageData
from ..assets.image_io import decode
from ..errors import LevelError
from .device import Device
from .gpu_objects import Texture

_PINK = np.array([[[255, 0, 255, 255]]], np.uint8)
_LARGEST_HALF = 65504.0


class TextureStore:
    """Textures by image id, and what was wrong with their images."""

    def __init__(self, device: Device) -> None:
        """Start empty."""
        self.device = device
        self._images: dict[str, ImageData] = {}
        self._textures: dict[str, Texture] = {}
        self._pink: Texture | None = None
        self.warnings: dict[str, str] = {}
        """By image id, of the images in use."""
        self.kept: set[str] = set()
        """Images in use that no material shows."""

    def apply(self, images: dict[str, ImageData], removed: frozenset[str]) -> set[str]:
        """Take changed images; return the ids whose texture is another one from now on."""
        touched = set(images) | removed
        for key in removed:
            self._images.pop(key, None)
        self._images.update(images)
        for key in touched:
            self.warnings.pop(key, None)
            texture = self._textures.pop(key, None)
            if texture is not None and texture is not self._pink:
                texture.release()
        return touched

    def keep_only(self, used: set[str]) -> None:
        """Free the textures of images that no material uses any more, except the `kept`."""
        used = used | self.kept
        for key in set(self._textures) - used:
            texture = self._textures.pop(key)
            if texture is not self._pink:
                texture.release()
        for key in set(self.warnings) - used:
            del self.warnings[key]

    def get(self, key: str) -> Texture:
        """Return the texture of image `key`; the pink one, with a warning, if there is none."""
        texture = self._textures.get(key)
        if texture is None:
            texture = self._textures[key] = self._upload(key)
        return texture

    def image(self, key: str) -> ImageData | None:
        """Return the image of that id, None if there is none."""
        return self._images.get(key)

    def is_pink(self, key: str) -> bool:
        """Tell whether image `key` is missing or unreadable."""
        image = self._images.get(key)
        return self.get(key) is self._pink or (image is not None and image.missing)

    def _upload(self, key: str) -> Texture:
        image = self._images.get(key)
        if image is None:
            self.warnings[key] = f"Image '{key}' is missing; it is drawn pink."
            return self._pink_texture()
        if image.missing:
            self.warnings[key] = f"Image '{image.name}' could not be read; it is drawn pink."
        try:
            pixels = self._fitting(key, image, decode(image))
        except LevelError as error:
            self.warnings[key] = f"{error} It is drawn pink."
            return self._pink_texture()
        internal = "SRGB8_ALPHA8" if image.color_space == "srgb" else "RGBA8"
        if pixels.dtype == np.float32:
            internal = "RGBA16F"
            pixels = np.clip(np.nan_to_num(pixels, nan=0.0), -_LARGEST_HALF, _LARGEST_HALF).astype(
                np.float32
            )
        height, width = pixels.shape[:2]
        return Texture(
            self.device,
            internal,
            width,
            height,
            pixels=np.ascontiguousarray(pixels),
            mipmaps=True,
        )

    def _fitting(self, key: str, image: ImageData, pixels: np.ndarray) -> np.ndarray:
        """Halve `pixels` until the driver takes them."""
        limit = self.device.info.max_texture_size
        height, width = pixels.shape[:2]
        while max(pixels.shape[:2]) > limit:
            pixels = halved(pixels)
        if pixels.shape[:2] != (height, width):
            self.warnings[key] = (
                f"Image '{image.name}' has {width} x {height} pixels, this driver takes {limit} a"
                f" side; it is drawn with {pixels.shape[1]} x {pixels.shape[0]}."
            )
        return pixels

    def _pink_texture(self) -> Texture:
        if self._pink is None:
            self._pink = Texture(self.device, "SRGB8_ALPHA8", 1, 1, pixels=_PINK, mipmaps=True)
        return self._pink

    def release(self) -> None:
        """Delete all textures."""
        for texture in self._textures.values():
            texture.release()
        if self._pink is not None:
            self._pink.release()
        self._textures.clear()


def halved(pixels: np.ndarray) -> np.ndarray:
    """Return `pixels` (H, W, 4) at half the size, rounded up, as means of 2 x 2; same dtype."""
    height, width = pixels.shape[:2]
    padded = np.pad(pixels, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
    means = padded.reshape((height + 1) // 2, 2, (width + 1) // 2, 2, 4).mean(axis=(1, 3))
    return (np.rint(means) if pixels.dtype == np.uint8 else means).astype(pixels.dtype)
