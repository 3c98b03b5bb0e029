"""Compiled shader variants of one device, cached by name and macros."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping

import moderngl

from ..errors import ShaderError
from .device import Device
from .interface import BLOCKS, SAMPLERS
from .shader_source import AssembledShader, ShaderSources

Defines = Mapping[str, bool | int | float]

INSTANCE_SAMPLER = "entity_table"
"""A program that declares it draws instances of the scene."""

_STAGE_HEADING = re.compile(r"^(vertex_shader|fragment_shader)$", re.MULTILINE)


class Program:
    """One linked variant: uniform blocks sit at the bindings of interface.py.

    Samplers of interface.py use their fixed units, all others the free units from 0 up in order of
    name; `samplers` maps each to its unit. What draws instances leaves the fixed units to the
    materials, whether it reads all of them or not.
    """

    def __init__(
        self, device: Device, label: str, vertex: AssembledShader, fragment: AssembledShader
    ) -> None:
        """Compile and link.

        Raises:
            ShaderError: names file and line as the author wrote them.
        """
        self.device, self.label = device, label
        try:
            self.program = device.context.program(
                vertex_shader=vertex.text, fragment_shader=fragment.text
            )
        except moderngl.Error as error:
            raise ShaderError(_explain(str(error), label, vertex, fragment)) from error
        device.track("program", 1)
        self.name = self.program.glo
        self.locations: dict[str, int] = {}
        self.samplers: dict[str, int] = {}
        self._assign_bindings()

    def _assign_bindings(self) -> None:
        bindings = {name: index for index, name in enumerate(BLOCKS)}
        for name in self.program:
            member = self.program[name]
            if isinstance(member, moderngl.UniformBlock):
                if name not in bindings:
                    raise ShaderError(f"{self.label}: uniform block '{name}' is not known.")
                member.binding = bindings[name]
            elif isinstance(member, moderngl.Uniform):
                self.locations[name] = member.location
                if member.gl_type in _SAMPLER_TYPES:  # pyright: ignore (not in its stubs)
                    self.samplers[name] = -1
        draws_instances = INSTANCE_SAMPLER in self.samplers
        declared = SAMPLERS if draws_instances else self.samplers
        reserved = {SAMPLERS[name][0] for name in declared if name in SAMPLERS}
        free = (unit for unit in itertools.count() if unit not in reserved)
        self.device.gl.UseProgram(self.name)
        for name in sorted(self.samplers):
            unit = SAMPLERS[name][0] if name in SAMPLERS else next(free)
            self.samplers[name] = unit
            # Not through moderngl, which does not know shadow samplers of arrays.
            self.device.gl.Uniform1i(self.locations[name], unit)

    def set(self, name: str, value: bool | int | float | tuple[float, ...]) -> None:
        """Set a uniform; one that the compiler dropped is ignored."""
        if name in self.locations:
            uniform = self.program[name]
            assert isinstance(uniform, moderngl.Uniform)
            uniform.value = value

    def release(self) -> None:
        """Delete the program."""
        if self.name:
            self.program.release()
            self.device.track("program", -1)
            self.name = 0


_SAMPLER_TYPES = {
    0x8B5E,  # sampler2D
    0x8B62,  # sampler2DShadow
    0x8DC1,  # sampler2DArray
    0x8DC4,  # sampler2DArrayShadow
    0x8DCA,  # isampler2D
    0x8DD2,  # usampler2D
}


class ProgramCache:
    """Variants by shader name and macros; compiled on first use."""

    def __init__(self, device: Device, sources: ShaderSources) -> None:
        """Start empty."""
        self.device, self.sources = device, sources
        self._programs: dict[tuple[str, tuple[tuple[str, float], ...]], Program] = {}

    def get(self, name: str, defines: Defines) -> Program:
        """Return the variant of shader `name` with `defines`.

        Raises:
            ShaderError: it does not exist or does not compile.
        """
        key = (name, tuple(sorted(defines.items())))
        program = self._programs.get(key)
        if program is None:
            label = " ".join([name, *(f"{k}={v}" for k, v in key[1])])
            vertex = self.sources.assemble(name, "vert", defines)
            fragment = self.sources.assemble(name, "frag", defines)
            program = self._programs[key] = Program(self.device, label, vertex, fragment)
        return program

    def release(self) -> None:
        """Delete all programs."""
        for program in self._programs.values():
            program.release()
        self._programs.clear()


def shared_programs(device: Device) -> ProgramCache:
    """Return the variants of the package's shaders that all renderers of `device` share."""
    return device.shared(ProgramCache, lambda: ProgramCache(device, ShaderSources()))


def _explain(message: str, label: str, vertex: AssembledShader, fragment: AssembledShader) -> str:
    """Return moderngl's message with the driver's lines turned into the author's."""
    heading = _STAGE_HEADING.search(message)
    shader = fragment if heading and heading[1] == "fragment_shader" else vertex
    log = message[heading.end() :] if heading else message
    lines = [line for line in shader.explain(log).splitlines() if line.strip(" =")]
    return f"Shader '{label}' does not compile:\n" + "\n".join(lines)
