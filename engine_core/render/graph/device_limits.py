"""What a device can make: the little of it that decides which targets a plan may have."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from .plan import Plan


class DeviceLimits(msgspec.Struct, frozen=True):
    """Limits of a device, as its driver reports them."""

    max_samples: dict[str, int]
    """Format name -> most samples it can be drawn into with; a missing one cannot be at all."""
    max_size: int
    """Pixels on a side of a texture."""
    max_layers: int
    """Layers of an array texture."""


def unsupported(plan: Plan, limits: DeviceLimits) -> Iterator[str]:
    """Yield in words each texture of `plan` that the device cannot make."""
    for texture in plan.textures:
        if texture.kind not in ("owned", "history"):
            continue
        most = limits.max_samples.get(texture.format, 0)
        if most == 0:
            yield f'"{texture.name}": format {texture.format} cannot be drawn into'
        elif texture.samples > most:
            yield f'"{texture.name}": {texture.format} has at most {most} samples'
        if max(texture.width, texture.height) > limits.max_size:
            yield f'"{texture.name}": at most {limits.max_size} pixels on a side'
        if texture.layers > limits.max_layers:
            yield f'"{texture.name}": at most {limits.max_layers} layers'
