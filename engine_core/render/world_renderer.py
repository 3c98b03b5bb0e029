"""WorldRenderer: a world kept on the device, and frames of it as arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..errors import UsageError
from ..world.components import RenderSettings
from ..world.world import World, WorldDelta
from .cascades import Cascades, cascade_block, fit_cascades
from .caster_planes import swept_boxes
from .device import Device
from .draw_items import DrawItems
from .draw_queue import DrawQueue, camera_queues, shadow_queue
from .environment import environment_uniforms
from .environment_textures import EnvironmentTextures
from .executor import Executor, QueuePart, SceneInputs, queue_parts
from .frame_uniforms import frame_block, frame_defines
from .gpu_assets import GpuAssets
from .gpu_objects import Buffer, SamplerState, Texture
from .instance_textures import DrawListTexture, EntityTexture
from .interface import BLOCKS, MAX_LIGHTS, block_dtype
from .lamp_faces import LampFaces
from .lamp_shadow_maps import LampShadowMaps
from .light_selection import FrameLights, LightColumns, select_lights
from .lobe_tables import lobe_tables
from .plans import PlanCache
from .poses import PoseTable
from .programs import shared_programs
from .scene_table import SceneTable
from .targets import SlotTargets
from .view import View, camera_view

_NEAREST = SamplerState(linear=False)
_LINEAR = SamplerState()


@dataclass(frozen=True, eq=False)
class Frame:
    """Finished pixels, top row first.

    outputs: "frame_color" (H, W, 4) uint8, sRGB encoded, tone mapped, straight alpha (255 unless
    the settings ask for transparency); "frame_linear" (H, W, 4) float32, scene-referred linear
    before bloom and tone map; "frame_depth" (H, W) float32, distance along the view axis in
    metres, inf where nothing is; "frame_normal" (H, W, 3) float32, unit, world space, 0 where
    nothing is. What else a pipeline hands out is (H, W, C) as it lies in its target.
    """

    size: tuple[int, int]
    outputs: dict[str, np.ndarray]
    warnings: tuple[str, ...]


class WorldRenderer:
    """Draws one world on one device; use it on the device's thread only."""

    def __init__(self, device: Device, log: Callable[[str], None] | None = None) -> None:
        """`log` is told once about each thing that cannot be drawn as it is."""
        self.device = device
        self._log = log or (lambda text: None)
        device.activate()
        self._table = SceneTable()
        self._assets = GpuAssets(device)
        self._items = DrawItems()
        self._entities = EntityTexture(device)
        self._draw_list = DrawListTexture(device)
        self._poses = PoseTable(device)
        self._executor = Executor(device, shared_programs(device), self._assets.samplers)
        self._plans = PlanCache(device, self._log)
        self._lamp_shadows = LampShadowMaps(device, self._plans)
        self._casters_version = 0
        self._slots: dict[str, SlotTargets] = {}
        self._blocks = {
            name: Buffer(device, size=block_dtype(name).itemsize)
            for name in ("Frame", "Lights", "Cascades")
        }
        tables = lobe_tables()
        self._dfg = Texture(device, "RGBA16F", tables.shape[1], tables.shape[0], pixels=tables)
        self._sky = EnvironmentTextures(device, self._assets.textures)
        self._environment = self._shown_environment = World().environment
        self._settings = World().render
        self._lights = LightColumns(self._table)
        self._logged: set[str] = set()

    def apply(self, delta: WorldDelta) -> None:
        """Carry out `delta` on the device's copy of the world."""
        self.device.activate()
        self._table.apply(delta.entities, delta.removed_entities)
        self._assets.apply(delta)
        if _may_change_casters(delta):
            self._casters_version += 1
        if delta.environment is not None:
            self._environment = delta.environment
        if delta.render is not None:
            self._settings = delta.render

    def render(
        self,
        view: View,
        outputs: Sequence[str] = ("frame_color",),
        settings: RenderSettings | None = None,
        slot: str = "main",
    ) -> Frame:
        """Draw what `view` sees.

        `settings` replace those of the world. A `slot` keeps targets and history between frames:
        one for each viewport.

        Raises:
            UsageError: the size is zero or the pipeline unknown.
            PipelineError, ShaderError: the pipeline or one of its shaders is not valid.
            DeviceError: the device cannot draw it.
        """
        if min(view.size) < 1:
            raise UsageError(
                f"A frame of {view.size[0]} x {view.size[1]} pixels has nothing to show."
            )
        self.device.activate()
        settings = settings or self._settings
        ready = self._plans.get(settings, view.size, outputs)
        self._catch_up()
        lights = select_lights(self._table, self._lights, view.camera_position)
        cascades = self._cascades(view, lights, settings)
        faces = self._lamp_shadows.place(lights, self._items, self._table, settings)
        lamp_maps = {} if faces is None else self._draw_lamp_shadows(faces, settings)
        queues = self._queues(view, cascades)
        self._write_blocks(view, settings, lights, cascades)
        targets = self._slots.get(slot)
        if targets is None:
            targets = self._slots[slot] = SlotTargets(self.device)
        defines = frame_defines(
            settings,
            lights,
            self._shown_environment,
            shadows=cascades is not None,
            lamp_shadows=faces is not None,
        )
        textures = {**self._scene_textures(), **lamp_maps}
        scene = SceneInputs(queues, defines, textures, self._assets.materials)
        self._executor.run(ready.plan, targets, scene, ready.setting_numbers)
        pixels = {name: _finished(name, targets.read(ready.plan.outputs[name])) for name in outputs}
        self.device.check("drawing a frame")
        return Frame(view.size, pixels, self._warnings(lights, ready.plan.fallback))

    def release_slot(self, slot: str) -> None:
        """Free the targets and the history of `slot`."""
        self.device.activate()
        targets = self._slots.pop(slot, None)
        if targets is not None:
            targets.release()

    def release(self) -> None:
        """Free everything on the device, except for programs: those stay until it is released."""
        self.device.activate()
        for slot in list(self._slots):
            self.release_slot(slot)
        self._lamp_shadows.release()
        self._executor.release()
        self._entities.release()
        self._draw_list.release()
        self._poses.release()
        for block in self._blocks.values():
            block.release()
        self._dfg.release()
        self._sky.release()
        self._assets.release()

    # ---- Steps of a frame --------------------------------------------------------------------

    def _catch_up(self) -> None:
        """Bring everything on the device up to date with the world."""
        moved = self._table.take_moved()
        self._items.refresh(self._table, self._assets, moved)
        replaced = self._poses.refresh(self._table, self._assets, moved)
        self._items.place_posed(self._table, self._poses.rows, self._poses.bounds)
        self._entities.update(self._table, np.union1d(moved, replaced))
        self._assets.materials.upload()
        if self._lights.version != self._table.lights_version:
            self._lights = LightColumns(self._table)
        self._shown_environment = self._sky.update(self._environment)

    def _cascades(
        self, view: View, lights: FrameLights, settings: RenderSettings
    ) -> Cascades | None:
        """Fit the shadow maps of the sun; None where there is nothing to shadow."""
        if lights.sun is None or not settings.shadows:
            return None
        bounds = self._items.scene_bounds(self._table)
        if bounds is None:
            return None
        return fit_cascades(view, lights.sun.towards, settings, bounds)

    def _draw_lamp_shadows(
        self, faces: LampFaces, settings: RenderSettings
    ) -> dict[str, tuple[Texture, SamplerState]]:
        """Bring the shadow maps of lamps up to date; return them as samplers."""
        return self._lamp_shadows.draw(
            faces,
            settings,
            self._executor,
            (self._table, self._items, self._assets.materials),
            self._scene_textures,
            self._casters_version,
        )

    def _queues(self, view: View, cascades: Cascades | None) -> dict[str, tuple[QueuePart, ...]]:
        """Build all draw queues and write their instances to the draw list."""
        opaque, alpha = camera_queues(
            self._table, self._items, view.clip_from_world, view.view_from_world
        )
        shadows: list[DrawQueue] = []
        if cascades is not None:
            bounds = self._items.scene_bounds(self._table)
            assert bounds is not None, "there are cascades only where something is drawn"
            swept = swept_boxes(self._items.boxes, cascades.towards_sun, bounds)
            shadows = [
                shadow_queue(self._table, self._items, volume, swept)
                for volume in cascades.caster_planes
            ]
        parts = queue_parts(self._draw_list, [opaque, alpha, *shadows])
        return {"opaque": parts[:1], "alpha": parts[1:2], "shadow": parts[2:]}

    def _write_blocks(
        self,
        view: View,
        settings: RenderSettings,
        lights: FrameLights,
        cascades: Cascades | None,
    ) -> None:
        environment = environment_uniforms(self._shown_environment)
        blocks = {
            "Frame": frame_block(view, settings, lights, environment, shadows=cascades is not None),
            "Lights": lights.block,
        }
        if cascades is not None:
            blocks["Cascades"] = cascade_block(cascades)
        for name, block in blocks.items():
            self._blocks[name].write(block.tobytes())
        for name, buffer in self._blocks.items():
            buffer.bind_uniform_range(list(BLOCKS).index(name))

    def _scene_textures(self) -> dict[str, tuple[Texture, SamplerState]]:
        textures = {
            "entity_table": (self._entities.texture, _NEAREST),
            "draw_list": (self._draw_list.texture, _NEAREST),
            "dfg_map": (self._dfg, _LINEAR),
        }
        textures |= {name: (found, _NEAREST) for name, found in self._poses.textures().items()}
        return textures | self._sky.textures()

    def _warnings(self, lights: FrameLights, fallback: str) -> tuple[str, ...]:
        warnings = [
            *self._table.warnings(),
            *self._assets.warnings(),
            *self._poses.warnings,
            *self._sky.warnings,
        ]
        if lights.left_out:
            warnings.append(
                f"The scene has {lights.count + lights.left_out} lights besides the shadowed sun;"
                f" the {lights.left_out} weakest are left out ({MAX_LIGHTS} fit a frame)."
            )
        if left := self._lamp_shadows.left_out:
            warnings.append(
                f"{left} of the lamps cast no shadow: there is room for the most important ones"
                " (Lamp Shadows in the render settings)."
            )
        for text in warnings:
            if text not in self._logged:
                self._logged.add(text)
                self._log(text)
        if fallback:
            warnings.append(f"Drawn with less than asked for: {fallback}.")
        return tuple(warnings)


def _may_change_casters(delta: WorldDelta) -> bool:
    """Tell whether `delta` is about more than the surroundings and settings, which cast nothing."""
    level = {"environment": None, "render": None, "active_camera": None, "components": {}}
    return not replace(delta, **level).is_empty()


def _finished(name: str, pixels: np.ndarray) -> np.ndarray:
    """Return an output in the shape that `Frame` promises."""
    if name == "frame_linear" and pixels.dtype == np.uint8:
        return pixels.astype(np.float32) / 255
    if name == "frame_depth":
        return np.ascontiguousarray(pixels[..., 0])
    if name == "frame_normal":
        # Resolving averages the samples of a pixel, which shortens normals at edges.
        normal = pixels[..., :3]
        length = np.linalg.norm(normal, axis=-1, keepdims=True)
        return np.divide(normal, length, out=np.zeros_like(normal), where=length > 0)
    return pixels


def render_world(
    world: World,
    camera: str | None,
    size: tuple[int, int],
    *,
    time: float = 0.0,
    outputs: Sequence[str] = ("frame_color",),
    settings: RenderSettings | None = None,
) -> Frame:
    """Draw `world` once, on a device made for it, through the camera of that id or name.

    Without a `camera` the world's active one is used, or else its first.

    Raises:
        UsageError: there is no such camera, or none at all, or the size is zero.
        FynError: as `WorldRenderer.render`; DeviceError if there is no GL.
    """
    entity = find_camera(world, camera)
    if min(size) < 1:
        raise UsageError(f"A frame of {size[0]} x {size[1]} pixels has nothing to show.")
    component = world.entities[entity].camera
    assert component is not None
    view = camera_view(
        component,
        world.world_from_local(entity),
        size,
        time=time,
        pixel_aspect=world.render.pixel_aspect,
    )
    with Device.create() as device:
        renderer = WorldRenderer(device)
        renderer.apply(world.as_delta())
        return renderer.render(view, outputs, settings)


def find_camera(world: World, camera: str | None) -> str:
    """Return the id of the entity whose camera is meant (see `render_world`).

    Raises:
        UsageError: there is no such camera, or none at all.
    """
    cameras = {entity.id: entity for entity in world.cameras()}
    if camera is None:
        if world.active_camera in cameras:
            return world.active_camera
        if cameras:
            return next(iter(cameras))
        raise UsageError("The level has no camera; add one to see through.")
    if camera in cameras:
        return camera
    for entity in cameras.values():
        if entity.name == camera:
            return entity.id
    known = ", ".join(f"'{e.name or e.id}'" for e in cameras.values()) or "none"
    raise UsageError(f"There is no camera '{camera}'; the level has: {known}.")
