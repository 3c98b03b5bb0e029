"""Depsgraph to World: everything that turns Blender data into engine data."""
