"""What people set by Fyn's own properties, joined to what is read of Blender's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import structs

from ...engine_core.world.components import (
    WORLD_COMPONENT_TYPES,
    CameraComponent,
    Component,
    LightComponent,
    MeshComponent,
)
from ...engine_core.world.world import World
from ..components.homes import owner_of
from ..components.reading import (
    authored_values,
    has_references,
    read_components,
    with_authored,
    with_entity_ids,
)
from .identity import datablock_key

if TYPE_CHECKING:
    from .sightings import EntityKey, Sighting

C = TypeVar("C", bound=Component)


@dataclass(frozen=True, eq=False)
class _Own:
    """What people set on one object: `mesh` and `data` are fields of its drawn, lit, seen part."""

    components: dict[str, Component]
    mesh: dict[str, Any]
    data: dict[str, Any]


_NOTHING = _Own({}, {}, {})


@dataclass(frozen=True, eq=False)
class AuthoredObjects:
    """Reads each object once a pass, however often it is instanced.

    What an instancer has itself counts for its instances instead of what their sources have: of
    fields of the mesh those that were touched, of components those that the source has too. Such a
    component is then the instances' and no longer the instancer's own (`given_away`).
    """

    given_away: dict[EntityKey, set[str]] = field(default_factory=dict)
    _own: dict[int, _Own] = field(default_factory=dict)

    def joined(self, sighting: Sighting, obj: Any, instancer: Any = None) -> Sighting:
        """Return `sighting` of the evaluated `obj` with what people set."""
        own = self._of(obj)
        above = _NOTHING if instancer is None else self._of(instancer)
        if own is _NOTHING and above is _NOTHING:
            return sighting
        components = dict(own.components)
        for key in own.components.keys() & above.components.keys():
            components[key] = above.components[key]
            self.given_away.setdefault((datablock_key(instancer),), set()).add(key)
        mesh = {**own.mesh, **above.mesh} if instancer is not None else own.mesh
        return replace(
            sighting,
            mesh=_with(sighting.mesh, mesh),
            light=_with(sighting.light, own.data),
            camera=_with(sighting.camera, own.data),
            components=components,
        )

    def kept(self, sighting: Sighting) -> Sighting:
        """Return the sighting of an instancer without what it gave to its instances."""
        gone = self.given_away.get(sighting.key)
        if not gone:
            return sighting
        left = {key: value for key, value in sighting.components.items() if key not in gone}
        return replace(sighting, components=left)

    def _of(self, obj: Any) -> _Own:
        key = datablock_key(obj)
        own = self._own.get(key)
        if own is None:
            own = self._own[key] = _read(obj)
        return own


def _read(obj: Any) -> _Own:
    components = read_components(obj)
    mesh = authored_values(obj, MeshComponent)
    data: dict[str, Any] = {}
    if obj.type in ("LIGHT", "CAMERA"):
        data = _data_values(obj.data)
        components |= read_components(obj.data)
    if not components and not mesh and not data:
        return _NOTHING
    return _Own(components, mesh, data)


def _data_values(data: Any) -> dict[str, Any]:
    kind = LightComponent if owner_of(data) == "light" else CameraComponent
    return authored_values(data, kind)


def _with(component: C | None, values: dict[str, Any]) -> C | None:
    return structs.replace(component, **values) if component is not None and values else component


def entity_components(
    components: Mapping[str, Component], id_of: Callable[[int], str]
) -> tuple[dict[str, Component], bool]:
    """Return components with references as ids (`id_of` session keys), and whether any refers."""
    resolved = {key: with_entity_ids(value, id_of) for key, value in components.items()}
    return resolved, any(map(has_references, components.values()))


def level_components(scene: Any, world: Any | None) -> dict[str, Component]:
    """Return the level's components beyond environment and frame, by key; absent ones by default.

    `scene` and `world` are evaluated.
    """
    homes = {"level": scene, "environment": world}
    found: dict[str, Component] = {}
    for key, kind in WORLD_COMPONENT_TYPES.items():
        if key in World.__dataclass_fields__:
            continue
        home = homes[kind.owner]
        is_there = home is not None and (not kind.addable or key in read_components(home))
        found[key] = with_authored(kind(), home) if is_there else kind()
    return found
