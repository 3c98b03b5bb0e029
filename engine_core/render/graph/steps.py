"""From ordered passes to steps: attachments, bindings, constants, and lifetimes of targets."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from ...errors import PipelineError
from .expression import Value, evaluate
from .formats import BUILTIN_TEXTURES
from .handles import Handle
from .memory import Lifetime, Placement, Shape
from .ordering import Needed, kept_slots
from .pipeline import Pipeline, Target
from .plan import Attachment, Constant, ConstantValue, Step, TextureBinding
from .versions import ActivePass, Versions


class PlannedStep(msgspec.Struct, frozen=True):
    """One repetition of a pass, before targets have textures."""

    item: ActivePass
    index: int
    layer: int
    slots: tuple[str, ...]
    """Attachments that it keeps, colours first."""

    def targets(self) -> set[str]:
        """Return the targets that it touches, without built-in textures."""
        attached = self.item.attached_targets()
        reads = {handle.target for handle in self.item.reads.values()} - BUILTIN_TEXTURES.keys()
        return reads | {attached[slot] for slot in self.slots}


class StepPlanner:
    """Lays out the steps of one plan; made, used and dropped within one compilation."""

    def __init__(
        self,
        pipeline: Pipeline,
        versions: Versions,
        needed: Needed,
        shapes: Mapping[str, Shape],
        names: Mapping[str, Value],
    ) -> None:
        """Take what the stages before found out."""
        self.pipeline = pipeline
        self.versions = versions
        self.needed = needed
        self.shapes = shapes
        self.names = names
        self.planned: list[PlannedStep] = []

    def add_passes(self, live: list[ActivePass], layers: Mapping[int, list[int]]) -> None:
        """Add the steps of the passes, in order; `layers` holds each pass' layer per step."""
        for item in live:
            slots = tuple(kept_slots(item, self.needed.versions))
            for index, layer in enumerate(layers[item.index]):
                self.planned.append(PlannedStep(item, index, layer, slots))

    def lifetimes(self) -> dict[str, Lifetime]:
        """Return target -> first and last step that uses it; outputs live until the end."""
        lives: dict[str, Lifetime] = {}
        for number, step in enumerate(self.planned):
            for target in step.targets():
                first = lives[target].first if target in lives else number
                lives[target] = Lifetime(first, number)
        end = len(self.planned)
        for handle in self.versions.outputs.values():
            if handle.target in self.pipeline.targets:
                first = lives[handle.target].first if handle.target in lives else 0
                lives[handle.target] = Lifetime(first, end)
        for name in lives:
            target = self.pipeline.targets[name]
            if target.history or target.imported:
                lives[name] = Lifetime(0, end)
        return lives

    def steps(self, placement: Placement) -> tuple[Step, ...]:
        """Return the finished steps for targets that live where `placement` says."""
        lives = self.lifetimes()
        return tuple(
            self._step(number, step, placement, lives) for number, step in enumerate(self.planned)
        )

    def _step(
        self, number: int, step: PlannedStep, placement: Placement, lives: dict[str, Lifetime]
    ) -> Step:
        item = step.item.item
        attached = step.item.attached_targets()
        attachments = {
            slot: self._attachment(step, slot, placement, lives[attached[slot]].last > number)
            for slot in step.slots
        }
        shape = self._viewport(step)
        return Step(
            name=f"{item.name}[{step.index}]" if item.repeat is not None else item.name,
            kind=item.kind,
            shader=item.shader,
            queue=item.queue,
            index=step.index,
            width=shape.width,
            height=shape.height,
            samples=shape.samples,
            colors=tuple(attachments[slot] for slot in step.slots if slot != "depth"),
            depth=attachments.get("depth"),
            reads=tuple(
                self._binding(sampler, handle, placement)
                for sampler, handle in sorted(step.item.reads.items())
            ),
            constants=self._constants(step),
            defines=self._defines(step),
            depth_write="depth" in step.item.made(),
            state=item.state,
        )

    def _viewport(self, step: PlannedStep) -> Shape:
        attached = step.item.attached_targets()
        if attached:
            return self.shapes[next(iter(attached.values()))]
        return self.shapes[step.item.reads["source"].target]

    def _attachment(
        self, step: PlannedStep, slot: str, placement: Placement, store: bool
    ) -> Attachment:
        handle = {**step.item.made(), **step.item.tests}[slot]
        load, clear = "keep", ()
        if slot in step.item.writes:
            value = step.item.item.clear.get(slot)
            load = "discard" if value is None else "clear"
            if value is not None:
                clear = value if isinstance(value, tuple) else (value,)
        return Attachment(
            texture=placement.texture_of[handle.target],
            layer=step.layer if self.shapes[handle.target].layers else -1,
            load=load,
            clear=clear,
            store=store,
            version=str(handle),
        )

    def _binding(self, sampler: str, handle: Handle, placement: Placement) -> TextureBinding:
        where = placement.previous_of if handle.previous else placement.texture_of
        builtin = BUILTIN_TEXTURES.get(handle.target)
        target = self.pipeline.targets.get(handle.target) or Target(
            format=builtin.format if builtin else "", compare=bool(builtin and builtin.compare)
        )
        return TextureBinding(
            sampler=sampler,
            texture=where[handle.target],
            filter=target.filter,
            wrap=target.wrap,
            compare=target.compare,
            version=str(handle),
        )

    def _constants(self, step: PlannedStep) -> tuple[Constant, ...]:
        result = []
        for name, value in sorted(step.item.item.constants.items()):
            where = step.item.where(f"constants.{name}")
            setting = value if isinstance(value, str) and value in self.pipeline.settings else ""
            result.append(Constant(name, self._constant(step, value, where), setting))
        return tuple(result)

    def _defines(self, step: PlannedStep) -> dict[str, int | float]:
        result: dict[str, int | float] = {}
        for name, value in sorted(step.item.item.defines.items()):
            number = self._constant(step, value, step.item.where(f"defines.{name}"))
            assert not isinstance(number, tuple)  # the file's struct allows none
            result[name] = int(number) if isinstance(number, bool) else number
        return result

    def _constant(
        self, step: PlannedStep, value: bool | int | float | str | tuple[float, ...], where: str
    ) -> ConstantValue:
        """Return the number or numbers of a constant; a choice setting is its index."""
        if not isinstance(value, str):
            return value
        setting = self.pipeline.settings.get(value)
        if setting is not None and setting.type == "choice":
            return setting.choices.index(str(self.names[value]))
        try:
            result = evaluate(value, {**self.names, "index": step.index})
        except PipelineError as error:
            raise PipelineError(f"{where}: {error}") from None
        if isinstance(result, str):
            raise PipelineError(f'{where}: "{value}" comes to text, shaders know only numbers')
        return result
