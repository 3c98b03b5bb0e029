"""Sizes of targets for one frame, and whether the attachments of a pass fit together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ...errors import PipelineError
from .expression import Value, evaluate
from .handles import Handle
from .memory import Shape
from .pipeline import Target
from .plan import SettingValue
from .versions import ActivePass

MAX_SIZE: Final = 16384
"""Pixels on a side; what desktop GL drivers of the last decade have."""
MAX_LAYERS: Final = 256
"""What OpenGL ES 3.0 guarantees."""
SAMPLE_COUNTS: Final = (1, 2, 4, 8, 16)


def whole_number(value: int | str, names: Mapping[str, Value], where: str) -> int:
    """Return a number, or the value of an expression that must come to a whole number.

    Raises:
        PipelineError: the expression fails or comes to something else.
    """
    try:
        result = evaluate(value, names) if isinstance(value, str) else value
    except PipelineError as error:
        raise PipelineError(f"{where}: {error}") from None
    if isinstance(result, bool | str) or result != int(result):
        raise PipelineError(f'{where}: "{value}" comes to {result!r}, not to a whole number')
    return int(result)


def target_shape(
    name: str, target: Target, settings: Mapping[str, SettingValue], size: tuple[int, int]
) -> Shape:
    """Return the shape of a target for a frame of `size` (width, height) pixels.

    Raises:
        PipelineError: an expression fails, or its value is out of range.
    """
    where = f"targets.{name}"
    names: dict[str, Value] = {**settings, "width": size[0], "height": size[1]}
    width, height = _pixels(target, names, size, where)
    layers = whole_number(target.layers, names, f"{where}.layers")
    samples = whole_number(target.samples, names, f"{where}.samples")
    for key, value, low, high in (
        ("size", width, 1, MAX_SIZE),
        ("size", height, 1, MAX_SIZE),
        ("layers", layers, 0, MAX_LAYERS),
    ):
        if not low <= value <= high:
            raise PipelineError(f"{where}.{key}: {value} is not within {low}..{high}")
    if samples not in SAMPLE_COUNTS:
        known = ", ".join(map(str, SAMPLE_COUNTS))
        raise PipelineError(f"{where}.samples: must be one of {known}, not {samples}")
    if samples > 1 and layers:
        raise PipelineError(f"{where}.samples: an array cannot be multisampled")
    if samples > 1 and (target.history or target.imported):
        raise PipelineError(f"{where}.samples: history and imported targets have one sample")
    format_name = settings.get(target.format, target.format)
    return Shape(str(format_name), width, height, layers, samples)


def _pixels(
    target: Target, names: Mapping[str, Value], size: tuple[int, int], where: str
) -> tuple[int, int]:
    if target.size is not None:
        pair = target.size if isinstance(target.size, tuple) else (target.size, target.size)
        width, height = (whole_number(side, names, f"{where}.size") for side in pair)
        return width, height
    scale = target.scale
    if isinstance(scale, str):
        try:
            scale = evaluate(scale, names)
        except PipelineError as error:
            raise PipelineError(f"{where}.scale: {error}") from None
        if isinstance(scale, str) or scale <= 0:
            raise PipelineError(f"{where}.scale: comes to {scale!r}, must be a number above 0")
    return max(1, int(size[0] * scale)), max(1, int(size[1] * scale))


def check_shapes(item: ActivePass, shapes: Mapping[str, Shape]) -> None:
    """Check that a pass can be drawn with targets of these shapes.

    Raises:
        PipelineError: attachments differ in size or samples, a multisampled target is sampled, or
            the two sides of a copy do not match.
    """
    attached = item.attached_targets()
    slots = list(attached)
    for slot in slots[1:]:
        first, other = shapes[attached[slots[0]]], shapes[attached[slot]]
        if (first.width, first.height, first.samples) != (other.width, other.height, other.samples):
            raise PipelineError(
                f"{item.where('writes')}: attachments differ: {slots[0]}"
                f' "{attached[slots[0]]}" is {first}, {slot} "{attached[slot]}" is {other}'
            )
    for sampler, handle in item.reads.items():
        shape = shapes.get(handle.target)
        if shape is None:  # a built-in texture
            if item.item.kind in ("resolve", "copy", "present"):
                raise PipelineError(
                    f"{item.where(f'reads.{sampler}')}: a {item.item.kind} pass cannot take"
                    f' the built-in texture "{handle.target}"'
                )
        elif item.item.kind in ("resolve", "copy"):
            _check_blit(item, handle, shape, shapes[next(iter(attached.values()))])
        elif shape.samples > 1:
            raise PipelineError(
                f'{item.where(f"reads.{sampler}")}: "{handle}" has {shape.samples} samples;'
                " resolve it first"
            )


def _check_blit(item: ActivePass, source: Handle, shape: Shape, into: Shape) -> None:
    kind = item.item.kind
    same = (shape.format, shape.width, shape.height, shape.layers)
    if same != (into.format, into.width, into.height, into.layers):
        raise PipelineError(
            f'{item.where("writes")}: a {kind} needs equal formats and sizes: "{source}" is'
            f" {shape.format} {shape}, the target {into.format} {into}"
        )
    if shape.layers:
        raise PipelineError(f"{item.where('reads.source')}: arrays cannot be copied")
    if kind == "copy" and shape.samples != into.samples:
        raise PipelineError(f'{item.where("reads.source")}: "{source}" needs a resolve, not a copy')
    if into.samples > 1:
        raise PipelineError(f"{item.where('writes')}: a {kind} writes a target of one sample")


def step_layers(
    item: ActivePass, names: Mapping[str, Value], shapes: Mapping[str, Shape]
) -> list[int]:
    """Return the layer of array targets that each step of a pass draws into, -1 if it has none.

    Raises:
        PipelineError: the layer is missing, superfluous or out of range, a fresh array is not
            filled exactly, or a fresh plain target is written more than once.
    """
    limits = {shapes[target].layers for target in item.attached_targets().values()} - {0}
    layer = item.item.layer
    if (layer is None) != (not limits):
        raise PipelineError(
            f"{item.where('layer')}: missing: the pass draws into an array target"
            if layer is None
            else f"{item.where('layer')}: the pass draws into no array target"
        )
    layers = [-1] * item.count
    if layer is not None:
        where = item.where("layer")
        steps = range(item.count)
        layers = [whole_number(layer, {**names, "index": index}, where) for index in steps]
        for value in layers:
            if not 0 <= value < min(limits):
                raise PipelineError(f"{where}: there is no layer {value} of {min(limits)}")
    for slot, handle in item.writes.items():
        _check_filled(item, slot, shapes[handle.target].layers, layers)
    return layers


def _check_filled(item: ActivePass, slot: str, layer_count: int, layers: list[int]) -> None:
    where = item.where(f"writes.{slot}")
    if not layer_count and item.count > 1:
        raise PipelineError(
            f"{where}: each of the {item.count} repetitions would write it afresh; give it layers,"
            " or use modifies"
        )
    if layer_count and sorted(layers) != list(range(layer_count)):
        raise PipelineError(
            f"{where}: it has {layer_count} layers and the pass writes"
            f" {', '.join(map(str, layers))}; each must be written once"
        )
