"""A render test: a small TOML file that says what to draw, with the expected PNG beside it."""

from __future__ import annotations

import difflib
import fnmatch
import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from ..engine_core.errors import UsageError
from .tolerance import Tolerance

Side = Annotated[int, Meta(ge=1, le=16384)]


class RenderTest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The content of a render test's TOML file."""

    scene: Annotated[str, Meta(min_length=1)]
    """The .blend or .fyn to draw; a relative path starts at the TOML file."""
    title: str = ""
    """One sentence: what this test guards."""
    notes: str = ""
    """What to know when looking at the picture, such as what is known to differ from Blender's."""
    scene_name: str | None = None
    """Which scene of the .blend; None is its active one."""
    camera: str | None = None
    """Name of the camera; None is the scene's own."""
    whole: bool = False
    """Look at the whole scene through a camera made for it."""
    frame: int | None = None
    """Frame of the .blend; None is the frame it was saved on."""
    time: float | None = None
    """Seconds that animated shaders see; None follows from the frame."""
    size: tuple[Side, Side] = (640, 360)
    """Width and height in pixels."""
    samples: Literal[1, 2, 4, 8] | None = None
    """Multisamples a pixel; None is the scene's own setting."""
    pipeline: str | None = None
    """Name of the pipeline; None is the scene's own setting."""
    tolerance: Tolerance = Tolerance()

    def __post_init__(self) -> None:
        """Refuse a time that TOML can write and nobody can mean."""
        if self.time is not None and not math.isfinite(self.time):
            raise UsageError(f"time is {self.time}, but must be a finite number of seconds")


@dataclass(frozen=True)
class FoundTest:
    """A render test and where it was found."""

    name: str
    """Its path below the folder of tests, without `.toml`, with forward slashes."""
    file: Path
    test: RenderTest

    @property
    def scene(self) -> Path:
        """The scene to draw."""
        return self.file.parent / self.test.scene

    @property
    def expected(self) -> Path:
        """The picture to hold the drawn one against."""
        return self.file.with_suffix(".png")


def find_tests(folder: Path, only: Sequence[str] = ()) -> list[FoundTest]:
    """All render tests below `folder` in the order of their names (or the one test `folder` names).

    `only` are patterns such as `lights/*`; a test that matches one of them is taken. Raises
    UsageError that lists every mistake of every file, or says that there is no test.
    """
    if folder.is_file() and folder.suffix == ".toml":
        files, root = [folder], folder.parent
    elif folder.is_dir():
        files, root = _toml_files(folder), folder
    else:
        raise UsageError(f"there is no folder of render tests {folder}")
    named = [(file.relative_to(root).with_suffix("").as_posix(), file) for file in files]
    if only:
        named = [pair for pair in named if any(fnmatch.fnmatchcase(pair[0], p) for p in only)]
    if not named:
        matching = f" that matches {' or '.join(only)}" if only else " (NAME.toml)"
        raise UsageError(f"there is no render test{matching} in {folder}")
    tests, problems = [], []
    for name, file in named:
        try:
            tests.append(FoundTest(name=name, file=file, test=read_test(file)))
        except UsageError as error:
            problems.append(str(error))
    if problems:
        raise UsageError("\n".join(problems))
    return tests


def read_test(file: Path) -> RenderTest:
    """Read one render test. Raises UsageError that names the file and every wrong key."""
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{file} is no valid TOML: {error}") from None
    unknown = _unknown_keys(table, RenderTest, "")
    tolerance = table.get("tolerance")
    if isinstance(tolerance, dict):
        unknown += _unknown_keys(tolerance, Tolerance, "tolerance.")
    if unknown:
        raise UsageError(f"{file}: {'; '.join(unknown)}")
    try:
        return msgspec.convert(table, RenderTest)
    except msgspec.ValidationError as error:
        raise UsageError(f"{file}: {_in_words(error)}") from None
    except UsageError as error:
        raise UsageError(f"{file}: {error}") from None


def _toml_files(folder: Path) -> list[Path]:
    """TOML files below `folder`, sorted; hidden folders are not entered."""
    files = []
    for file in folder.rglob("*.toml"):
        parts = file.relative_to(folder).parts
        if file.is_file() and not any(part.startswith(".") for part in parts):
            files.append(file)
    return sorted(files, key=lambda file: file.as_posix())


def _unknown_keys(table: dict[str, Any], struct: type[msgspec.Struct], prefix: str) -> list[str]:
    known = struct.__struct_fields__
    problems = []
    for key in table:
        if key not in known:
            close = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean '{close[0]}'?" if close else f"known are {', '.join(known)}"
            problems.append(f"unknown key '{prefix}{key}' ({hint})")
    return problems


def _in_words(error: msgspec.ValidationError) -> str:
    """msgspec's message with the key in front: `size[0]: Expected `int`, got `str``."""
    text, _, path = str(error).partition(" - at `$.")
    return f"{path.rstrip('`')}: {text}" if path else text
