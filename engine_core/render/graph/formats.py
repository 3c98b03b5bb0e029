"""Texture formats that pipelines may name, and the built-in one-texel textures."""

from __future__ import annotations

from typing import Final

import msgspec


class TextureFormat(msgspec.Struct, frozen=True):
    """What a format name means, in the words of OpenGL 4.1 and OpenGL ES 3.0 alike."""

    name: str
    channels: int
    """Colour channels, 1 to 4; 1 for depth."""
    bytes_per_texel: int
    """Bytes of one texel of one sample (depth24 counts as 4: drivers store it so)."""
    kind: str
    """"unorm", "float" or "depth"."""
    gl_internal: str
    """Name of the sized internal format, without the GL_ prefix."""

    @property
    def is_depth(self) -> bool:
        """True for formats that attach as depth rather than colour."""
        return self.kind == "depth"


def _formats(*rows: tuple[str, int, int, str, str]) -> dict[str, TextureFormat]:
    return {row[0]: TextureFormat(*row) for row in rows}


FORMATS: Final[dict[str, TextureFormat]] = _formats(
    ("r8", 1, 1, "unorm", "R8"),
    ("rg8", 2, 2, "unorm", "RG8"),
    ("rgba8", 4, 4, "unorm", "RGBA8"),
    ("r16f", 1, 2, "float", "R16F"),
    ("rg16f", 2, 4, "float", "RG16F"),
    ("rgba16f", 4, 8, "float", "RGBA16F"),
    ("r11g11b10f", 3, 4, "float", "R11F_G11F_B10F"),
    ("r32f", 1, 4, "float", "R32F"),
    ("rg32f", 2, 8, "float", "RG32F"),
    ("rgba32f", 4, 16, "float", "RGBA32F"),
    ("depth16", 1, 2, "depth", "DEPTH_COMPONENT16"),
    ("depth24", 1, 4, "depth", "DEPTH_COMPONENT24"),
    ("depth32f", 1, 4, "depth", "DEPTH_COMPONENT32F"),
)


class BuiltinTexture(msgspec.Struct, frozen=True):
    """A 1x1 texture that stands in for the output of a disabled pass."""

    format: str
    fill: tuple[float, float, float, float]
    """The texel; depth textures use the first number."""
    layers: int = 0
    """0: a plain 2D texture; n: an array of n layers."""
    compare: bool = False
    """Sampled through a hardware depth comparison (sampler2DShadow, sampler2DArrayShadow)."""


BUILTIN_TEXTURES: Final[dict[str, BuiltinTexture]] = {
    "black": BuiltinTexture("rgba8", (0.0, 0.0, 0.0, 1.0)),
    "transparent": BuiltinTexture("rgba8", (0.0, 0.0, 0.0, 0.0)),
    "white": BuiltinTexture("rgba8", (1.0, 1.0, 1.0, 1.0)),
    # A one-layer shadow map at the far plane: every comparison says "lit".
    "unshadowed": BuiltinTexture("depth32f", (1.0, 0.0, 0.0, 0.0), layers=1, compare=True),
}
