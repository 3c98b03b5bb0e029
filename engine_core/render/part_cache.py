"""What is drawn of which mesh with which material: uses of setups, and the parts made of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar

from .scene_table import DrawSetup

if TYPE_CHECKING:
    from .gpu_assets import Part

_Value = TypeVar("_Value")
PartKey = tuple[int, str, bool]
"""Number of the primitive, which faces, whether it is posed."""


class SetupUses:
    """The setups that are drawn, by mesh and by material."""

    def __init__(self) -> None:
        """Start without setups."""
        self.by_mesh: dict[str, set[DrawSetup]] = {}
        self.by_material: dict[str, set[DrawSetup]] = {}

    def add(self, setup: DrawSetup) -> None:
        """Note that `setup` is drawn; the default material may fill its empty slots."""
        self.by_mesh.setdefault(setup.mesh, set()).add(setup)
        for material in (*setup.materials, ""):
            self.by_material.setdefault(material, set()).add(setup)

    def remove(self, setup: DrawSetup) -> None:
        """Note that `setup` is drawn no more."""
        _take_out(self.by_mesh, setup.mesh, setup)
        for material in {*setup.materials, ""}:
            _take_out(self.by_material, material, setup)

    def of(self, meshes: Iterable[str], materials: Iterable[str]) -> set[DrawSetup]:
        """Return the setups with one of `meshes` or of `materials`."""
        found = [self.by_mesh.get(mesh, set()) for mesh in meshes]
        found += [self.by_material.get(material, set()) for material in materials]
        return set().union(*found)


class PartCache:
    """Parts by mesh and material, so that a change of one finds its own."""

    def __init__(self) -> None:
        """Start without parts."""
        self._parts: dict[str, dict[str, dict[PartKey, tuple[Part, ...]]]] = {}
        self._meshes_of: dict[str, set[str]] = {}

    def of(self, mesh: str, material: str) -> dict[PartKey, tuple[Part, ...]]:
        """Return the parts of a mesh with a material, to be added to."""
        self._meshes_of.setdefault(material, set()).add(mesh)
        return self._parts.setdefault(mesh, {}).setdefault(material, {})

    def forget(self, meshes: Iterable[str], materials: Iterable[str]) -> None:
        """Drop all that is made of one of `meshes` or of `materials`."""
        for mesh in meshes:
            for material in self._parts.pop(mesh, {}):
                _take_out(self._meshes_of, material, mesh)
        for material in materials:
            for mesh in self._meshes_of.pop(material, set()):
                self._parts[mesh].pop(material, None)


def _take_out(sets: dict[str, set[_Value]], key: str, value: _Value) -> None:
    """Take `value` out of the set at `key`, and the set away if it is empty."""
    found = sets.get(key)
    if found is not None:
        found.discard(value)
        if not found:
            del sets[key]
