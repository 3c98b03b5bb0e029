"""Places a directed graph in layers, top to bottom, after Sugiyama, Tagawa and Toda (1981).

Nodes go to the layer of their longest path, edges that cross layers get a bend in each, bends and
nodes are sorted to cross little (barycentres, up and down in turn), and then moved sideways towards
their neighbours as far as the distances between them allow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

import msgspec

SORT_SWEEPS: Final = 24
SPREAD_SWEEPS: Final = 120
NODE_GAP: Final = 18.0
"""Least space between two nodes of a layer; the bends of edges keep half of it."""
LAYER_GAP: Final = 26.0
BEND_WEIGHT: Final = 4.0
"""How much more a bend pulls than a node: long edges are kept straight."""


class Layout(msgspec.Struct, frozen=True):
    """Where everything is; the origin is at the top left, y points down."""

    centres: tuple[tuple[float, float], ...]
    """Of each node."""
    bends: tuple[tuple[tuple[float, float], ...], ...]
    """Of each edge, from its first node to its second: two points, one below the other, at the
    borders of every layer between its ends."""
    width: float
    height: float


def layered_layout(
    sizes: Sequence[tuple[float, float]], edges: Sequence[tuple[int, int]]
) -> Layout:
    """Return a layout of nodes of (width, height) `sizes` and `edges` (from, to).

    Edges that close a cycle are taken the other way round for the layers.
    """
    count = len(sizes)
    forward = _without_cycles(count, edges)
    layer_of = _layers(count, forward)
    places = _Places(sizes, layer_of, forward)
    places.sort()
    places.spread()
    return places.layout(edges)


def _without_cycles(count: int, edges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Turn the edges around that lead back to a node on the way to it."""
    result: list[tuple[int, int]] = []
    followers: dict[int, list[int]] = {node: [] for node in range(count)}
    for source, target in edges:
        turned = source != target and _reaches(followers, target, source)
        first, last = (target, source) if turned else (source, target)
        if first != last:
            followers[first].append(last)
        result.append((first, last))
    return result


def _reaches(followers: dict[int, list[int]], start: int, goal: int) -> bool:
    todo, seen = [start], {start}
    while todo:
        node = todo.pop()
        if node == goal:
            return True
        new = [follower for follower in followers[node] if follower not in seen]
        seen.update(new)
        todo += new
    return False


def _layers(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """Return each node's layer: below all that lead to it, close to what it leads to."""
    before: list[list[int]] = [[] for _ in range(count)]
    after: list[list[int]] = [[] for _ in range(count)]
    for source, target in edges:
        if source != target:
            before[target].append(source)
            after[source].append(target)
    waiting = [len(nodes) for nodes in before]
    order = [node for node in range(count) if not waiting[node]]
    layer = [0] * count
    for node in order:  # grows while it is walked
        for follower in after[node]:
            layer[follower] = max(layer[follower], layer[node] + 1)
            waiting[follower] -= 1
            if not waiting[follower]:
                order.append(follower)
    for node in reversed(order):  # sources sink towards their first user
        if after[node] and not before[node]:
            layer[node] = min(layer[follower] for follower in after[node]) - 1
    return layer


class _Places:
    """Slots: one for each node, then one for each bend; in layers, each with a place sideways."""

    def __init__(
        self,
        sizes: Sequence[tuple[float, float]],
        layer_of: list[int],
        edges: Sequence[tuple[int, int]],
    ) -> None:
        self.sizes = list(sizes)
        self.node_count = len(sizes)
        self.layers: list[list[int]] = [[] for _ in range(max(layer_of, default=0) + 1)]
        for node, layer in enumerate(layer_of):
            self.layers[layer].append(node)
        self.above: list[list[int]] = [[] for _ in sizes]
        self.below: list[list[int]] = [[] for _ in sizes]
        self.chains = [self._chain(source, target, layer_of) for source, target in edges]
        self.x = [0.0] * len(self.sizes)

    def _chain(self, source: int, target: int, layer_of: list[int]) -> list[int]:
        """Add the bends of an edge and link it from layer to layer; return its slots."""
        chain = [source]
        for layer in range(layer_of[source] + 1, layer_of[target]):
            bend = len(self.sizes)
            self.sizes.append((0.0, 0.0))
            self.above.append([])
            self.below.append([])
            self.layers[layer].append(bend)
            chain.append(bend)
        if source != target:
            chain.append(target)
        for upper, lower in pairwise(chain):
            self.below[upper].append(lower)
            self.above[lower].append(upper)
        return chain

    # ---- Order within layers -----------------------------------------------------------------

    def sort(self) -> None:
        """Sort every layer by the mean position of its neighbours; keep the best order seen."""
        best, fewest = [list(layer) for layer in self.layers], self._crossings()
        for sweep in range(SORT_SWEEPS):
            downwards = sweep % 2 == 0
            neighbours = self.above if downwards else self.below
            for layer in self.layers if downwards else reversed(self.layers):
                self._sort_layer(layer, neighbours)
            crossings = self._crossings()
            if crossings < fewest:
                best, fewest = [list(layer) for layer in self.layers], crossings
        self.layers = best

    def _sort_layer(self, layer: list[int], neighbours: list[list[int]]) -> None:
        rank = self._ranks()
        keys = {}
        for slot in layer:
            around = [rank[other] for other in neighbours[slot]]
            keys[slot] = sum(around) / len(around) if around else rank[slot]
        layer.sort(key=lambda slot: keys[slot])

    def _ranks(self) -> dict[int, float]:
        """Return each slot's position in its layer, 0 to 1."""
        return {
            slot: (position + 0.5) / len(layer)
            for layer in self.layers
            for position, slot in enumerate(layer)
        }

    def _crossings(self) -> int:
        """Count the pairs of edges between neighbouring layers that cross."""
        position = {slot: i for layer in self.layers for i, slot in enumerate(layer)}
        total = 0
        for layer in self.layers:
            ends: list[int] = []
            for slot in layer:
                lower = sorted(position[other] for other in self.below[slot])
                total += sum(1 for end in lower for earlier in ends if earlier > end)
                ends += lower
        return total

    # ---- Places sideways ---------------------------------------------------------------------

    def spread(self) -> None:
        """Move slots towards their neighbours, layer by layer, in sweeps."""
        for layer in self.layers:
            for slot, place in zip(layer, self._packed(layer), strict=True):
                self.x[slot] = place
        for sweep in range(SPREAD_SWEEPS):
            for layer in self.layers if sweep % 2 == 0 else reversed(self.layers):
                self._move_layer(layer)

    def _distances(self, layer: list[int]) -> list[float]:
        """Return the least distance of each slot's centre from that of the slot before it."""
        result = [0.0]
        for left, right in pairwise(layer):
            gap = NODE_GAP if max(left, right) < self.node_count else NODE_GAP / 2
            result.append((self.sizes[left][0] + self.sizes[right][0]) / 2 + gap)
        return result

    def _packed(self, layer: list[int]) -> list[float]:
        places, total = [], 0.0
        for distance in self._distances(layer):
            total += distance
            places.append(total)
        return [place - total / 2 for place in places]

    def _move_layer(self, layer: list[int]) -> None:
        offsets, total = [], 0.0
        for distance in self._distances(layer):
            total += distance
            offsets.append(total)
        wanted, weights = [], []
        for slot, offset in zip(layer, offsets, strict=True):
            place, weight = self._wanted(slot)
            wanted.append(place - offset)
            weights.append(weight)
        for slot, place, offset in zip(
            layer, nondecreasing_fit(wanted, weights), offsets, strict=True
        ):
            self.x[slot] = place + offset

    def _wanted(self, slot: int) -> tuple[float, float]:
        """Return where a slot's neighbours pull it, and how strongly."""
        around = [*self.above[slot], *self.below[slot]]
        if not around:
            return self.x[slot], 0.1
        is_bend = slot >= self.node_count
        pulls = [BEND_WEIGHT if is_bend and other >= self.node_count else 1.0 for other in around]
        place = sum(pull * self.x[other] for pull, other in zip(pulls, around, strict=True))
        return place / sum(pulls), BEND_WEIGHT if is_bend else 1.0

    # ---- Result ------------------------------------------------------------------------------

    def layout(self, edges: Sequence[tuple[int, int]]) -> Layout:
        """Return the finished layout; `edges` in their own direction."""
        slots = range(len(self.sizes))
        left = min((self.x[slot] - self.sizes[slot][0] / 2 for slot in slots), default=0.0)
        right = max((self.x[slot] + self.sizes[slot][0] / 2 for slot in slots), default=0.0)
        borders: list[tuple[float, float]] = [(0.0, 0.0)] * len(self.sizes)
        top = 0.0
        for layer in self.layers:
            bottom = top + max((self.sizes[slot][1] for slot in layer), default=0.0)
            for slot in layer:
                borders[slot] = (top, bottom)
            top = bottom + LAYER_GAP
        x = [place - left for place in self.x]
        bends = []
        for chain, (source, _) in zip(self.chains, edges, strict=True):
            between = [(x[slot], y) for slot in chain[1:-1] for y in borders[slot]]
            bends.append(tuple(between if chain[0] == source else reversed(between)))
        centres = [(x[node], sum(borders[node]) / 2) for node in range(self.node_count)]
        return Layout(tuple(centres), tuple(bends), right - left, max(top - LAYER_GAP, 0.0))


def nondecreasing_fit(values: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return the nondecreasing numbers closest to `values` (weighted least squares).

    Pool-adjacent-violators (Barlow et al. 1972): where a value falls below the one before it, both
    become their mean, and so on backwards.
    """
    blocks: list[tuple[float, float, int]] = []  # mean, weight, length
    for value, weight in zip(values, weights, strict=True):
        mean, total, length = value, weight, 1
        while blocks and blocks[-1][0] > mean:
            other_mean, other_total, other_length = blocks.pop()
            mean = (mean * total + other_mean * other_total) / (total + other_total)
            total, length = total + other_total, length + other_length
        blocks.append((mean, total, length))
    return [mean for mean, _, length in blocks for _ in range(length)]
