"""Lifetimes and sharing of texture memory, on small graphs and on random ones; no GPU."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from fyn.engine_core.render.graph.compiler import FrameGraph
from fyn.engine_core.render.graph.handles import parse_change
from fyn.engine_core.render.graph.pipeline_file import parse_pipeline
from fyn.engine_core.render.graph.plan import Plan, plan_from_json, plan_to_json

HEAD = '[pipeline]\nname = "test"\nversion = 1\n'


def chain(length: int, extra: str = "") -> FrameGraph:
    """Return a graph that passes a picture from target t0 to t1 and so on."""
    text = [HEAD]
    text += [
        f'[targets.t{i}]\nformat = "rgba16f"\n{extra if i == 1 else ""}' for i in range(length)
    ]
    for i in range(length):
        reads = f'reads = {{ x = "t{i - 1}" }}\n' if i else ""
        text.append(
            f'[[passes]]\nname = "p{i}"\nkind = "fullscreen"\nshader = "s"\n{reads}'
            f'writes = {{ color0 = "t{i}" }}\n'
        )
    text.append(f'[outputs]\npicture = "t{length - 1}"\n')
    return FrameGraph(parse_pipeline("\n".join(text), "test.toml"), "test.toml")


def test_a_chain_of_six_equal_targets_needs_the_memory_of_two():
    plan = chain(6).compile({}, (100, 50))
    one = 100 * 50 * 8
    assert [texture.targets for texture in plan.textures] == [
        ("t0", "t2", "t4"),
        ("t1", "t3", "t5"),
    ]
    assert (plan.bytes, plan.bytes_without_aliasing) == (2 * one, 6 * one)


def test_a_target_is_not_shared_within_the_step_that_reads_one_and_writes_the_other():
    plan = chain(2).compile({}, (8, 8))
    assert len(plan.textures) == 2


def test_targets_of_different_format_size_or_samples_never_share():
    for extra in ("scale = 0.5", "size = [100, 51]"):
        plan = chain(4, extra).compile({}, (100, 50))
        assert [t.targets for t in plan.textures] == [("t0", "t2"), ("t1",), ("t3",)]


def test_an_output_keeps_its_memory_to_the_end_of_the_frame():
    text = HEAD + "".join(f'[targets.{n}]\nformat = "rgba8"\n' for n in "abcd")
    for name, reads in (("a", ""), ("b", "a"), ("c", "b"), ("d", "c")):
        read = f'reads = {{ x = "{reads}" }}' if reads else ""
        text += f'[[passes]]\nname = "{name}"\nkind = "fullscreen"\nshader = "s"\n{read}\n'
        text += f'writes = {{ color0 = "{name}" }}\n'
    text += '[outputs]\nearly = "b"\nlate = "d"\n'
    graph = FrameGraph(parse_pipeline(text, "test.toml"), "test.toml")
    both = graph.compile({}, (8, 8))
    assert [t.targets for t in both.textures] == [("a", "c"), ("b",), ("d",)]
    late = graph.compile({}, (8, 8), ["late"])
    assert [t.targets for t in late.textures] == [("a", "c"), ("b", "d")]


def test_history_targets_share_with_nobody_and_count_twice():
    plan = chain(5, "history = true").compile({}, (10, 10))
    assert [(t.kind, t.targets) for t in plan.textures] == [
        ("owned", ("t0", "t2", "t4")),
        ("history", ("t1",)),
        ("history", ("t1",)),
        ("owned", ("t3",)),
    ]
    assert (plan.bytes, plan.bytes_without_aliasing) == (4 * 800, 6 * 800)


# ---- Random graphs ---------------------------------------------------------------------------


@dataclass
class RandomGraph:
    """A pipeline made at random that is right by construction."""

    text: str
    modifies: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Pass name -> (old, new) version."""


@st.composite
def random_graphs(draw: st.DrawFn) -> RandomGraph:
    """Build passes in a runnable order, then declare them in any order the format allows.

    Whoever uses a version must stand in the file before the pass that changes it; that is all.
    """
    count = draw(st.integers(1, 14))
    newest: dict[str, str] = {}
    passes: dict[int, str] = {}
    users: dict[str, set[int]] = {}
    stands_after: dict[int, set[int]] = {}
    result = RandomGraph("")
    for number in range(count):
        readable = sorted(newest)
        change = bool(readable) and draw(st.booleans()) and draw(st.booleans())
        own = draw(st.sampled_from(readable)) if change else f"t{number}"
        others = [name for name in readable if name != own]
        read = draw(st.lists(st.sampled_from(others), max_size=3, unique=True)) if others else []
        lines = [f'[[passes]]\nname = "p{number}"\nkind = "fullscreen"\nshader = "s"']
        lines.append("[passes.reads]")
        lines += [f's{i} = "{newest[name]}"' for i, name in enumerate(read)]
        stands_after[number] = users.get(newest[own], set()) if change else set()
        for name in read:
            users.setdefault(newest[name], set()).add(number)
        if change:
            old, new = newest[own], f"{own}.v{number}"
            lines.append(f'[passes.modifies]\ncolor0 = "{old} -> {new}"')
            result.modifies[f"p{number}"] = (old, new)
        else:
            new = own
            lines.append(f'[passes.writes]\ncolor0 = "{new}"')
        newest[own] = new
        passes[number] = "\n".join(lines)
    declared: list[int] = []
    for wanted in draw(st.permutations(range(count))):
        declare(wanted, stands_after, declared)
    targets = list(newest)
    shapes = draw(st.lists(st.sampled_from([0.5, 1.0]), min_size=count, max_size=count))
    outputs = draw(st.lists(st.sampled_from(targets), min_size=1, max_size=3, unique=True))
    text = HEAD
    for name, shape in zip(targets, shapes, strict=False):
        text += f'[targets.{name}]\nformat = "rgba16f"\nscale = {shape}\n'
    text += "\n".join(passes[number] for number in declared) + "\n[outputs]\n"
    text += "\n".join(f'o_{name} = "{newest[name]}"' for name in outputs)
    result.text = text
    return result


def declare(number: int, stands_after: dict[int, set[int]], declared: list[int]) -> None:
    """Append `number` to `declared`, after all that must stand before it."""
    for before in sorted(stands_after[number]):
        declare(before, stands_after, declared)
    if number not in declared:
        declared.append(number)


def run(plan: Plan, graph: RandomGraph) -> None:
    """Carry the plan out on textures that hold the name of a version instead of pixels."""
    holds: dict[int, str] = {}
    for step in plan.steps:
        for binding in step.reads:
            assert holds[binding.texture] == binding.version, step.name
        (target,) = step.colors
        if step.name in graph.modifies:
            old, new = graph.modifies[step.name]
            assert target.load == "keep" and holds[target.texture] == old
        else:
            assert target.load == "discard"
            new = target.version
        assert target.version == new
        assert target.texture not in {binding.texture for binding in step.reads}
        holds[target.texture] = new
    for name, texture in plan.outputs.items():
        version = holds[texture]
        assert parse_target(version) == name.removeprefix("o_")


def parse_target(version: str) -> str:
    return parse_change(f"{version} -> {version.split('.')[0]}.end")[0].target


@given(random_graphs())
@settings(max_examples=200, deadline=None)
def test_every_read_of_a_random_graph_finds_what_was_written_for_it(graph: RandomGraph):
    pipeline = parse_pipeline(graph.text, "random.toml")
    plan = FrameGraph(pipeline, "random.toml").compile({}, (16, 16))
    run(plan, graph)
    wanted = {item.name for item in pipeline.passes} - {dropped.name for dropped in plan.dropped}
    assert {step.name for step in plan.steps} == wanted
    assert plan_from_json(plan_to_json(plan)) == plan


@given(random_graphs())
@settings(max_examples=200, deadline=None)
def test_targets_of_a_random_graph_that_live_together_never_share_and_no_texture_is_wasted(
    graph: RandomGraph,
):
    plan = FrameGraph(parse_pipeline(graph.text, "random.toml"), "random.toml").compile(
        {}, (16, 16)
    )
    uses: dict[str, list[int]] = {}
    where: dict[str, int] = {}
    for number, step in enumerate(plan.steps):
        for item in (*step.reads, *step.colors):
            uses.setdefault(parse_target(item.version), []).append(number)
            assert where.setdefault(parse_target(item.version), item.texture) == item.texture
    for name in plan.outputs:
        uses[name.removeprefix("o_")].append(len(plan.steps))
    lives = {name: (min(steps), max(steps)) for name, steps in uses.items()}
    for one, (first, last) in lives.items():
        for other, (other_first, other_last) in lives.items():
            if one != other and where[one] == where[other]:
                assert last < other_first or other_last < first
    for texture in plan.textures:
        equal = [t for t in plan.textures if (t.width, t.format) == (texture.width, texture.format)]
        members = [lives[name] for t in equal for name in t.targets]
        together = max(
            sum(first <= step <= last for first, last in members)
            for step in range(len(plan.steps) + 1)
        )
        assert len(equal) == together
    assert plan.bytes <= plan.bytes_without_aliasing


@given(random_graphs())
@settings(max_examples=50, deadline=None)
def test_compiling_twice_gives_the_same_bytes(graph: RandomGraph):
    first, second = (
        FrameGraph(parse_pipeline(graph.text, "random.toml"), "random.toml").compile({}, (9, 7))
        for _ in range(2)
    )
    assert plan_to_json(first) == plan_to_json(second)
