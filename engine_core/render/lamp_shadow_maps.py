"""Shadow maps of lamps on the device: drawn anew only when a lamp or a caster has changed."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from ..world.components import RenderSettings
from .device import Device
from .draw_items import DrawItems
from .draw_queue import lamp_queue
from .executor import Executor, SceneInputs, queue_parts
from .gpu_materials import MaterialStore
from .gpu_objects import Buffer, SamplerState, Texture
from .instance_textures import DrawListTexture
from .interface import BLOCKS, block_dtype
from .lamp_faces import LampFaces, place_faces
from .light_selection import FrameLights
from .plans import PlanCache
from .scene_table import SceneTable
from .targets import SlotTargets

PIPELINE = "lamp_shadows"
MAP = "lamp_shadow_map"
_COMPARED = SamplerState(compare=True)
_DEPTHS = SamplerState(linear=False)


class LampShadowMaps:
    """The maps of one renderer's lamps."""

    def __init__(self, device: Device, plans: PlanCache) -> None:
        """Start without maps."""
        self.device, self._plans = device, plans
        self._targets = SlotTargets(device)
        self._draw_list = DrawListTexture(device)
        self._block = Buffer(device, size=block_dtype("LampShadows").itemsize)
        self._drawn: tuple | None = None
        self.left_out = 0

    def place(
        self, lights: FrameLights, items: DrawItems, table: SceneTable, settings: RenderSettings
    ) -> LampFaces | None:
        """Return where the maps of this frame look; None if no lamp has one."""
        self.left_out = 0
        bounds = items.scene_bounds(table)
        if bounds is None or not settings.shadows or not settings.lamp_shadows:
            return None
        resolution = settings.lamp_shadow_resolution
        faces = place_faces(lights, bounds, resolution, settings.lamp_shadows)
        self.left_out = faces.left_out
        return faces if len(faces.matrices) else None

    def draw(
        self,
        faces: LampFaces,
        settings: RenderSettings,
        executor: Executor,
        scene: tuple[SceneTable, DrawItems, MaterialStore],
        textures: Callable[[], dict[str, tuple[Texture, SamplerState]]],
        version: int,
    ) -> dict[str, tuple[Texture, SamplerState]]:
        """Draw what is out of date; return the maps as samplers of scene shaders.

        `version` changes whenever a caster does.
        """
        table, items, materials = scene
        self._block.write(faces.block.tobytes())
        self._block.bind_uniform_range(list(BLOCKS).index("LampShadows"))
        wanted = replace(settings, pipeline=PIPELINE)
        extra = {"lamp_shadow_faces": faces.layers}
        ready = self._plans.get(wanted, (1, 1), (MAP,), extra)
        state = (version, ready.plan, faces.matrices.tobytes())
        if state != self._drawn:
            queues = [lamp_queue(table, items, matrix) for matrix in faces.matrices]
            parts = queue_parts(self._draw_list, queues)
            assert self._draw_list.texture is not None
            inputs = {**textures(), "draw_list": (self._draw_list.texture, _DEPTHS)}
            scene_inputs = SceneInputs({"shadow": parts}, {}, inputs, materials)
            executor.run(ready.plan, self._targets, scene_inputs, ready.setting_numbers)
            self._drawn = state
        texture = self._targets.texture(ready.plan.outputs[MAP])
        return {MAP: (texture, _COMPARED), "lamp_depth_map": (texture, _DEPTHS)}

    def release(self) -> None:
        """Delete everything."""
        self._targets.release()
        self._draw_list.release()
        self._block.release()
        self._drawn = None
