"""Where targets live: their size, when they are in use, and which of them share a texture."""

from __future__ import annotations

import msgspec

from .formats import BUILTIN_TEXTURES, FORMATS
from .pipeline import Target
from .plan import HistoryPair, PlanTexture, TextureKind


class Shape(msgspec.Struct, frozen=True):
    """Everything that must be equal for two targets to share a texture."""

    format: str
    width: int
    height: int
    layers: int
    samples: int

    @property
    def bytes(self) -> int:
        """Size of such a texture in memory, without what a driver adds."""
        texels = self.width * self.height * max(self.layers, 1) * self.samples
        return texels * FORMATS[self.format].bytes_per_texel

    def __str__(self) -> str:
        """Return it in words, for messages."""
        text = f"{self.width}x{self.height}"
        if self.layers:
            text += f" of {self.layers} layers"
        return text + (f" with {self.samples} samples" if self.samples > 1 else "")


class Lifetime(msgspec.Struct, frozen=True):
    """Steps between which a target's contents matter, both included."""

    first: int
    last: int


class Placement(msgspec.Struct, frozen=True):
    """Textures of a plan and where each target is among them."""

    textures: tuple[PlanTexture, ...]
    history: tuple[HistoryPair, ...]
    texture_of: dict[str, int]
    """Target or built-in texture -> index; for a history target the one of this frame."""
    previous_of: dict[str, int]
    """History target -> index of the texture of the frame before."""
    bytes_without_aliasing: int


def place_targets(
    targets: dict[str, Target],
    shapes: dict[str, Shape],
    lifetimes: dict[str, Lifetime],
    builtins: list[str],
) -> Placement:
    """Give every target a texture; targets of one shape that never live together share one.

    Targets are taken in order of their first use, and each takes the first texture of its shape
    that nobody needs any more. For intervals that is the least number of textures. History and
    imported targets keep a texture of their own.
    """
    textures: list[PlanTexture] = []
    texture_of: dict[str, int] = {}
    previous_of: dict[str, int] = {}
    busy_until: dict[int, int] = {}
    for name in sorted(lifetimes, key=lambda name: (lifetimes[name].first, name)):
        life, shape, target = lifetimes[name], shapes[name], targets[name]
        if target.history:
            texture_of[name], previous_of[name] = len(textures), len(textures) + 1
            textures.append(_texture(name, "history", shape, target.initial))
            previous = _texture(name, "history", shape, target.initial)
            textures.append(msgspec.structs.replace(previous, name=f"{name}@previous"))
        elif target.imported:
            texture_of[name] = len(textures)
            textures.append(_texture(name, "imported", shape))
        else:
            index = _free_texture(textures, busy_until, shape, life.first)
            if index is None:
                index = len(textures)
                textures.append(_texture(name, "owned", shape))
            else:
                textures[index] = _shared(textures[index], name)
            texture_of[name] = index
            busy_until[index] = life.last
    for name in builtins:
        texture_of[name] = len(textures)
        textures.append(_builtin(name))
    pairs = tuple(
        HistoryPair(name, texture_of[name], previous) for name, previous in previous_of.items()
    )
    own = [name for name in lifetimes if not targets[name].imported]
    apart = sum(shapes[name].bytes * (2 if targets[name].history else 1) for name in own)
    return Placement(tuple(textures), pairs, texture_of, previous_of, apart)


def _free_texture(
    textures: list[PlanTexture], busy_until: dict[int, int], shape: Shape, step: int
) -> int | None:
    for index, last in busy_until.items():
        if last < step and _shape_of(textures[index]) == shape:
            return index
    return None


def _shape_of(texture: PlanTexture) -> Shape:
    return Shape(texture.format, texture.width, texture.height, texture.layers, texture.samples)


def _texture(
    name: str,
    kind: TextureKind,
    shape: Shape,
    initial: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0),
) -> PlanTexture:
    return PlanTexture(
        name=name,
        kind=kind,
        format=shape.format,
        width=shape.width,
        height=shape.height,
        layers=shape.layers,
        samples=shape.samples,
        initial=initial,
        bytes=0 if kind in ("imported", "builtin") else shape.bytes,
        targets=(name,),
    )


def _shared(texture: PlanTexture, name: str) -> PlanTexture:
    targets = (*texture.targets, name)
    return msgspec.structs.replace(texture, name="+".join(targets), targets=targets)


def _builtin(name: str) -> PlanTexture:
    builtin = BUILTIN_TEXTURES[name]
    shape = Shape(builtin.format, 1, 1, builtin.layers, 1)
    return _texture(name, "builtin", shape, builtin.fill)
