"""What must run before what, in which order, and what need not run at all."""

from __future__ import annotations

import heapq
from itertools import pairwise

import msgspec

from ...errors import PipelineError
from .handles import Handle
from .versions import ActivePass, Versions


class Needed(msgspec.Struct, frozen=True):
    """The part of a frame that something reads in the end."""

    passes: frozenset[int]
    """Indices of the passes that run."""
    versions: frozenset[Handle]
    """Versions that are read, modified, tested or given out."""


def ordered_passes(versions: Versions) -> list[ActivePass]:
    """Return all passes so that each follows what it needs; free ones keep their declared order.

    A pass follows the makers of all that it uses, and a pass that ends a version follows
    everybody who still uses that version.

    Raises:
        PipelineError: there is no such order; the message shows the cycle.
    """
    before = _predecessors(versions)
    after: dict[int, set[int]] = {item.index: set() for item in versions.passes}
    for index, needed in before.items():
        for other in needed:
            after[other].add(index)
    waiting = {index: len(needed) for index, needed in before.items()}
    ready = [index for index, count in waiting.items() if count == 0]
    heapq.heapify(ready)
    by_index = {item.index: item for item in versions.passes}
    order: list[ActivePass] = []
    while ready:
        index = heapq.heappop(ready)
        order.append(by_index[index])
        for follower in after[index]:
            waiting[follower] -= 1
            if waiting[follower] == 0:
                heapq.heappush(ready, follower)
    if len(order) < len(by_index):
        stuck = {index for index, count in waiting.items() if count > 0}
        raise PipelineError(f"cycle of passes: {_cycle(stuck, before, by_index)}")
    return order


def _predecessors(versions: Versions) -> dict[int, dict[int, Handle]]:
    """Return pass -> passes that must run before it, with the version that is the reason."""
    before: dict[int, dict[int, Handle]] = {item.index: {} for item in versions.passes}
    for item in versions.passes:
        for _, handle in item.used():
            maker = versions.maker.get(handle)
            if maker is not None:
                before[item.index].setdefault(maker.index, handle)
            ender = versions.ender.get(handle)
            if ender is not None and ender is not item:
                before[ender.index].setdefault(item.index, handle)
    return before


def _cycle(
    stuck: set[int], before: dict[int, dict[int, Handle]], by_index: dict[int, ActivePass]
) -> str:
    """Describe one cycle among `stuck`, each of which waits for another of them."""
    path: list[int] = []
    index = min(stuck)
    while index not in path:
        path.append(index)
        index = min(other for other in before[index] if other in stuck)
    loop = [*path[path.index(index) :], index]
    text = f'"{by_index[loop[0]].item.name}"'
    for waiting, awaited in pairwise(loop):
        handle = before[waiting][awaited]
        text += f' waits for "{by_index[awaited].item.name}" (because of "{handle}")'
        if awaited != loop[-1]:
            text += ", which"
    return text


def needed_parts(versions: Versions) -> Needed:
    """Return what the outputs and the present passes need, directly or not.

    Reading the previous frame of a history target needs its last version of this frame, or there
    would be nothing to read next time.
    """
    passes: set[int] = set()
    needed: set[Handle] = set()
    todo: list[Handle] = list(versions.outputs.values())
    for item in versions.passes:
        if item.item.kind == "present":
            passes.add(item.index)
            todo += [handle for _, handle in item.used()]
    while todo:
        handle = todo.pop()
        if handle in needed:
            continue
        needed.add(handle)
        if handle.previous:
            todo.append(last_version(handle.target, versions))
        maker = versions.maker.get(handle)
        if maker is None:
            continue
        passes.add(maker.index)
        kept = kept_slots(maker, needed)
        todo += [old for slot, (old, _) in maker.modifies.items() if slot in kept]
        todo += [*maker.reads.values(), *maker.tests.values()]
    return Needed(frozenset(passes), frozenset(needed))


def kept_slots(item: ActivePass, needed: set[Handle] | frozenset[Handle]) -> list[str]:
    """Return the attachments of a pass that stay: depth, and colours up to the last needed one.

    Shaders number their outputs, so only colours at the end can be left out.
    """
    attached = item.attached_targets()
    colors = sorted(slot for slot in attached if slot != "depth")
    made = item.made()
    while colors and made[colors[-1]] not in needed:
        colors.pop()
    return colors + (["depth"] if "depth" in attached else [])


def last_version(target: str, versions: Versions) -> Handle:
    """Return the version of `target` that is there when the frame ends."""
    made = [handle for handle in versions.maker if handle.target == target]
    return next(handle for handle in made if handle not in versions.ender)
