"""Plans of pipelines by settings, size and outputs, compiled once and remembered."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from ..world.components import RenderSettings
from .device import Device
from .graph.compiler import FrameGraph
from .graph.device_limits import DeviceLimits
from .graph.plan import ConstantValue, Plan, SettingValue

_REMEMBERED = 32


@dataclass(frozen=True, eq=False)
class ReadyPlan:
    """A plan, and the current values of the settings that its constants follow."""

    plan: Plan
    setting_numbers: dict[str, ConstantValue]


class PlanCache:
    """Compiles within the limits of one device."""

    def __init__(self, device: Device, log: Callable[[str], None]) -> None:
        """Start empty."""
        self._device, self._log = device, log
        self._graphs: dict[str, FrameGraph] = {}
        self._plans: OrderedDict[tuple, Plan] = OrderedDict()
        self._limits = DeviceLimits(
            max_samples=device.info.target_formats,
            max_size=device.info.max_texture_size,
            max_layers=device.info.max_array_layers,
        )

    def get(
        self,
        settings: RenderSettings,
        size: tuple[int, int],
        outputs: Sequence[str],
        extra: Mapping[str, SettingValue] | None = None,
    ) -> ReadyPlan:
        """Return the plan of `settings.pipeline`; `extra` are settings that no level decides.

        Raises:
            UsageError: there is no such pipeline.
            PipelineError: it is not valid, or has no such output.
            DeviceError: the device cannot draw it, whatever fallback is taken.
        """
        graph = self._graphs.get(settings.pipeline)
        if graph is None:
            graph = self._graphs[settings.pipeline] = FrameGraph.load(settings.pipeline)
        values = {**self._values(graph, settings), **(extra or {})}
        structure = tuple((n, values[n]) for n in sorted(values) if n in graph.structural_settings)
        key = (settings.pipeline, structure, size, tuple(sorted(outputs)))
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plans[key] = graph.compile(values, size, outputs, self._limits)
            if plan.fallback:
                self._log(f"Drawing with less than asked for: {plan.fallback}.")
            while len(self._plans) > _REMEMBERED:
                self._plans.popitem(last=False)
        self._plans.move_to_end(key)
        return ReadyPlan(plan, _numbers(graph, {**plan.settings, **_loose(graph, values)}))

    def _values(self, graph: FrameGraph, settings: RenderSettings) -> dict[str, SettingValue]:
        """Return the pipeline's settings that the level decides, by their common names."""
        level = msgspec.structs.asdict(settings)
        values = {name: level[name] for name in graph.pipeline.settings if name in level}
        if "samples" in values:
            # As many as there are is closer to what was asked for than none, the first fallback.
            values["samples"] = min(values["samples"], self._device.info.max_samples)
        return values


def _loose(graph: FrameGraph, values: dict[str, SettingValue]) -> dict[str, SettingValue]:
    return {n: v for n, v in values.items() if n not in graph.structural_settings}


def _numbers(graph: FrameGraph, values: dict[str, SettingValue]) -> dict[str, ConstantValue]:
    """Return settings as shaders see them: the text of a choice is its index."""
    return {
        name: graph.pipeline.settings[name].choices.index(value)
        if isinstance(value, str)
        else value
        for name, value in values.items()
    }
