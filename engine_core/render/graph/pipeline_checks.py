"""Checks of a pipeline file that need no settings: names, kinds, handles, expressions, state.

Each check yields (key path, message); a file's author sees all of them at once.
"""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Iterator, Mapping
from typing import Final

from ...errors import PipelineError
from .expression import names_in
from .formats import BUILTIN_TEXTURES, FORMATS
from .handles import NAME, Handle, parse_change, parse_choice, parse_handle
from .pipeline import DRAW_QUEUES, MAX_COLOR_ATTACHMENTS, Pass, Pipeline, Target
from .settings import setting_problem, suggestion

Problem = tuple[str, str]

FRAME_NAMES: Final = frozenset({"width", "height"})
"""Names that every expression knows besides the settings."""
STEP_NAMES: Final = FRAME_NAMES | {"index"}
"""Names that expressions evaluated for each step know besides the settings."""
SLOTS: Final = (*(f"color{i}" for i in range(MAX_COLOR_ATTACHMENTS)), "depth")
SHADED_KINDS: Final = ("draw", "fullscreen")
_GLSL_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")


def pipeline_problems(pipeline: Pipeline) -> Iterator[Problem]:
    """Yield every problem of `pipeline` as (key path, message)."""
    yield from _setting_problems(pipeline)
    for name, target in pipeline.targets.items():
        for path, message in _target_problems(pipeline, name, target):
            yield f"targets.{name}{path}", message
    if not pipeline.passes:
        yield "passes", "a pipeline needs at least one pass"
    names: set[str] = set()
    for index, item in enumerate(pipeline.passes):
        if item.name in names:
            yield f"passes[{index}].name", f'another pass is called "{item.name}"'
        names.add(item.name)
        for path, message in _pass_problems(pipeline, item):
            yield f"passes[{index}].{path}", f'{message} (pass "{item.name}")'
    yield from _output_problems(pipeline)


def _setting_problems(pipeline: Pipeline) -> Iterator[Problem]:
    reserved = STEP_NAMES | {"min", "max"}
    for name, setting in pipeline.settings.items():
        path = f"settings.{name}"
        if not NAME.fullmatch(name) or name in reserved or keyword.iskeyword(name):
            yield path, "this cannot be the name of a setting"
        texts = all(isinstance(choice, str) for choice in setting.choices)
        if setting.type == "choice" and not (setting.choices and texts):
            yield f"{path}.choices", "a choice needs a list of texts"
        elif setting.type == "int" and any(isinstance(choice, str) for choice in setting.choices):
            yield f"{path}.choices", "choices of an int are whole numbers"
        elif setting.type in ("bool", "float") and setting.choices:
            yield f"{path}.choices", f"a {setting.type} has no choices"
        elif problem := setting_problem(setting, setting.default):
            yield f"{path}.default", problem
    for index, fallback in enumerate(pipeline.fallbacks):
        for name, value in fallback.settings.items():
            path = f"fallbacks[{index}].settings.{name}"
            if name not in pipeline.settings:
                yield path, f"unknown setting{suggestion(name, pipeline.settings)}"
            elif problem := setting_problem(pipeline.settings[name], value):
                yield path, problem


def formats_of(pipeline: Pipeline, target: Target) -> tuple[str, ...]:
    """Return the formats that `target` may have: one, or the choices of the setting it names."""
    setting = pipeline.settings.get(target.format)
    if setting is not None and setting.type == "choice":
        return tuple(str(choice) for choice in setting.choices)
    return (target.format,)


def _target_problems(pipeline: Pipeline, name: str, target: Target) -> Iterator[Problem]:
    if not NAME.fullmatch(name) or name in BUILTIN_TEXTURES:
        yield "", "this cannot be the name of a target"
    formats = formats_of(pipeline, target)
    unknown = [name for name in formats if name not in FORMATS]
    for format_name in unknown:
        yield ".format", f'unknown format "{format_name}"{suggestion(format_name, FORMATS)}'
    if not unknown:
        depths = {FORMATS[format_name].is_depth for format_name in formats}
        if len(depths) > 1:
            yield ".format", "its choices mix colour and depth formats"
        if target.compare and depths != {True}:
            yield ".compare", "only depth formats are compared"
    if target.size is not None and target.scale != 1.0:
        yield ".size", "give either size or scale"
    if isinstance(target.scale, float | int) and not 0 < target.scale <= 16:
        yield ".scale", f"must be above 0 and at most 16, not {target.scale}"
    if target.history and target.imported:
        yield ".history", "an imported target belongs to the host, which keeps its history"
    if not all(map(math.isfinite, target.initial)):
        yield ".initial", "must be finite numbers"
    size = target.size if isinstance(target.size, tuple) else (target.size,)
    for key, values in (
        ("scale", (target.scale,)),
        ("size", size),
        ("layers", (target.layers,)),
        ("samples", (target.samples,)),
    ):
        for value in values:
            yield from _expression_problems(pipeline, f".{key}", value, FRAME_NAMES)


def _expression_problems(
    pipeline: Pipeline, path: str, value: object, extra: frozenset[str]
) -> Iterator[Problem]:
    if not isinstance(value, str):
        return
    try:
        names = names_in(value)
    except PipelineError as error:
        yield path, str(error)
        return
    for name in sorted(names - extra - set(pipeline.settings)):
        yield path, f'"{name}" is no setting{suggestion(name, pipeline.settings)}'


def _pass_problems(pipeline: Pipeline, item: Pass) -> Iterator[Problem]:
    if not NAME.fullmatch(item.name):
        yield "name", f'"{item.name}" is no name: use lower case letters, digits and _'
    yield from _kind_problems(item)
    yield from _attachment_problems(pipeline, item)
    yield from _clear_problems(pipeline, item)
    for sampler, text in item.reads.items():
        yield from _choice_problems(pipeline, f"reads.{sampler}", text)
        if not _GLSL_NAME.fullmatch(sampler) or sampler in {**item.constants, **item.defines}:
            yield f"reads.{sampler}", "this cannot be the name of a sampler, or it is used twice"
    yield from _expression_problems(pipeline, "enabled", item.enabled, FRAME_NAMES)
    yield from _expression_problems(pipeline, "repeat", item.repeat, FRAME_NAMES)
    yield from _expression_problems(pipeline, "layer", item.layer, STEP_NAMES)
    named = (("constants", item.constants), ("defines", item.defines))
    for table, key, value in ((t, k, v) for t, values in named for k, v in values.items()):
        if not _GLSL_NAME.fullmatch(key):
            yield f"{table}.{key}", "this cannot be a name in a shader"
        yield from _expression_problems(pipeline, f"{table}.{key}", value, STEP_NAMES)
        numbers = value if isinstance(value, tuple) else (value,)
        if isinstance(value, tuple) and not 2 <= len(value) <= 4:
            yield f"{table}.{key}", "a list must have 2 to 4 numbers"
        if not all(isinstance(number, str) or math.isfinite(number) for number in numbers):
            yield f"{table}.{key}", "must be finite"


def _kind_problems(item: Pass) -> Iterator[Problem]:
    """Check which keys go with the kind of a pass."""
    if item.kind == "draw" and item.queue not in DRAW_QUEUES:
        yield "queue", f'a draw pass needs one of {", ".join(DRAW_QUEUES)}, not "{item.queue}"'
    if item.kind != "draw" and item.queue:
        yield "queue", f"a {item.kind} pass draws no queue"
    if item.kind in SHADED_KINDS:
        if not NAME.fullmatch(item.shader):
            yield "shader", f'a {item.kind} pass needs the name of a shader, not "{item.shader}"'
        if not (item.writes or item.modifies):
            yield "writes", f"a {item.kind} pass must write or modify something"
        return
    if item.shader or item.constants or item.defines or item.clear:
        yield "shader", f"a {item.kind} pass has no shader, constants, defines or clear"
    if set(item.reads) != {"source"} or item.modifies or item.tests:
        yield "reads", f'a {item.kind} pass reads exactly "source" and modifies and tests nothing'
    if len(item.writes) != (0 if item.kind == "present" else 1):
        number = "nothing" if item.kind == "present" else "exactly one target"
        yield "writes", f"a {item.kind} pass writes {number}"
    if item.repeat is not None or item.layer is not None:
        yield "repeat", f"a {item.kind} pass neither repeats nor has a layer"


def _attachment_problems(pipeline: Pipeline, item: Pass) -> Iterator[Problem]:
    """Check the slots of `writes`, `modifies` and `tests` and what is attached to them."""
    used: list[str] = []
    for table in ("writes", "modifies", "tests"):
        slots: Mapping[str, str] = getattr(item, table)
        for slot, text in slots.items():
            path = f"{table}.{slot}"
            if slot not in SLOTS or (table == "tests" and slot != "depth"):
                known = "depth" if table == "tests" else ", ".join(SLOTS)
                yield path, f"no such attachment; known: {known}"
            elif slot in used:
                yield path, f"{slot} is attached twice"
            used.append(slot)
            yield from _attached_problems(pipeline, path, slot, text, table)
    colors = sorted(slot for slot in used if slot.startswith("color"))
    if colors != list(SLOTS[: len(colors)]):
        yield "writes", f"colour attachments must be color0, color1, ... not {', '.join(colors)}"
    state = item.state
    if "depth" in used and item.kind in SHADED_KINDS and state.depth_test == "off":
        yield "state.depth_test", 'a pass with a depth attachment needs a test; "always" passes all'
    if "depth" not in used and state.depth_test != "off":
        yield "state.depth_test", "there is no depth attachment to test against"
    if state.color_mask != "".join(c for c in "rgba" if c in state.color_mask):
        yield (
            "state.color_mask",
            f'must be a part of "rgba" in that order, not "{state.color_mask}"',
        )
    if not all(map(math.isfinite, state.depth_bias)):
        yield "state.depth_bias", "must be finite"


def _attached_problems(
    pipeline: Pipeline, path: str, slot: str, text: str, table: str
) -> Iterator[Problem]:
    try:
        handle = parse_change(text)[0] if table == "modifies" else parse_handle(text)
    except PipelineError as error:
        yield path, str(error)
        return
    target = pipeline.targets.get(handle.target)
    if target is None:
        yield path, f'unknown target "{handle.target}"{suggestion(handle.target, pipeline.targets)}'
        return
    if handle.previous:
        yield path, f"{handle} can only be read"
    if target.imported and table == "writes" and not handle.label:
        yield (
            path,
            f'"{handle}" is what the host handed in; name the new version, "{handle}.drawn"',
        )
    if table != "writes":
        yield from _made_problems(pipeline, path, handle)
    formats = [FORMATS[name] for name in formats_of(pipeline, target) if name in FORMATS]
    for format_ in formats:
        if format_.is_depth != (slot == "depth"):
            yield path, f'format "{format_.name}" of "{handle.target}" cannot be attached as {slot}'


def _clear_problems(pipeline: Pipeline, item: Pass) -> Iterator[Problem]:
    for slot, value in item.clear.items():
        path = f"clear.{slot}"
        if slot not in item.writes:
            yield path, "only what is written afresh can be cleared"
        elif (slot == "depth") == isinstance(value, tuple):
            yield path, "depth is cleared to one number, colour to four"
        elif not all(map(math.isfinite, value if isinstance(value, tuple) else (value,))):
            yield path, "must be finite"
    # A fullscreen triangle covers every pixel; blending still reads what was there before.
    covers = item.kind == "fullscreen" and item.state.blend == "none"
    covers = (
        covers and item.state.color_mask == "rgba" and item.state.depth_test in ("off", "always")
    )
    for slot in item.writes:
        if item.kind in SHADED_KINDS and not covers and slot not in item.clear:
            yield f"clear.{slot}", "missing: the pass may leave pixels of it undefined"


def _choice_problems(pipeline: Pipeline, path: str, text: str) -> Iterator[Problem]:
    try:
        handles = parse_choice(text)
    except PipelineError as error:
        yield path, str(error)
        return
    for position, handle in enumerate(handles):
        if handle.target in BUILTIN_TEXTURES:
            if handle.label or handle.previous:
                yield path, f"built-in texture {handle.target} has no versions"
            if position + 1 < len(handles):
                yield path, f"{handle.target} always exists: what follows it is never used"
        elif handle.target not in pipeline.targets:
            known = {**pipeline.targets, **BUILTIN_TEXTURES}
            yield path, f'unknown target "{handle.target}"{suggestion(handle.target, known)}'
        else:
            yield from _made_problems(pipeline, path, handle)


def _made_problems(pipeline: Pipeline, path: str, handle: Handle) -> Iterator[Problem]:
    """Check that some pass makes the version that `handle` names."""
    target = pipeline.targets[handle.target]
    if handle.previous:
        if not target.history:
            yield path, f'"{handle.target}" keeps no history; set history = true in its target'
        return
    if target.imported and not handle.label:
        return
    made = sorted(str(other) for other in _made_handles(pipeline) if other.target == handle.target)
    if str(handle) not in made:
        yield path, f'nothing makes "{handle}"; versions of it: {", ".join(made) or "none"}'


def _made_handles(pipeline: Pipeline) -> Iterator[Handle]:
    for item in pipeline.passes:
        for table, parse in ((item.writes, parse_handle), (item.modifies, _new_version)):
            for text in table.values():
                try:
                    yield parse(text)
                except PipelineError:
                    continue  # reported where it stands


def _new_version(text: str) -> Handle:
    return parse_change(text)[1]


def _output_problems(pipeline: Pipeline) -> Iterator[Problem]:
    if not pipeline.outputs and not any(item.kind == "present" for item in pipeline.passes):
        yield "outputs", "a pipeline needs at least one output"
    for name, text in pipeline.outputs.items():
        path = f"outputs.{name}"
        if not NAME.fullmatch(name):
            yield path, "this cannot be the name of an output"
        yield from _choice_problems(pipeline, path, text)
        if "@" in text:
            yield path, "the frame before cannot be an output"
