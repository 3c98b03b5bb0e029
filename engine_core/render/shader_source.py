"""Shader files to compilable text: includes, prologues, variants, and errors in the author's lines.

Shaders lie in `shaders/<domain>/<name>.vert|.frag`; a pipeline names them by `<name>`. They are
written in the intersection of GLSL 4.10 and GLSL ES 3.00: only the prologue differs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..errors import ShaderError
from .interface import glsl_attributes, glsl_include

Dialect = Literal["core", "es"]
Stage = Literal["vert", "frag"]

GENERATED_INCLUDES = {
    "common/interface.glsl": glsl_include,
    "common/attributes.glsl": glsl_attributes,
}
"""Included like files; their text comes from interface.py."""
FULLSCREEN = "fullscreen"
"""Vertex shader of the passes that have none of their own."""

PROLOGUES: dict[Dialect, str] = {
    "core": "#version 410 core\n",
    "es": (
        "#version 300 es\n"
        "precision highp float;\n"
        "precision highp int;\n"
        "precision highp sampler2D;\n"
        "precision highp sampler2DArray;\n"
        "precision highp sampler2DShadow;\n"
        "precision highp sampler2DArrayShadow;\n"
        "precision highp usampler2D;\n"
    ),
}

_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"\s*(?://.*)?$')
_DRIVER_LINES = (
    re.compile(r"^(?:ERROR:\s*)?\d+:(\d+)(?:\(\d+\))?:\s*(.*)$"),  # Mesa, Apple, glslang, AMD
    re.compile(r"^\d+\((\d+)\)\s*:\s*(.*)$"),  # NVIDIA
)
_LINES_PER_FILE = 100_000
"""`#line` says file * this + line, files counting from 1 (the prologue and the macros are 0). Its
second number is meant for the file, but Mesa always reports 0 for it."""


@dataclass(frozen=True)
class AssembledShader:
    """Text for the compiler and what its line numbers mean."""

    text: str
    files: tuple[str, ...]
    """Files in order of inclusion; paths relative to the shader folder."""

    def explain(self, log: str) -> str:
        """Rewrite a driver's messages so that they name file and line as the author wrote them."""
        return "\n".join(self._explain_line(line.strip()) for line in log.splitlines()).strip()

    def _explain_line(self, line: str) -> str:
        for pattern in _DRIVER_LINES:
            if found := pattern.match(line):
                file, number = divmod(int(found[1]), _LINES_PER_FILE)
                if 0 < file <= len(self.files):
                    return f"shaders/{self.files[file - 1]}:{number}: {found[2]}"
        return line


class ShaderSources:
    """The shader folder: finds shaders by name and assembles their variants."""

    def __init__(self, root: Path | None = None) -> None:
        """`root` is a folder of shaders; by default the one that comes with the package.

        Raises:
            ShaderError: two files would answer to the same name.
        """
        self.root = root or Path(__file__).resolve().parents[2] / "shaders"
        self._files: dict[tuple[str, str], str] = {}
        for path in sorted(self.root.glob("*/*")):
            if path.suffix in (".vert", ".frag"):
                key = (path.stem, path.suffix[1:])
                relative = path.relative_to(self.root).as_posix()
                if key in self._files:
                    raise ShaderError(
                        f"Two shaders are called '{path.name}': shaders/{self._files[key]} and"
                        f" shaders/{relative}; rename one."
                    )
                self._files[key] = relative

    def names(self) -> list[str]:
        """Return the names of all shaders that have a fragment stage, sorted."""
        return sorted(name for name, stage in self._files if stage == "frag")

    def file_of(self, name: str, stage: Stage) -> str:
        """Return the path of a shader's stage relative to the folder.

        Raises:
            ShaderError: there is no such shader.
        """
        found = self._files.get((name, stage))
        if found is None and stage == "vert":
            found = self._files.get((FULLSCREEN, "vert"))
        if found is None:
            raise ShaderError(f"There is no shader '{name}.{stage}' in {self.root}.")
        return found

    def assemble(
        self,
        name: str,
        stage: Stage,
        defines: Mapping[str, bool | int | float] | None = None,
        dialect: Dialect = "core",
    ) -> AssembledShader:
        """Return the text of one stage of shader `name` with `defines` as macros.

        Raises:
            ShaderError: the shader or one of its includes does not exist.
        """
        files: list[str] = []
        body = self._expand(self.file_of(name, stage), files, "")
        chosen = sorted((defines or {}).items())
        macros = "".join(f"#define {key} {_macro_value(value)}\n" for key, value in chosen)
        return AssembledShader(PROLOGUES[dialect] + macros + body, tuple(files))

    def _expand(self, file: str, files: list[str], included_from: str) -> str:
        """Return `file` with its includes in place; a file included twice comes once."""
        files.append(file)
        first_line = len(files) * _LINES_PER_FILE
        lines = [f"#line {first_line + 1}"]
        for index, line in enumerate(self._read(file, included_from).splitlines(), start=1):
            found = _INCLUDE.match(line)
            if found is None:
                lines.append(line)
                continue
            target = self._resolve(found[1], file)
            if target not in files:
                lines.append(self._expand(target, files, f"shaders/{file}:{index}: "))
            lines.append(f"#line {first_line + index + 1}")
        return "\n".join(lines) + "\n"

    def _resolve(self, include: str, file: str) -> str:
        """Return the path that an include means: from the shader folder, else beside the file."""
        beside = (Path(file).parent / include).as_posix()
        if include not in GENERATED_INCLUDES and not (self.root / include).is_file():
            return beside
        return include

    def _read(self, file: str, included_from: str) -> str:
        if file in GENERATED_INCLUDES:
            return GENERATED_INCLUDES[file]()
        path = self.root / file
        if not path.resolve().is_relative_to(self.root.resolve()):
            raise ShaderError(f"{included_from}'{file}' lies outside the shader folder.")
        try:
            return path.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ShaderError(f"{included_from}cannot read 'shaders/{file}': {error}") from error


def _macro_value(value: bool | int | float) -> str:
    if isinstance(value, float):
        return repr(float(value))
    return str(int(value))
