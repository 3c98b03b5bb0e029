"""Meshes, images and materials of a world on the device, kept current from deltas.

Only what is drawn gets uploaded, only what changed is uploaded again, and what is no longer used
is freed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..assets.mesh import MeshData, Primitive
from ..world.world import WorldDelta
from .device import Device
from .gpu_materials import GpuMaterial, MaterialStore
from .gpu_meshes import GpuMesh, VertexLayout, drawable
from .gpu_objects import SamplerCache, VertexArray
from .gpu_textures import TextureStore
from .mesh_clusters import Cluster
from .part_cache import PartCache, SetupUses
from .scene_table import DrawSetup


@dataclass(frozen=True, eq=False)
class Part:
    """One primitive of a mesh, or a cluster of one, with one material: what a batch draws."""

    vertex_array: VertexArray
    shadow_array: VertexArray
    first_index: int
    index_count: int
    material: GpuMaterial
    double_sided: bool
    """Whether its back faces are drawn."""
    defines: tuple[str, ...]
    """Macros of the shader variant, sorted."""
    shadow_defines: tuple[str, ...]
    bounds: np.ndarray | None = None
    """(2, 3) float32 local corners of a cluster; None: those of the whole mesh."""

    @property
    def is_cutout(self) -> bool:
        """Tell whether its shadow depends on its material."""
        return "IS_CUTOUT" in self.shadow_defines


@dataclass(frozen=True, eq=False)
class SetupParts:
    """What a DrawSetup turns into: its parts, and the bounds (2, 3) float32 of its mesh."""

    parts: tuple[Part, ...]
    bounds: np.ndarray


_NOTHING = SetupParts((), np.zeros((2, 3), np.float32))


class GpuAssets:
    """Assets by id; `parts_of` uploads what a setup needs on first use."""

    def __init__(self, device: Device) -> None:
        """Start empty."""
        self.device = device
        self.samplers = SamplerCache(device)
        self.textures = TextureStore(device)
        self.materials = MaterialStore(device, self.textures, self.samplers)
        self.version = 0
        """Grows whenever parts that were handed out are no longer current."""
        self._meshes: dict[str, MeshData] = {}
        self._ready: dict[str, GpuMesh | None] = {}
        self._bounds: dict[str, np.ndarray] = {}
        self._mesh_warnings: dict[str, list[str]] = {}
        self._setup_parts: dict[DrawSetup, SetupParts] = {}
        self._parts = PartCache()
        self._uses = SetupUses()
        self._stale: set[DrawSetup] = set()

    def apply(self, delta: WorldDelta) -> None:
        """Take the assets of `delta`; drop what it replaces or removes."""
        meshes = set(delta.meshes) | delta.removed_meshes
        for key in delta.removed_meshes:
            self._meshes.pop(key, None)
        self._meshes.update(delta.meshes)
        for key in meshes:
            self._release_mesh(key)
        images = self.textures.apply(delta.images, delta.removed_images)
        materials = self.materials.apply(delta.materials, delta.removed_materials)
        materials |= self.materials.images_changed(images)
        if meshes or materials:
            self.version += 1
            self._forget(meshes, materials)

    def _release_mesh(self, key: str) -> None:
        mesh = self._ready.pop(key, None)
        self._mesh_warnings.pop(key, None)
        self._bounds.pop(key, None)
        if mesh is not None:
            mesh.release()

    def _forget(self, meshes: set[str], materials: set[str]) -> None:
        self._parts.forget(meshes, materials)
        stale = self._uses.of(meshes, materials)
        for setup in stale:
            self._setup_parts.pop(setup, None)
        self._stale |= stale

    def take_stale(self) -> set[DrawSetup]:
        """Return the setups whose parts are no longer current since the last call."""
        stale, self._stale = self._stale, set()
        return stale

    def parts_of(self, setup: DrawSetup) -> SetupParts:
        """Return the parts of `setup`, which is drawn; none if its mesh is missing or empty."""
        found = self._setup_parts.get(setup)
        if found is None:
            found = self._setup_parts[setup] = self._make_parts(setup)
        return found

    def _make_parts(self, setup: DrawSetup) -> SetupParts:
        mesh = self._mesh(setup.mesh)
        if mesh is None:
            return _NOTHING
        parts = []
        for number, primitive in enumerate(mesh.primitives):
            slot = primitive.material_slot
            material = setup.materials[slot] if slot < len(setup.materials) else ""
            made = self._parts.of(setup.mesh, material)
            key = (number, setup.sides, setup.is_posed)
            if key not in made:
                gpu_material = self.materials.get(material)
                whole = self._make_part(mesh, primitive, gpu_material, setup)
                # What is deformed leaves the bounds of its clusters.
                clusters = () if setup.is_posed else mesh.clusters_of(primitive)
                made[key] = _cut(whole, clusters)
            parts += made[key]
        return SetupParts(tuple(parts), self._bounds[setup.mesh])

    def _make_part(
        self, mesh: GpuMesh, primitive: Primitive, material: GpuMaterial, setup: DrawSetup
    ) -> Part:
        defines = set(material.defines)
        shadow_defines: set[str] = set()
        is_opaque = material.alpha_mode == "opaque"
        if not is_opaque:
            shadow_defines = {"IS_CUTOUT"} | (defines & {"HAS_BASE_COLOR_MAP", "HAS_VERTEX_COLOR"})
        deform = _deform_defines(mesh.mesh) if setup.is_posed else set()
        defines |= deform
        shadow_defines |= deform
        layout = mesh.layout_for(material.uv_sets, material.color_set, material.uses_tangents)
        if layout.tangents:
            defines.add("HAS_TANGENTS")
        skin = "HAS_SKIN" in deform
        layout = replace(layout, skin=skin, keeps_order=material.alpha_mode == "blend")
        array = mesh.vertex_array(layout)
        return Part(
            vertex_array=array,
            shadow_array=mesh.vertex_array(VertexLayout(skin=skin)) if is_opaque else array,
            first_index=primitive.first_index,
            index_count=primitive.index_count,
            material=material,
            double_sided=material.double_sided
            if setup.sides == "material"
            else setup.sides == "double",
            defines=tuple(sorted(defines)),
            shadow_defines=tuple(sorted(shadow_defines)),
        )

    def mesh_data(self, key: str) -> MeshData | None:
        """Return the mesh of that id as it is drawn, None if it is not."""
        mesh = self._mesh(key)
        return None if mesh is None else mesh.mesh

    def _mesh(self, key: str) -> GpuMesh | None:
        if key not in self._ready:
            source = self._meshes.get(key)
            if source is None:
                self._mesh_warnings[key] = [f"Mesh '{key}' does not exist; it is not drawn."]
                self._ready[key] = None
            else:
                mesh, warnings = drawable(source)
                if warnings:
                    self._mesh_warnings[key] = warnings
                self._bounds[key] = (mesh or source).bounds
                self._ready[key] = None if mesh is None else GpuMesh(self.device, mesh)
        return self._ready[key]

    def draw(self, begun: list[DrawSetup], ceased: list[DrawSetup]) -> None:
        """Note which setups begin and cease to be drawn; free what none draws any more."""
        for setup in begun:
            self._uses.add(setup)
        for setup in ceased:
            self._uses.remove(setup)
            self._setup_parts.pop(setup, None)
        meshes = self._ready.keys() - self._uses.by_mesh.keys()
        for key in meshes:
            self._release_mesh(key)
        drawn = self._uses.by_material.keys() | {""}
        self._parts.forget(meshes, self.materials.keep_only(drawn))
        self.textures.keep_only(self.materials.images())

    def warnings(self) -> list[str]:
        """Say in words what cannot be drawn as it is."""
        return [
            *(text for _, texts in sorted(self._mesh_warnings.items()) for text in texts),
            *(text for _, texts in sorted(self.materials.warnings.items()) for text in texts),
            *(text for _, text in sorted(self.textures.warnings.items())),
        ]

    def release(self) -> None:
        """Delete everything."""
        for key in list(self._ready):
            self._release_mesh(key)
        self.materials.release()
        self.textures.release()
        self.samplers.release()


def _deform_defines(mesh: MeshData) -> set[str]:
    found = {"HAS_SKIN": mesh.skin is not None, "HAS_MORPHS": bool(mesh.morphs)}
    return {name for name, has in found.items() if has}


def _cut(part: Part, clusters: tuple[Cluster, ...]) -> tuple[Part, ...]:
    """Return a part for each cluster; the whole one where there are none or it is blended."""
    if not clusters or part.material.alpha_mode == "blend":
        return (part,)
    return tuple(
        replace(
            part,
            first_index=cluster.first_index,
            index_count=cluster.index_count,
            bounds=cluster.bounds,
        )
        for cluster in clusters
    )
