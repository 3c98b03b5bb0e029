"""Runs plans: sets what each step says, binds what it reads, draws its queue or triangle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..errors import PipelineError
from . import opengl
from .device import Device
from .draw_queue import Batch, DrawQueue
from .gpu_materials import MAP_ROLES, MaterialStore
from .gpu_objects import Buffer, SamplerCache, SamplerState, Texture, VertexArray
from .graph.formats import FORMATS
from .graph.plan import ConstantValue, PassState, Plan, Step
from .instance_textures import DrawListTexture
from .interface import ATTRIBUTES, FULLSCREEN_DEFINES
from .programs import Program, ProgramCache
from .targets import SlotTargets, clear_bound, image_of

_DEPTH_FUNCTIONS = {
    "less": opengl.LESS,
    "lequal": opengl.LEQUAL,
    "equal": opengl.EQUAL,
    "gequal": opengl.GEQUAL,
    "greater": opengl.GREATER,
    "always": opengl.ALWAYS,
}
_BLENDS = {
    "alpha": (opengl.SRC_ALPHA, opengl.ONE_MINUS_SRC_ALPHA, opengl.ONE, opengl.ONE_MINUS_SRC_ALPHA),
    "premultiplied": (opengl.ONE, opengl.ONE_MINUS_SRC_ALPHA) * 2,
    "add": (opengl.ONE, opengl.ONE) * 2,
    "multiply": (opengl.DST_COLOR, opengl.ZERO, opengl.DST_ALPHA, opengl.ZERO),
}
_CONSTANT_ATTRIBUTES = {"in_color": (1.0, 1.0, 1.0, 1.0)}
_MATERIAL_SAMPLERS = frozenset(f"{role}_map" for role in MAP_ROLES)


@dataclass(frozen=True, eq=False)
class QueuePart:
    """The batches of one queue (of one cascade, for shadows) and where its instances begin."""

    batches: tuple[Batch, ...]
    first_instance: int


def queue_parts(draw_list: DrawListTexture, queues: Sequence[DrawQueue]) -> tuple[QueuePart, ...]:
    """Write the instances of `queues` to `draw_list`; return each queue as a pass draws it."""
    starts = draw_list.update([queue.instances for queue in queues])
    return tuple(
        QueuePart(queue.batches, start) for queue, start in zip(queues, starts, strict=True)
    )


@dataclass(frozen=True, eq=False)
class SceneInputs:
    """What the steps of a frame draw and sample besides the targets.

    queues: name -> one part for each repetition of the pass. defines: macros of the shaders that
    draw queues other than shadows; those in FULLSCREEN_DEFINES also of the fullscreen passes.
    textures: sampler -> texture and how it is sampled.
    """

    queues: Mapping[str, tuple[QueuePart, ...]]
    defines: Mapping[str, int]
    textures: Mapping[str, tuple[Texture, SamplerState]]
    materials: MaterialStore


class Executor:
    """Draws plans on one device."""

    def __init__(self, device: Device, programs: ProgramCache, samplers: SamplerCache) -> None:
        """`programs` and `samplers` are shared with whoever else draws on the device."""
        self.device, self.programs, self.samplers = device, programs, samplers
        self._no_indices = Buffer(device, size=4)
        self._empty_array = VertexArray(device, {}, self._no_indices)

    def run(
        self,
        plan: Plan,
        targets: SlotTargets,
        scene: SceneInputs,
        setting_numbers: Mapping[str, ConstantValue],
    ) -> None:
        """Draw a frame into `targets`, which hold the textures of `plan`.

        `setting_numbers` are the current values of settings that constants follow.

        Raises:
            ShaderError: a shader does not compile.
            PipelineError: a shader samples what its pass does not read.
        """
        gl = self.device.gl
        gl.Disable(opengl.SCISSOR_TEST)
        gl.Disable(opengl.FRAMEBUFFER_SRGB)
        gl.Enable(opengl.MULTISAMPLE)
        for location, _type in ATTRIBUTES.values():
            gl.VertexAttrib4f(location, 0.0, 0.0, 0.0, 0.0)
        for name, value in _CONSTANT_ATTRIBUTES.items():
            gl.VertexAttrib4f(ATTRIBUTES[name][0], *value)
        targets.begin_frame(plan)
        for step in plan.steps:
            if step.kind in ("resolve", "copy"):
                self._blit(plan, targets, step)
            elif step.kind in ("draw", "fullscreen"):
                self._begin(targets, step)
                if step.kind == "draw":
                    self._draw_queue(targets, step, scene, setting_numbers)
                else:
                    self._draw_triangle(targets, step, scene, setting_numbers)
            # A present step is for hosts with a window; this one hands frames out as arrays.
        gl.BindVertexArray(0)

    # ---- Steps -------------------------------------------------------------------------------

    def _begin(self, targets: SlotTargets, step: Step) -> None:
        """Bind and clear the attachments of `step` and set its fixed state."""
        gl = self.device.gl
        targets.framebuffer(
            tuple(image_of(color) for color in step.colors),
            image_of(step.depth) if step.depth else None,
        )
        gl.Viewport(0, 0, step.width, step.height)
        for index, color in enumerate(step.colors):
            if color.load == "clear":
                clear_bound(self.device, opengl.COLOR, index, color.clear)
        if step.depth is not None and step.depth.load == "clear":
            clear_bound(self.device, opengl.DEPTH, 0, step.depth.clear)
        _set_state(self.device, step.state, step.depth_write)

    def _draw_triangle(
        self,
        targets: SlotTargets,
        step: Step,
        scene: SceneInputs,
        setting_numbers: Mapping[str, ConstantValue],
    ) -> None:
        shared = {name: 1 for name in FULLSCREEN_DEFINES if name in scene.defines}
        program = self.programs.get(step.shader, {**step.defines, **shared})
        self._prepare(program, targets, step, scene, setting_numbers)
        self.device.gl.BindVertexArray(self._empty_array.name)
        self.device.gl.DrawArrays(opengl.TRIANGLES, 0, 3)

    def _draw_queue(
        self,
        targets: SlotTargets,
        step: Step,
        scene: SceneInputs,
        setting_numbers: Mapping[str, ConstantValue],
    ) -> None:
        parts = scene.queues.get(step.queue, ())
        if step.index >= len(parts):
            return
        state = _BatchState(self.device, scene.materials, step)
        prepared: dict[tuple[str, ...], Program] = {}
        shared = step.defines if state.is_shadow else {**step.defines, **scene.defines}
        first = parts[step.index].first_instance
        for batch in parts[step.index].batches:
            variant = batch.part.shadow_defines if state.is_shadow else batch.part.defines
            program = prepared.get(variant)
            if program is None:
                defines = {**shared, **dict.fromkeys(variant, 1)}
                program = prepared[variant] = self.programs.get(step.shader, defines)
                self._prepare(program, targets, step, scene, setting_numbers)
            state.draw(batch, program, first)

    def _prepare(
        self,
        program: Program,
        targets: SlotTargets,
        step: Step,
        scene: SceneInputs,
        setting_numbers: Mapping[str, ConstantValue],
    ) -> None:
        """Make `program` current with the constants and textures of `step`."""
        gl = self.device.gl
        gl.UseProgram(program.name)
        for constant in step.constants:
            program.set(constant.name, setting_numbers.get(constant.setting, constant.value))
        missing = set(program.samplers) - _MATERIAL_SAMPLERS
        for read in step.reads:
            unit = program.samplers.get(read.sampler)
            if unit is not None:
                state = SamplerState(
                    linear=read.filter == "linear",
                    wrap_u=read.wrap,
                    wrap_v=read.wrap,
                    compare=read.compare,
                )
                targets.texture(read.texture).bind(unit)
                gl.BindSampler(unit, self.samplers.get(state))
                missing.discard(read.sampler)
        for name in sorted(missing):
            if name not in scene.textures:
                raise PipelineError(
                    f"shader '{step.shader}' samples '{name}', which pass '{step.name}' does not"
                    " read; add it to the pass' reads"
                )
            texture, state = scene.textures[name]
            texture.bind(program.samplers[name])
            gl.BindSampler(program.samplers[name], self.samplers.get(state))

    def _blit(self, plan: Plan, targets: SlotTargets, step: Step) -> None:
        """Resolve or copy one image into another."""
        gl = self.device.gl
        source = step.reads[0].texture
        is_depth = FORMATS[plan.textures[source].format].is_depth
        target = step.depth if is_depth else step.colors[0]
        assert target is not None
        ends = []
        for image in ((source, -1), image_of(target)):
            ends.append(
                targets.framebuffer((), image) if is_depth else targets.framebuffer((image,), None)
            )
        ends[0].bind(opengl.READ_FRAMEBUFFER)
        ends[1].bind(opengl.DRAW_FRAMEBUFFER)
        gl.ColorMask(1, 1, 1, 1)
        gl.DepthMask(1)
        bits = opengl.DEPTH_BUFFER_BIT if is_depth else opengl.COLOR_BUFFER_BIT
        box = (0, 0, step.width, step.height)
        gl.BlitFramebuffer(*box, *box, bits, opengl.NEAREST)

    def release(self) -> None:
        """Delete what the executor made for itself."""
        self._empty_array.release()
        self._no_indices.release()


class _BatchState:
    """What is bound while the batches of one step are drawn, so that nothing is bound twice."""

    def __init__(self, device: Device, materials: MaterialStore, step: Step) -> None:
        self.gl, self.materials = device.gl, materials
        self.is_shadow = step.queue == "shadow"
        self._culls_by_material = step.state.cull == "material"
        self._program = self._material = self._array = -1
        self._mirrored: bool | None = None
        self._double_sided: bool | None = None

    def draw(self, batch: Batch, program: Program, queue_start: int) -> None:
        """Draw the instances of `batch` with `program`, of a queue that begins at `queue_start`."""
        gl, part = self.gl, batch.part
        if program.name != self._program:
            self._program = program.name
            gl.UseProgram(program.name)
        if part.material.index != self._material:
            self._material = part.material.index
            self.materials.bind(part.material.index)
            for use in part.material.textures:
                use.texture.bind(use.unit)
                gl.BindSampler(use.unit, use.sampler)
        if batch.mirrored != self._mirrored:
            self._mirrored = batch.mirrored
            gl.FrontFace(opengl.CW if batch.mirrored else opengl.CCW)
        double_sided = part.material.back_casts_shadow if self.is_shadow else part.double_sided
        if self._culls_by_material and double_sided != self._double_sided:
            self._double_sided = double_sided
            gl.toggle(opengl.CULL_FACE, not self._double_sided)
        array = part.shadow_array if self.is_shadow else part.vertex_array
        if array.name != self._array:
            self._array = array.name
            gl.BindVertexArray(array.name)
        gl.Uniform1i(program.locations["first_instance"], queue_start + batch.first_instance)
        gl.DrawElementsInstanced(
            opengl.TRIANGLES,
            part.index_count,
            opengl.UNSIGNED_INT,
            4 * part.first_index,
            batch.instance_count,
        )


def _set_state(device: Device, state: PassState, depth_write: bool) -> None:
    gl = device.gl
    gl.toggle(opengl.DEPTH_TEST, state.depth_test != "off")
    gl.DepthFunc(_DEPTH_FUNCTIONS.get(state.depth_test, opengl.ALWAYS))
    gl.DepthMask(depth_write)
    gl.ColorMask(*(channel in state.color_mask for channel in "rgba"))
    gl.toggle(opengl.BLEND, state.blend != "none")
    if state.blend != "none":
        gl.BlendFuncSeparate(*_BLENDS[state.blend])
    gl.toggle(opengl.CULL_FACE, state.cull in ("back", "front"))
    gl.CullFace(opengl.FRONT if state.cull == "front" else opengl.BACK)
    gl.FrontFace(opengl.CCW)
    gl.toggle(opengl.POLYGON_OFFSET_FILL, state.depth_bias != (0.0, 0.0))
    gl.PolygonOffset(*state.depth_bias)
