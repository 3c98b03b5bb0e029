"""Reading pipeline files: TOML to checked structs; errors name the file and the key path."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Final

import msgspec

from ...errors import PipelineError, UsageError
from .pipeline import FORMAT_VERSION, Pipeline
from .pipeline_checks import pipeline_problems

PIPELINES: Final = Path(__file__).resolve().parent.parent / "pipelines"
"""Folder of the pipelines that come with Fyn."""
MAX_BYTES: Final = 1_000_000
"""Largest pipeline file that is read."""


def pipeline_names() -> list[str]:
    """Return the names of the pipelines that come with Fyn, sorted."""
    return sorted(path.stem for path in PIPELINES.glob("*.toml"))


def find_pipeline(name: str) -> Path:
    """Return the file of a pipeline, given the name of one of Fyn's own or a path to a file.

    Raises:
        UsageError: there is no such pipeline.
    """
    own = PIPELINES / f"{name}.toml"
    if name in pipeline_names():
        return own
    if name.endswith(".toml") and Path(name).is_file():
        return Path(name)
    known = ", ".join(pipeline_names())
    raise UsageError(f'no pipeline "{name}": give one of {known}, or the path of a .toml file')


def load_pipeline(path: Path) -> Pipeline:
    """Read and check a pipeline file.

    Raises:
        PipelineError: it cannot be read, is no TOML or no valid pipeline; the message lists every
            problem with the file's name and the key path.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        text = data.decode("utf-8")
    except OSError as error:
        raise PipelineError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise PipelineError(f"{path}: is not UTF-8 text (byte {error.start})") from error
    if len(data) > MAX_BYTES:
        raise PipelineError(f"{path}: larger than {MAX_BYTES} bytes, this is no pipeline")
    return parse_pipeline(text, str(path))


def parse_pipeline(text: str, source: str) -> Pipeline:
    """Return the pipeline that `text` holds; `source` is named in errors.

    Raises:
        PipelineError: as for `load_pipeline`.
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PipelineError(f"{source}: is no TOML: {error}") from error
    except RecursionError:
        raise PipelineError(f"{source}: is nested too deeply") from None
    try:
        pipeline = msgspec.convert(document, Pipeline)
    except msgspec.ValidationError as error:
        raise PipelineError(f"{source}: {_located(str(error), document)}") from error
    if pipeline.pipeline.version != FORMAT_VERSION:
        raise PipelineError(
            f"{source}: pipeline.version: this Fyn reads version {FORMAT_VERSION},"
            f" the file has {pipeline.pipeline.version}"
        )
    problems = [f"{source}: {path}: {message}" for path, message in pipeline_problems(pipeline)]
    if problems:
        raise PipelineError("\n".join(problems))
    return pipeline


def _located(message: str, document: dict[str, Any]) -> str:
    """Turn msgspec's "Expected `int`, got `str` - at `$.passes[3].layer`" around.

    msgspec writes the key of a mapping as "[...]"; it is found by converting the document again
    with one key of that mapping at a time.
    """
    what, separator, path = message.partition(" - at `")
    path = path.removesuffix("`")
    while "[...]" in path:
        before, _, after = path.partition("[...]")
        parent, last = _container(document, before)
        key = _failing_key(document, parent, last, message)
        path = f"{before}.{key}{after}"
    return f"{path.removeprefix('$').removeprefix('.')}: {what}" if separator else what


def _container(document: dict[str, Any], path: str) -> tuple[Any, str | int]:
    """Return what holds the value that `path` names ("$.passes[3].reads"), and its key there."""
    steps = [int(step) if step.isdigit() else step for step in re.findall(r"\w+", path)]
    parent: Any = document
    for step in steps[:-1]:
        parent = parent[step]
    return parent, steps[-1]


def _failing_key(document: dict[str, Any], parent: Any, last: str | int, message: str) -> str:
    mapping: dict[str, Any] = parent[last]
    try:
        for key, value in mapping.items():
            parent[last] = {key: value}
            try:
                msgspec.convert(document, Pipeline)
            except msgspec.ValidationError as error:
                if str(error) == message:
                    return key
    finally:
        parent[last] = mapping
    return "?"
