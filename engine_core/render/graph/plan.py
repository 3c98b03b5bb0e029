"""The compiled frame: a flat list of steps over physical textures, the same for every host.

A plan holds all that a host needs to draw a frame and nothing of the pipeline file it came from.
Python's `WorldRenderer` and the web page run the same JSON.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from ...errors import PipelineError

PLAN_VERSION: Final = 1

SettingValue = bool | int | float | str
ConstantValue = bool | int | float | tuple[float, ...]
StepKind = Literal["draw", "fullscreen", "resolve", "copy", "present"]
DepthFunction = Literal["off", "less", "lequal", "equal", "gequal", "greater", "always"]
CullMode = Literal["none", "back", "front", "material"]
BlendMode = Literal["none", "alpha", "premultiplied", "add", "multiply"]
Filter = Literal["nearest", "linear"]
Wrap = Literal["clamp", "repeat"]
TextureKind = Literal["owned", "history", "imported", "builtin"]


class PassState(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Fixed state of a pass; also the `state` table of a pass in a pipeline file."""

    depth_test: DepthFunction = "off"
    """Comparison of an incoming fragment with the depth attachment; off: always drawn."""
    cull: CullMode = "none"
    """Faces left out; "material": each material decides (none when double-sided, else back;
    in the shadow queue, none when its back casts shadows)."""
    blend: BlendMode = "none"
    """alpha: src*a + dst*(1-a); premultiplied: src + dst*(1-a); add: src + dst; multiply:
    src*dst. The alpha channel: src.a + dst.a*(1-a) for alpha and premultiplied, src.a + dst.a for
    add, src.a*dst.a for multiply."""
    color_mask: str = "rgba"
    """Channels that are written, a subset of "rgba" in that order."""
    depth_bias: tuple[float, float] = (0.0, 0.0)
    """glPolygonOffset as (factor: times the slope, units: in smallest depth steps)."""


class PlanTexture(msgspec.Struct, frozen=True):
    """One texture that the host makes (or is handed) and keeps as long as it runs the plan."""

    name: str
    """The targets that live in it, joined by "+" (TARGET@previous for the second texture of a
    history target); the name to hand in for an imported one."""
    kind: TextureKind
    format: str
    """A key of `formats.FORMATS`."""
    width: int
    height: int
    layers: int
    """0: a plain 2D texture; n: a 2D array of n layers."""
    samples: int
    """1: a texture that can be sampled; more: multisampled, read by resolve steps only."""
    initial: tuple[float, float, float, float]
    """What it is cleared to when made: matters to history and builtin textures only."""
    bytes: int
    """Size in memory as counted by the plan; 0 for imported and builtin textures."""
    targets: tuple[str, ...]
    """Names of the pipeline's targets that share it, in order of their first use."""


class HistoryPair(msgspec.Struct, frozen=True):
    """Two textures of one history target: after each frame the host exchanges what they mean."""

    target: str
    current: int
    """Index of the texture that this frame writes."""
    previous: int
    """Index of the texture that holds the frame before; `initial` on the first frame."""


class Attachment(msgspec.Struct, frozen=True):
    """One image that a step draws into or tests depth against."""

    texture: int
    """Index into `Plan.textures`."""
    layer: int
    """Layer of an array texture; -1 for a plain one."""
    load: Literal["clear", "keep", "discard"]
    """Before the step: clear to `clear`, keep what is there, or contents may be garbage because
    the step covers every pixel."""
    clear: tuple[float, ...]
    """Four numbers for colour, one for depth; empty unless `load` is "clear"."""
    store: bool
    """False: nothing reads it after this step, so that a host may invalidate it."""
    version: str
    """The handle that this write makes (or, for a pure depth test, uses): for debugging."""


class TextureBinding(msgspec.Struct, frozen=True):
    """One texture that a step samples (or copies from, under the name `source`)."""

    sampler: str
    texture: int
    """Index into `Plan.textures`."""
    filter: Filter
    wrap: Wrap
    compare: bool
    """Hardware depth comparison, function lequal: the shader declares a shadow sampler."""
    version: str
    """The handle as the pipeline names it: for debugging."""


class Constant(msgspec.Struct, frozen=True):
    """A uniform of a step."""

    name: str
    value: ConstantValue
    """The value at compile time; a choice setting becomes the index of the choice."""
    setting: str
    """When not empty: the setting that it equals, which may change without a new plan."""


class Step(msgspec.Struct, frozen=True):
    """One thing for the host to do; steps run in order."""

    name: str
    """Name of the pass, with [index] when the pass repeats."""
    kind: StepKind
    shader: str
    """Name of the shader; empty for resolve, copy and present."""
    queue: str
    """Draw queue of a draw step; empty for others."""
    index: int
    """Which repetition of its pass this is (the cascade of a shadow pass); 0 if it has but one."""
    width: int
    """Viewport in pixels: that of the attachments; for present that of the source."""
    height: int
    samples: int
    colors: tuple[Attachment, ...]
    """Colour attachments color0, color1, ... without holes."""
    depth: Attachment | None
    reads: tuple[TextureBinding, ...]
    constants: tuple[Constant, ...]
    defines: dict[str, int | float]
    """Macros for the shader, sorted by name; booleans are 0 or 1, choices their index."""
    depth_write: bool
    """True when the pass writes or modifies depth, False when it only tests against it."""
    state: PassState


class DroppedPass(msgspec.Struct, frozen=True):
    """A pass of the pipeline that has no step, and why."""

    name: str
    reason: str


class Plan(msgspec.Struct, frozen=True):
    """A frame, ready to run."""

    version: int
    """`PLAN_VERSION` of the writer."""
    pipeline: str
    width: int
    """Size of the frame in pixels."""
    height: int
    settings: dict[str, SettingValue]
    """Every setting of the pipeline as it was compiled, sorted by name."""
    textures: tuple[PlanTexture, ...]
    history: tuple[HistoryPair, ...]
    steps: tuple[Step, ...]
    outputs: dict[str, int]
    """Requested output -> index of the texture that holds it after the last step."""
    dropped: tuple[DroppedPass, ...]
    fallback: str
    """What had to be given up for this device, in words for the log; empty if nothing."""
    bytes_without_aliasing: int
    """Texture memory if every target had its own."""
    bytes: int
    """Texture memory as planned."""


def plan_to_json(plan: Plan) -> bytes:
    """Return the plan as JSON; the same plan always gives the same bytes."""
    return msgspec.json.encode(plan)


def plan_from_json(text: bytes | str) -> Plan:
    """Return the plan that `plan_to_json` wrote.

    Raises:
        PipelineError: the text is not a plan, or one of another version.
    """
    try:
        plan = msgspec.json.decode(text, type=Plan)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise PipelineError(f"this is not a frame plan: {error}") from error
    if plan.version != PLAN_VERSION:
        raise PipelineError(
            f"the frame plan is of version {plan.version}, this Fyn reads version {PLAN_VERSION};"
            " compile it again from its pipeline"
        )
    return plan
