"""From handles to versions: which pass makes what, for one choice of settings.

A disabled pass makes nothing; one that would only modify hands the old version through, so that
readers of its new version get the old one. What remains must be a proper chain for every target:
written afresh once, each version ended by at most one pass, none used after it was ended.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ...errors import PipelineError
from .formats import BUILTIN_TEXTURES
from .handles import Handle, parse_change, parse_choice, parse_handle
from .pipeline import Pass, Pipeline


class ActivePass(msgspec.Struct, frozen=True):
    """An enabled pass with its handles resolved."""

    index: int
    """Position in the pipeline file."""
    item: Pass
    count: int
    """Number of steps."""
    reads: dict[str, Handle]
    """Sampler -> version; a built-in texture is a handle with its name as target."""
    writes: dict[str, Handle]
    modifies: dict[str, tuple[Handle, Handle]]
    """Attachment -> (old, new) version."""
    tests: dict[str, Handle]

    def made(self) -> dict[str, Handle]:
        """Return attachment -> version that this pass makes."""
        return {**self.writes, **{slot: new for slot, (_, new) in self.modifies.items()}}

    def used(self) -> list[tuple[str, Handle]]:
        """Return (key path, version) of everything that must exist before this pass."""
        return [
            *((f"reads.{sampler}", handle) for sampler, handle in self.reads.items()),
            *((f"tests.{slot}", handle) for slot, handle in self.tests.items()),
            *((f"modifies.{slot}", old) for slot, (old, _) in self.modifies.items()),
        ]

    def attached_targets(self) -> dict[str, str]:
        """Return attachment -> name of the target attached to it."""
        handles = {**self.made(), **self.tests}
        return {slot: handle.target for slot, handle in handles.items()}

    def where(self, key: str) -> str:
        """Return the key path of `key` for an error message."""
        return f'passes[{self.index}].{key} (pass "{self.item.name}")'


class Versions(msgspec.Struct, frozen=True):
    """All versions that exist for one choice of settings."""

    passes: tuple[ActivePass, ...]
    """Enabled passes in declared order."""
    maker: dict[Handle, ActivePass]
    ender: dict[Handle, ActivePass]
    """Version -> the pass that modifies it (or writes over what the host handed in)."""
    outputs: dict[str, Handle]


def resolve_versions(
    pipeline: Pipeline, counts: dict[int, int], outputs: Iterable[str], disabled_by: dict[str, str]
) -> Versions:
    """Resolve every handle of the enabled passes.

    Args:
        pipeline: a checked pipeline.
        counts: index of each enabled pass -> number of its steps, at least 1.
        outputs: names of the requested outputs, all known.
        disabled_by: name of each disabled pass -> reason, for messages.

    Raises:
        PipelineError: two passes make one version or one target, a pass uses a version that
            nothing made or that was already written over, or reads what it draws into.
    """
    resolver = _Resolver(pipeline, counts, disabled_by)
    passes = tuple(resolver.active(index) for index in counts)
    maker = _makers(pipeline, passes)
    ender = _enders(pipeline, passes)
    chosen = {name: resolver.output(name) for name in outputs}
    for handle in chosen.values():
        if handle in ender:
            raise PipelineError(
                f'outputs: "{handle}" is out of date: {ender[handle].where("modifies")}'
                f" writes over it; give out {_newest(handle, ender)}"
            )
    for item in passes:
        _check_feedback(item)
    return Versions(passes, maker, ender, chosen)


class _Resolver:
    """Finds the version that a handle of the file stands for while some passes are disabled."""

    def __init__(
        self, pipeline: Pipeline, counts: dict[int, int], disabled_by: dict[str, str]
    ) -> None:
        self.pipeline = pipeline
        self.counts = counts
        self.disabled_by = disabled_by
        self.existing: set[Handle] = set()
        self.handed_through: dict[Handle, Handle] = {}
        self.missing: dict[Handle, str] = {}
        for index, item in enumerate(pipeline.passes):
            self._note(index, item)

    def _note(self, index: int, item: Pass) -> None:
        made = [parse_handle(text) for text in item.writes.values()]
        changes = [parse_change(text) for text in item.modifies.values()]
        if index in self.counts:
            self.existing.update(made, (new for _, new in changes))
            return
        self.missing.update(dict.fromkeys(made, item.name))
        for old, new in changes:
            self.handed_through.setdefault(new, old)

    def find(self, handle: Handle) -> Handle | None:
        """Return the version that `handle` stands for, None if nothing makes it."""
        handle = self._unmodified(handle)
        target = self.pipeline.targets.get(handle.target)
        if target is None:
            return handle if handle.target in BUILTIN_TEXTURES else None
        if handle.previous:
            made = any(version.target == handle.target for version in self.existing)
            return handle if made else None
        if target.imported and not handle.label:
            return handle
        return handle if handle in self.existing else None

    def _unmodified(self, handle: Handle) -> Handle:
        """Return the version that disabled passes hand through as `handle`."""
        seen: set[Handle] = set()
        while handle not in self.existing and handle in self.handed_through and handle not in seen:
            seen.add(handle)
            handle = self.handed_through[handle]
        return handle

    def first(self, choice: str, where: str) -> Handle:
        handles = parse_choice(choice)
        for handle in handles:
            found = self.find(handle)
            if found is not None:
                return found
        raise PipelineError(f"{where}: nothing makes {self._named(handles)}")

    def _named(self, handles: tuple[Handle, ...]) -> str:
        reasons = []
        for handle in handles:
            maker = self.missing.get(self._unmodified(handle))
            reason = f' (pass "{maker}": {self.disabled_by.get(maker, "")})' if maker else ""
            reasons.append(f'"{handle}"{reason}')
        hint = f'; give an alternative such as "{handles[-1]} | black"'
        return " or ".join(reasons) + hint

    def active(self, index: int) -> ActivePass:
        item = self.pipeline.passes[index]

        def where(key: str) -> str:
            return f'passes[{index}].{key} (pass "{item.name}")'

        modifies = {}
        for slot, text in item.modifies.items():
            old, new = parse_change(text)
            modifies[slot] = (self.first(str(old), where(f"modifies.{slot}")), new)
        return ActivePass(
            index=index,
            item=item,
            count=self.counts[index],
            reads={
                key: self.first(text, where(f"reads.{key}")) for key, text in item.reads.items()
            },
            writes={slot: parse_handle(text) for slot, text in item.writes.items()},
            modifies=modifies,
            tests={
                key: self.first(text, where(f"tests.{key}")) for key, text in item.tests.items()
            },
        )

    def output(self, name: str) -> Handle:
        return self.first(self.pipeline.outputs[name], f"outputs.{name}")


def _makers(pipeline: Pipeline, passes: tuple[ActivePass, ...]) -> dict[Handle, ActivePass]:
    maker: dict[Handle, ActivePass] = {}
    fresh: dict[str, ActivePass] = {}
    for item in passes:
        for slot, handle in item.made().items():
            table = "writes" if slot in item.writes else "modifies"
            if handle in maker:
                raise PipelineError(
                    f'{item.where(f"{table}.{slot}")}: "{handle}" has two writers; the other is'
                    f' pass "{maker[handle].item.name}". Give the second version a name of its own'
                )
            maker[handle] = item
        for slot, handle in item.writes.items():
            if handle.target in fresh:
                raise PipelineError(
                    f'{item.where(f"writes.{slot}")}: "{handle.target}" has two writers; pass'
                    f' "{fresh[handle.target].item.name}" writes it afresh already. Use modifies to'
                    " draw on top of it, or another target (unused memory is shared)"
                )
            fresh[handle.target] = item
    return maker


def _enders(pipeline: Pipeline, passes: tuple[ActivePass, ...]) -> dict[Handle, ActivePass]:
    """Return version -> pass that ends it; passes declared after that one may not use it."""
    ender: dict[Handle, ActivePass] = {}
    for item in passes:
        for key, handle in item.used():
            if handle in ender:
                raise PipelineError(
                    f'{item.where(key)}: "{handle}" is out of date: pass'
                    f' "{ender[handle].item.name}" wrote over it; use {_newest(handle, ender)}'
                )
        for old, _ in item.modifies.values():
            ender[old] = item
        for handle in item.writes.values():
            if pipeline.targets[handle.target].imported:
                ender[Handle(handle.target)] = item
    return ender


def _newest(handle: Handle, ender: dict[Handle, ActivePass]) -> str:
    """Return the version at the end of the chain that `handle` is in, quoted."""
    seen = {handle}
    while handle in ender:
        changes = ender[handle].made().values()
        handle = next(new for new in changes if new.target == handle.target)
        if handle in seen:
            break
        seen.add(handle)
    return f'"{handle}"'


def _check_feedback(item: ActivePass) -> None:
    attached = item.attached_targets()
    for sampler, handle in item.reads.items():
        if handle.target in attached.values() and not handle.previous:
            slot = next(slot for slot, target in attached.items() if target == handle.target)
            raise PipelineError(
                f'{item.where(f"reads.{sampler}")}: feedback loop: "{handle.target}" is read and'
                f" attached as {slot} in the same pass; copy it first, or write another target"
            )
    if len(set(attached.values())) < len(attached):
        raise PipelineError(f"{item.where('writes')}: one target is attached twice")
