"""What a pipeline file says, as typed structs; `docs/pipelines.md` is the reference of the format.

The structs mirror the TOML key for key. `pipeline_file.py` reads and checks them, `compiler.py`
turns them into a `Plan`.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from .plan import Filter, PassState, SettingValue, StepKind, Wrap

FORMAT_VERSION: Final = 1

Expression = str
"""A small expression over settings, see `expression.py`."""

DRAW_QUEUES: Final = ("opaque", "alpha", "shadow", "sky", "overlay")
MAX_COLOR_ATTACHMENTS: Final = 4
"""What OpenGL ES 3.0 guarantees."""


class PipelineHeader(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The `[pipeline]` table."""

    name: str
    version: int
    """Version of the file format, `FORMAT_VERSION`."""
    description: str = ""


class Setting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A `[settings.NAME]` table: a value that the user of the pipeline may choose."""

    type: Literal["bool", "int", "float", "choice"]
    default: SettingValue
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str | int, ...] = ()
    """All allowed values: strings for a choice, numbers for an int."""
    description: str = ""


class Target(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A `[targets.NAME]` table: an image that passes draw into and read."""

    format: str
    """A name of `formats.FORMATS`, or a choice setting whose value is such a name."""
    scale: float | Expression = 1.0
    """Size relative to the frame; rounded down, at least one pixel."""
    size: int | Expression | tuple[int | Expression, int | Expression] | None = None
    """Size in pixels, instead of `scale`: one number for a square, or width and height."""
    layers: int | Expression = 0
    """0: plain 2D; n: an array of n layers."""
    samples: int | Expression = 1
    filter: Filter = "linear"
    wrap: Wrap = "clamp"
    compare: bool = False
    """Read through a hardware depth comparison."""
    history: bool = False
    """Lives across frames: `NAME@previous` reads what the frame before wrote."""
    initial: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    """What a history target holds before the first frame."""
    imported: bool = False
    """The host hands it in; it can be read without a pass that writes it."""


class Pass(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One `[[passes]]` table."""

    name: str
    kind: StepKind
    shader: str = ""
    queue: str = ""
    enabled: bool | Expression = True
    repeat: int | Expression | None = None
    """Number of steps; `index` counts them in `layer`, `constants`."""
    layer: int | Expression | None = None
    """Layer of the array targets that it writes."""
    reads: dict[str, str] = {}
    """Sampler name -> handle, or handles in order of preference: "bloom_0.up | black"."""
    writes: dict[str, str] = {}
    """Attachment (color0..color3, depth) -> handle of fresh contents."""
    modifies: dict[str, str] = {}
    """Attachment -> "old -> new": draws on top of what is there."""
    tests: dict[str, str] = {}
    """"depth" -> handle that is compared with and not changed."""
    clear: dict[str, float | tuple[float, float, float, float]] = {}
    """Attachment among `writes` -> value it is cleared to."""
    constants: dict[str, bool | int | float | Expression | tuple[float, ...]] = {}
    """Uniform name -> number, numbers, or an expression over settings."""
    defines: dict[str, bool | int | float | Expression] = {}
    """Macro name -> number or an expression over settings."""
    state: PassState = PassState()


class Fallback(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A `[[fallbacks]]` table: settings to give up when the device lacks a format."""

    description: str
    """For the log: "float without multisampling"."""
    settings: dict[str, SettingValue]


class Pipeline(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole pipeline file."""

    pipeline: PipelineHeader
    targets: dict[str, Target]
    passes: tuple[Pass, ...]
    outputs: dict[str, str] = {}
    """Output name -> handle, or handles in order of preference."""
    settings: dict[str, Setting] = {}
    fallbacks: tuple[Fallback, ...] = ()
    """Tried in order when the device cannot make a target."""
