"""Which rays see an object, as Blender's view layer, the object and its instancer say together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .identity import datablock_key


@dataclass(frozen=True, slots=True)
class Visibility:
    """Whether the camera sees it, whether it casts shadows, whether it cuts a hole."""

    camera: bool
    shadow: bool
    holdout: bool


@dataclass(frozen=True, slots=True)
class LayerState:
    """What a view layer says of everything in it.

    override: session key of the material that replaces all. flags: (collection, holdout, indirect
    only) of the collections that are either.
    """

    override: int | None = None
    flags: frozenset[tuple[str, bool, bool]] = frozenset()

    @classmethod
    def of(cls, view_layer: Any) -> LayerState:
        """Return the state of an evaluated view layer."""
        material = view_layer.material_override
        return cls(
            None if material is None else datablock_key(material),
            frozenset(
                (child.name, child.holdout, child.indirect_only)
                for child in _collections(view_layer.layer_collection)
                if child.holdout or child.indirect_only
            ),
        )


def _collections(layer_collection: Any) -> Iterator[Any]:
    yield layer_collection
    for child in layer_collection.children:
        yield from _collections(child)


def visibility(obj: Any, instancer: Any | None, view_layer: Any | None) -> Visibility:
    """Return how an evaluated object is seen; `instancer`, if any, has to be seen that way, too.

    `view_layer` is given if collections of it are holdouts or seen indirectly. An instance is in
    the collections of its instancer (as Cycles has it).
    """
    camera, shadow, holdout = obj.visible_camera, obj.visible_shadow, obj.is_holdout
    owner = obj
    if instancer is not None:
        camera &= instancer.visible_camera
        shadow &= instancer.visible_shadow
        holdout |= instancer.is_holdout
        owner = instancer
    if view_layer is not None:
        holdout |= owner.holdout_get(view_layer=view_layer)
        camera &= holdout or not owner.indirect_only_get(view_layer=view_layer)
    return Visibility(camera, shadow, holdout)
