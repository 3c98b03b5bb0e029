"""Materials on the device: one uniform buffer of aligned blocks, textures, and shader variants."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..assets.material import DEFAULT_MATERIAL, Material, TextureSlot
from .brdf import grazing_reflectance
from .device import Device
from .gpu_objects import Buffer, SamplerCache, SamplerState, Texture
from .gpu_textures import TextureStore
from .interface import ALPHA_MODES, BLOCKS, SAMPLERS, block_dtype

MAP_ROLES = ("base_color", "metallic_roughness", "normal", "occlusion", "emissive")
_NORMAL = MAP_ROLES.index("normal")
"""Texture slots of a material in the order of their units."""
_COLOR_ROLES = ("base_color", "emissive")
_UV_SETS = 2
_BINDING = list(BLOCKS).index("Material")
_ANISOTROPY = 8.0
_BLEND_SHADOW_CUTOFF = 0.5
"""A blended surface casts the shadow of what is more opaque than this."""


@dataclass(frozen=True)
class TextureUse:
    """A texture and its sampler on one unit."""

    unit: int
    texture: Texture
    sampler: int


@dataclass(frozen=True)
class GpuMaterial:
    """What drawing with a material takes besides its block."""

    index: int
    defines: tuple[str, ...]
    textures: tuple[TextureUse, ...]
    alpha_mode: str
    double_sided: bool
    back_casts_shadow: bool
    uv_sets: tuple[int, ...]
    """The mesh's UV sets that feed uv0 and uv1."""
    color_set: int | None
    uses_tangents: bool
    """Its normal map lies in the UV set that a mesh's tangents belong to, the first."""


class MaterialStore:
    """Materials by id; the id "" is the default. Blocks are written once a change."""

    def __init__(self, device: Device, textures: TextureStore, samplers: SamplerCache) -> None:
        """Start with the default material."""
        self.device, self._textures, self._samplers = device, textures, samplers
        alignment = max(16, device.info.uniform_offset_alignment)
        self._block = block_dtype("Material")
        self._stride = -(-self._block.itemsize // alignment) * alignment
        self._materials: dict[str, Material] = {"": DEFAULT_MATERIAL}
        self._ready: dict[str, GpuMaterial] = {}
        self._indices: dict[str, int] = {}
        self._free: list[int] = []
        self._bytes = np.zeros((0, self._stride), np.uint8)
        self._buffer: Buffer | None = None
        self._dirty: set[int] = set()
        self._images: dict[str, set[str]] = {}
        self.warnings: dict[str, list[str]] = {}
        """By material id, of the materials in use."""

    def apply(self, materials: dict[str, Material], removed: frozenset[str]) -> set[str]:
        """Take changed materials; return the ids of those that are drawn in another way now."""
        touched = (set(materials) | removed) - {""}
        for key in removed - {""}:
            self._materials.pop(key, None)
        self._materials.update({k: m for k, m in materials.items() if k})
        for key in touched & self._images.keys():
            self._images[key] = self.images_of(key)
        touched -= {key for key in touched if self._differs_in_numbers_only(key)}
        self._forget(touched)
        return touched

    def _differs_in_numbers_only(self, key: str) -> bool:
        """Rewrite the block of a changed material; True if that is all that drawing it needs."""
        before = self._ready.get(key)
        if before is None or key not in self._materials:
            return False
        self.warnings.pop(key, None)
        return self._prepare(key) == before

    def images_changed(self, images: set[str]) -> set[str]:
        """Forget the materials that use one of `images`; return their ids."""
        if not images:
            return set()
        touched = {key for key, used in self._images.items() if not images.isdisjoint(used)}
        self._forget(touched)
        return touched

    def keep_only(self, used: set[str]) -> set[str]:
        """Give back the blocks of materials that nothing uses any more; return their ids."""
        gone = self._indices.keys() - used
        self._forget(gone)
        for key in gone:
            self._free.append(self._indices.pop(key))
        for key in self._images.keys() - used:
            del self._images[key]
        for key in used - self._images.keys():
            self._images[key] = self.images_of(key)
        return gone

    def images(self) -> set[str]:
        """Return the ids of the images that the materials use which were last kept."""
        return set().union(*self._images.values())

    def _forget(self, keys: set[str]) -> None:
        for key in keys:
            self._ready.pop(key, None)
            self.warnings.pop(key, None)

    def images_of(self, key: str) -> set[str]:
        """Return the ids of the images that material `key` uses."""
        material = self._materials.get(key, DEFAULT_MATERIAL)
        return {slot.image for slot in material.texture_slots().values()}

    def get(self, key: str) -> GpuMaterial:
        """Return material `key`, or the default one if there is none of that id."""
        ready = self._ready.get(key)
        if ready is None:
            ready = self._ready[key] = self._prepare(key)
        return ready

    def _prepare(self, key: str) -> GpuMaterial:
        material = self._materials.get(key, DEFAULT_MATERIAL)
        warnings = [] if key in self._materials else [f"Material '{key}' does not exist."]
        slots = material.texture_slots()
        broken = {role for role, slot in slots.items() if self._textures.is_pink(slot.image)}
        # Pink means something only as a colour: as a normal or a roughness it would just look odd.
        for role in sorted(broken - set(_COLOR_ROLES)):
            slots["base_color"] = slots.pop(role)
        uv_sets = tuple(sorted({slot.uv_set for slot in slots.values()}))
        if len(uv_sets) > _UV_SETS:
            warnings.append(
                f"Material '{material.name}' uses {len(uv_sets)} UV maps; textures of the third"
                f" and later ones are laid out by the first."
            )
            uv_sets = uv_sets[:_UV_SETS]
        if warnings:
            self.warnings[key] = warnings
        index = self._index_of(key)
        block = np.zeros(1, self._block)
        fill_material_block(block[0], material, slots, uv_sets)
        self._bytes[index, : self._block.itemsize] = block.view(np.uint8)
        self._dirty.add(index)
        return GpuMaterial(
            index=index,
            defines=_defines(material, slots),
            textures=tuple(self._use(role, slots[role]) for role in MAP_ROLES if role in slots),
            alpha_mode=material.alpha_mode,
            double_sided=material.double_sided,
            back_casts_shadow=material.back_casts_shadow,
            uv_sets=uv_sets,
            color_set=material.vertex_color_set,
            uses_tangents="normal" in slots and slots["normal"].uv_set == 0,
        )

    def _index_of(self, key: str) -> int:
        index = self._indices.get(key)
        if index is None:
            if not self._free:
                old = len(self._bytes)
                new = max(16, 2 * old)
                wider = np.zeros((new, self._stride), np.uint8)
                wider[:old] = self._bytes
                self._bytes = wider
                self._free.extend(range(new - 1, old - 1, -1))
            index = self._indices[key] = self._free.pop()
        return index

    def _use(self, role: str, slot: TextureSlot) -> TextureUse:
        linear = slot.filter == "linear"
        state = SamplerState(
            linear=linear,
            mipmaps=True,
            wrap_u=slot.wrap_u,
            wrap_v=slot.wrap_v,
            # An anisotropic filter averages, which some drivers do even when asked for nearest.
            anisotropy=min(_ANISOTROPY, self.device.info.max_anisotropy) if linear else 1.0,
        )
        unit = SAMPLERS[f"{role}_map"][0]
        return TextureUse(unit, self._textures.get(slot.image), self._samplers.get(state))

    def upload(self) -> None:
        """Write the blocks that changed since the last call."""
        if not self._dirty:
            return
        if self._buffer is None or self._buffer.size != self._bytes.nbytes:
            if self._buffer is not None:
                self._buffer.release()
            self._buffer = Buffer(self.device, self._bytes)
        else:
            for index in sorted(self._dirty):
                self._buffer.write(self._bytes[index], index * self._stride)
        self._dirty.clear()

    def bind(self, index: int) -> None:
        """Bind the block of the material with `index`."""
        assert self._buffer is not None
        self._buffer.bind_uniform_range(_BINDING, index * self._stride, self._block.itemsize)

    def release(self) -> None:
        """Delete the buffer."""
        if self._buffer is not None:
            self._buffer.release()


def _defines(material: Material, slots: dict[str, TextureSlot]) -> tuple[str, ...]:
    names = [f"HAS_{role.upper()}_MAP" for role in MAP_ROLES if role in slots]
    if "normal" in slots and material.bump_distance != 0:
        names.append("HAS_BUMP")
    if material.vertex_color_set is not None:
        names.append("HAS_VERTEX_COLOR")
    if material.alpha_mode != "opaque":
        names.append("IS_CUTOUT" if material.alpha_mode == "mask" else "IS_BLENDED")
    if material.alpha_mode == "blend" and material.glass:
        names.append("IS_GLASS")
    if material.shading != "lit":
        names.append("IS_UNLIT")
    if material.shading == "holdout":
        names.append("IS_HOLDOUT")
    return tuple(names)


def fill_material_block(
    block: np.void, material: Material, slots: dict[str, TextureSlot], uv_sets: tuple[int, ...]
) -> None:
    """Write `material` into one element of `block_dtype("Material")`.

    `uv_sets` are the mesh's UV sets that feed uv0 and uv1.
    """
    cutoff = material.alpha_cutoff if material.alpha_mode == "mask" else _BLEND_SHADOW_CUTOFF
    emissive = np.array(material.emissive) * material.emissive_strength
    # Schlick's F0 of a dielectric in air.
    reflectance = ((material.ior - 1) / (material.ior + 1)) ** 2
    block["base_color"] = material.base_color
    block["emissive"] = (*emissive, cutoff)
    block["surface"] = (
        material.metallic,
        material.roughness,
        material.normal_scale,
        material.occlusion_strength,
    )
    block["specular"] = (
        *(reflectance * np.array(material.specular_tint)),
        grazing_reflectance(reflectance),
    )
    block["texture_uv"] = -1
    for unit, role in enumerate(MAP_ROLES):
        slot = slots.get(role)
        if slot is None:
            continue
        uv = uv_sets.index(slot.uv_set) if slot.uv_set in uv_sets else 0
        block["texture_uv"][unit // 4][unit % 4] = uv
        block["texture_matrix"][2 * unit : 2 * unit + 2, :3] = uv_transform(slot)
    # The rows of the normal map have room for what bends normals besides.
    block["texture_matrix"][2 * _NORMAL : 2 * _NORMAL + 2, 3] = (
        material.bump_distance,
        material.bump_strength,
    )
    block["material_flags"] = (
        ALPHA_MODES.index(material.alpha_mode),
        material.double_sided,
        material.shading != "lit",
        material.vertex_color_set is not None,
    )


def uv_transform(slot: TextureSlot) -> np.ndarray:
    """Return the (2, 3) matrix that takes (u, v, 1), v down, to where the texture is read.

    KHR_texture_transform: offset after rotation after scale. With v down, a turn that looks
    counter-clockwise has its sines the other way round than on paper.
    """
    cosine, sine = math.cos(slot.rotation), math.sin(slot.rotation)
    u, v = slot.scale
    return np.array(
        [
            [cosine * u, sine * v, slot.offset[0]],
            [-sine * u, cosine * v, slot.offset[1]],
        ]
    )
