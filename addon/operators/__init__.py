"""Operators that Fyn adds to Blender."""
