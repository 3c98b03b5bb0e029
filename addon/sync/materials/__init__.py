"""Blender materials to engine materials: one module a topic."""

from .reading import MaterialReading, read_material

__all__ = ["MaterialReading", "read_material"]
