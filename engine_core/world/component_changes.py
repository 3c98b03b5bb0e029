"""What has changed in component fields from version to version, said once for levels and .blends.

A change is needed whenever old values would be read differently: a renamed field or choice, another
unit, another default. Added fields and components need none: their defaults change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any, Protocol

Values = MutableMapping[str, Any]
"""Fields of one component, as a level or a .blend keeps them; those with defaults may lack."""
Encode = Callable[[Any], Any]
"""How one choice of a field is kept: as it is in a level, as a number in a .blend."""


class Change(Protocol):
    """One change of one component."""

    @property
    def component(self) -> str:
        """Key of the component."""
        ...

    def apply(self, values: Values, encode: Encode) -> None:
        """Bring `values`, which nobody has checked, up to date in place."""
        ...


@dataclass(frozen=True)
class Renamed:
    """A field has another name."""

    component: str
    old: str
    new: str

    def apply(self, values: Values, encode: Encode) -> None:
        """Move the value."""
        if self.old in values:
            values[self.new] = values[self.old]
            del values[self.old]


@dataclass(frozen=True)
class Scaled:
    """A number is in another unit: new = old * factor."""

    component: str
    field: str
    factor: float

    def apply(self, values: Values, encode: Encode) -> None:
        """Multiply the value, if it is a number."""
        old = values.get(self.field)
        if isinstance(old, float | int) and not isinstance(old, bool):
            values[self.field] = old * self.factor


@dataclass(frozen=True)
class ChoiceRenamed:
    """One choice of a field has another name."""

    component: str
    field: str
    old: str
    new: str

    def apply(self, values: Values, encode: Encode) -> None:
        """Replace the choice."""
        if values.get(self.field) == encode(self.old):
            values[self.field] = encode(self.new)


@dataclass(frozen=True)
class DefaultChanged:
    """A field has another default; whoever kept the old one by leaving it out gets it written."""

    component: str
    field: str
    old: Any
    is_choice: bool = False

    def apply(self, values: Values, encode: Encode) -> None:
        """Write the old default where nothing is written."""
        if self.field not in values:
            values[self.field] = encode(self.old) if self.is_choice else self.old


CHANGES: dict[int, tuple[Change, ...]] = {
    1: (),  # added: collider, behaviour, tags; glow, sides, importance, exposure, ambient
}
"""Changes from version n to n + 1 of the level format, by n."""


def update_components(
    components: Mapping[str, Any],
    version: int,
    newest: int,
    *,
    changes: Mapping[int, tuple[Change, ...]] | None = None,
    encode: Encode = lambda choice: choice,
) -> None:
    """Bring components by key, of `version`, to `newest` in place.

    What is no table of values is passed over: a check will name it.
    """
    table = CHANGES if changes is None else changes
    for step in range(version, newest):
        for change in table[step]:
            values: Any = components.get(change.component)
            if isinstance(values, MutableMapping) or hasattr(values, "to_dict"):
                change.apply(values, encode)
