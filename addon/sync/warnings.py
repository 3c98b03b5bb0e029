"""SyncWarning: one thing that the engine cannot show as Blender does, in words for the artist."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from .causes import Cause

WarningKind = Literal[
    "object", "mesh", "material", "image", "light", "camera", "world", "scene", "library"
]


@dataclass(frozen=True, order=True)
class SyncWarning:
    """What was approximated or left out; make one with `warn_about`.

    `kind` and `name` (with its library: "Cube [props.blend]") say which datablock; `node` is the
    label of the shader node when there is one; `what` is a sentence about what differs; `advice`
    says what the artist can do; `left_out` is true if something is not shown at all (false: shown
    approximately).

    For programs: `cause` is the name of a `Cause`; `uid` the datablock's session uid, 0 if only
    the name is known; `node_name` the node's own name, and `group` the name of the node group that
    it is in, "" for the datablock's own tree.
    """

    kind: WarningKind
    name: str
    what: str
    advice: str = ""
    node: str = ""
    left_out: bool = False
    cause: str = ""
    uid: int = 0
    node_name: str = ""
    group: str = ""

    def __str__(self) -> str:
        """Return the whole warning on one line."""
        where = f"{self.kind} '{self.name}'" + (f", node '{self.node}'" if self.node else "")
        return f"{where}: {self.what}" + (f" {self.advice}" if self.advice else "")

    @property
    def key(self) -> str:
        """Text that no other warning has, by which it can be found again."""
        parts = (self.kind, self.name, str(self.uid), self.cause, self.group, self.node_name)
        return "\n".join((*parts, self.what))

    def about(self, datablock: Any) -> SyncWarning:
        """Return the same warning about another datablock."""
        kind = _kind(datablock)
        return replace(self, kind=kind, name=datablock.name_full, uid=_uid(datablock))


def warn_about(
    datablock: Any, cause: Cause, node: Any | None = None, **values: object
) -> SyncWarning:
    """Return a warning about a datablock of Blender, evaluated or original, or a node of its tree.

    `values` fill the sentences of the cause.
    """
    kind = _kind(datablock)
    return named_warning(kind, datablock.name_full, cause, node, uid=_uid(datablock), values=values)


def named_warning(
    kind: WarningKind,
    name: str,
    cause: Cause,
    node: Any | None = None,
    *,
    uid: int = 0,
    values: dict[str, object] | None = None,
) -> SyncWarning:
    """Return a warning about a datablock of which the name is known; see `warn_about`."""
    words = cause.words
    label, node_name, group = "", "", ""
    if node is not None:
        label, node_name = node.label or node.name, node.name
        tree = node.id_data
        group = "" if tree.is_embedded_data else tree.name_full
    return SyncWarning(
        kind=kind,
        name=name,
        what=words.what.format(**(values or {})),
        advice=words.advice.format(**(values or {})),
        node=label,
        left_out=words.left_out,
        cause=cause.name,
        uid=uid,
        node_name=node_name,
        group=group,
    )


def _kind(datablock: Any) -> WarningKind:
    return datablock.id_type.lower()


def _uid(datablock: Any) -> int:
    return datablock.original.session_uid
