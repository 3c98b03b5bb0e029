"""Levels back into Blender: entities as objects, materials as nodes, components as properties."""
