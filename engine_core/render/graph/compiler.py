"""The frame graph: a pipeline, some settings and a frame size compiled to a plan, without a GPU."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from ...errors import DeviceError, PipelineError
from .device_limits import DeviceLimits, unsupported
from .expression import Value, evaluate, names_in
from .formats import BUILTIN_TEXTURES
from .memory import Shape, place_targets
from .ordering import needed_parts, ordered_passes
from .pipeline import Pipeline
from .pipeline_checks import formats_of
from .pipeline_file import find_pipeline, load_pipeline
from .plan import PLAN_VERSION, DroppedPass, Plan, SettingValue
from .settings import complete_settings, suggestion, with_fallback
from .shapes import MAX_SIZE, check_shapes, step_layers, target_shape, whole_number
from .steps import StepPlanner
from .versions import ActivePass, Versions, resolve_versions

MAX_REPEAT = 64
"""Steps of one pass."""


class FrameGraph:
    """A pipeline that can be compiled for any settings and frame size.

    It holds no state beside the pipeline and may be used from several threads.
    """

    def __init__(self, pipeline: Pipeline, source: str) -> None:
        """Take a checked pipeline; `source` is its file, named in errors."""
        self.pipeline = pipeline
        self.source = source
        self.structural_settings = _structural_settings(pipeline)
        """Settings that shape the plan; any other may change by way of `Constant.setting`."""

    @classmethod
    def load(cls, name: str | Path) -> FrameGraph:
        """Read a pipeline: one of Fyn's own by name, or any file by path.

        Raises:
            UsageError: there is no such pipeline.
            PipelineError: it is not valid.
        """
        path = find_pipeline(str(name))
        return cls(load_pipeline(path), path.name)

    def compile(
        self,
        settings: Mapping[str, SettingValue],
        size: tuple[int, int],
        outputs: Iterable[str] | None = None,
        device: DeviceLimits | None = None,
    ) -> Plan:
        """Return the plan of a frame.

        Args:
            settings: those that differ from their defaults.
            size: width and height of the frame in pixels.
            outputs: what will be read of the frame; None for all outputs of the pipeline.
            device: limits to stay within by way of the pipeline's fallbacks; None: no limits.

        Raises:
            PipelineError: settings, outputs or size are unknown or out of range, or the pipeline
                makes no sense with them; the message names the file and the key path.
            DeviceError: the device cannot make a target, whatever fallback is taken.
        """
        try:
            values = complete_settings(self.pipeline, settings)
            names = self._output_names(outputs)
            _check_frame_size(size)
            plan = self._compile(values, size, names, "")
            if device is None:
                return plan
            return self._within_limits(plan, values, names, device)
        except PipelineError as error:
            raise PipelineError(f"{self.source}: {error}") from error

    def _within_limits(
        self,
        plan: Plan,
        values: dict[str, SettingValue],
        outputs: list[str],
        device: DeviceLimits,
    ) -> Plan:
        """Return `plan` or that of the first fallback which the device can run."""
        missing = list(unsupported(plan, device))
        for fallback in self.pipeline.fallbacks:
            if not missing:
                break
            less = with_fallback(values, fallback)
            reason = f"{fallback.description} ({'; '.join(missing)})"
            plan = self._compile(less, (plan.width, plan.height), outputs, reason)
            missing = list(unsupported(plan, device))
        if missing:
            raise DeviceError(
                f"{self.source}: this device cannot draw the pipeline: {'; '.join(missing)}"
            )
        return plan

    def _output_names(self, outputs: Iterable[str] | None) -> list[str]:
        known = self.pipeline.outputs
        names = sorted(known) if outputs is None else sorted(set(outputs))
        for name in names:
            if name not in known:
                raise PipelineError(f'unknown output "{name}"{suggestion(name, known)}')
        return names

    def _compile(
        self,
        values: dict[str, SettingValue],
        size: tuple[int, int],
        outputs: list[str],
        fallback: str,
    ) -> Plan:
        pipeline = self.pipeline
        names: dict[str, Value] = {**values, "width": size[0], "height": size[1]}
        counts, disabled_by = _step_counts(pipeline, names)
        versions = resolve_versions(pipeline, counts, outputs, disabled_by)
        order = ordered_passes(versions)
        shapes = _shapes(pipeline, order, values, size)
        layers = {}
        for item in order:
            check_shapes(item, shapes)
            layers[item.index] = step_layers(item, names, shapes)
        needed = needed_parts(versions)
        live = [item for item in order if item.index in needed.passes]
        planner = StepPlanner(pipeline, versions, needed, shapes, names)
        planner.add_passes(live, layers)
        lifetimes = planner.lifetimes()
        placement = place_targets(pipeline.targets, shapes, lifetimes, _builtins(live, versions))
        steps = planner.steps(placement)
        return Plan(
            version=PLAN_VERSION,
            pipeline=pipeline.pipeline.name,
            width=size[0],
            height=size[1],
            settings=values,
            textures=placement.textures,
            history=placement.history,
            steps=steps,
            outputs={
                name: placement.texture_of[handle.target]
                for name, handle in versions.outputs.items()
            },
            dropped=_dropped(pipeline, needed.passes, disabled_by),
            fallback=fallback,
            bytes_without_aliasing=placement.bytes_without_aliasing,
            bytes=sum(texture.bytes for texture in placement.textures),
        )


def _check_frame_size(size: tuple[int, int]) -> None:
    if not all(isinstance(side, int) and 1 <= side <= MAX_SIZE for side in size):
        raise PipelineError(
            f"a frame of {size[0]}x{size[1]} pixels cannot be drawn: 1 to {MAX_SIZE} on each side"
        )


def _step_counts(
    pipeline: Pipeline, names: Mapping[str, Value]
) -> tuple[dict[int, int], dict[str, str]]:
    """Return index of enabled passes -> number of steps, and name of the others -> reason."""
    counts: dict[int, int] = {}
    disabled_by: dict[str, str] = {}
    for index, item in enumerate(pipeline.passes):
        where = f'passes[{index}].{{}} (pass "{item.name}")'
        if not _is_enabled(item.enabled, names, where.format("enabled")):
            why = "in the file" if item.enabled is False else f"as {item.enabled} is false"
            disabled_by[item.name] = f"disabled {why}"
            continue
        count = 1
        if item.repeat is not None:
            count = whole_number(item.repeat, names, where.format("repeat"))
        if not 0 <= count <= MAX_REPEAT:
            raise PipelineError(f"{where.format('repeat')}: {count} is not within 0..{MAX_REPEAT}")
        if count == 0:
            disabled_by[item.name] = f"repeated 0 times, as {item.repeat} is 0"
            continue
        counts[index] = count
    return counts, disabled_by


def _is_enabled(enabled: bool | str, names: Mapping[str, Value], where: str) -> bool:
    if isinstance(enabled, bool):
        return enabled
    try:
        value = evaluate(enabled, names)
    except PipelineError as error:
        raise PipelineError(f"{where}: {error}") from None
    if not isinstance(value, bool):
        raise PipelineError(f'{where}: "{enabled}" comes to {value!r}, not to true or false')
    return value


def _shapes(
    pipeline: Pipeline,
    order: list[ActivePass],
    values: Mapping[str, SettingValue],
    size: tuple[int, int],
) -> dict[str, Shape]:
    """Return target -> shape of all targets that enabled passes touch."""
    touched = {handle.target for item in order for _, handle in item.used()}
    touched.update(handle.target for item in order for handle in item.made().values())
    return {
        name: target_shape(name, target, values, size)
        for name, target in pipeline.targets.items()
        if name in touched
    }


def _builtins(live: list[ActivePass], versions: Versions) -> list[str]:
    used = {handle.target for item in live for handle in item.reads.values()}
    used.update(handle.target for handle in versions.outputs.values())
    return sorted(used & set(BUILTIN_TEXTURES))


def _dropped(
    pipeline: Pipeline, live: frozenset[int], disabled_by: Mapping[str, str]
) -> tuple[DroppedPass, ...]:
    return tuple(
        DroppedPass(item.name, disabled_by.get(item.name, "nothing reads it"))
        for index, item in enumerate(pipeline.passes)
        if index not in live
    )


def _structural_settings(pipeline: Pipeline) -> frozenset[str]:
    """Return the settings that decide more than the value of a constant."""
    values: list[object] = []
    for target in pipeline.targets.values():
        values += [target.scale, target.layers, target.samples]
        values += target.size if isinstance(target.size, tuple) else [target.size]
        if len(formats_of(pipeline, target)) > 1:
            values.append(target.format)
    for item in pipeline.passes:
        values += [item.enabled, item.repeat, item.layer, *item.defines.values()]
        values += [value for value in item.constants.values() if value not in pipeline.settings]
    names = (names_in(value) for value in values if isinstance(value, str))
    return frozenset().union(*names) & frozenset(pipeline.settings)
