"""Fyn for Blender: the extension's entry points and the root of the Python package `fyn`."""

from __future__ import annotations


def register() -> None:
    """Add Fyn's classes, handlers and properties to the running Blender."""
    from .addon import registration

    registration.register()


def unregister() -> None:
    """Remove everything that `register` added, newest first."""
    from .addon import registration

    registration.unregister()
