"""Uses: who uses what, so that what nobody uses any more can be dropped without a search."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

User = TypeVar("User", bound=Hashable)
Thing = TypeVar("Thing", bound=Hashable)


class Uses(Generic[User, Thing]):
    """Each user's things and each thing's users."""

    def __init__(self) -> None:
        self._things: dict[User, tuple[Thing, ...]] = {}
        self._users: dict[Thing, set[User]] = {}
        self._unused: set[Thing] = set()

    def put(self, user: User, things: tuple[Thing, ...]) -> None:
        """Record everything that `user` uses from now on."""
        before = self._things.get(user, ())
        if before == things:
            return
        if things:
            self._things[user] = things
        else:
            self._things.pop(user, None)
        for thing in set(before) - set(things):
            users = self._users[thing]
            users.discard(user)
            if not users:
                del self._users[thing]
                self._unused.add(thing)
        for thing in set(things) - set(before):
            self._users.setdefault(thing, set()).add(user)
            self._unused.discard(thing)

    def has(self, thing: Thing) -> bool:
        """Tell whether anybody uses `thing`."""
        return thing in self._users

    def things_of(self, user: User) -> tuple[Thing, ...]:
        """Return what `user` uses, in its order."""
        return self._things.get(user, ())

    def users_of(self, things: Iterable[Thing]) -> set[User]:
        """Return all who use any of `things`."""
        return set().union(*(self._users.get(thing, ()) for thing in things))

    def things_where(self, place: int, values: set) -> list[Thing]:
        """Return the things, tuples, that hold one of `values` at `place`."""
        return [thing for thing in self._users if thing[place] in values]  # type: ignore[index]

    def keep_users(self, users: set[User]) -> None:
        """Forget everybody else."""
        for user in self._things.keys() - users:
            self.put(user, ())

    def take_unused(self) -> set[Thing]:
        """Return what has lost its last user since the last call."""
        unused, self._unused = self._unused, set()
        return unused
